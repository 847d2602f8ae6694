use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use memlith::Ledger;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::out_file::{Force, OutFile};
use crate::verb::Verb;

/// Export every record, losslessly.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith export jsonl > ledger.jsonl
  memlith export jsonl --out ledger.jsonl
  memlith export jsonl | memlith import jsonl - --ledger copy")]
pub struct ExportArgs {
    /// The format.
    format: ExportFormat,

    /// The file to write, whole or not at all; else, or at `-`, standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    force: Force,
}

/// Formats of an export.
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

impl Verb for ExportArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &ExportArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let ExportFormat::Jsonl = args.format;
    let Some(out) = args.out.as_ref().filter(|out| out.as_os_str() != "-") else {
        ledger.export_jsonl(context.out.bytes())?;
        return Ok(Exit::Ok);
    };
    let progress = context.progress("exporting", None);
    let records = write_file(&ledger, out, args.force)?;
    drop(progress);
    let answer = Answer { records, out: out.display().to_string() };
    context.answer(&answer, format_args!("{records} records in {}", answer.out))?;
    Ok(Exit::Ok)
}

fn write_file(ledger: &Ledger, out: &Path, force: Force) -> Result<u64> {
    let shown = out.display();
    let mut file = OutFile::create(out, force)?;
    let mut writer = BufWriter::new(&mut file);
    let records = ledger.export_jsonl(&mut writer).with_context(|| format!("write {shown}"))?;
    writer.flush().with_context(|| format!("write {shown}"))?;
    drop(writer);
    file.finish()?;
    Ok(records)
}
