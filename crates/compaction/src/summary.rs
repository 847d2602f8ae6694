use std::fmt;

use memlith_event::Tier;
use memlith_log::{Digest, RecordId, Seq};

use crate::{Group, Identity, Item, Reason, SpanId};

/// The identity of a summary: BLAKE3 over the record hashes of its sources, by sequence.
///
/// Summaries of the same sources are the same, whenever they were planned and whatever they
/// quote; one source more or less makes another summary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SummaryId(pub Digest);

/// A summary of a closed span, ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its identity.
    pub id: SummaryId,
    /// The span it is of.
    pub span: SpanId,
    /// The group it is of: that of its sources.
    pub group: Group,
    /// The sequence of the first primary item of the span.
    pub first: Seq,
    /// The sequence of the last primary item of the span.
    pub last: Seq,
    /// The least tier of its sources.
    pub tier: Tier,
    /// Everything it rests on, by sequence: every item of the span that could be a source.
    pub sources: Vec<Source>,
    /// Excerpts it quotes, in the order of choice: any beginning is the choice for so many.
    pub exemplars: Vec<Exemplar>,
    /// Names in its sources, by byte order; at most [`crate::IDENTITIES_MAX`].
    pub identities: Vec<Identity>,
    /// Items that stand between its sources and are none, by sequence.
    pub left_out: Vec<Excluded>,
}

/// An item that a summary rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Where it stands in the log.
    pub seq: Seq,
    /// Its record hash.
    pub hash: Digest,
}

/// The words of a source that stand for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exemplar {
    /// The source.
    pub source: RecordId,
    /// The first byte of the excerpt in the source's text.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// The excerpt, word for word.
    pub text: String,
}

/// An item that is no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Excluded {
    /// The item.
    pub id: RecordId,
    /// Why.
    pub reason: Reason,
}

impl SummaryId {
    /// The identity of a summary of these sources, in whatever order they come.
    #[must_use]
    pub fn of(sources: &[Source]) -> SummaryId {
        let mut sorted: Vec<&Source> = sources.iter().collect();
        sorted.sort_unstable();
        let mut hasher = blake3::Hasher::new_derive_key("memlith v1 summary");
        for source in sorted {
            hasher.update(&source.hash.0);
        }
        SummaryId(Digest(*hasher.finalize().as_bytes()))
    }
}

impl fmt::Display for SummaryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Source {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> RecordId {
        RecordId::new(self.seq, &self.hash)
    }
}

impl From<&Item> for Source {
    fn from(item: &Item) -> Source {
        Source { seq: item.seq, hash: item.hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_of_the_sources_whatever_their_order() {
        let source = |seq: u64| Source {
            seq: Seq(seq),
            hash: Digest(*blake3::hash(&seq.to_le_bytes()).as_bytes()),
        };
        let id = SummaryId::of(&[1, 2, 3].map(source));
        assert_eq!(SummaryId::of(&[3, 1, 2].map(source)), id);
        for other in [&[1, 2][..], &[1, 2, 4], &[1, 2, 3, 4]] {
            let other: Vec<Source> = other.iter().map(|seq| source(*seq)).collect();
            assert_ne!(SummaryId::of(&other), id);
        }
    }
}
