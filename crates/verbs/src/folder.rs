use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use memlith::write::Via;
use memlith::{AsOf, Ledger, Rank, Seq};
use memlith_agents::Project;
use memlith_folder::{
    Config, Error, Folder, Form, Ground, Ingested, Inputs, KeptEdits, Linted, Manifest, PutBack,
    Reader, Rendered, Severity, WriteOptions, WroteFolder,
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::plain::plain;
use crate::verb::Verb;

/// Render the folder of memories that coding agents read, check one, and trace its lines.
///
/// The folder follows from the ledger alone: no model writes it, and the same ledger gives the
/// same bytes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent folder render ~/.codex/memories --adopt
  memlith agent folder render ./memories --at 120
  memlith agent folder lint ~/.codex/memories
  memlith agent folder why ~/.codex/memories MEMORY.md:24
  memlith agent folder diff --from 100 --to 120
  memlith agent folder ingest ~/.codex/memories    # what Codex kept there itself")]
pub struct FolderArgs {
    #[command(subcommand)]
    verb: FolderVerb,
}

#[derive(Debug, Subcommand)]
enum FolderVerb {
    Render(RenderArgs),
    Lint(LintArgs),
    Why(WhyArgs),
    Diff(DiffArgs),
    Cite(CiteArgs),
    Agents(AgentsArgs),
    Ingest(IngestArgs),
}

/// Write the folder.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith agent folder render ~/.codex/memories --adopt")]
struct RenderArgs {
    /// The folder.
    dir: PathBuf,

    /// As it was when the ledger ended with this record.
    #[arg(long, value_name = "SEQ")]
    at: Option<u64>,

    #[command(flatten)]
    shape: Shape,

    /// Take over a folder that Memlith didn't write; what is replaced goes to .memlith-replaced.
    #[arg(long)]
    adopt: bool,

    /// Remember what was added to files by hand, and what agents left under
    /// extensions/ad_hoc/notes, as notes of yours; else a file that was edited stops the render.
    /// Lines that were taken out come back while the ledger holds them, and are named.
    #[arg(long)]
    keep_edits: bool,

    /// Undo what was changed by hand.
    #[arg(long, conflicts_with = "keep_edits")]
    discard_edits: bool,

    /// Don't commit the state to the folder's own repository of git.
    #[arg(long)]
    no_baseline: bool,
}

/// Options of rendering: the form, the reader, and the age of sessions.
#[derive(Args, Clone, Copy, Debug)]
struct Shape {
    /// The form of the files.
    #[arg(long, value_enum, default_value = "current")]
    format: FormArg,

    /// The client that reads them.
    #[arg(long = "for", value_enum, default_value = "codex", value_name = "CLIENT")]
    reader: ReaderArg,

    /// Leave out sessions without evidence in so many days; 0 keeps all.
    #[arg(long, value_name = "DAYS", default_value_t = 0)]
    max_age_days: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormArg {
    /// The summary begins with `v1`.
    Current,
    /// The form before.
    Seed,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReaderArg {
    /// The whole folder.
    Codex,
    /// One MEMORY.md of at most 200 lines and 25 KB.
    ClaudeCode,
}

/// Check a folder, whoever wrote it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith agent folder lint ~/.codex/memories")]
struct LintArgs {
    /// The folder.
    dir: PathBuf,
}

/// Say what a line of a folder rests on.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith agent folder why ~/.codex/memories MEMORY.md:24")]
struct WhyArgs {
    /// The folder.
    dir: PathBuf,

    /// The line, as MEMORY.md:24.
    #[arg(value_name = "FILE:LINE")]
    line: String,
}

/// Say what differs between the folders of two positions.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith agent folder diff --from 100 --to 120")]
struct DiffArgs {
    /// The record with which the ledger ended before.
    #[arg(long, value_name = "SEQ")]
    from: u64,

    /// The record with which it ended then; else all of it.
    #[arg(long, value_name = "SEQ")]
    to: Option<u64>,

    #[command(flatten)]
    shape: Shape,
}

/// Confirm what an answer on standard input cites of a folder, once.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith agent folder cite ~/.codex/memories < answer.txt")]
struct CiteArgs {
    /// The folder.
    dir: PathBuf,
}

/// Name the folder in an agent's file of instructions, AGENTS.md or CLAUDE.md, between markers.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  memlith agent folder agents AGENTS.md --dir ~/.codex/memories"
)]
struct AgentsArgs {
    /// The file.
    file: PathBuf,

    /// The folder that it names.
    #[arg(long, value_name = "DIR", required_unless_present = "remove")]
    dir: Option<PathBuf>,

    /// Take the part between the markers out again.
    #[arg(long, conflicts_with = "dir")]
    remove: bool,
}

/// Take in what a folder tells that Codex wrote: preferences, knowledge, and what failed.
///
/// A model worded it, so it has an assistant's authority whoever runs this. Again adds only what
/// is new, and nothing that was erased.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith agent folder ingest ~/.codex/memories")]
struct IngestArgs {
    /// The folder.
    dir: PathBuf,
}

/// The longest answer that is read, in bytes.
const ANSWER_BYTES: u64 = 16 << 20;

#[derive(Serialize)]
struct RenderAnswer {
    folder: String,
    view: Seq,
    digest: String,
    sessions: usize,
    statements: usize,
    notes: Vec<String>,
    put_back: Vec<PutBack>,
    shed: Vec<String>,
    #[serde(flatten)]
    wrote: WroteFolder,
}

#[derive(Serialize)]
struct AgentsAnswer {
    file: String,
    changed: bool,
}

#[derive(Serialize)]
struct WhyAnswer {
    path: String,
    line: usize,
    text: String,
    rests_on: Vec<WhyGround>,
}

/// One thing that a line rests on.
#[derive(Serialize)]
struct WhyGround {
    kind: &'static str,
    id: String,
    text: String,
    citation: Option<String>,
    evidence: Vec<String>,
    sessions: Vec<String>,
}

impl Verb for FolderArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: &FolderArgs, context: &mut Context) -> Result<Exit> {
    match &args.verb {
        FolderVerb::Render(args) => render(args, context),
        FolderVerb::Lint(args) => lint(args, context),
        FolderVerb::Why(args) => why(args, context),
        FolderVerb::Diff(args) => diff(args, context),
        FolderVerb::Cite(args) => cite(args, context),
        FolderVerb::Agents(args) => agents(args, context),
        FolderVerb::Ingest(args) => ingest(args, context),
    }
}

