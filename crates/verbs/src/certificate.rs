//! Certificate of an erasure: its words are looked for in the ledger's files, and its owner signs.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use aho_corasick::AhoCorasick;
use anyhow::{Context as _, Result};
use memlith::forget::Erased;
use memlith::prove::HeadVerdict;
use memlith::prove::signed::{Certificate, Erasure, Head, Scan};
use memlith::{Ledger, RecordId, Seq, log::decode};

use crate::anchor::Anchors;
use crate::exit;
use crate::signer::Signer;

/// Preparation of a certificate, made before the words are gone.
pub(crate) struct Prepared {
    signer: Signer,
    pieces: Pieces,
    before: Option<Head>,
}

/// Pieces of text that stand in no file once their records are erased.
struct Pieces(BTreeSet<Vec<u8>>);

/// Bytes of a piece: shorter ones stand in other texts too, and the beginning of a line is enough.
const PIECE_BYTES: std::ops::RangeInclusive<usize> = 12..=64;

/// The most pieces of one text.
const PIECES_MAX: usize = 16;

impl Prepared {
    /// Takes down what is to be searched for, and signs the head of before.
    ///
    /// # Errors
    /// The head can't be signed, a record can't be read, or `by` can't stand on a line.
    pub(crate) fn of(ledger: &Ledger, by: &str, records: &[RecordId]) -> Result<Prepared> {
        if by.contains(char::is_control) {
            return Err(exit::usage("the name of who erases has control characters"));
        }
        if records.is_empty() || records.len() > Erasure::RECORDS_MAX {
            return Err(exit::refused(format!(
                "a certificate is of 1 to {} records, and this erasure takes {}",
                Erasure::RECORDS_MAX,
                records.len()
            )));
        }
        let signer = Anchors::of_user()?.signer()?;
        let before = Some(*signer.sign(ledger)?.head.head());
        Ok(Prepared { signer, pieces: Pieces::of(ledger, records)?, before })
    }

    /// Searches the files of the ledger in `dir`, signs its head, and states the erasure. The
    /// names of the files that still hold a piece stand beside it.
    ///
    /// # Errors
    /// A file can't be read, or nothing can be signed.
    pub(crate) fn certify(
        &self,
        (dir, ledger): (&Path, &Ledger),
        by: &str,
        erased: &Erased,
    ) -> Result<(Certificate, Vec<String>)> {
        let (scan, files) = self.pieces.search(dir)?;
        let signed = self.signer.sign(ledger)?;
        let mut tree = self.signer.tree(ledger)?;
        if let Some(before) = &self.before
            && ledger.audit().compare(&mut tree, before)? != HeadVerdict::Holds
        {
            return Err(exit::damaged("the ledger does not hold the head that was signed before"));
        }
        let record = ledger.record(erased.erasure.seq)?;
        let mut records: Vec<Seq> = erased.records.iter().map(|id| id.seq).collect();
        records.sort_unstable();
        let statement = Erasure {
            ledger: ledger.id(),
            erasure: (record.seq, record.record_hash),
            at: record.recorded_at,
            by: by.to_owned(),
            records,
            scan,
            before: self.before,
            after: *signed.head.head(),
        };
        let certificate = statement.sign(&self.signer.the_key()?);
        Ok((certificate.map_err(crate::head::refused)?, files))
    }
}

impl Pieces {
    fn of(ledger: &Ledger, records: &[RecordId]) -> Result<Pieces> {
        let mut pieces = BTreeSet::new();
        for id in records {
            let record = ledger.record(id.seq)?;
            let Some(body) = decode(&record)? else { continue };
            let Some(text) = body.event.item_text() else { continue };
            let lines =
                text.lines().map(str::trim).filter(|line| line.len() >= *PIECE_BYTES.start());
            pieces.extend(lines.take(PIECES_MAX).map(|line| {
                let end = line.floor_char_boundary(line.len().min(*PIECE_BYTES.end()));
                line.get(..end).unwrap_or(line).as_bytes().to_vec()
            }));
        }
        Ok(Pieces(pieces))
    }

    fn search(&self, dir: &Path) -> Result<(Scan, Vec<String>)> {
        let pieces = AhoCorasick::new(&self.0).context("search for the erased words")?;
        let mut scan = Scan { pieces: self.0.len() as u64, ..Scan::default() };
        let (mut found, mut folders) = (Vec::new(), vec![dir.to_owned()]);
        while let Some(folder) = folders.pop() {
            let entries =
                fs::read_dir(&folder).with_context(|| format!("read {}", folder.display()))?;
            for entry in entries {
                let entry = entry?;
                let (path, kind) = (entry.path(), entry.file_type()?);
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() {
                    let opened = File::open(&path);
                    let file = match opened {
                        // A checkpoint that another process has replaced meanwhile.
                        Err(error) if error.kind() == ErrorKind::NotFound => continue,
                        opened => opened.with_context(|| format!("read {}", path.display()))?,
                    };
                    scan.files += 1;
                    scan.bytes += file.metadata()?.len();
                    if pieces.stream_find_iter(file).next().transpose()?.is_some() {
                        found.push(path.strip_prefix(dir).unwrap_or(&path).display().to_string());
                    }
                }
            }
        }
        scan.found = found.len() as u64;
        found.sort();
        Ok((scan, found))
    }
}
