//! Hash and offsets for a footer, gathered while the bytes before it are written.

use crate::footer::SPARSE_STEP;
use crate::hash::SegmentHasher;
use crate::segment::Segment;
use crate::segment_header::SEGMENT_HEADER_LEN;
use crate::stretch::{FRAMES_MAX, Stretch};
use crate::view::End;
use crate::{Digest, Error, Seq};

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

/// Reads the segment for the footer behind `end`.
pub(crate) fn summarize(segment: &Segment, end: End) -> Result<Sealing, Error> {
    let mut window = segment.window(end.offset, false);
    let io = || Error::io("read", &segment.name);
    let header = segment.checked_header(&mut window)?;
    let mut sealing = Sealing::begin(segment.identity()?, header, end);
    let (mut offset, mut seq) = (SEGMENT_HEADER_LEN, segment.header.base);
    let (salt, mut stretch) = (segment.header.salt, Stretch::default());
    while offset < end.offset {
        // What is hashed is what was checked: a second reading could be another one.
        let bytes = stretch.read(&mut window, salt, offset, FRAMES_MAX).map_err(io())?;
        for frame in stretch.frames() {
            frame.state.map_err(|fault| Error::frame(&segment.name, offset, seq, fault))?;
            (offset, seq) = (frame.end(), seq.next());
        }
        if let Some(fault) = stretch.stop() {
            return Err(Error::frame(&segment.name, offset, seq, fault));
        }
        let places = stretch.frames().iter().map(|frame| (frame.head.header.seq, frame.offset));
        sealing.push(bytes, places, end);
    }
    Ok(sealing)
}
