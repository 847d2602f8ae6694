use std::collections::BTreeMap;

/// Verdict on one case.
pub(crate) struct Verdict {
    /// The labels that hold of it.
    pub(crate) labels: Vec<&'static str>,
    /// Whether it is as it should be.
    pub(crate) right: bool,
    /// Which kind of case it is.
    pub(crate) why: String,
    /// Text to print of it where it isn't right.
    pub(crate) miss: String,
}

/// Counts of one half of a set.
#[derive(Default)]
pub(crate) struct Tally {
    /// All cases.
    pub(crate) of: u64,
    counts: BTreeMap<&'static str, u64>,
    /// Of each kind, how many are right, and how many there are.
    pub(crate) kinds: BTreeMap<String, (u64, u64)>,
    pub(crate) misses: Vec<String>,
}

impl Tally {
    pub(crate) fn take(&mut self, verdict: Verdict) {
        self.of += 1;
        for label in verdict.labels {
            self.add(label, 1);
        }
        let kind = self.kinds.entry(verdict.why).or_default();
        kind.0 += u64::from(verdict.right);
        kind.1 += 1;
        if !verdict.right {
            self.misses.push(verdict.miss);
        }
    }

    pub(crate) fn add(&mut self, label: &'static str, count: u64) {
        *self.counts.entry(label).or_default() += count;
    }

    pub(crate) fn count(&self, label: &str) -> u64 {
        self.counts.get(label).copied().unwrap_or_default()
    }
}
