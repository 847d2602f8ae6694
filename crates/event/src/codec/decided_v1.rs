//! The body of kind 128 in its first version: a decision without a weighing.
//!
//! One that weighed no likeness is written in this version still; a later one adds the
//! weighing behind the rest.

use memlith_log::RecordId;
use serde::Deserialize;

use crate::{Candidate, Closing, Decided, Outcome, Slot, Text};

/// As [`Decided`], without a weighing.
#[derive(Deserialize)]
pub(super) struct DecidedV1<'a> {
    #[serde(borrow)]
    text: Text<'a>,
    slot: Option<Slot<'a>>,
    candidates: Vec<Candidate>,
    model: Option<Text<'a>>,
    outcome: Outcome,
    closings: Vec<Closing>,
    settled: Vec<RecordId>,
}

impl<'a> From<DecidedV1<'a>> for Decided<'a> {
    fn from(old: DecidedV1<'a>) -> Decided<'a> {
        Decided {
            text: old.text,
            slot: old.slot,
            candidates: old.candidates,
            model: old.model,
            outcome: old.outcome,
            closings: old.closings,
            settled: old.settled,
            weighing: None,
        }
    }
}
