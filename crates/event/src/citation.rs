use std::fmt;
use std::str::FromStr;

use memlith_log::{LedgerId, RecordId};
use serde::{Serialize, Serializer};

/// A reference to a record that can be checked by anyone who holds the ledger.
///
/// Text form `memlith://<ledger>/<seq>#<12 hex>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Citation {
    /// The ledger.
    pub ledger: LedgerId,
    /// The record in it.
    pub id: RecordId,
}

/// The text is not a citation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a citation; one looks like memlith://<32 hex>/<seq>#<12 hex>")]
pub struct ParseCitationError {
    /// The offending text, at most 120 characters of it.
    pub text: String,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memlith://{}/{}#", self.ledger, self.id.seq)?;
        self.id.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Citation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Citation {
    type Err = ParseCitationError;

    fn from_str(text: &str) -> Result<Citation, ParseCitationError> {
        let parse = || {
            let (ledger, rest) = text.strip_prefix("memlith://")?.split_once('/')?;
            let (seq, hash) = rest.split_once('#')?;
            let ledger = LedgerId::from_hex(ledger).ok()?;
            Some(Citation { ledger, id: format!("mem_{seq}_{hash}").parse().ok()? })
        };
        parse().ok_or_else(|| ParseCitationError { text: text.chars().take(120).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_round_trips() {
        let text = "memlith://000102030405060708090a0b0c0d0e0f/17#0a1b2c3d4e5f";
        assert_eq!(text.parse::<Citation>().unwrap().to_string(), text);
        assert!("memlith://00/17#0a1b2c3d4e5f".parse::<Citation>().is_err());
        assert!("mem_17_0a1b2c3d4e5f".parse::<Citation>().is_err());
    }
}
