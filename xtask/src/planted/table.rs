use std::fmt;

use serde_json::{Value, json};

use crate::planted::bug::Bug;
use crate::planted::campaign::{Campaign, Outcome};
use crate::planted::part::Part;

/// Table of the bugs that were caught, by which campaign, after how many states.
#[derive(Default)]
pub(crate) struct Table {
    control: Vec<String>,
    lines: Vec<Line>,
}

/// Outcome of one planted bug.
pub(crate) struct Line {
    pub(crate) bug: Bug,
    /// `None` where every campaign was green.
    pub(crate) caught: Option<Caught>,
    pub(crate) wall_seconds: f64,
}

/// The campaign that went red.
pub(crate) struct Caught {
    pub(crate) campaign: &'static str,
    /// How much it had tried when it ended.
    pub(crate) states: u64,
    pub(crate) unit: &'static str,
    /// First words of the campaign's failure.
    pub(crate) said: String,
    /// Part of the campaign that went red first, where that is known.
    pub(crate) part: Option<Part>,
}

/// So much of what a campaign said is shown in the table.
const SAID_CHARS_MAX: usize = 160;

impl Table {
    /// Takes note of a campaign that was green without a bug.
    pub(crate) fn control(&mut self, campaign: &Campaign, outcome: &Outcome) {
        self.control.push(format!("{:<28} {outcome}", campaign.name));
    }

    pub(crate) fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// The bugs that no campaign caught.
    pub(crate) fn missed(&self) -> usize {
        self.lines.iter().filter(|line| line.caught.is_none()).count()
    }

    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "ok": self.missed() == 0,
            "control": self.control,
            "bugs": self.lines.iter().map(Line::to_json).collect::<Vec<_>>(),
            "caught": self.lines.len() - self.missed(),
            "missed": self.missed(),
        })
    }
}

impl Line {
    fn to_json(&self) -> Value {
        let caught = self.caught.as_ref();
        json!({
            "name": self.bug.name, "file": self.bug.path, "breaks": self.bug.breaks,
            "caught_by": caught.map(|caught| caught.campaign),
            "tried": caught.map(|caught| caught.states),
            "unit": caught.map(|caught| caught.unit),
            "part": caught.and_then(|caught| caught.part.as_ref()).map(Part::to_string),
            "said": caught.map(|caught| caught.said.as_str()),
            "wall_seconds": self.wall_seconds,
        })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "without a bug:")?;
        for line in &self.control {
            writeln!(f, "  {line}")?;
        }
        writeln!(f)?;
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        let all = self.lines.len();
        write!(f, "{} of {all} planted bugs caught", all - self.missed())
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { bug, caught, wall_seconds } = self;
        match caught {
            Some(Caught { campaign, states, unit, said, part }) => {
                let amount = format!("{states} {unit}");
                let said: String = said.chars().take(SAID_CHARS_MAX).collect();
                write!(f, "{:<32} {campaign:<28} {amount:>16} {wall_seconds:>6.1} s", bug.name)?;
                if let Some(part) = part {
                    write!(f, "\n    {part}")?;
                }
                write!(f, "\n    {said}")
            }
            None => {
                let Bug { name, path, breaks, .. } = bug;
                write!(f, "{name:<32} NOT CAUGHT after {wall_seconds:.1} s: {path}: {breaks}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_caught_is_told_and_counted() {
        let bug = || Bug::of("n.patch", "b\n").unwrap_or_default();
        let said = "lost".to_owned();
        let caught = Caught { campaign: "crashes", states: 7, unit: "states", said, part: None };
        let mut table = Table::default();
        table.push(Line { bug: bug(), caught: Some(caught), wall_seconds: 1.0 });
        assert_eq!(table.missed(), 0);
        table.push(Line { bug: bug(), caught: None, wall_seconds: 2.0 });
        assert_eq!(table.missed(), 1);
        let shown = table.to_string();
        assert!(shown.contains("NOT CAUGHT") && shown.ends_with("1 of 2 planted bugs caught"));
        assert_eq!(table.to_json()["bugs"][0]["tried"], 7);
    }
}
