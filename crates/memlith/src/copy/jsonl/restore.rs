use std::io::BufRead;

use memlith_log::{Payload, RestoredRecord, Seq, Writer};

use super::copy::lost;
use super::{Ceiling, Line, Lines, Moved};
use crate::copy::import::ImportReport;
use crate::error::Error;
use crate::ledger::Ledger;

/// A batch of an export.
struct Batch {
    lines: Vec<Line>,
    records: Vec<RestoredRecord>,
}

impl Ledger {
    /// Puts the records of an export where they were: into a ledger that holds nothing
    /// yet, or the beginning of the same history.
    ///
    /// Gives the first batch in which the histories differ, or which claims more than
    /// `ceiling` where the ledger held records before, with nothing of it restored.
    pub(crate) fn restore<R: BufRead>(
        &self,
        ceiling: Ceiling,
        input: &mut Lines<R>,
        moved: &mut Moved,
        report: &mut ImportReport,
    ) -> Result<Vec<Line>, Error> {
        self.locked(|writer, _, _| {
            // The first record may be replaced, which no fold would notice.
            self.forget();
            let fresh = writer.head().seq == Seq::GENESIS;
            while let Some(batch) = next_batch(input)? {
                let believed = fresh || ceiling.covers(&batch.records, writer.head().seq);
                if !believed || !self.continues(writer, &batch)? {
                    return Ok(batch.lines);
                }
                let added = writer
                    .restore(&batch.records)
                    .map_err(|error| input.refuse(error.to_string()))?;
                report.added += added;
                // A ledger's own first record is never met as an event that was there.
                let first = batch.lines.first().is_some_and(|line| line.seq == Seq::GENESIS);
                if !first {
                    report.already_present += batch.lines.len() as u64 - added;
                }
                moved.extend(batch.lines.iter().map(|line| (line.seq, line.id())));
            }
            writer.sync()?;
            Ok(Vec::new())
        })
    }

    /// Whether the batch is in the ledger as it is in the export, or comes right after
    /// its end. What one of both alone has erased is not the same: to pass over what only the
    /// export has, and believe the erasure that follows, would leave a body that is said to be
    /// gone; and what was erased here may come back once that is lifted.
    fn continues(&self, writer: &Writer<'_>, batch: &Batch) -> Result<bool, Error> {
        let head = writer.head().seq;
        if head == Seq::GENESIS {
            return Ok(true);
        }
        for (line, restored) in batch.lines.iter().zip(&batch.records) {
            if line.seq > head {
                continue;
            }
            let here = self.log.read(line.seq)?;
            let erased = |payload: &Payload| matches!(payload, Payload::Erased { .. });
            let only_there = erased(&restored.payload) && !erased(&here.payload);
            if here.id() != line.id() || only_there || lost(&here, restored) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The next whole batch, each record checked against its hash.
fn next_batch<R: BufRead>(input: &mut Lines<R>) -> Result<Option<Batch>, Error> {
    let mut batch = Batch { lines: Vec::new(), records: Vec::new() };
    while let Some(line) = input.record()? {
        batch.records.push(line.restored().map_err(|reason| input.refuse(reason))?);
        let ends = line.ends_batch();
        batch.lines.push(line);
        if ends {
            return Ok(Some(batch));
        }
    }
    if batch.lines.is_empty() || input.drop_cut(batch.lines.len()) {
        return Ok(None);
    }
    Err(input.refuse("the export ends in the middle of a batch"))
}
