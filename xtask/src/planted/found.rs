use std::collections::BTreeMap;
use std::fs;

use anyhow::Context;

use crate::cargo::root;
use crate::fuzz::is_decoder;
use crate::planted::table::Line;

/// Which campaign found each bug the last time, and at which seed, one `NAME CAMPAIGN` or
/// `NAME CAMPAIGN, seed N` a line.
const FILE: &str = "xtask/planted/found.txt";

/// What stands between a campaign and its seed.
const SEED: &str = ", seed ";

/// Where to look for a bug first. It changes the order of what is tried and nothing else:
/// a campaign that finds it no more is followed by all the others.
pub(crate) struct Found {
    places: BTreeMap<String, Place>,
}

/// A campaign, and one of its seeds where it has some.
struct Place {
    campaign: String,
    seed: Option<u64>,
}

impl Found {
    /// What is known.
    pub(crate) fn read() -> Found {
        Found::of(&fs::read_to_string(root().join(FILE)).unwrap_or_default())
    }

    fn of(text: &str) -> Found {
        let place = |by: &str| match by.split_once(SEED) {
            Some((campaign, seed)) => Place { campaign: campaign.into(), seed: seed.parse().ok() },
            None => Place { campaign: by.into(), seed: None },
        };
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        Found { places: lines.map(|(bug, by)| (bug.to_owned(), place(by))).collect() }
    }

    /// Whether this campaign found this bug.
    pub(crate) fn is_by(&self, bug: &str, campaign: &str) -> bool {
        self.places.get(bug).is_some_and(|place| place.campaign == campaign)
    }

    /// The seed at which this campaign found this bug.
    pub(crate) fn seed(&self, bug: &str, campaign: &str) -> Option<u64> {
        let place = self.places.get(bug).filter(|place| place.campaign == campaign)?;
        place.seed
    }

    /// Writes down what was found now; what a fuzz target finds has no other place.
    ///
    /// # Errors
    /// The file can't be written.
    pub(crate) fn write(lines: &[Line]) -> anyhow::Result<()> {
        let campaigns = lines.iter().filter(|line| !is_decoder(&line.bug));
        let caught = campaigns.filter_map(|line| Some((line, line.caught.as_ref()?)));
        let text: String = caught
            .map(|(line, caught)| {
                let seed = caught.seed().map(|seed| format!("{SEED}{seed}")).unwrap_or_default();
                format!("{} {}{seed}\n", line.bug.name, caught.campaign)
            })
            .collect();
        fs::write(root().join(FILE), text).context(FILE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_belongs_to_its_campaign() {
        let found = Found::of("a random sessions, seed 87\nb bit flips\n");
        assert_eq!(found.seed("a", "random sessions"), Some(87));
        assert!(found.is_by("a", "random sessions") && found.is_by("b", "bit flips"));
        assert_eq!(found.seed("a", "faults"), None);
        assert_eq!(found.seed("b", "bit flips"), None);
    }
}
