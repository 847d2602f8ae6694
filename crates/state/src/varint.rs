//! LEB128: seven bits a byte, the lowest first.

/// Appends `value`.
#[inline]
pub fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        let [low, ..] = value.to_le_bytes();
        out.push(low | 0x80);
        value >>= 7;
    }
    let [low, ..] = value.to_le_bytes();
    out.push(low);
}

/// Takes a number off the front of `bytes`; `None` where there is none that fits.
#[inline]
pub fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    if *first < 0x80 {
        return Some(u64::from(*first));
    }
    read_long(*first, bytes)
}

/// Takes a number that begins with `first` and goes on in `bytes`.
fn read_long(first: u8, bytes: &mut &[u8]) -> Option<u64> {
    if let Some((value, len)) = read_together(first, bytes) {
        *bytes = bytes.get(len..)?;
        return Some(value);
    }
    let mut value = u64::from(first & 0x7f);
    for shift in (7..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift == 63 && *byte > 1 {
            return None;
        }
        value |= u64::from(*byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// The number of two to eight bytes that begins with `first`, and how many bytes of `rest` it
/// takes; `None` where it is longer, or too near the end to tell in one.
///
/// Cost: some twenty instructions, without a branch a byte.
#[inline]
fn read_together(first: u8, rest: &[u8]) -> Option<(u64, usize)> {
    let bytes = u64::from_le_bytes(*rest.first_chunk()?) << 8 | u64::from(first);
    let last = !bytes & 0x8080_8080_8080_8080;
    if last == 0 {
        return None;
    }
    // All bits up to that one; the sevens are then moved together by halves.
    let sevens = bytes & (last ^ (last - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
    let pairs = sevens & 0x007f_007f_007f_007f | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    let value = fours & 0x0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4;
    Some((value, last.trailing_zeros() as usize / 8))
}

/// A difference as a number without a sign: small ones of either sign stay small.
#[must_use]
pub fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)).cast_unsigned()
}

/// The difference that [`zigzag`] made a number of.
#[must_use]
pub fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for bit in 0..64 {
            for value in [1_u64 << bit, (1 << bit) - 1, u64::MAX >> bit] {
                let mut bytes = Vec::new();
                write_varint(value, &mut bytes);
                let mut rest = bytes.as_slice();
                assert_eq!((read_varint(&mut rest), rest), (Some(value), &[][..]));
                for behind in [0, 0x7f, 0x80, 0xff] {
                    let more = [bytes.as_slice(), &[behind; 9]].concat();
                    let mut rest = more.as_slice();
                    assert_eq!((read_varint(&mut rest), rest), (Some(value), &[behind; 9][..]));
                }
                assert_eq!(read_varint(&mut &bytes[..bytes.len() - 1]), None);
                assert_eq!(zigzag(unzigzag(value)), value);
            }
        }
        assert_eq!(read_varint(&mut &[0xff; 12][..]), None);
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}
