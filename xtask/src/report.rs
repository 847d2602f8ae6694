use std::fmt;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde::Deserialize;

/// Result of a campaign, as it tells it in a line of JSON.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) tried: u64,
    #[serde(default)]
    distinct: u64,
    refused: u64,
    lost: u64,
    wrong: u64,
    unopened: u64,
    skipped: Option<String>,
    note: String,
    #[serde(default)]
    stories: Vec<String>,
    /// Bugs that are planted for it, by name.
    #[serde(default)]
    pub(crate) bugs: Vec<String>,
    wall_ms: u64,
}

/// The rows of all campaigns.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

impl Row {
    /// Reads a line that a campaign printed.
    fn of(line: &str) -> anyhow::Result<Row> {
        serde_json::from_str(line).with_context(|| format!("not a campaign's line: {line}"))
    }

    /// Runs a campaign that tells its rows in lines.
    ///
    /// # Errors
    /// It did not run to its end.
    pub(crate) fn told(campaign: &mut Command) -> anyhow::Result<Vec<Row>> {
        // One that found harm ends with an error, and has told what it found.
        let told = campaign.arg("--json").stderr(Stdio::inherit()).output()?;
        let told = String::from_utf8(told.stdout)?;
        let rows: Vec<Row> = told.lines().map(Row::of).collect::<anyhow::Result<_>>()?;
        ensure!(!rows.is_empty(), "it did not run to its end");
        Ok(rows)
    }

    /// Names the store that the row is of.
    pub(crate) fn of_store(self, store: &str) -> Row {
        Row { name: format!("{}: {store}", self.name), ..self }
    }

    /// Trials after which something was lost, wrong or shut.
    pub(crate) fn harms(&self) -> u64 {
        self.lost + self.wrong + self.unopened
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.skipped {
            return write!(f, "| {} | SKIPPED | | | | | | | {why} |", self.name);
        }
        let distinct = if self.distinct == 0 { String::new() } else { self.distinct.to_string() };
        write!(
            f,
            "| {} | {} | {distinct} | {} | {} | {} | {} | {} | {} |",
            self.name,
            self.tried,
            self.refused,
            self.lost,
            self.wrong,
            self.unopened,
            self.wall_ms / 1_000,
            self.note
        )?;
        self.stories.iter().try_for_each(|story| write!(f, "\n    {story}"))
    }
}

impl Table {
    /// Prints the table.
    ///
    /// # Errors
    /// Something was lost, wrong or shut.
    pub(crate) fn judge(&self) -> anyhow::Result<()> {
        println!("{self}");
        let harmed = self.rows.iter().filter(|row| row.harms() > 0);
        let harmed: Vec<&str> = harmed.map(|row| row.name.as_str()).collect();
        let names = harmed.join(", ");
        ensure!(harmed.is_empty(), "harm: {names}; run it by its name, it tells where");
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ran = self.rows.iter().filter(|row| row.skipped.is_none());
        let (tried, harms) = ran
            .clone()
            .fold((0, 0), |(tried, harms), row| (tried + row.tried, harms + row.harms()));
        writeln!(f, "| campaign | tried | distinct | refused | lost | wrong | unopened | s | |")?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|")?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))?;
        let skipped = self.rows.len() - ran.count();
        write!(f, "{tried} tried, {harms} with harm; {skipped} campaigns skipped")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_is_skipped_is_counted_and_harm_is_red() {
        let row = |lost: u64, skipped: Value| {
            let line = serde_json::json!({
                "name": "kill", "tried": 7, "refused": 1, "lost": lost, "wrong": 0,
                "unopened": 0, "skipped": skipped, "note": "", "wall_ms": 1_500,
            });
            Row::of(&line.to_string()).unwrap()
        };
        let table = Table { rows: vec![row(0, Value::Null), row(0, "no strace".into())] };
        assert!(table.judge().is_ok());
        let text = table.to_string();
        assert!(text.contains("| kill | 7 |  | 1 | 0 | 0 | 0 | 1 |  |"), "{text}");
        assert!(text.ends_with("7 tried, 0 with harm; 1 campaigns skipped"), "{text}");
        assert!(Table { rows: vec![row(1, Value::Null)] }.judge().is_err());
    }
}
