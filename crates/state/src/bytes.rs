use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A shared, immutable run of bytes: a whole buffer or a part of one.
///
/// Cloning and slicing copy nothing.
#[derive(Clone, Default)]
pub struct Bytes {
    buffer: Option<Arc<[u8]>>,
    start: usize,
    len: usize,
}

impl Bytes {
    /// The part of this run at `range`, or `None` where it reaches past the end.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<Bytes> {
        if range.start > range.end || range.end > self.len {
            return None;
        }
        let start = self.start.checked_add(range.start)?;
        Some(Bytes { buffer: self.buffer.clone(), start, len: range.end - range.start })
    }

    /// The bytes themselves.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        let whole = self.buffer.as_deref().unwrap_or_default();
        // `slice` and `from` keep the range inside the buffer.
        whole.get(self.start..).and_then(|rest| rest.get(..self.len)).unwrap_or_default()
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes { start: 0, len: bytes.len(), buffer: Some(bytes.into()) }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_stay_inside() {
        let bytes = Bytes::from(vec![1, 2, 3, 4]);
        let middle = bytes.slice(1..3).unwrap();
        assert_eq!(middle.as_slice(), [2, 3]);
        assert_eq!(middle.slice(1..2).unwrap().as_slice(), [3]);
        assert!(middle.slice(1..3).is_none());
        assert!(bytes.slice(0..5).is_none());
        assert!(Bytes::default().as_slice().is_empty());
    }
}
