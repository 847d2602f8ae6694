use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Embedded, Metadata, Receipt, Text};

/// The life of memories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryEvent<'a> {
    /// An assertion was written. It supersedes or corrects what the envelope's links say.
    Remembered(#[serde(borrow)] Remembered<'a>),
    /// Items were shown.
    Surfaced(Surfaced<'a>),
    /// Somebody said that items are right.
    Confirmed(Confirmed),
    /// Somebody with authority raised items.
    Promoted(Promoted),
    /// An item was pinned: shown before all others.
    Pinned(RecordId),
    /// The pin was taken off.
    Unpinned(RecordId),
    /// Items were declared wrong, or records withdrawn.
    Invalidated(Invalidated<'a>),
    /// An invalidation or a withdrawal was taken back.
    Reconfirmed(Reconfirmed<'a>),
    /// An item was given a vector.
    Embedded(Embedded<'a>),
    /// Something was said of an item of another machine's ledger.
    Elsewhere(Elsewhere<'a>),
}

/// An assertion.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Remembered<'a> {
    /// The assertion in words.
    #[serde(borrow)]
    pub text: Text<'a>,
    /// The assertion as entity, predicate and value, where it is known.
    pub slot: Option<Slot<'a>>,
    /// When it holds.
    pub validity: Validity,
    /// Why it waits for review; active where there is no reason.
    pub pending: Option<PendingReason>,
    /// The pairs that a program keeps beside it: where there are any, the body is of version 2.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata<'a>,
}

/// An assertion taken apart: "Ana lives in Pune" is (ana, lives_in, Pune).
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Slot<'a> {
    /// The thing that the assertion is about.
    #[serde(borrow)]
    pub entity: Text<'a>,
    /// The property.
    pub predicate: Text<'a>,
    /// The property's value.
    pub value: Text<'a>,
    /// Whether the property has one value at a time; otherwise the value is part of
    /// the slot's identity.
    pub single: bool,
}

/// The interval in which an assertion holds: from (inclusive) until (exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validity {
    /// The first instant; where absent, the event's `occurred_at`.
    pub from: Option<Timestamp>,
    /// The first instant after it; where absent, it has no end of its own.
    pub until: Option<Timestamp>,
}

/// Why a memory waits for review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingReason {
    /// It was extracted from web, tool or file text.
    Extracted,
    /// It would displace a memory whose guard is above its writer, or the trust policy lets
    /// only a person's memories stand at once.
    TrustRule,
    /// It was made of other memories, which it rests on.
    Candidate(CandidateKind),
}

/// Kind of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateKind {
    /// Something that happened, made of records.
    Episode,
    /// Something that is so, made of other memories.
    Claim,
    /// How something is done.
    Procedure,
    /// Something that is always or never done.
    Rule,
}

impl PendingReason {
    /// Every reason.
    pub const ALL: [PendingReason; 6] = [
        PendingReason::Extracted,
        PendingReason::TrustRule,
        PendingReason::Candidate(CandidateKind::Episode),
        PendingReason::Candidate(CandidateKind::Claim),
        PendingReason::Candidate(CandidateKind::Procedure),
        PendingReason::Candidate(CandidateKind::Rule),
    ];

    /// The word for it in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            PendingReason::Extracted => "extracted",
            PendingReason::TrustRule => "trust_rule",
            PendingReason::Candidate(CandidateKind::Episode) => "episode",
            PendingReason::Candidate(CandidateKind::Claim) => "claim",
            PendingReason::Candidate(CandidateKind::Procedure) => "procedure",
            PendingReason::Candidate(CandidateKind::Rule) => "rule",
        }
    }

    /// The reason as a byte of folded state.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            PendingReason::Extracted => 0,
            PendingReason::TrustRule => 1,
            PendingReason::Candidate(CandidateKind::Episode) => 2,
            PendingReason::Candidate(CandidateKind::Claim) => 3,
            PendingReason::Candidate(CandidateKind::Procedure) => 4,
            PendingReason::Candidate(CandidateKind::Rule) => 5,
        }
    }

    /// The reason that [`PendingReason::code`] gives `code`.
    #[must_use]
    pub fn from_code(code: u8) -> PendingReason {
        match code {
            0 => PendingReason::Extracted,
            2 => PendingReason::Candidate(CandidateKind::Episode),
            3 => PendingReason::Candidate(CandidateKind::Claim),
            4 => PendingReason::Candidate(CandidateKind::Procedure),
            5 => PendingReason::Candidate(CandidateKind::Rule),
            _ => PendingReason::TrustRule,
        }
    }
}

