use std::sync::Arc;

use crate::segment::Segment;
use crate::{Record, Seq};

/// The end of a log as its opening read and verified it, for one who folds it next: see
/// [`crate::Log::open_with_tail`].
///
/// Cheap to copy. Holds the records of at most 4 MiB of frames, of a longer end none.
#[derive(Clone, Debug, Default)]
pub struct Tail(Option<Arc<Walked>>);

/// The frames of one segment that a walk has passed.
#[derive(Debug)]
pub(crate) struct Walked {
    segment: Arc<Segment>,
    /// One after another, none left out.
    records: Vec<Record>,
    len: u64,
}

/// Maximum number of bytes of frames that are kept: four times what starts a checkpoint.
const LEN_MAX: u64 = 4 << 20;

impl Walked {
    pub(crate) fn of(segment: &Arc<Segment>) -> Walked {
        Walked { segment: segment.clone(), records: Vec::new(), len: 0 }
    }

    /// Keeps the record of an admitted frame of `len` bytes; `false` where that is too much, or
    /// it is another segment's.
    pub(crate) fn keep(&mut self, segment: &Arc<Segment>, record: Record, len: u64) -> bool {
        // A walk may begin again behind the last whole batch.
        while self.records.pop_if(|last| last.seq >= record.seq).is_some() {}
        self.records.push(record);
        self.len = self.len.saturating_add(len);
        self.len <= LEN_MAX && Arc::ptr_eq(&self.segment, segment)
    }
}

impl Tail {
    pub(crate) fn of(walked: Option<Walked>) -> Tail {
        Tail(walked.map(Arc::new))
    }

    /// Returns the part of it in `segments`: of one that was opened again, which may have other
    /// bytes, nothing.
    pub(crate) fn within(&self, segments: &[Arc<Segment>]) -> Tail {
        let is_there =
            |walked: &Arc<Walked>| segments.iter().any(|one| Arc::ptr_eq(one, &walked.segment));
        Tail(self.0.clone().filter(is_there))
    }

    pub(crate) fn get(&self, seq: Seq) -> Option<&Record> {
        let records = &self.0.as_ref()?.records;
        let at = seq.0.checked_sub(records.first()?.seq.0)?;
        records.get(usize::try_from(at).ok()?)
    }
}
