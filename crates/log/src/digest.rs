use std::fmt;
use std::str::FromStr;

use crate::Seq;

/// A 32-byte BLAKE3 digest; text form 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Digest(pub [u8; 32]);

/// The random identity of a ledger; text form 32 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LedgerId(pub [u8; 16]);

/// The id of a record: its position and the first six bytes of its record hash.
///
/// Text form `mem_<seq>_<12 hex>`. The position alone is unique in a ledger;
/// the hash makes a citation fail where the record is not the one that was cited.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RecordId {
    /// The record's position.
    pub seq: Seq,
    /// The first six bytes of its record hash.
    pub hash: [u8; 6],
}

impl AsRef<[RecordId]> for RecordId {
    fn as_ref(&self) -> &[RecordId] {
        std::slice::from_ref(self)
    }
}

/// The text is not an id or a digest of the expected form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct ParseIdError {
    /// The offending text, at most 80 characters of it.
    pub text: String,
    /// Expected form, with an example.
    pub expected: &'static str,
}

impl RecordId {
    /// The id of the record at `seq` whose record hash is `record_hash`.
    #[must_use]
    pub fn new(seq: Seq, record_hash: &Digest) -> RecordId {
        let [a, b, c, d, e, f, ..] = record_hash.0;
        RecordId { seq, hash: [a, b, c, d, e, f] }
    }
}

impl Digest {
    /// Reads 64 lower-case hex digits.
    ///
    /// # Errors
    /// [`ParseIdError`] for any other text.
    pub fn from_hex(text: &str) -> Result<Digest, ParseIdError> {
        unhex(text).map(Digest).ok_or_else(|| refused(text, "64 lower-case hex digits"))
    }
}

impl LedgerId {
    /// Reads 32 lower-case hex digits.
    ///
    /// # Errors
    /// [`ParseIdError`] for any other text.
    pub fn from_hex(text: &str) -> Result<LedgerId, ParseIdError> {
        unhex(text).map(LedgerId).ok_or_else(|| refused(text, "32 lower-case hex digits"))
    }
}

impl FromStr for RecordId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<RecordId, ParseIdError> {
        let parse = || {
            let (seq, hash) = text.strip_prefix("mem_")?.split_once('_')?;
            // A leading zero or sign would give one record two names.
            let canonical = seq == "0" || seq.starts_with(|c: char| ('1'..='9').contains(&c));
            if !canonical || !seq.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            Some(RecordId { seq: Seq(seq.parse().ok()?), hash: unhex(hash)? })
        };
        parse().ok_or_else(|| refused(text, "an id like mem_17_0a1b2c3d4e5f"))
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mem_{}_", self.seq)?;
        hex(&self.hash, f)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Display for LedgerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Debug for LedgerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let bytes = text.as_bytes();
    if bytes.len() != 2 * N {
        return None;
    }
    let mut out = [0; N];
    for (slot, pair) in out.iter_mut().zip(bytes.chunks_exact(2)) {
        *slot = pair.iter().try_fold(0, |value, digit| {
            let nibble = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                _ => return None,
            };
            Some((value << 4) | nibble)
        })?;
    }
    Some(out)
}

fn refused(text: &str, expected: &'static str) -> ParseIdError {
    ParseIdError { text: text.chars().take(80).collect(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_text_form() {
        let id = RecordId { seq: Seq(17), hash: [0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f] };
        assert_eq!(id.to_string(), "mem_17_0a1b2c3d4e5f");
        assert_eq!("mem_17_0a1b2c3d4e5f".parse(), Ok(id));
        for text in [
            "mem_017_0a1b2c3d4e5f",
            "mem_17_0A1b2c3d4e5f",
            "mem_+7_0a1b2c3d4e5f",
            "mem_17_0a",
            "17",
        ] {
            assert!(text.parse::<RecordId>().is_err(), "{text}");
        }
    }

    #[test]
    fn digests_round_trip_as_hex() {
        let digest = Digest(std::array::from_fn(|i| u8::try_from(i * 7).unwrap()));
        assert_eq!(Digest::from_hex(&digest.to_string()), Ok(digest));
        let ledger = LedgerId([0xab; 16]);
        assert_eq!(LedgerId::from_hex(&ledger.to_string()), Ok(ledger));
    }
}
