use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::{
    Caller, Ledger, Rank,
    copy::{Format, ImportError, ImportOptions, ImportReport},
};
use memlith_writeback::JobQueue;
use serde::Serialize;

use crate::context::Context;
use crate::ended::{self, EndedJson};
use crate::exit::Exit;
use crate::graph::{Desk, import_graph};
use crate::import::named::{DECOMPRESS, Folder, Named, irregular, open_regular};
use crate::verb::Verb;

mod named;

/// Import the records of another system, or an export of ours.
///
/// Importing again adds only what is new. Secrets are taken out before anything is
/// written. What was read before an error stays. A session ends once the last line of
/// its transcript is 30 minutes older than --now, and is resumed by what comes later.
#[derive(Args, Debug)]
#[command(after_help = "\
Formats:
  claude-code  session transcripts of Claude Code: files, or a folder of them
  codex        session rollouts of Codex: files, or a folder of them
  eventloom    logs of Zaxy, their hash chain checked
  locomo       the LoCoMo dialogues
  messages     any conversations: lines of JSON with `session`, `role`, `at` and `text`
  mcp-memory   the file of the reference memory server of MCP
  jsonl        an export of `memlith export jsonl`: restored exactly if the ledger is new

What is left out is counted by reason:
  erased-here        `memlith erase` took it away here; lifting its tombstone lets it in
  ignored-file       a tool's call, or words of a program, about what `.memlithignore` names
  ignored-output     what a tool gave back names such a file; its call is kept
  erased             it was erased where the export was made
  refused-before     an earlier import of the same source refused it
  decided-anew       a decision of the other ledger: this one has made its own
  log-level, policy, summary, tombstone, skipped   they speak of the other ledger alone
  unresolved-target, refused-target, rejected      it speaks of a record that isn't here, or
                     that the importer may not change
  any other          a kind of line that holds nothing to remember

Examples:
  memlith import claude-code ~/.claude/projects/-home-ana-shop
  memlith import eventloom events.jsonl --json
  memlith export jsonl --ledger a | memlith import jsonl - --ledger b")]
pub struct ImportArgs {
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

const GRAPH: &str = "mcp-memory";

/// Formats of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// An export of ours.
    Ours,
    /// Another system's.
    Foreign(Format),
    /// The graph of the reference memory server.
    Graph,
}

#[derive(Debug, Default, Serialize)]
struct Answer {
    added: u64,
    already_present: u64,
    skipped: BTreeMap<String, u64>,
    redacted: BTreeMap<&'static str, u64>,
    dialect: BTreeMap<String, u64>,
    files: u64,
    foreign: u64,
    cut: bool,
    missing: u64,
    /// The number of sessions that write-back has to learn from.
    queued: u64,
    ended: Vec<EndedJson>,
    #[serde(skip)]
    sessions: Vec<memlith::Scope<'static>>,
}

