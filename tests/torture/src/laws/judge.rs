use std::collections::BTreeMap;

use super::law::Law;

/// Checks of one history, law by law.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    /// The only law that is checked; all of them where absent.
    only: Option<Law>,
    found: BTreeMap<Law, Found>,
}

/// Counts of the checks of one law.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Cases that were checked.
    pub(super) cases: u64,
    /// Those that broke it.
    pub(super) violations: u64,
    /// The first of them.
    pub(super) first: Option<String>,
}

impl Judge {
    pub(super) fn new(only: Option<Law>) -> Judge {
        Judge { only, found: BTreeMap::new() }
    }

    /// Whether the law is to be checked.
    pub(super) fn asks(&self, law: Law) -> bool {
        self.only.is_none_or(|only| only == law)
    }

    /// Whether one of these laws is to be checked.
    pub(super) fn asks_any(&self, laws: &[Law]) -> bool {
        laws.iter().any(|law| self.asks(*law))
    }

    /// Takes note of a case of the law.
    pub(super) fn case(&mut self, law: Law, holds: bool, what: impl FnOnce() -> String) {
        if !self.asks(law) {
            return;
        }
        let found = self.found.entry(law).or_default();
        found.cases += 1;
        if !holds {
            found.violations += 1;
            found.first.get_or_insert_with(what);
        }
    }

    /// Takes note that the law could not be checked for a reason that breaks it.
    pub(super) fn fail(&mut self, law: Law, what: String) {
        self.case(law, false, || what);
    }

    /// Returns the counts, by law.
    pub(super) fn found(&self) -> impl Iterator<Item = (Law, &Found)> {
        self.found.iter().map(|(law, found)| (*law, found))
    }
}