fn render(args: &RenderArgs, context: &mut Context) -> Result<Exit> {
    let ledger = if args.keep_edits { context.open()? } else { context.open_to_read()? };
    let mut kept = KeptEdits::default();
    if args.keep_edits {
        let writer = context.writer();
        kept = memlith_folder::keep_edits(&args.dir, &ledger, &writer).map_err(refused)?;
        let taken = memlith_folder::take_notes(&args.dir, &ledger, &writer);
        kept.notes.extend(taken.map_err(refused)?);
    }
    let (inputs, folder, config) = rendered(&ledger, context, args.at, args.shape)?;
    let (id, scope) = (ledger.id().to_string(), context.caller().scope);
    let manifest = Manifest::new((&id, &scope), inputs.view, &config);
    let options = WriteOptions {
        adopt: args.adopt,
        overwrite_edits: args.keep_edits || args.discard_edits,
        baseline: !args.no_baseline && config.reader == Reader::Codex,
    };
    let wrote = memlith_folder::write(&args.dir, &folder, manifest, options).map_err(refused)?;
    let answer = RenderAnswer {
        folder: args.dir.display().to_string(),
        view: inputs.view,
        digest: folder.digest(),
        sessions: inputs.sessions.len(),
        statements: inputs.statements.len(),
        notes: kept.notes,
        put_back: kept.put_back,
        shed: folder.shed.clone(),
        wrote,
    };
    let text = told(&answer);
    context.answer(&answer, text.trim_end())?;
    if args.keep_edits {
        context.finish(ledger)?;
    }
    Ok(Exit::Ok)
}

/// Turns an error about the state of the folder into a refusal; any other stays what it is.
fn refused(error: Error) -> anyhow::Error {
    let is_refusal = matches!(
        error,
        Error::SymbolicLink { .. }
            | Error::NoFolder { .. }
            | Error::NotOurs { .. }
            | Error::NotRendered { .. }
            | Error::OwnFolder { .. }
            | Error::OtherLedger { .. }
            | Error::EditedByHand { .. }
            | Error::Busy { .. }
            | Error::TooMuch { .. }
            | Error::NoLine { .. }
            | Error::Markers { .. }
    );
    if is_refusal { exit::refused(error.to_string()) } else { error.into() }
}

