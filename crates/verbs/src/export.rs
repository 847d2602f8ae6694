mod cloud_events;
mod prov;

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::out_file::{Force, OutFile};
use crate::target::Target;
use crate::verb::Verb;

/// Export every record, losslessly; as events for other programs; or the life of one memory.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith export jsonl > ledger.jsonl
  memlith export jsonl --out ledger.jsonl
  memlith export jsonl | memlith import jsonl - --ledger copy
  memlith export cloudevents --out events.jsonl
  memlith export prov mem_17_0a1b2c3d4e5f")]
pub struct ExportArgs {
    /// The format.
    format: ExportFormat,

    /// The memory, for `prov`.
    #[arg(value_name = "ID", required_if_eq("format", "prov"))]
    target: Option<Target>,

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
    /// A CloudEvents 1.0 event for every record, a line each.
    Cloudevents,
    /// The life of a memory and of what it replaced, as W3C PROV-JSON.
    Prov,
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
    let target = args.target.as_ref().map(|target| target.within(&ledger, &context.caller()));
    let target = target.transpose()?;
    let caller = context.caller();
    let write = |out: &mut dyn io::Write| -> Result<u64> {
        match (args.format, target) {
            (ExportFormat::Jsonl, None) => Ok(ledger.export_jsonl(out)?),
            (ExportFormat::Cloudevents, None) => cloud_events::write(&ledger, out),
            (ExportFormat::Prov, Some(id)) => {
                let life = prov::of(&ledger, &caller, id)?;
                writeln!(out, "{life:#}")?;
                let activities = life.get("activity").and_then(serde_json::Value::as_object);
                Ok(activities.map_or(0, |all| all.len() as u64))
            }
            (ExportFormat::Prov, None) => Err(exit::usage("name the memory")),
            (ExportFormat::Jsonl | ExportFormat::Cloudevents, Some(_)) => {
                Err(exit::usage("this format takes all records: leave the ID out"))
            }
        }
    };
    let Some(out) = args.out.as_ref().filter(|out| out.as_os_str() != "-") else {
        write(context.out.bytes())?;
        return Ok(Exit::Ok);
    };
    let progress = context.progress("exporting", None);
    let records = write_file(&write, out, args.force)?;
    drop(progress);
    let answer = Answer { records, out: out.display().to_string() };
    context.answer(&answer, format_args!("{records} records in {}", answer.out))?;
    Ok(Exit::Ok)
}

fn write_file(
    write: &dyn Fn(&mut dyn io::Write) -> Result<u64>,
    out: &Path,
    force: Force,
) -> Result<u64> {
    let shown = out.display();
    let mut file = OutFile::create(out, force)?;
    let mut writer = BufWriter::new(&mut file);
    let records = write(&mut writer).with_context(|| format!("write {shown}"))?;
    writer.flush().with_context(|| format!("write {shown}"))?;
    drop(writer);
    file.finish()?;
    Ok(records)
}
