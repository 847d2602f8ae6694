use memlith_testkit::sim::SimDisk;

use crate::known::{Known, Telling};

/// The tellings of a run, each at the operation it was told before.
#[derive(Clone, Debug)]
pub struct Story {
    disk: SimDisk,
    tellings: Vec<(u64, Telling)>,
    refusals: Vec<String>,
}

impl Story {
    /// The story of a run on `disk`, of which nothing is told yet.
    #[must_use]
    pub fn on(disk: &SimDisk) -> Story {
        Story { disk: disk.clone(), tellings: Vec::new(), refusals: Vec::new() }
    }

    /// Adds what is told at this moment.
    pub fn tell(&mut self, telling: Telling) {
        self.tellings.push((self.disk.operations(), telling));
    }

    /// Adds an error that was not asked for.
    pub fn refuse(&mut self, error: String) {
        self.refusals.push(error);
    }

    /// The errors that were not asked for.
    #[must_use]
    pub fn refusals(&self) -> &[String] {
        &self.refusals
    }

    /// Returns the tellings, each with the operation it was told before.
    pub fn tellings(&self) -> impl Iterator<Item = (u64, &Telling)> {
        self.tellings.iter().map(|(at, telling)| (*at, telling))
    }

    /// Tells `known` what was told from `heard` on and before operation `index`;
    /// returns how many have been told then.
    pub fn retell(&self, known: &mut Known, mut heard: usize, index: u64) -> usize {
        while let Some((at, telling)) = self.tellings.get(heard)
            && *at <= index
        {
            known.hear(telling);
            heard += 1;
        }
        heard
    }
}