fn told(answer: &RenderAnswer) -> String {
    let wrote = &answer.wrote;
    let mut text = format!(
        "{}: {} written, {} removed, {} unchanged; {} sessions, {} memories, up to record {}\n",
        answer.folder,
        wrote.written.len(),
        wrote.removed.len(),
        wrote.unchanged,
        answer.sessions,
        answer.statements,
        answer.view
    );
    for shed in &answer.shed {
        // Writing to a string can't fail.
        let _ = writeln!(text, "left out: {shed}");
    }
    for note in &answer.notes {
        let _ = writeln!(text, "kept as a note: {}", plain(note, 100));
    }
    for line in &answer.put_back {
        let ids = line.rests_on.join(" ");
        let _ = writeln!(
            text,
            "put back, the ledger still holds it: {} (`memlith forget {ids}` takes it out)",
            plain(&line.text, 100)
        );
    }
    text
}

/// Reads the ledger and renders the folder of a position.
fn rendered(
    ledger: &Ledger,
    context: &Context,
    at: Option<u64>,
    shape: Shape,
) -> Result<(Inputs, Folder, Config)> {
    let mut caller = context.caller();
    let at = at.map(Seq);
    if let Some(seq) = at
        && caller.now.is_none()
    {
        // The folder as it was: what had expired by then, and no more.
        let record = ledger.records(seq, Some(1))?.next().transpose()?;
        caller.now = record.map(|record| record.recorded_at);
    }
    let now = *caller.now.get_or_insert_with(|| ledger.now());
    let config = Config {
        form: match shape.format {
            FormArg::Current => Form::Current,
            FormArg::Seed => Form::Seed,
        },
        reader: match shape.reader {
            ReaderArg::Codex => Reader::Codex,
            ReaderArg::ClaudeCode => Reader::ClaudeCode,
        },
        days_max: shape.max_age_days,
        ..Config::at(now)
    };
    let inputs = memlith_folder::read(ledger, &caller, at.map(AsOf::Seq))?;
    let folder = memlith_folder::render(&inputs, &config);
    Ok((inputs, folder, config))
}

fn lint(args: &LintArgs, context: &mut Context) -> Result<Exit> {
    let files = memlith_folder::load(&args.dir).map_err(refused)?;
    let linted = memlith_folder::lint(&files, None);
    let text = linted_text(&linted);
    context.answer(&linted, text.trim_end())?;
    Ok(Exit::ok_if(linted.findings.is_empty()))
}

fn linted_text(linted: &Linted) -> String {
    let mut text = String::new();
    for one in &linted.findings {
        let severity = match one.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "{}:{}: {severity} {}: {}",
            plain(&one.path, 200),
            one.line,
            one.rule,
            plain(&one.message, 200)
        );
    }
    let errors = linted.count(Severity::Error);
    let warnings = linted.count(Severity::Warning);
    let _ = writeln!(text, "{errors} errors, {warnings} warnings; form: {}", linted.form.label());
    text
}

fn why(args: &WhyArgs, context: &mut Context) -> Result<Exit> {
    let parts = args.line.rsplit_once(':');
    let parts = parts.and_then(|(path, line)| Some((path, line.parse::<usize>().ok()?)));
    let Some((path, line)) = parts else {
        return Err(exit::usage(format!("{:?} is no FILE:LINE", args.line)));
    };
    let ledger = context.open_to_read()?;
    let rendered = memlith_folder::rendered(&args.dir, &ledger, &context.caller());
    let Rendered { manifest, inputs, folder, .. } = rendered.map_err(refused)?;
    let no_line = || refused(Error::NoLine { path: path.to_owned(), line });
    if manifest.files.contains_key(path) && !manifest.is_of(&folder, path) {
        let what = "words in it were erased since it was rendered: render the folder again";
        return Err(exit::refused(format!("{path}: {what}")));
    }
    let page = folder.files.get(path).ok_or_else(no_line)?;
    let text = line.checked_sub(1).and_then(|at| page.text().lines().nth(at));
    let text = text.ok_or_else(no_line)?.to_owned();
    let rests_on = page.grounds(line).iter().map(|ground| explained(ground, &inputs)).collect();
    let answer = WhyAnswer { path: path.to_owned(), line, text, rests_on };
    let mut out = format!("{}\n", plain(&answer.text, 200));
    for ground in &answer.rests_on {
        // Writing to a string can't fail.
        let _ = writeln!(
            out,
            "{} {}  {}",
            ground.kind,
            plain(&ground.id, 80),
            plain(&ground.text, 120)
        );
        for (name, ids) in [("evidence", &ground.evidence), ("session", &ground.sessions)] {
            for id in ids {
                let _ = writeln!(out, "    {name} {}", plain(id, 120));
            }
        }
        if let Some(citation) = &ground.citation {
            let _ = writeln!(out, "    begins with {}", plain(citation, 200));
        }
    }
    if answer.rests_on.is_empty() {
        out.push_str("a line of the format: it rests on no memory alone\n");
    }
    context.answer(&answer, out.trim_end())?;
    Ok(Exit::Ok)
}

