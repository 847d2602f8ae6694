use std::fmt;

use crate::planted::bug::Bug;
use crate::planted::campaign::{Campaign, Outcome};

/// Outcome of one planted bug.
pub(crate) struct Line {
    pub(crate) bug: Bug,
    /// The campaign that went red, and how; `None` where every one was green.
    pub(crate) caught: Option<(&'static Campaign, Outcome)>,
    pub(crate) wall_seconds: f64,
}

/// So much of what a campaign said is shown.
const SAID_CHARS_MAX: usize = 160;

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { bug, caught, wall_seconds } = self;
        let Bug { name, path, breaks, .. } = bug;
        let Some((campaign, outcome)) = caught else {
            return write!(f, "{name:<32} NOT CAUGHT after {wall_seconds:.1} s: {path}: {breaks}");
        };
        let amount = format!("{} {}", outcome.states, campaign.unit);
        write!(f, "{name:<32} {:<28} {amount:>16} {wall_seconds:>6.1} s", campaign.name)?;
        let said = outcome.said.iter().flat_map(|said| said.chars());
        let said: String = said.take(SAID_CHARS_MAX).collect();
        outcome.part.iter().chain([&said]).try_for_each(|line| write!(f, "\n    {line}"))
    }
}
