use memlith_log::Seq;

/// Something that failed runs did otherwise, oftener than the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The step of the procedure that it is about, from 0.
    pub step: usize,
    /// The way in which failed runs depart.
    pub kind: DeviationKind,
    /// In how many failed runs.
    pub failed: u32,
    /// In how many runs of sessions that did not fail.
    pub others: u32,
    /// Which failed ones: the session, and a record of it: of what was done in place of
    /// the step, else of the step before or behind.
    pub sources: Vec<(usize, Seq)>,
}

/// How a run departs from a procedure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviationKind {
    /// Another step stands in the place of this one.
    Replaced {
        /// The step that was done instead.
        by: String,
    },
    /// The step isn't done.
    LeftOut,
    /// The step is done at another place of the run.
    OutOfOrder,
    /// Another step comes before this one.
    Extra {
        /// The step that was done.
        verb: String,
    },
    /// The step was done and went wrong.
    WentWrong,
}