fn explained(ground: &Ground, inputs: &Inputs) -> WhyGround {
    let mut why = match ground {
        Ground::Session(id) => WhyGround::new("session", id),
        Ground::Statement(id) => WhyGround::new("memory", id),
        Ground::Procedure(id) => WhyGround::new("procedure", id),
    };
    match ground {
        Ground::Session(id) => {
            for session in inputs.sessions.iter().filter(|one| one.thread == *id) {
                why.text.clone_from(&session.title);
                why.citation = Some(session.first.clone());
                why.evidence = session.requests.iter().map(|one| one.id.clone()).collect();
            }
        }
        Ground::Statement(id) => {
            for statement in inputs.statements.iter().filter(|one| one.id == *id) {
                why.text.clone_from(&statement.text);
                why.evidence.clone_from(&statement.evidence);
                why.sessions.clone_from(&statement.threads);
            }
        }
        Ground::Procedure(id) => {
            for procedure in inputs.procedures.iter().filter(|one| one.id == *id) {
                why.text.clone_from(&procedure.description);
                why.sessions.clone_from(&procedure.threads);
            }
        }
    }
    why
}

impl WhyGround {
    fn new(kind: &'static str, id: &str) -> WhyGround {
        let (text, citation) = (String::new(), None);
        let id = id.to_owned();
        WhyGround { kind, id, text, citation, evidence: Vec::new(), sessions: Vec::new() }
    }
}

fn diff(args: &DiffArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let (before, from, _) = rendered(&ledger, context, Some(args.from), args.shape)?;
    let (after, to, _) = rendered(&ledger, context, args.to, args.shape)?;
    let diff = memlith_folder::diff((&before, &from), (&after, &to));
    let text = format!("{}\n\nFiles:\n{}", diff.text, diff.files.join("\n"));
    context.answer(&diff, text.trim_end())?;
    Ok(Exit::Ok)
}

fn cite(args: &CiteArgs, context: &mut Context) -> Result<Exit> {
    let mut answer = Vec::new();
    std::io::stdin().lock().take(ANSWER_BYTES).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let ledger = context.open()?;
    let caller = context.caller();
    let cited = memlith_folder::confirm_cited(&args.dir, &ledger, &caller, &answer);
    let cited = cited.map_err(refused)?;
    let (confirmed, passed_over) = (cited.confirmed.len(), cited.passed_over.len());
    context.answer(&cited, format!("{confirmed} confirmed, {passed_over} passed over"))?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}

fn agents(args: &AgentsArgs, context: &mut Context) -> Result<Exit> {
    let changed = match &args.dir {
        Some(dir) => memlith_folder::put_notice(&args.file, dir),
        None => memlith_folder::remove_notice(&args.file),
    };
    let changed = changed.map_err(refused)?;
    let file = args.file.display().to_string();
    let text = format!("{file}: {}", if changed { "written" } else { "as it should be" });
    context.answer(&AgentsAnswer { file, changed }, text)?;
    Ok(Exit::Ok)
}

fn ingest(args: &IngestArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let mut caller = context.caller();
    (caller.rank, caller.origin, caller.via) = (Rank::Assistant, None, Via::Import);
    let project = |directory: &str| Some(Project::of(Path::new(directory)).name);
    let ingested =
        memlith_folder::ingest(&args.dir, &ledger, &caller, &project).map_err(refused)?;
    let Ingested { found, added, waiting, .. } = ingested;
    let text = format!("{found} statements found: {added} added, {waiting} wait for review");
    context.answer(&ingested, text)?;
    context.finish(ledger)?;
    Ok(Exit::Ok)
}
