//! Our own export: every record, a line each, losslessly.
//!
//! The first line names the ledger and the number of records, the last one that number and the
//! head. A record's line holds its hashed header, its blind and its body, so that a restored
//! record has the same hash; `log` is the record as `list events --json` shows it, for people and other
//! programs, and is not read back.

mod ceiling;
mod copy;
mod likeness;
mod line;
mod restore;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use memlith_log::{RecordId, Seq};

use crate::caller::Caller;
use crate::copy::import::ImportReport;
use crate::error::Error;
use crate::ledger::Ledger;

use ceiling::Ceiling;
use copy::Foreign;

pub(crate) use line::{Ending, Heading, Line, TextLine, read_line};

impl Ledger {
    /// Writes every record as a line of JSON; seals and erasures included. Gives their number.
    ///
    /// # Errors
    /// The log's, and those of `out`.
    pub fn export_jsonl(&self, out: &mut dyn Write) -> Result<u64, Error> {
        let head = self.refresh()?;
        let io = |source| Error::Io { what: "write the export".to_owned(), source };
        let mut put = |line: String| writeln!(out, "{line}").map_err(io);
        let records = head.seq.0.saturating_add(1);
        put(Heading::of(self.id(), records).to_json())?;
        for record in self.log.scan(Seq::GENESIS, head.seq) {
            put(Line::of(&record?).to_json())?;
        }
        put(Ending::of(&head).to_json())?;
        out.flush().map_err(|source| Error::Io { what: "write the export".to_owned(), source })?;
        Ok(records)
    }

    /// Reads an export back.
    ///
    /// Into a ledger that holds nothing yet, every record is restored with its sequence,
    /// times, body and blind, so that hashes and ids are the same and only the chain
    /// differs. One that holds the beginning of the same history, as after a restore that
    /// was cut short, is restored from where it ends. Into any other, and from the first
    /// record on in which both histories differ, what isn't there already is written
    /// anew: with new ids, through the same door as every write, the old ids kept as
    /// provenance.
    ///
    /// What is restored into a ledger that holds nothing is history: it is believed as
    /// it is. Everywhere else the file can't claim more than `caller` has: ranks,
    /// origins and tiers above its own are lowered to its own, and a history that is
    /// continued with records which claim more, or with erasures, is continued by the
    /// owner alone; for others these records are copied. What waited for review waits
    /// here as well, and a dispute stays one. Nothing here is erased by a copy.
    ///
    /// Of an export that was cut, without its last line, what there is is taken in, and
    /// [`ImportReport::cut`] says so. The whole one restores the rest, as long as nothing was
    /// written in between, a checkpoint neither.
    ///
    /// An erasure here stays in force: [`Erasure::lift`](crate::forget::Erasure::lift) lets an
    /// export bring its records back, as a copy.
    ///
    /// # Errors
    /// [`Error::Jsonl`] names the line; what came before it stays. And the log's.
    pub fn import_jsonl(
        &self,
        caller: &Caller,
        input: impl BufRead,
    ) -> Result<ImportReport, Error> {
        let ceiling = Ceiling::of(caller);
        let mut input = Lines::new(input);
        let heading = input.heading()?;
        let mut report = ImportReport::default();
        let mut moved = Moved::new();
        let mut apart = Vec::new();
        if self.begins_as(&mut input)? {
            apart = self.restore(ceiling, &mut input, &mut moved, &mut report)?;
        }
        let from = Foreign { ledger: heading.ledger, ceiling };
        self.copy(from, apart, &mut input, &mut moved, &mut report)?;
        report.cut = input.end == Some(Ended::Cut);
        report.missing = input.expected.saturating_sub(input.records);
        Ok(report)
    }

    /// Whether the ledger is empty, or begins with the export's first record.
    fn begins_as<R: BufRead>(&self, input: &mut Lines<R>) -> Result<bool, Error> {
        if self.refresh()?.seq == Seq::GENESIS {
            return Ok(true);
        }
        let Some(first) = input.peek()? else { return Ok(false) };
        let (seq, id) = (first.seq, first.id());
        Ok(seq == Seq::GENESIS && self.log.read(seq)?.id() == id)
    }
}

/// The lines of an export, counted, each of bounded length.
pub(crate) struct Lines<R> {
    input: R,
    line: u64,
    /// The next record, where it was looked at already.
    peeked: Option<Line>,
    /// Number of records, as the first line says.
    expected: u64,
    /// Number of records that were read, without those of a batch that was cut.
    records: u64,
    end: Option<Ended>,
}

/// How an export ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// With its last line.
    Whole,
    /// Before that.
    Cut,
}

/// Where the records of an export are in this ledger.
pub(crate) type Moved = BTreeMap<Seq, RecordId>;

impl<R: BufRead> Lines<R> {
    fn new(input: R) -> Lines<R> {
        Lines { input, line: 0, peeked: None, expected: 0, records: 0, end: None }
    }

    /// Gives up the records of a batch that the export was cut in.
    pub(crate) fn drop_cut(&mut self, records: usize) -> bool {
        let cut = self.end == Some(Ended::Cut);
        self.records = self.records.saturating_sub(if cut { records as u64 } else { 0 });
        cut
    }

    fn heading(&mut self) -> Result<Heading, Error> {
        let line = self.next_text()?.map(|line| line.text).unwrap_or_default();
        let heading = Heading::from_json(&line).ok_or_else(|| {
            self.refuse("this is not an export: its first line must name the ledger")
        })?;
        self.expected = heading.records;
        Ok(heading)
    }

    /// The next record without taking it, or `None` at the end.
    fn peek(&mut self) -> Result<Option<&Line>, Error> {
        self.peeked = self.record()?;
        Ok(self.peeked.as_ref())
    }

    /// The next record, or `None` at the end.
    pub(crate) fn record(&mut self) -> Result<Option<Line>, Error> {
        if let Some(line) = self.peeked.take() {
            return Ok(Some(line));
        }
        if self.end.is_some() {
            return Ok(None);
        }
        let Some(line) = self.next_text()? else {
            self.end = Some(Ended::Cut);
            return Ok(None);
        };
        if let Some(ending) = Ending::from_json(&line.text) {
            return self.end_at(ending);
        }
        match Line::from_json(&line.text) {
            Ok(record) => {
                self.records += 1;
                Ok(Some(record))
            }
            Err(error) if !line.is_whole && error.is_eof() => {
                self.end = Some(Ended::Cut);
                Ok(None)
            }
            Err(error) => Err(self.refuse(format!("not a record of an export: {error}"))),
        }
    }

    fn end_at(&mut self, ending: Ending) -> Result<Option<Line>, Error> {
        let (said, found) = (ending.memlith_export_end, self.records);
        if said != found {
            return Err(self.refuse(format!("{said} records should come before, not {found}")));
        }
        if self.next_text()?.is_some() {
            return Err(self.refuse("something follows the last line of the export"));
        }
        self.end = Some(Ended::Whole);
        Ok(None)
    }

    pub(crate) fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::Jsonl { line: self.line, reason: reason.into() }
    }

    fn next_text(&mut self) -> Result<Option<TextLine>, Error> {
        self.line += 1;
        read_line(&mut self.input).map_err(|reason| self.refuse(reason))
    }
}
