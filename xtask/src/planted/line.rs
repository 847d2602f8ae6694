use std::fmt;

use anyhow::ensure;

use crate::planted::bug::Bug;
use crate::workers::by_workers;

/// Outcome of one planted bug: the report of everything that looks for one.
pub(crate) struct Line {
    pub(crate) bug: Bug,
    /// How it was caught; `None` where nothing went red.
    pub(crate) caught: Option<Caught>,
    pub(crate) wall_seconds: f64,
}

/// How a planted bug was caught.
pub(crate) struct Caught {
    /// The campaign or the fuzz target that went red.
    pub(crate) by: String,
    /// How much it had tried, with the unit.
    pub(crate) after: String,
    /// First words of its failure.
    pub(crate) said: String,
    /// Part of it that went red first, where that is known.
    pub(crate) part: Option<String>,
}

/// Maximum length of a campaign's output that is shown.
const SAID_CHARS_MAX: usize = 160;

impl Line {
    /// Tries every bug on some threads, and prints what came of each.
    ///
    /// # Errors
    /// The first that a try gave.
    pub(crate) fn all<T: Send>(
        workers: u32,
        bugs: Vec<T>,
        try_bug: &(dyn Fn(T) -> anyhow::Result<Line> + Sync),
    ) -> anyhow::Result<Vec<Line>> {
        by_workers(workers, bugs, &|bug| {
            let line = try_bug(bug)?;
            println!("{line}");
            Ok(line)
        })
    }

    /// Sums up.
    ///
    /// # Errors
    /// A bug was not caught.
    pub(crate) fn judge(lines: &[Line]) -> anyhow::Result<()> {
        let missed = lines.iter().filter(|line| line.caught.is_none());
        let missed: Vec<&str> = missed.map(|line| line.bug.name.as_str()).collect();
        let (count, names) = (lines.len(), missed.join(", "));
        ensure!(missed.is_empty(), "not caught, of {count} planted bugs: {names}");
        println!("{count} planted bugs, each caught");
        Ok(())
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { bug, caught, wall_seconds } = self;
        let Bug { name, path, breaks, .. } = bug;
        let Some(Caught { by, after, said, part }) = caught else {
            return write!(f, "{name:<32} NOT CAUGHT after {wall_seconds:.1} s: {path}: {breaks}");
        };
        write!(f, "{name:<32} {by:<28} {after:>16} {wall_seconds:>6.1} s")?;
        let said: String = said.chars().take(SAID_CHARS_MAX).collect();
        part.iter().chain([&said]).try_for_each(|line| write!(f, "\n    {line}"))
    }
}
