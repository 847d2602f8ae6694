use std::collections::BTreeMap;
use std::fs;

use anyhow::Context;

use crate::cargo::root;
use crate::planted::line::{Caught, Line};

/// Which campaign found each bug the last time, and which part of it, one `NAME CAMPAIGN` or
/// `NAME CAMPAIGN, PART` a line.
const FILE: &str = "tests/planted/found.txt";

/// Where to look for a bug first. It changes the order of what is tried and nothing else:
/// a campaign that finds it no more is followed by all the others.
pub(crate) struct Found {
    /// By bug the campaign, and what of it found the bug where that is known.
    places: BTreeMap<String, (String, Option<String>)>,
}

impl Found {
    /// Reads the list of known finds.
    pub(crate) fn read() -> Found {
        Found::of(&fs::read_to_string(root().join(FILE)).unwrap_or_default())
    }

    fn of(text: &str) -> Found {
        let place = |by: &str| match by.split_once(", ") {
            Some((campaign, part)) => (campaign.to_owned(), Some(part.to_owned())),
            None => (by.to_owned(), None),
        };
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        Found { places: lines.map(|(bug, by)| (bug.to_owned(), place(by))).collect() }
    }

    /// Whether this campaign found this bug.
    pub(crate) fn is_by(&self, bug: &str, campaign: &str) -> bool {
        self.places.get(bug).is_some_and(|(by, _)| by == campaign)
    }

    /// The part of this campaign that found this bug.
    pub(crate) fn part(&self, bug: &str, campaign: &str) -> Option<&str> {
        let (_, part) = self.places.get(bug).filter(|(by, _)| by == campaign)?;
        part.as_deref()
    }

    /// Writes down what was found now.
    ///
    /// # Errors
    /// The file can't be written.
    pub(crate) fn write(lines: &[Line]) -> anyhow::Result<()> {
        let caught = lines.iter().filter_map(|line| Some((&line.bug.name, line.caught.as_ref()?)));
        let text: String = caught
            .map(|(bug, Caught { by, part, .. })| {
                let part = part.as_ref().map(|part| format!(", {part}"));
                format!("{bug} {by}{}\n", part.unwrap_or_default())
            })
            .collect();
        fs::write(root().join(FILE), text).context(FILE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_belongs_to_its_campaign() {
        let found = Found::of("a random sessions, seed 87\nb bit flips\n");
        assert_eq!(found.part("a", "random sessions"), Some("seed 87"));
        assert!(found.is_by("a", "random sessions") && found.is_by("b", "bit flips"));
        assert_eq!(found.part("a", "faults"), None);
        assert_eq!(found.part("b", "bit flips"), None);
    }
}
