use std::sync::Arc;

use crate::layout::len_usize;
use crate::segment::Segment;
use crate::stretch::Checked;

/// The end of a log as its opening read and verified it, for one who folds it next: see
/// [`crate::Log::open_with_tail`].
///
/// Cheap to copy. Holds the bytes of at most 4 MiB of frames, of a longer end none.
#[derive(Clone, Debug, Default)]
pub struct Tail(Option<Arc<Walked>>);

/// What a walk has passed of one segment.
#[derive(Debug)]
pub(crate) struct Walked {
    segment: Arc<Segment>,
    /// Ascending.
    pieces: Vec<Piece>,
    len: usize,
}

/// Frames that were read at once.
#[derive(Debug)]
struct Piece {
    /// Where the bytes begin in the segment.
    start: u64,
    bytes: Vec<u8>,
    frames: Vec<Checked>,
}

/// So many bytes are kept: four times what starts a checkpoint.
const LEN_MAX: usize = 4 << 20;

impl Walked {
    pub(crate) fn of(segment: &Arc<Segment>) -> Walked {
        Walked { segment: segment.clone(), pieces: Vec::new(), len: 0 }
    }

    /// Keeps admitted frames, and the bytes that hold them; `false` where that is too much.
    pub(crate) fn keep(&mut self, start: u64, bytes: Vec<u8>, frames: Vec<Checked>) -> bool {
        self.len = self.len.saturating_add(bytes.len());
        if self.len > LEN_MAX {
            return false;
        }
        self.pieces.push(Piece { start, bytes, frames });
        true
    }

    pub(crate) fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }
}

impl Tail {
    pub(crate) fn of(walked: Option<Walked>) -> Tail {
        Tail(walked.map(Arc::new))
    }

    /// The piece that has a frame at `offset` of `segment`, and the frame's place in it.
    ///
    /// A segment that was opened again has other bytes, or the same anew.
    pub(crate) fn find(&self, segment: &Arc<Segment>, offset: u64) -> Option<(usize, usize)> {
        let walked = self.0.as_ref().filter(|walked| Arc::ptr_eq(&walked.segment, segment))?;
        let after = walked.pieces.partition_point(|piece| piece.start <= offset);
        let at = after.checked_sub(1)?;
        let frames = &walked.pieces.get(at)?.frames;
        Some((at, frames.binary_search_by_key(&offset, |frame| frame.offset).ok()?))
    }

    /// The frames of a piece.
    pub(crate) fn frames(&self, piece: usize) -> &[Checked] {
        self.piece(piece).map_or(&[], |piece| &piece.frames)
    }

    /// The bytes of a piece from `offset` of the segment on.
    pub(crate) fn bytes(&self, piece: usize, offset: u64) -> &[u8] {
        let Some(Piece { start, bytes, .. }) = self.piece(piece) else { return &[] };
        bytes.get(len_usize(offset.saturating_sub(*start))..).unwrap_or_default()
    }

    fn piece(&self, piece: usize) -> Option<&Piece> {
        self.0.as_ref()?.pieces.get(piece)
    }
}
