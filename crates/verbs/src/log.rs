use anyhow::Result;
use memlith::Seq;

use crate::context::Context;
use crate::exit::Exit;
use crate::line::Line;

/// Prints records of the log, the log's own among them.
pub(crate) fn answer(from: u64, limit: Option<u64>, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    for record in ledger.records(Seq(from), limit)? {
        let line = Line::of(&record?);
        context.answer(&line, line.to_text())?;
    }
    Ok(Exit::Ok)
}
