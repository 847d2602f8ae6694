use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memlith_log::{Digest, LedgerId, Seq, Timestamp};

use crate::error::Error;
use crate::head::{Head, ledger_of, origin};
use crate::key::{SigningKey, VerifierKey};
use crate::note::Note;

/// Statement of a ledger's owner that words were erased. It holds no word of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// The ledger.
    pub ledger: LedgerId,
    /// The record of the erasure, and its hash.
    pub erasure: (Seq, Digest),
    /// When it was recorded.
    pub at: Timestamp,
    /// Name of the actor who asked for it.
    pub by: String,
    /// The records whose words are gone, ascending.
    pub records: Vec<Seq>,
    /// The search for the words in the ledger's files, afterwards.
    pub scan: Scan,
    /// The head that was signed last before: the ledger still holds it.
    pub before: Option<Head>,
    /// The head behind the erasure.
    pub after: Head,
}

/// A search of files for the words that were erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Pieces of text that were searched for.
    pub pieces: u64,
    /// Files that were read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that hold a piece.
    pub found: u64,
}

/// A signed [`Erasure`]: a C2SP signed note, as [`fmt::Display`] writes and [`FromStr`] reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    erasure: Erasure,
    note: Note,
}

/// Behind the origin, on the first line: no certificate is a head.
const KIND: &str = "/erasure";

/// The longest certificate, in bytes.
const BYTES_MAX: usize = 16 << 20;

impl Erasure {
    /// The most records of a certificate.
    pub const RECORDS_MAX: usize = 1 << 20;

    /// Signs the statement.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it names no record or more than [`Erasure::RECORDS_MAX`], or the
    /// actor's name can't stand on a line.
    pub fn sign(&self, key: &SigningKey) -> Result<Certificate, Error> {
        let text = self.text();
        if Erasure::read(&text).as_ref() != Some(self) || text.len() > BYTES_MAX {
            return Err(Error::malformed("certificate", "a line of it can't be written"));
        }
        let signatures = vec![key.sign(&origin(self.ledger), &text)];
        Ok(Certificate { erasure: self.clone(), note: Note { text, signatures } })
    }

    fn text(&self) -> String {
        let Erasure { ledger, erasure: (seq, hash), at, by, records, scan, before, after } = self;
        let mut text =
            format!("{}{KIND}\nerasure {seq} {hash}\nat {at}\nby {by}\n", origin(*ledger));
        let records: Vec<String> = runs(records)
            .into_iter()
            .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}-{to}") })
            .collect();
        let Scan { pieces, files, bytes, found } = scan;
        // Writing to a string can't fail.
        let _ = writeln!(text, "records {}", records.join(" "));
        let _ = writeln!(text, "scan {pieces} pieces {files} files {bytes} bytes {found} found");
        if let Some(before) = before {
            let _ = writeln!(text, "before {}", head_text(before));
        }
        let _ = writeln!(text, "after {}", head_text(after));
        text
    }

    fn read(text: &str) -> Option<Erasure> {
        let mut lines = text.lines();
        let ledger = ledger_of(lines.next()?.strip_suffix(KIND)?)?;
        let mut line = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let (seq, hash) = line("erasure")?.split_once(' ')?;
        let erasure = (Seq(seq.parse().ok()?), Digest::from_hex(hash).ok()?);
        let at = line("at")?.parse().ok()?;
        let by = line("by")?.to_owned();
        let records = line("records")?.split(' ').map(read_run).collect::<Option<Vec<_>>>()?;
        // A run of few bytes may name any number of records.
        let count = records.iter().map(|(from, to)| (to - from).saturating_add(1));
        (count.fold(0, u64::saturating_add) <= Erasure::RECORDS_MAX as u64).then_some(())?;
        let records = records.into_iter().flat_map(|(from, to)| (from..=to).map(Seq)).collect();
        let scan: Vec<&str> = line("scan")?.split(' ').collect();
        let [pieces, "pieces", files, "files", bytes, "bytes", found, "found"] = scan.as_slice()
        else {
            return None;
        };
        let [pieces, files, bytes, found] = [pieces, files, bytes, found].map(|n| n.parse().ok());
        let scan = Scan { pieces: pieces?, files: files?, bytes: bytes?, found: found? };
        let heads: Vec<(&str, &str)> =
            lines.map(|line| line.split_once(' ')).collect::<Option<_>>()?;
        let (before, after) = match heads.as_slice() {
            [("before", before), ("after", after)] => (Some(read_head(ledger, before)?), after),
            [("after", after)] => (None, after),
            _ => return None,
        };
        let after = read_head(ledger, after)?;
        let read = Erasure { ledger, erasure, at, by, records, scan, before, after };
        // Only one text says the same.
        (read.text() == text).then_some(read)
    }
}

impl Certificate {
    /// The statement.
    #[must_use]
    pub fn erasure(&self) -> &Erasure {
        &self.erasure
    }

    /// Checks that one of the keys signed it.
    ///
    /// # Errors
    /// [`Error::Signature`].
    pub fn check(&self, keys: &[VerifierKey]) -> Result<(), Error> {
        let refused = |reason: &str| Error::Signature { reason: reason.to_owned() };
        let own = keys.iter().filter(|key| key.ledger() == self.erasure.ledger);
        let mut signed = own.filter_map(|key| {
            let signature = self.note.signature(&origin(key.ledger()), key.id())?;
            Some(key.verifies(&self.note.text, signature))
        });
        match signed.next() {
            Some(true) => Ok(()),
            Some(false) => Err(refused("the certificate is not what the key signed")),
            None => Err(refused("no key that was given has signed the certificate")),
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.note.fmt(f)
    }
}

impl FromStr for Certificate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Certificate, Error> {
        let note = Note::read(text, BYTES_MAX)?;
        let refused = || Error::malformed("certificate", "its text is not that of an erasure");
        let erasure = Erasure::read(&note.text).ok_or_else(refused)?;
        Ok(Certificate { erasure, note })
    }
}

/// The runs of numbers that follow on each other.
fn runs(records: &[Seq]) -> Vec<(u64, u64)> {
    let runs = records.chunk_by(|one, next| one.0.checked_add(1) == Some(next.0));
    runs.filter_map(|run| Some((run.first()?.0, run.last()?.0))).collect()
}

fn read_run(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to).then_some((from, to))
}

fn head_text(head: &Head) -> String {
    format!("{} {} {}", head.size, STANDARD.encode(head.root), head.chain)
}

fn read_head(ledger: LedgerId, text: &str) -> Option<Head> {
    let [size, root, chain] = text.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let root = STANDARD.decode(root).ok()?.try_into().ok()?;
    Some(Head { ledger, size: size.parse().ok()?, root, chain: Digest::from_hex(chain).ok()? })
}
