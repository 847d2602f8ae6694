use std::collections::BTreeMap;
use std::fs;

use anyhow::Context;

use crate::cargo::root;
use crate::planted::table::Line;

/// Which campaign found each bug the last time, one `NAME CAMPAIGN` a line.
const FILE: &str = "xtask/planted/found.txt";

/// Where to look for a bug first. It changes the order of the campaigns and nothing else:
/// one that finds it no more is followed by all the others.
pub(crate) struct Found {
    campaigns: BTreeMap<String, String>,
}

impl Found {
    /// What is known.
    pub(crate) fn read() -> Found {
        let text = fs::read_to_string(root().join(FILE)).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        Found { campaigns: lines.map(|(bug, by)| (bug.to_owned(), by.to_owned())).collect() }
    }

    /// Whether this campaign found this bug.
    pub(crate) fn is_by(&self, bug: &str, campaign: &str) -> bool {
        self.campaigns.get(bug).is_some_and(|by| by == campaign)
    }

    /// Writes down what was found now.
    ///
    /// # Errors
    /// The file can't be written.
    pub(crate) fn write(lines: &[Line]) -> anyhow::Result<()> {
        let caught = lines.iter().filter_map(|line| Some((line, line.caught.as_ref()?)));
        let text: String = caught
            .map(|(line, caught)| format!("{} {}\n", line.bug.name, caught.campaign))
            .collect();
        fs::write(root().join(FILE), text).context(FILE)
    }
}
