use std::fmt;

use serde_json::{Value, json};

use super::Told;

/// Results of every law.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

/// Result of one law, and of the bugs that are planted for it.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) told: Told,
    pub(crate) tried: Vec<Tried>,
}

/// Result of a planted bug.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) bug: String,
    /// The number of the history in which the law was broken, from 1.
    pub(crate) history: Option<u64>,
}

impl Table {
    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Whether every law holds and finds all of its bugs.
    pub(crate) fn is_sound(&self) -> bool {
        self.rows.iter().all(|row| row.holds() && row.finds())
    }

    pub(crate) fn to_json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let bugs = row
                .tried
                .iter()
                .map(|tried| json!({ "name": tried.bug, "caught_in_history": tried.history }));
            let told = &row.told;
            json!({
                "law": told.law, "says": told.says, "histories": told.histories,
                "cases": told.cases, "violations": told.violations, "first": told.what,
                "bugs": bugs.collect::<Vec<_>>(),
            })
        });
        json!({ "ok": self.is_sound(), "laws": rows.collect::<Vec<_>>() })
    }
}

impl Row {
    fn holds(&self) -> bool {
        self.told.violations == 0 && self.told.cases > 0
    }

    fn finds(&self) -> bool {
        !self.tried.is_empty() && self.tried.iter().all(|tried| tried.history.is_some())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| law | says | histories | cases | violations | planted bugs |")?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for Row { told, tried } in &self.rows {
            let tried: Vec<String> = tried.iter().map(ToString::to_string).collect();
            writeln!(
                f,
                "| {} | {} | {} | {} | {} | {} |",
                told.law,
                told.says,
                told.histories,
                told.cases,
                told.violations,
                tried.join("; ")
            )?;
            if let (Some(seed), Some(what)) = (told.seed, &told.what) {
                writeln!(f, "    seed {seed}: {what}")?;
            }
        }
        let count = self.rows.len();
        let green = self.rows.iter().filter(|row| row.holds()).count();
        let red = self.rows.iter().filter(|row| row.finds()).count();
        let cases: u64 = self.rows.iter().map(|row| row.told.cases).sum();
        write!(f, "{green} of {count} laws hold in {cases} cases; the bugs of {red} are caught")
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.history {
            Some(history) => write!(f, "{}: caught in history {history}", self.bug),
            None => write!(f, "{}: NOT CAUGHT", self.bug),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_without_cases_or_with_a_bug_at_large_is_not_sound() {
        let row = |cases: u64, history: Option<u64>| {
            let told = json!({
                "law": "P1", "says": "no lift", "bugs": ["b"], "histories": 1, "cases": cases,
                "violations": 0, "seed": null, "what": null,
            });
            let tried = vec![Tried { bug: "b".to_owned(), history }];
            Table { rows: vec![Row { told: serde_json::from_value(told).unwrap(), tried }] }
        };
        assert!(row(7, Some(3)).is_sound());
        assert!(row(7, Some(3)).to_string().contains("| 7 | 0 | b: caught in history 3 |"));
        assert!(!row(0, Some(3)).is_sound());
        assert!(!row(7, None).is_sound());
        assert!(row(7, None).to_string().contains("b: NOT CAUGHT"));
    }
}
