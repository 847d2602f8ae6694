//! Our own export: every record, a line each, losslessly.
//!
//! The first line names the ledger. A record's line holds its hashed header, its blind
//! and its body, so that a restored record has the same hash; `event` repeats the body
//! for people and is not read back.

mod ceiling;
mod copy;
mod likeness;
mod line;
mod restore;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use memlith_log::{RecordId, Seq};

use crate::caller::Caller;
use crate::error::Error;
use crate::intake::ImportReport;
use crate::ledger::Ledger;

use ceiling::Ceiling;
use copy::Foreign;

pub(crate) use line::{Heading, Line, read_line};

impl Ledger {
    /// Writes every record as a line of JSON; seals and erasures included. Gives their number.
    ///
    /// # Errors
    /// The log's, and those of `out`.
    pub fn export_jsonl(&self, out: &mut impl Write) -> Result<u64, Error> {
        let head = self.refresh()?.seq;
        let io = |source| Error::Io { what: "write the export".to_owned(), source };
        let mut put = |line: String| writeln!(out, "{line}").map_err(io);
        put(Heading::of(self.id()).to_json())?;
        let mut count = 0;
        for record in self.log.scan(Seq::GENESIS, head) {
            put(Line::of(&record?).to_json())?;
            count += 1;
        }
        out.flush().map_err(|source| Error::Io { what: "write the export".to_owned(), source })?;
        Ok(count)
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
}

/// Where the records of an export are in this ledger.
pub(crate) type Moved = BTreeMap<Seq, RecordId>;

impl<R: BufRead> Lines<R> {
    fn new(input: R) -> Lines<R> {
        Lines { input, line: 0, peeked: None }
    }

    fn heading(&mut self) -> Result<Heading, Error> {
        let line = self.next_text()?.unwrap_or_default();
        Heading::from_json(&line).ok_or_else(|| {
            self.refuse("this is not an export: its first line must name the ledger")
        })
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
        let Some(text) = self.next_text()? else { return Ok(None) };
        Line::from_json(&text).map(Some).map_err(|reason| self.refuse(reason))
    }

    pub(crate) fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::Jsonl { line: self.line, reason: reason.into() }
    }

    fn next_text(&mut self) -> Result<Option<String>, Error> {
        self.line += 1;
        read_line(&mut self.input).map_err(|reason| self.refuse(reason))
    }
}
