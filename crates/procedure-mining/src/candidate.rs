use std::fmt;

use memlith_log::Seq;

use crate::{Bits, Confidence, Deviation};

/// A procedure that sessions followed, proposed for review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its identity: the same steps have the same one, whenever and wherever they are
    /// mined.
    pub id: ProcedureId,
    /// Steps, in order.
    pub steps: Vec<ProcedureStep>,
    /// Where sessions that did not fail followed it, by session.
    pub runs: Vec<Occurrence>,
    /// Where sessions that failed followed at least half of it, by session.
    pub failed_runs: Vec<Occurrence>,
    /// In how many distinct sessions that did not fail it was followed.
    pub support: u32,
    /// In how many of them no step is missing.
    pub complete: u32,
    /// In how many sessions it is known to have gone well, and in how many not.
    pub trials: Trials,
    /// The least share of trials that go well, as far as they tell.
    pub confidence: Confidence,
    /// How little chance explains its best fragment.
    pub evidence: Bits,
    /// Deviations of failed sessions, most telling first.
    pub deviations: Vec<Deviation>,
}

/// A step of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcedureStep {
    /// The tool of the step, or a program and its subcommand.
    pub verb: String,
    /// With what kinds of things, as most runs did it.
    pub parameters: String,
}

/// Where a session followed a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The number of the session.
    pub session: usize,
    /// For each step the record that it was taken from; none where it is missing.
    pub steps: Vec<Option<Seq>>,
}

/// How a procedure fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Trials {
    /// Sessions that succeeded, or whose end is unknown and in which each step that was
    /// done is known to have gone well.
    pub succeeded: u32,
    /// Sessions that failed although they did nothing otherwise that failed ones do.
    pub failed: u32,
}

/// The identity of a procedure: a hash of its steps' verbs.
///
/// Parameters are not in it: which ones most runs have changes as runs are added. Text form
/// 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcedureId(pub [u8; 32]);

impl ProcedureId {
    /// The identity of a procedure with these verbs.
    pub fn of<'a>(verbs: impl IntoIterator<Item = &'a str>) -> ProcedureId {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"memlith procedure 1");
        for verb in verbs {
            hasher.update(&(verb.len() as u64).to_le_bytes());
            hasher.update(verb.as_bytes());
        }
        ProcedureId(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for ProcedureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ProcedureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_that_of_the_steps_in_order() {
        let id = ProcedureId::of(["cargo fmt", "cargo test"]);
        assert_eq!(id, ProcedureId::of(["cargo fmt", "cargo test"]));
        assert_ne!(id, ProcedureId::of(["cargo test", "cargo fmt"]));
        assert_ne!(id, ProcedureId::of(["cargo fmtcargo test"]));
        assert_ne!(ProcedureId::of(["a", "bc"]), ProcedureId::of(["ab", "c"]));
        // The identity is written into ledgers: it may not change.
        assert_eq!(id.to_string().get(..16), Some("caf430a22a1abb29"));
    }
}
