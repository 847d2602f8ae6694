//! A head that somebody keeps where the writer of the ledger's files can't reach it.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use memlith_log::{Digest, Env, Head, LedgerId, LocalStorage, Log, LogOptions, Report, Seq};

use crate::error::Error;
use crate::ledger::Ledger;
use crate::prove::receipts::Audit;
use crate::read::reference::shown;

/// The head of a ledger at some time: a line that can be kept elsewhere and compared later.
///
/// Text form `memlith-head:<ledger, 32 hex>:<seq>:<chain, 64 hex>`. The chain value depends on
/// every record up to the sequence, so that no other history has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeptHead {
    /// The ledger.
    pub ledger: LedgerId,
    /// The last record when the head was taken.
    pub seq: Seq,
    /// The chain up to and with it.
    pub chain: Digest,
}

/// The text is no head.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{shown}` is no head: {reason}; `memlith head` prints one, as \
         memlith-head:<32 hex>:<seq>:<64 hex>"
)]
pub struct ParseHeadError {
    /// The beginning of the text.
    pub shown: String,
    /// The fault of the text.
    pub reason: &'static str,
}

/// Comparison of a ledger with a head that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadVerdict {
    /// The ledger holds all that was there when the head was taken, unchanged.
    Holds,
    /// The head is of another ledger.
    OtherLedger {
        /// Which one.
        found: LedgerId,
    },
    /// The ledger ends before the head: it was taken back to an earlier state, or the head is
    /// of a copy that went on.
    RolledBack {
        /// The last record that it holds.
        end: Seq,
    },
    /// The ledger holds another record there, or other ones before it.
    Forked {
        /// The chain that it has there.
        found: Digest,
    },
    /// The chain is right, but says nothing of the records up to a destroyed one: its loss was
    /// accepted behind the head.
    Unbound {
        /// The destroyed record.
        destroyed: Seq,
    },
    /// Damage keeps it from being told.
    Unreadable,
}

/// The beginning of every head.
const SCHEME: &str = "memlith-head:";

impl HeadVerdict {
    /// The word for it in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            HeadVerdict::Holds => "ok",
            HeadVerdict::OtherLedger { .. } => "other_ledger",
            HeadVerdict::RolledBack { .. } => "rollback",
            HeadVerdict::Forked { .. } => "fork",
            HeadVerdict::Unbound { .. } => "unbound",
            HeadVerdict::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for KeptHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}:{}:{}", self.ledger, self.seq, self.chain)
    }
}

impl FromStr for KeptHead {
    type Err = ParseHeadError;

    fn from_str(text: &str) -> Result<KeptHead, ParseHeadError> {
        let refused = |reason| ParseHeadError { shown: shown(text), reason };
        let Some(rest) = text.strip_prefix(SCHEME) else {
            return Err(refused("it doesn't begin with memlith-head:"));
        };
        let parts: Vec<&str> = rest.split(':').collect();
        let [ledger, seq, chain] = parts.as_slice() else {
            return Err(refused(if parts.len() < 3 { "it is cut short" } else { "it goes on" }));
        };
        let ledger = LedgerId::from_hex(ledger)
            .map_err(|_| refused("its ledger is not 32 lower-case hex digits"))?;
        let plain = !seq.is_empty() && seq.bytes().all(|byte| byte.is_ascii_digit());
        let seq = seq.parse::<u64>().ok().filter(|number| plain && number.to_string() == *seq);
        let seq = seq.map(Seq).ok_or_else(|| refused("its sequence is no number"))?;
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if chain.len() < 64 && chain.bytes().all(is_hex) {
            return Err(refused("its chain is cut short: it has 64 hex digits"));
        }
        let chain = Digest::from_hex(chain)
            .map_err(|_| refused("its chain is not 64 lower-case hex digits"))?;
        Ok(KeptHead { ledger, seq, chain })
    }
}

impl Ledger {
    /// The last record that is known to be on the disk, as far as this handle knows.
    #[must_use]
    pub fn synced(&self) -> Option<Seq> {
        self.log.synced()
    }
}

