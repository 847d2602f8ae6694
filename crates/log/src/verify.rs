//! Says of every byte whether it is as it was written, and never stops at the first that is not.

mod erasures;
mod part;
mod pieces;
mod segments;
mod walk;

use std::collections::BTreeSet;
use std::io;

use crate::env::{Env, LogOptions};
use crate::files::{FileRole, LogFile, log_files};
use crate::finding::{Finding, FindingKind};
use crate::layout::{is_zero, len_usize, len64};
use crate::mark::{MARK_FILE_LEN, SLOT_LEN, SLOT_OFFSETS};
use crate::mark_file::MARK_NAME;
use crate::segment_header::{SEGMENT_HEADER_LEN, SegmentHeader};
use crate::storage::Access;
use crate::survey::{Depth, Known, Remainder, Survey, any_segment, no_segment, survey};
use crate::view::Head;
use crate::window::Window;
use crate::{Error, LedgerId, Seq};

/// Level of a verification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Sealed segments by the hash of their bytes, the last one record by record.
    ///
    /// Shows that no byte has changed since it was sealed; proves nothing
    /// against one who can write the footers too.
    Sealed,
    /// Every checksum, payload digest, record hash, link, footer, mark and
    /// erasure, and what lies about.
    ///
    /// These are over every byte that holds something, so that the hash of a segment's bytes
    /// is left to [`Level::Sealed`].
    Full,
}

/// Result of a verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Level of the verification.
    pub level: Level,
    /// The ledger, if a segment says which.
    pub ledger: Option<LedgerId>,
    /// Records that were found in place.
    pub records: u64,
    /// The head, if the log opens.
    pub head: Option<Head>,
    /// Findings; empty for a sound ledger.
    pub findings: Vec<Finding>,
    /// Bytes that recoveries cut off and kept; no finding.
    pub quarantined: Vec<String>,
    /// The last record up to which every one is as it was written and follows the one before
    /// it; `None` where not even the first is.
    pub sound_through: Option<Seq>,
    /// Records whose payload was destroyed by accepted damage; at [`Level::Full`].
    pub destroyed: Vec<Destroyed>,
}

/// A record whose payload was destroyed by accepted damage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Destroyed {
    /// The record.
    pub seq: Seq,
    /// The record that accepts its loss, if there is one: it names the chain before this one.
    pub accepted: Option<Seq>,
}

impl Report {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty()
    }

    fn add(&mut self, finding: Finding) {
        let same_place = |known: &Finding| {
            (&known.file, known.offset, known.seq) == (&finding.file, finding.offset, finding.seq)
        };
        if !self.findings.iter().any(same_place) {
            self.findings.push(finding);
        }
    }

    /// The last destroyed record up to `seq` whose loss was accepted only behind it.
    ///
    /// The chain at `seq` shows nothing of the records up to that one: the chain of a destroyed
    /// record is taken as it stands.
    #[must_use]
    pub fn unbound_at(&self, seq: Seq) -> Option<Seq> {
        let unbound = |one: &Destroyed| one.accepted.is_none_or(|accepted| accepted > seq);
        let last = self.destroyed.iter().rfind(|one| one.seq <= seq && unbound(one));
        last.map(|one| one.seq)
    }

    /// Nothing holds from the first record on that a finding names.
    fn end_before_findings(&mut self) {
        let named = self.findings.iter().filter_map(|finding| finding.seq).min();
        if let (Some(through), Some(named)) = (self.sound_through, named) {
            self.sound_through = named.previous().map(|before| before.min(through));
        }
    }

    fn add_error(&mut self, error: &Error) {
        self.add(Finding::of(error));
    }
}

/// Verifies the ledger in the folder of `env`; takes no lock and changes no byte.
///
/// Sealed segments are verified on all cores. The findings and their order are the same
/// whatever the number of threads.
///
/// # Errors
/// [`Error::NoLedger`], and [`Error::Io`] if the folder cannot be read at all. Everything else is a finding.
pub fn verify(env: &Env, level: Level) -> Result<Report, Error> {
    verify_on(env, level, env.storage.readers())
}

/// [`verify`] on a number of threads.
///
/// # Errors
/// Those of [`verify`].
pub fn verify_on(env: &Env, level: Level, threads: usize) -> Result<Report, Error> {
    // Where the disk can't read a byte, a map ends the process; a reading is a finding.
    let options = LogOptions { read_only: true, mmap: false, ..LogOptions::default() };
    let mut report = Report {
        level,
        ledger: None,
        records: 0,
        head: None,
        findings: Vec::new(),
        quarantined: Vec::new(),
        sound_through: None,
        destroyed: Vec::new(),
    };
    if !any_segment(env)? {
        let found = no_segment(env)?;
        if matches!(found, Error::NoLedger { .. }) {
            return Err(found);
        }
        report.add_error(&found);
        return Ok(report);
    }
    let (mut active_end, mut complete) = (None, false);
    match look(env, &options) {
        Err(error) => report.add_error(&error),
        Ok(mut found) => {
            let verdict = found.verdict(&options);
            found.findings.drain(..).for_each(|finding| report.add(finding));
            complete = found.view.floor <= found.view.end.expect.next;
            match verdict {
                Ok(()) => {
                    report.head = Some(found.view.head());
                    active_end = Some((found.view.active()?.header.number, found.view.end));
                    if found.remainder.nonzero_end.is_some() {
                        let name = found.view.active()?.name.clone();
                        let what = "unacknowledged bytes behind the end; the next writer keeps a \
                                    copy and clears them";
                        let offset = found.view.end.offset;
                        let finding = Finding::new(name, offset, None, what);
                        report.add(finding.of_kind(FindingKind::TornTail));
                    }
                }
                Err(error) => report.add_error(&error),
            }
        }
    }
    segments::verify_segments(env, threads, &mut report, active_end, complete)?;
    verify_files(env, &mut report)?;
    report.end_before_findings();
    Ok(report)
}

