use memlith_event::Tier;
use memlith_log::{Digest, Seq};

use crate::{Error, Identity, Reason, Share, SpanId, SummaryId};

/// Something that is wrong with a summary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// It is larger than it may be.
    #[error("a limit is broken: {0}")]
    Limit(Error),
    /// It cites a record that isn't in the view.
    #[error("it cites {seq}, where there is no item")]
    Missing {
        /// The sequence.
        seq: Seq,
    },
    /// It cites a record that isn't the one that stands there.
    #[error("it cites {seq} with hash {found}, which has {expected}")]
    WrongHash {
        /// The sequence.
        seq: Seq,
        /// The record's hash.
        expected: Digest,
        /// The hash that is cited.
        found: Digest,
    },
    /// It cites what was written with it or later.
    #[error("it cites {seq}, which is no earlier than itself")]
    Later {
        /// The sequence.
        seq: Seq,
    },
    /// It cites one item more than once, or another summary of the plan does as well.
    #[error("{seq} is cited more than once")]
    Twice {
        /// The sequence.
        seq: Seq,
    },
    /// It cites an item of another scope or session, or beyond its span.
    #[error("it cites {seq}, which is not of its span")]
    OtherSpan {
        /// The sequence.
        seq: Seq,
    },
    /// It cites an item that was not active at its sequence, or can't be a source.
    #[error("it cites {seq}, which is {reason}")]
    NotActive {
        /// The sequence.
        seq: Seq,
        /// Why it can't be a source.
        reason: Reason,
    },
    /// It leaves out an item that it has to cite.
    #[error("it doesn't cite {seq}")]
    NotCited {
        /// The sequence.
        seq: Seq,
    },
    /// It quotes what it doesn't cite.
    #[error("it quotes {seq}, which it doesn't cite")]
    NoSource {
        /// The sequence.
        seq: Seq,
    },
    /// It quotes words that the source doesn't say there.
    #[error("it quotes {seq} with other words")]
    NotVerbatim {
        /// The sequence.
        seq: Seq,
    },
    /// It names what no source names.
    #[error("no source names `{}`", identity.text)]
    Invented {
        /// The identity.
        identity: Identity,
    },
    /// Its tier isn't the least of its sources'.
    #[error("its tier is {}, that of its sources {}", found.0, expected.0)]
    WrongTier {
        /// The least tier of the sources.
        expected: Tier,
        /// The tier it states.
        found: Tier,
    },
    /// Its identity isn't that of its sources.
    #[error("its identity is {found}, that of its sources {expected}")]
    WrongId {
        /// The identity of the sources.
        expected: SummaryId,
        /// The identity it states.
        found: SummaryId,
    },
    /// The identity of its span isn't that of the items there.
    #[error("its span is {}, that of the items {}", found.0, expected.0)]
    WrongSpan {
        /// The identity of the items.
        expected: SpanId,
        /// The identity it states.
        found: SpanId,
    },
    /// It represents too little of the salience of its top decile.
    #[error("{} per mille of the top decile's salience are represented", share.per_mille())]
    Unpreserved {
        /// The share of the salience that is represented.
        share: Share,
    },
}

/// No audit of one summary lists more findings.
pub const FINDINGS_MAX: usize = 1_000;
