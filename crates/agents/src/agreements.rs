use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::state_folder::StateFolder;

/// The providers that a person chose to look at sessions, by ledger.
///
/// They lie in the person's own settings, not in a ledger's folder: one that came with somebody
/// else's project brings no agreement along.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreements {
    ledgers: BTreeMap<String, Agreement>,
}

/// An agreement of a person, for one ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The provider, as it was named.
    pub with: String,
    /// A digest of what was agreed to: who is asked, the key that is sent, the instructions.
    pub terms: String,
    /// The projects whose sessions may be sent; of a ledger of one project the empty name.
    pub projects: BTreeSet<String>,
}

const FILE: &str = "writeback-with.json";

impl Agreements {
    /// Reads what was agreed to; nothing where the file is absent or can't be read.
    #[must_use]
    pub fn read(settings: &StateFolder) -> Agreements {
        let bytes = settings.read(FILE).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Returns what was agreed to for the ledger in this folder.
    #[must_use]
    pub fn of(&self, ledger: &Path) -> Option<&Agreement> {
        self.ledgers.get(&name(ledger))
    }

    /// Agrees that sessions of `project` are sent; another provider, or other terms, end what was
    /// agreed to before.
    pub fn agree(&mut self, ledger: &Path, (with, terms): (&str, &str), project: &str) {
        let new = || Agreement {
            with: with.to_owned(),
            terms: terms.to_owned(),
            projects: BTreeSet::new(),
        };
        let known = self.ledgers.entry(name(ledger)).or_insert_with(new);
        if (known.with.as_str(), known.terms.as_str()) != (with, terms) {
            *known = new();
        }
        known.projects.insert(project.to_owned());
    }

    /// Ends what was agreed to; whether there was anything.
    pub fn end(&mut self, ledger: &Path) -> bool {
        self.ledgers.remove(&name(ledger)).is_some()
    }

    /// Writes it down.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn save(&self, settings: &StateFolder) -> io::Result<()> {
        settings.write(FILE, &serde_json::to_vec(self)?)
    }
}

/// One ledger by two paths is one.
fn name(ledger: &Path) -> String {
    let path = std::fs::canonicalize(ledger).unwrap_or_else(|_| ledger.to_owned());
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agreement_is_of_a_ledger_a_provider_and_a_project() {
        let folder = tempfile::tempdir().unwrap();
        let settings = StateFolder::new(folder.path().join("settings"));
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let mut agreements = Agreements::read(&settings);
        agreements.agree(&one, ("codex", "t"), "shop");
        agreements.agree(&one, ("codex", "t"), "bank");
        agreements.save(&settings).unwrap();
        let mut agreements = Agreements::read(&settings);
        assert_eq!(agreements.of(&other), None);
        let known = agreements.of(&one).unwrap();
        assert_eq!(known.projects.iter().collect::<Vec<_>>(), ["bank", "shop"]);
        // Other terms are nothing that anybody agreed to for another project.
        agreements.agree(&one, ("codex", "u"), "shop");
        assert_eq!(agreements.of(&one).unwrap().projects.len(), 1);
        assert!(agreements.end(&one) && !agreements.end(&one));
        std::fs::write(folder.path().join("settings").join(FILE), "{").unwrap();
        assert_eq!(Agreements::read(&settings), Agreements::default());
    }
}
