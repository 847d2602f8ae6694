use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use memlith::Ledger;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;

/// Write out every record, losslessly.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith export jsonl > ledger.jsonl
  memlith export jsonl --out ledger.jsonl
  memlith export jsonl | memlith import jsonl - --ledger copy")]
pub(crate) struct ExportArgs {
    /// The format.
    format: ExportFormat,

    /// The file to write, whole or not at all; else standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What can be written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExportFormat {
    /// A line of JSON for every record.
    Jsonl,
}

#[derive(Serialize)]
struct Answer {
    records: u64,
    out: String,
}

pub(crate) fn run(args: &ExportArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let ExportFormat::Jsonl = args.format;
    let Some(out) = &args.out else {
        ledger.export_jsonl(context.out.bytes())?;
        return Ok(Exit::Ok);
    };
    let progress = context.progress("exporting", None);
    let records = write_file(&ledger, out)?;
    drop(progress);
    let answer = Answer { records, out: out.display().to_string() };
    context.answer(&answer, format_args!("{records} records in {}", answer.out))?;
    Ok(Exit::Ok)
}

/// Writes under another name first, so that `out` is never half an export.
fn write_file(ledger: &Ledger, out: &Path) -> Result<u64> {
    let mut partial = out.as_os_str().to_owned();
    partial.push(".part");
    let partial = PathBuf::from(partial);
    let written = write_partial(ledger, &partial).and_then(|records| {
        let rename = std::fs::rename(&partial, out);
        let shown = partial.display();
        rename.with_context(|| format!("rename {shown} to {}", out.display()))?;
        Ok(records)
    });
    if written.is_err() {
        // The disk may be full of it. Where even that fails, the first error counts.
        let _ = std::fs::remove_file(&partial);
    }
    written
}

fn write_partial(ledger: &Ledger, partial: &Path) -> Result<u64> {
    let shown = partial.display();
    let file = File::create(partial).with_context(|| format!("create {shown}"))?;
    let mut writer = BufWriter::new(file);
    let records = ledger.export_jsonl(&mut writer).with_context(|| format!("write {shown}"))?;
    writer.flush().with_context(|| format!("write {shown}"))?;
    writer.get_ref().sync_all().with_context(|| format!("sync {shown}"))?;
    Ok(records)
}
