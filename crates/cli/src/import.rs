use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::{Format, ImportOptions, ImportReport, Ledger};
use serde::Serialize;

use crate::context::Context;
use crate::ended::{self, EndedJson};
use crate::exit::{self, Exit};

/// Take in the records of another system, or an export of ours.
///
/// Importing again adds only what is new. Secrets are taken out before anything is
/// written. What was read before an error stays.
#[derive(Args, Debug)]
#[command(after_help = "\
Formats:
  claude-code  session transcripts of Claude Code: files, or a folder of them
  codex        session rollouts of Codex: files, or a folder of them
  eventloom    logs of Zaxy, their hash chain checked
  locomo       the LoCoMo dialogues
  jsonl        an export of `memlith export jsonl`: restored exactly if the ledger is new

Examples:
  memlith import claude-code ~/.claude/projects/-home-ana-shop
  memlith import eventloom events.jsonl --json
  memlith export jsonl --ledger a | memlith import jsonl - --ledger b")]
pub(crate) struct ImportArgs {
    /// The format: it is named, never guessed.
    #[arg(value_parser = parse_source)]
    format: Source,

    /// Files; folders for claude-code and codex; `-` for standard input.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Trust no item of it above this tier: 4 as a user's word, 1 as a page of the web.
    #[arg(long, value_name = "TIER", value_parser = clap::value_parser!(u8).range(1..=4))]
    tier_cap: Option<u8>,
}

/// What can be taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// An export of ours.
    Ours,
    /// Another system's.
    Foreign(Format),
}

#[derive(Debug, Default, Serialize)]
struct Answer {
    added: u64,
    already_present: u64,
    skipped: BTreeMap<String, u64>,
    redacted: BTreeMap<&'static str, u64>,
    dialect: BTreeMap<String, u64>,
    files: u64,
    ended: Vec<EndedJson>,
}

pub(crate) fn run(args: &ImportArgs, context: &mut Context) -> Result<Exit> {
    let files = files(args)?;
    let ledger = context.open()?;
    let before = ledger.refresh()?.seq;
    let mut answer = Answer::default();
    for file in &files {
        let name =
            if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() };
        let read = read(args, file, &ledger, context);
        let read = read.with_context(|| format!("import {name}"));
        match read {
            Ok(report) => answer.add(report),
            Err(error) => {
                if answer.files > 0 {
                    context.note(format_args!(
                        "before it, of {} files: {}",
                        answer.files,
                        answer.counts()
                    ));
                }
                ledger.close()?;
                return Err(error);
            }
        }
    }
    let ended = ledger.ended_since(&context.caller(), before)?.into_iter();
    answer.ended = ended.map(|one| EndedJson::of(one, context)).collect();
    context.answer(&answer, answer.to_text())?;
    ended::note(&answer.ended, context);
    context.finish(ledger)?;
    Ok(Exit::Ok)
}

fn read(
    args: &ImportArgs,
    file: &Path,
    ledger: &Ledger,
    context: &Context,
) -> Result<ImportReport> {
    if is_stdin(file) {
        let progress = context.progress("importing", None);
        let input = BufReader::new(progress.counts(std::io::stdin().lock()));
        return take_in(args, input, ledger, context);
    }
    let opened = File::open(file).context("open it")?;
    let len = opened.metadata().map(|metadata| metadata.len()).ok();
    let progress = context.progress("importing", len);
    take_in(args, BufReader::new(progress.counts(opened)), ledger, context)
}

fn take_in(
    args: &ImportArgs,
    input: impl BufRead,
    ledger: &Ledger,
    context: &Context,
) -> Result<ImportReport> {
    let scope = context.scope.0.clone();
    let options = ImportOptions { scope, tier_cap: args.tier_cap, ..ImportOptions::default() };
    Ok(match args.format {
        Source::Ours => {
            let mut caller = context.caller();
            caller.tier_cap = args.tier_cap;
            ledger.import_jsonl(&caller, input)?
        }
        Source::Foreign(format) => ledger.import(format, input, options)?,
    })
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The files that the paths name, folders opened.
fn files(args: &ImportArgs) -> Result<Vec<PathBuf>> {
    let takes_folders = match args.format {
        Source::Foreign(format) => matches!(format, Format::ClaudeCode | Format::Codex),
        Source::Ours => false,
    };
    let mut files = Vec::new();
    for path in &args.paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        if !takes_folders {
            return Err(exit::usage(format!(
                "{} is a folder; this format is imported file by file",
                path.display()
            )));
        }
        let before = files.len();
        below(path, &mut files)?;
        if files.len() == before {
            return Err(exit::unusable(format!("{} holds no *.jsonl files", path.display())));
        }
    }
    Ok(files)
}

/// Every `*.jsonl` below `folder`, in the order of their names; links to folders are not followed.
fn below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let list = || -> std::io::Result<Vec<_>> {
        let entries: Result<Vec<_>, _> = std::fs::read_dir(folder)?.collect();
        let mut entries = entries?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        entries.into_iter().map(|entry| Ok((entry.path(), entry.file_type()?))).collect()
    };
    for (path, kind) in list().with_context(|| format!("list {}", folder.display()))? {
        if kind.is_dir() {
            below(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

fn parse_source(name: &str) -> Result<Source, String> {
    if name == "jsonl" {
        return Ok(Source::Ours);
    }
    let known = name.parse::<Format>();
    known.map(Source::Foreign).map_err(|error| format!("{error}, jsonl"))
}

impl Answer {
    fn add(&mut self, report: ImportReport) {
        self.files += 1;
        self.added += report.added;
        self.already_present += report.already_present;
        for (reason, count) in report.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
        for (rule, count) in report.redacted {
            *self.redacted.entry(rule.name()).or_default() += count;
        }
        for (dialect, count) in report.dialects {
            *self.dialect.entry(dialect.to_string()).or_default() += count;
        }
    }

    fn counts(&self) -> String {
        format!("{} added, {} already present", self.added, self.already_present)
    }

    fn to_text(&self) -> String {
        let mut out = format!("{}\n", self.counts());
        // Writing to a string can't fail.
        for (reason, count) in &self.skipped {
            let _ = writeln!(out, "  skipped {count} x {}", crate::plain::plain(reason, 80));
        }
        for (rule, count) in &self.redacted {
            let _ = writeln!(out, "  redacted {count} x {rule}");
        }
        for (dialect, count) in &self.dialect {
            let _ = writeln!(out, "  verified {count} lines of {dialect}");
        }
        out
    }
}
