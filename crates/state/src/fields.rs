/// Reads the fields of one fixed-width row, in order, little-endian.
///
/// Reading past the end gives zeros: a row's width is fixed by its type and checked
/// when a section is loaded, so it can't happen on state that was admitted.
#[derive(Debug)]
pub struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Starts at the first field of `row`.
    #[must_use]
    pub fn new(row: &'a [u8]) -> Fields<'a> {
        Fields(row)
    }

    /// The next `N` bytes.
    #[inline]
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk::<N>() {
            Some((field, rest)) => {
                self.0 = rest;
                *field
            }
            None => {
                debug_assert!(false, "a row is as wide as its fields");
                self.0 = &[];
                [0; N]
            }
        }
    }

    /// The next byte.
    #[inline]
    pub fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.bytes())
    }

    /// The next two bytes.
    #[inline]
    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.bytes())
    }

    /// The next four bytes.
    #[inline]
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    /// The next eight bytes.
    #[inline]
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    /// The next eight bytes, signed.
    #[inline]
    pub fn i64(&mut self) -> i64 {
        i64::from_le_bytes(self.bytes())
    }
}
