use std::io;
use std::sync::Arc;

use crate::layout::{len_usize, len64};
use crate::mapping::Mapping;
use crate::storage::File;

/// Bytes read ahead of the first frame: there are often only zeros.
const AHEAD_MIN: u64 = 4 << 10;
/// Bytes read ahead once frames follow each other.
const AHEAD_MAX: u64 = 256 << 10;

/// The bytes of one file up to a limit, read forward.
#[derive(Debug)]
pub(crate) struct Window {
    source: Source,
    limit: u64,
    ahead: u64,
    ahead_max: u64,
    start: u64,
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum Source {
    Mapped(Mapping),
    File(Arc<dyn File>),
}

impl Window {
    /// Reads `file` privately; nothing behind `limit` is seen.
    pub(crate) fn file(file: Arc<dyn File>, limit: u64) -> Window {
        let source = Source::File(file);
        let (ahead, ahead_max) = (AHEAD_MIN, AHEAD_MAX);
        Window { source, limit, ahead, ahead_max, start: 0, buffer: Vec::new() }
    }

    pub(crate) fn mapped(mapping: Mapping, limit: u64) -> Window {
        let limit = limit.min(len64(mapping.len()));
        let source = Source::Mapped(mapping);
        Window { source, limit, ahead: 0, ahead_max: 0, start: 0, buffer: Vec::new() }
    }

    /// Reads only `ahead` bytes at a time, for a few records.
    pub(crate) fn short(mut self, ahead: u64) -> Window {
        (self.ahead, self.ahead_max) = (ahead, ahead);
        self
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// At most `len` bytes at `offset`; fewer only at the limit or the file's end.
    pub(crate) fn get(&mut self, offset: u64, len: u64) -> io::Result<&[u8]> {
        let bytes = self.from(offset, len)?;
        Ok(bytes.get(..len_usize(len)).unwrap_or(bytes))
    }

    /// All that is held from `offset` on: at least what [`Window::get`] gives.
    pub(crate) fn from(&mut self, offset: u64, len: u64) -> io::Result<&[u8]> {
        let len = len.min(self.limit.saturating_sub(offset));
        if let Source::File(file) = &self.source {
            let held = self.start.saturating_add(len64(self.buffer.len()));
            if offset < self.start || offset.saturating_add(len) > held {
                let wanted = len.max(self.ahead).min(self.limit.saturating_sub(offset));
                self.buffer.resize(len_usize(wanted), 0);
                let read = file.read_at(&mut self.buffer, offset)?;
                self.buffer.truncate(read);
                self.start = offset;
                self.ahead = self.ahead.saturating_mul(4).min(self.ahead_max);
            }
        }
        let (bytes, start): (&[u8], u64) = match &self.source {
            Source::Mapped(mapping) => (mapping, 0),
            Source::File(_) => (&self.buffer, self.start),
        };
        let from = bytes.get(len_usize(offset.saturating_sub(start))..).unwrap_or_default();
        let limit = len_usize(self.limit.saturating_sub(offset));
        Ok(from.get(..limit).unwrap_or(from))
    }
}
