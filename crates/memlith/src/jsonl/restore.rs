use std::io::BufRead;

use memlith_log::Seq;

use super::Lines;
use crate::error::Error;
use crate::intake::ImportReport;
use crate::ledger::Ledger;

impl Ledger {
    /// Puts the records of an export into a ledger that holds nothing yet.
    pub(crate) fn restore<R: BufRead>(&self, input: &mut Lines<R>) -> Result<ImportReport, Error> {
        self.locked(self.options.lock_timeout, |writer, _, _| {
            let mut report = ImportReport::default();
            let mut batch = Vec::new();
            while let Some(line) = input.record()? {
                batch.push(line.restored().map_err(|reason| input.refuse(reason))?);
                if line.ends_batch() {
                    let added =
                        writer.restore(&batch).map_err(|error| input.refuse(error.to_string()))?;
                    report.added += added;
                    if line.seq != Seq::GENESIS {
                        report.already_present += batch.len() as u64 - added;
                    }
                    batch.clear();
                }
            }
            if !batch.is_empty() {
                return Err(input.refuse("the export ends in the middle of a batch"));
            }
            writer.sync()?;
            Ok(report)
        })
    }
}
