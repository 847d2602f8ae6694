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
    let mut value = u64::from(*first & 0x7f);
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
                assert_eq!(read_varint(&mut &bytes[..bytes.len() - 1]), None);
                assert_eq!(zigzag(unzigzag(value)), value);
            }
        }
        assert_eq!(read_varint(&mut &[0xff; 12][..]), None);
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}