/// Finds the end and what lies behind it.
///
/// Bytes behind the end may be a writer's that went on, or sealed the segment, since the
/// walk: only a walk that comes to the same end again says that they are a tail, and one
/// that comes past them that they are none. What was written behind them since is left for
/// the next time.
fn look(env: &Env, options: &LogOptions) -> Result<Survey, Error> {
    let mut found = survey(env, options, None, Depth::All)?;
    let number = found.view.active()?.header.number;
    let Some(stop) = found.remainder.nonzero_end else { return Ok(found) };
    loop {
        let known = Known { view: &found.view, settled_epoch: None };
        let again = survey(env, options, Some(known), Depth::All)?;
        let stands = again.view.end == found.view.end;
        let passed = again.view.active()?.header.number != number || again.view.end.offset >= stop;
        found = again;
        if stands {
            return Ok(found);
        }
        if passed {
            found.remainder = Remainder::default();
            return Ok(found);
        }
    }
}

fn verify_files(env: &Env, report: &mut Report) -> Result<(), Error> {
    let storage = env.storage.as_ref();
    let mut seen = BTreeSet::new();
    for file in log_files(storage)? {
        seen.insert(file.name.clone());
        match file.role {
            FileRole::Quarantine => report.quarantined.push(file.name),
            FileRole::Temporary => {
                let what = "a copy that was not finished; it may hold erased text";
                report.add(Finding::new(file.name, 0, None, what));
            }
            FileRole::Prepared => verify_prepared(env, &file, report)?,
            FileRole::Mark => verify_mark_rest(env, report)?,
            FileRole::Segment(_) | FileRole::Lock | FileRole::Reserve => {}
        }
    }
    if !seen.contains(MARK_NAME) {
        report.add(Finding::new(MARK_NAME, 0, None, crate::mark_file::MISSING));
    }
    Ok(())
}

/// The prepared segment is zeros, for as long as it is that; it has a header on the way to
/// its name.
fn verify_prepared(env: &Env, file: &LogFile, report: &mut Report) -> Result<(), Error> {
    const CHUNK: u64 = 64 << 10;
    let io = |operation| Error::io(operation, &file.name);
    let opened = match env.storage.open(&file.name, Access::Read) {
        // It has become the next segment.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(io("open"))?,
    };
    let mut window = Window::file(opened.clone(), file.len);
    let mut at = 0;
    while at < file.len {
        let bytes = window.get(at, CHUNK).map_err(io("read"))?;
        let has_header = at == 0 && SegmentHeader::decode(bytes).is_ok();
        let from = if has_header { len_usize(SEGMENT_HEADER_LEN) } else { 0 };
        if !is_zero(bytes.get(from..).unwrap_or_default()) {
            let identity = opened.identity().map_err(io("read"))?;
            // It may have become the next segment since it was opened.
            if env.storage.file_identity(&file.name).is_ok_and(|named| named == identity) {
                let what = "the prepared segment is not all zeros";
                report.add(Finding::new(&file.name, at, None, what));
            }
            break;
        }
        at += CHUNK;
    }
    Ok(())
}

/// Checks that the bytes between and behind the slots of the mark are zero.
fn verify_mark_rest(env: &Env, report: &mut Report) -> Result<(), Error> {
    let file = env.storage.open(MARK_NAME, Access::Read).map_err(Error::io("open", MARK_NAME))?;
    let mut window = Window::file(file, u64::MAX);
    let mut at = 0;
    for slot in SLOT_OFFSETS.into_iter().chain([MARK_FILE_LEN]) {
        let rest = window.get(at, slot - at).map_err(Error::io("read", MARK_NAME))?;
        if !is_zero(rest) {
            let what = "bytes outside the slots of the mark are not zero";
            report.add(Finding::new(MARK_NAME, at, None, what));
        }
        at = slot + len64(SLOT_LEN);
    }
    Ok(())
}

impl Finding {
    /// The place an error speaks of, as far as it speaks of one.
    pub(crate) fn of(error: &Error) -> Finding {
        if let Error::Corrupt { file, offset, seq, what } = error {
            return Finding::new(file, *offset, *seq, *what);
        }
        let what = error.to_string();
        if let Error::ChainBreak { file, offset, seq } = error {
            return Finding::new(file, *offset, Some(*seq), what).of_kind(FindingKind::ChainBreak);
        }
        if let Error::TailLost { file, end, .. } = error {
            return Finding::new(file, 0, Some(Seq(*end)), what).of_kind(FindingKind::TornTail);
        }
        if let Error::SegmentMissing { file, .. } = error {
            return Finding::new(file, 0, None, what);
        }
        if let Error::HeadMismatch { seq, .. } = error {
            return Finding::new(MARK_NAME, 0, Some(*seq), what);
        }
        if let Error::NewerFormat { file, offset } = error {
            return Finding::new(file, *offset, None, what);
        }
        if let Error::Io { file, source, operation } = error {
            return Finding::new(file, 0, None, format!("{operation} failed: {source}"));
        }
        Finding::new("", 0, None, what)
    }
}
