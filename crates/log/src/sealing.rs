//! What a footer will say of the bytes before it, gathered while they are written.

use crate::footer::SPARSE_STEP;
use crate::hash::SegmentHasher;
use crate::view::End;
use crate::{Digest, Seq};

/// The hash and the sparse offsets of a segment up to an end.
///
/// A writer that has written a segment from its first byte on seals it without reading it
/// again. Whatever else wrote to it meanwhile left another end, whose chain is another one: then
/// the segment is read.
#[derive(Debug)]
pub(crate) struct Sealing {
    /// Of the segment's file.
    identity: u64,
    end: End,
    hasher: SegmentHasher,
    sparse: Vec<(Seq, u64)>,
}

impl Sealing {
    /// Of a segment that holds nothing but its header.
    pub(crate) fn begin(identity: u64, header: &[u8], end: End) -> Sealing {
        let mut hasher = SegmentHasher::new();
        hasher.update(header);
        Sealing { identity, end, hasher, sparse: Vec::new() }
    }

    /// Whether it is of this file up to this end.
    pub(crate) fn is_of(&self, identity: u64, end: &End) -> bool {
        self.identity == identity && self.end == *end
    }

    /// Takes in frames behind the end, and where each of them begins.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        frames: impl IntoIterator<Item = (Seq, u64)>,
        end: End,
    ) {
        self.hasher.update(bytes);
        for (seq, offset) in frames {
            let before = self.sparse.last().map(|(_, before)| before.saturating_add(1));
            if before.is_none_or(|before| offset >= before.next_multiple_of(SPARSE_STEP)) {
                self.sparse.push((seq, offset));
            }
        }
        self.end = end;
    }

    pub(crate) fn byte_hash(&self) -> Digest {
        self.hasher.digest()
    }

    pub(crate) fn into_sparse(self) -> Vec<(Seq, u64)> {
        self.sparse
    }
}