/// Compares the ledger in the folder `dir` with a head that was kept; changes no byte.
///
/// It goes by the chain that the log has at the head's sequence, and by `report`, what
/// [`verify()`](crate::verify()) said just now: that the records before are what the chain was
/// made of. Of sealed segments only [`Level::Full`](crate::prove::Level::Full) says it.
///
/// Cost: opens the log and reads one record.
///
/// # Errors
/// There is no ledger in the folder, or it can't be read at all.
pub fn check_head(
    dir: impl AsRef<Path>,
    report: &Report,
    head: &KeptHead,
) -> Result<HeadVerdict, Error> {
    let storage = LocalStorage::open(dir.as_ref()).map_err(|source| Error::Io {
        what: format!("open the folder {}", dir.as_ref().display()),
        source,
    })?;
    check_head_in(&Env::system(storage), report, head)
}

/// [`check_head`] in any storage.
///
/// # Errors
/// Those of [`check_head`].
pub fn check_head_in(env: &Env, report: &Report, head: &KeptHead) -> Result<HeadVerdict, Error> {
    // A log whose acknowledged end is gone was taken back: its own mark says so already.
    let options =
        LogOptions { read_only: true, mmap: false, read_past_loss: true, ..LogOptions::default() };
    let compared = Log::open(env.clone(), options).and_then(|log| {
        if log.ledger_id() != head.ledger {
            return Ok(HeadVerdict::OtherLedger { found: log.ledger_id() });
        }
        let end = log.head().seq;
        if end < head.seq {
            return Ok(HeadVerdict::RolledBack { end });
        }
        let found = log.read(head.seq)?.chain;
        if found != head.chain {
            return Ok(HeadVerdict::Forked { found });
        }
        let is_sound = report.is_ok() || report.sound_through >= Some(head.seq);
        Ok(match report.unbound_at(head.seq) {
            _ if !is_sound => HeadVerdict::Unreadable,
            Some(destroyed) => HeadVerdict::Unbound { destroyed },
            None => HeadVerdict::Holds,
        })
    });
    match compared {
        Err(error) if error.is_integrity() => Ok(HeadVerdict::Unreadable),
        compared => Ok(compared?),
    }
}

impl Audit<'_> {
    /// The head of the ledger as it stands, to be kept elsewhere.
    ///
    /// # Errors
    /// The log's.
    pub fn head(&self) -> Result<KeptHead, Error> {
        let Head { seq, chain, .. } = self.ledger.refresh()?;
        Ok(KeptHead { ledger: self.ledger.id(), seq, chain })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_round_trips_and_what_is_none_says_why() {
        let head = KeptHead { ledger: LedgerId([7; 16]), seq: Seq(12), chain: Digest([0xab; 32]) };
        let text = head.to_string();
        assert_eq!(text.parse(), Ok(head));
        let (ledger, chain) = ("07".repeat(16), "ab".repeat(32));
        for (text, reason) in [
            ("", "doesn't begin"),
            ("mem_12_abababababab", "doesn't begin"),
            (&format!("memlith-head:{ledger}"), "cut short"),
            (&format!("memlith-head:{ledger}:12"), "cut short"),
            (&text[..text.len() - 1], "its chain is cut short"),
            (&text.to_uppercase(), "doesn't begin"),
            (&format!("{text}:1"), "goes on"),
            (&format!("memlith-head:{ledger}:012:{chain}"), "sequence"),
            (&format!("memlith-head:{ledger}:+12:{chain}"), "sequence"),
            (&format!("memlith-head:{ledger}:18446744073709551616:{chain}"), "sequence"),
            (&format!("memlith-head:{}:12:{chain}", &ledger[1..]), "ledger"),
            (&format!("memlith-head:{ledger}:12:{}", chain.replace('a', "x")), "chain"),
            (&format!("memlith-head:{ledger}:12:{}", chain.replace('a', "A")), "chain"),
            ("$(reboot)", "doesn't begin"),
            ("\0\u{1b}[31m", "doesn't begin"),
        ] {
            let error = text.parse::<KeptHead>().unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
            assert!(error.chars().all(|c| (' '..='~').contains(&c)), "{error}");
        }
    }
}