/// A reinforcement's strength in millionths, 1 to 10,000,000; the table's where absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Weight(pub u32);

/// A showing of items.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Surfaced<'a> {
    /// The items, ascending, each once.
    pub targets: Vec<RecordId>,
    /// A strength other than 1.05.
    pub weight: Option<Weight>,
    /// The receipt of the checkout; absent where another system did the showing.
    #[serde(borrow)]
    pub receipt: Option<Box<Receipt<'a>>>,
    /// The views of other machines' ledgers that were read with it, ascending by ledger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<ViewBeside>,
}

/// A remark on an item of another machine's ledger, for whoever reads both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere<'a> {
    /// The ledger that holds the item.
    pub ledger: LedgerId,
    /// The item.
    pub id: RecordId,
    /// The whole hash of its record.
    pub record_hash: Digest,
    /// Remark on it.
    pub said: SaidElsewhere,
    /// Why.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
}

/// Remark on an item of another ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaidElsewhere {
    /// It is out of sight: it was wrong, or is over.
    Forgotten,
    /// It is in sight again.
    Restored,
    /// It was wrong, and this record of the ledger that says so took its place.
    ReplacedBy(RecordId),
    /// Its words are to be erased: out of sight at once, and the ledger that holds it obeys an
    /// owner's word.
    Erased,
    /// It is right, and whether that was checked: the ledger that holds it is asked to confirm it.
    Confirmed {
        /// An exit code, a test result.
        verified: bool,
    },
    /// The ledger that holds it is asked to pin it.
    Pinned,
    /// The ledger that holds it is asked to take its pin off.
    Unpinned,
    /// The request of this record of the other ledger is not done, for the reason that is given.
    Declined,
}

/// Another ledger as a checkout read it beside its own, and what it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewBeside {
    /// The ledger.
    pub ledger: LedgerId,
    /// The last sequence that was visible.
    pub view: Seq,
    /// The chain value there.
    pub chain: Digest,
    /// The digest of the pack that it gave to the same request, before the packs were made one.
    pub pack: Digest,
}

impl ViewBeside {
    /// The view that a receipt of that ledger states.
    #[must_use]
    pub fn of(receipt: &Receipt<'_>) -> ViewBeside {
        let Receipt { ledger, view, chain, pack, .. } = *receipt;
        ViewBeside { ledger, view, chain, pack }
    }
}

/// A confirmation.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Confirmed {
    /// The items, ascending, each once.
    pub targets: Vec<RecordId>,
    /// A strength other than 1.5.
    pub weight: Option<Weight>,
    /// Whether a verified outcome (an exit code, a test result) stands behind it.
    pub verified: bool,
}

/// A promotion.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Promoted {
    /// The items, ascending, each once.
    pub targets: Vec<RecordId>,
    /// A strength other than 2.0.
    pub weight: Option<Weight>,
}

/// An invalidation of memories, a withdrawal of records.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Invalidated<'a> {
    /// The items, ascending, each once.
    pub targets: Vec<RecordId>,
    /// A strength other than 0.2.
    pub weight: Option<Weight>,
    /// Why.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
}

/// The undoing of an invalidation.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reconfirmed<'a> {
    /// The items, ascending, each once.
    pub targets: Vec<RecordId>,
    /// Why.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
}

impl<'a> Remembered<'a> {
    /// An active assertion in words alone.
    #[must_use]
    pub fn text(text: impl Into<Text<'a>>) -> Remembered<'a> {
        Remembered { text: text.into(), ..Remembered::default() }
    }
}

impl Weight {
    /// The weight of `millionths`, or `None` outside 1 to 10,000,000.
    #[must_use]
    pub fn new(millionths: u32) -> Option<Weight> {
        (1..=10_000_000).contains(&millionths).then_some(Weight(millionths))
    }
}

impl Slot<'_> {
    /// Copies the slot, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Slot<'static> {
        Slot {
            entity: self.entity.into_owned(),
            predicate: self.predicate.into_owned(),
            value: self.value.into_owned(),
            single: self.single,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for reason in PendingReason::ALL {
            assert_eq!(PendingReason::from_code(reason.code()), reason);
        }
    }
}