impl Verb for ImportArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &ImportArgs, context: &mut Context) -> Result<Exit> {
    let takes_folders = match args.format {
        Source::Foreign(format) => matches!(format, Format::ClaudeCode | Format::Codex),
        Source::Ours => false,
        Source::Graph => false,
    };
    let named: Result<Vec<_>> =
        args.paths.iter().map(|path| Named::of(path, takes_folders)).collect();
    let named = named?;
    let ledger = context.open()?;
    let before = ledger.refresh()?.seq;
    let mut answer = Answer::default();
    for named in &named {
        if let Err(error) = read_named(args, named, &ledger, context, &mut answer) {
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
    answer.queue(&ledger)?;
    let ended = ledger.ended_since(&context.caller(), before)?.into_iter();
    answer.ended = ended.map(|one| EndedJson::of(one, context)).collect();
    context.answer(&answer, answer.to_text())?;
    ended::note(&answer.ended, context);
    if args.format == Source::Ours && ledger.erasure().tombstones()?.foreign > 0 {
        context.note(
            "what was erased in the ledger of the export can be said again here: an export holds \
             no key, `memlith backup` keeps it",
        );
    }
    if !answer.cut {
        context.finish(ledger)?;
        return Ok(Exit::ok_if(answer.foreign == 0));
    }
    context.note(match answer.missing {
        0 => "the export was cut: its last line is missing, and none of its records".to_owned(),
        missing => format!(
            "the export was cut: {missing} of its records are missing; import the whole one \
             before anything else is written here, or into a new ledger"
        ),
    });
    // A checkpoint would be a record that the rest can't follow.
    ledger.close()?;
    Ok(Exit::Findings)
}

/// Takes in what a path names. A file that a folder holds by chance is passed over and
/// said; one that was named has to be what it is said to be.
fn read_named(
    args: &ImportArgs,
    named: &Named,
    ledger: &Ledger,
    context: &Context,
    answer: &mut Answer,
) -> Result<()> {
    match named {
        Named::Stdin => {
            let progress = context.progress("importing", None);
            let input = BufReader::new(progress.counts(std::io::stdin().lock()));
            let read = take_in(args, (input, None), ledger, context);
            answer.add(read.context("import standard input")?);
        }
        Named::File(file) => match read(args, file, ledger, context)? {
            Read::Taken(report) => answer.add(*report),
            Read::Foreign(error) => {
                return Err(error.context(format!("import {}", file.display())));
            }
        },
        Named::Folder(Folder { path: folder, files, compressed }) => {
            if *compressed > 0 {
                *answer.skipped.entry("compressed-file".to_owned()).or_default() += compressed;
                let folder = folder.display();
                context.note(format_args!(
                    "{compressed} files in {folder} are compressed; {DECOMPRESS}"
                ));
            }
            let before = answer.foreign;
            for file in files {
                match read(args, file, ledger, context)? {
                    Read::Taken(report) => answer.add(*report),
                    Read::Foreign(error) => {
                        answer.foreign += 1;
                        let error = error.root_cause();
                        anstream::eprintln!("passed over {}: {error}", file.display());
                    }
                }
            }
            if answer.foreign - before == files.len() as u64 {
                anstream::eprintln!(
                    "none of the {} *.jsonl files in {} is {}: nothing of it was imported",
                    files.len(),
                    folder.display(),
                    args.format
                );
            }
        }
    }
    Ok(())
}

/// Result of reading a file.
enum Read {
    Taken(Box<ImportReport>),
    /// It is not of the format, or no regular file.
    Foreign(anyhow::Error),
}

fn read(args: &ImportArgs, file: &Path, ledger: &Ledger, context: &Context) -> Result<Read> {
    let name = || format!("import {}", file.display());
    let Some(opened) = open_regular(file).context("open it").with_context(name)? else {
        return Ok(Read::Foreign(irregular(file, std::fs::metadata(file)?.file_type())));
    };
    let len = opened.metadata().map(|metadata| metadata.len()).ok();
    let progress = context.progress("importing", len);
    let input = BufReader::new(progress.counts(opened));
    match take_in(args, (input, Some(file)), ledger, context) {
        Ok(report) => Ok(Read::Taken(Box::new(report))),
        Err(error) if is_foreign(&error) => Ok(Read::Foreign(error)),
        Err(error) => Err(error.context(name())),
    }
}

/// Whether an input is refused because its first lines are of another format.
fn is_foreign(error: &anyhow::Error) -> bool {
    let foreign = |error: &ImportError| matches!(error, ImportError::NotThisFormat { .. });
    matches!(error.downcast_ref(), Some(memlith::Error::Import(error)) if foreign(error))
}

fn take_in(
    args: &ImportArgs,
    (input, file): (impl BufRead, Option<&Path>),
    ledger: &Ledger,
    context: &Context,
) -> Result<ImportReport> {
    let mut scope = context.scope.0.clone();
    let project = file.and_then(memlith_agents::project_of_transcript);
    // In the person's own ledger a session is about the project that it was held in.
    if !context.is_scoped && scope.subject.is_some() {
        let name = project.as_ref().map(|project| project.name.clone());
        scope.subject = name.map(Into::into).or(scope.subject);
    }
    let (tier_cap, now) = (args.tier_cap, context.now);
    let withheld = withheld(project.as_ref());
    let ignored = Some(memlith_agents::ignored_files());
    let is_by_project = !context.is_scoped && scope.subject.is_some();
    let whose =
        is_by_project.then(|| memlith::copy::Whose::new(|folder| Some(Some(name_of(folder)))));
    let options = ImportOptions {
        scope,
        tier_cap,
        now,
        withheld,
        ignored,
        whose,
        ..ImportOptions::default()
    };
    Ok(match args.format {
        Source::Ours => {
            let mut caller = context.caller();
            caller.tier_cap = args.tier_cap;
            ledger.import_jsonl(&caller, input)?
        }
        Source::Foreign(format) => ledger.import(format, input, options)?,
        Source::Graph => import_graph(Desk { ledger, caller: &graph_caller(context) }, input)?,
    })
}

/// Author of what the reference memory server kept: an assistant, unless the person names one.
fn graph_caller(context: &Context) -> Caller {
    let mut caller = context.caller();
    if !context.is_actor_named {
        (caller.rank, caller.name) = (Rank::Assistant, "assistant".to_owned());
    }
    caller
}

/// The name of the project that a folder is in.
fn name_of(folder: &str) -> String {
    memlith_agents::Project::of(Path::new(folder)).name
}

/// When the person had switched memory off for what is taken in.
fn withheld(project: Option<&memlith_agents::Project>) -> Vec<memlith::copy::Withheld> {
    let home = crate::environment::agents_home();
    let switch = home.map(|home| memlith_agents::Switch::read(&home.settings));
    let name = project.map(|project| project.name.as_str()).unwrap_or_default();
    switch.map(|switch| switch.withheld(name)).unwrap_or_default()
}

fn parse_source(name: &str) -> Result<Source, String> {
    if name == "jsonl" {
        return Ok(Source::Ours);
    }
    if name == GRAPH {
        return Ok(Source::Graph);
    }
    let known = name.parse::<Format>();
    known.map(Source::Foreign).map_err(|error| format!("{error}, mcp-memory, jsonl"))
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Ours => f.write_str("jsonl"),
            Source::Foreign(format) => format.fmt(f),
            Source::Graph => f.write_str(GRAPH),
        }
    }
}

impl Answer {
    fn add(&mut self, report: ImportReport) {
        self.files += 1;
        self.cut |= report.cut;
        self.missing += report.missing;
        self.added += report.added;
        self.already_present += report.already_present;
        self.sessions.extend(report.sessions.into_values());
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

    /// Queues the sessions of a transcript for write-back, by rules alone.
    fn queue(&mut self, ledger: &Ledger) -> Result<()> {
        for scope in std::mem::take(&mut self.sessions) {
            let mut caller = memlith::Caller::user("default", "user");
            caller.scope = scope;
            self.queued += u64::from(JobQueue::of(ledger).queue(&caller, ledger.now())?);
        }
        Ok(())
    }

    fn counts(&self) -> String {
        format!("{} added, {} already present", self.added, self.already_present)
    }

    fn to_text(&self) -> String {
        let mut out = format!("{}\n", self.counts());
        // Writing to a string can't fail.
        if self.foreign > 0 {
            let _ = writeln!(out, "  passed over {} files of another format", self.foreign);
        }
        if self.queued > 0 {
            let _ = writeln!(
                out,
                "  {} sessions wait to be learned from: `memlith jobs run --all` does it now, \
                 hooks in the background",
                self.queued
            );
        }
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
