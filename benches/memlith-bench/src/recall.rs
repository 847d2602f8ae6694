//! How much of the evidence for a data set's questions `recall` finds.
//!
//! Each dialogue is imported into a ledger of its own, as anybody would import it, and
//! each question is asked of [`memlith::Ledger::recall`], the function behind `memlith search`.
//! The unit is the turn, the query is the raw question.

mod ablation;
mod agents;
mod another;
mod baseline;
mod beam;
mod budgets;
mod dataset;
mod extra;
mod figures;
mod held;
mod interval;
mod latency;
mod pooled;
mod report;
mod salience;
mod vectors;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use self::baseline::Baseline;
use self::dataset::{Dataset, Question};
use self::extra::{Extra, Wanted};
use self::figures::MRR_CUT;
use self::held::Held;
use self::report::{Printed, Report};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::out_file::{Force, OutFile};
use memlith_verbs::wall::Stopwatch;

/// Arguments of `memlith-bench recall`.
#[derive(Debug, clap::Args)]
pub(crate) struct RecallArgs {
    /// The dialogues and their questions, in LoCoMo's format; or conversations in BEAM's shape.
    #[arg(long, value_name = "FILE", required_unless_present = "agents")]
    dataset: Option<PathBuf>,
    /// Asks about made-up sessions of an agent, and needs no data set.
    #[arg(long, conflicts_with = "dataset")]
    agents: bool,
    /// Seed of those sessions.
    #[arg(long, value_name = "S", default_value_t = 42, requires = "agents")]
    seed: u64,
    /// Writes each question with its gold ids and the ids that were found, a line each.
    #[arg(long, value_name = "FILE")]
    per_question: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// How many ids a line of that file holds.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit_k: usize,
    /// Keeps the ledgers in this folder, so that the command line can be asked the same.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Leaves out the first dialogues of the file, e.g. those that weights were tuned on.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// Asks with vectors that a program makes: lines `{id, text}` on its standard input, lines
    /// `{id, vector}` on its output, as `memlith-embed FOLDER` does.
    #[arg(long, value_name = "CMD", requires = "dataset")]
    embedder: Option<String>,
    #[command(flatten)]
    wanted: Wanted,
}

/// Where the ledgers are made, and whether they stay.
struct Folder {
    path: PathBuf,
    kept: bool,
    /// Removes the folder in the end, where it isn't kept.
    _temporary: Option<tempfile::TempDir>,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// The data set or a ledger can't be read or written.
pub(crate) fn run(args: &RecallArgs, context: &mut Context) -> Result<Exit> {
    if args.agents {
        let figures = agents::measure(args.seed, agents::SESSIONS)?;
        let text = figures.to_text();
        context.answer(&figures, text)?;
        return Ok(Exit::Ok);
    }
    let figures = measure(args, &|text| context.note(text))?;
    let text = figures.to_text();
    context.answer(&figures, text)?;
    Ok(Exit::Ok)
}

/// State of a run of the bench through the dialogues.
struct Run<'a> {
    args: &'a RecallArgs,
    folder: Folder,
    lines: Option<BufWriter<OutFile>>,
    report: Report,
    extra: Extra,
}

/// Imports and asks; `note` hears of what takes long before it is begun.
fn measure(args: &RecallArgs, note: &dyn Fn(String)) -> Result<Printed> {
    let path = args.dataset.as_deref().unwrap_or(Path::new(""));
    let bytes =
        std::fs::read(path).with_context(|| format!("read the data set {}", path.display()))?;
    let dataset =
        Dataset::parse(&bytes).with_context(|| format!("read the data set {}", path.display()))?;
    let model = args.embedder.as_deref().map(vectors::model).transpose()?;
    let mut run = Run {
        args,
        folder: Folder::of(args.keep.as_deref())?,
        lines: args.lines()?,
        report: Report::new(&dataset, args.skip),
        extra: Extra::new(args.wanted),
    };
    for (number, dialogue) in dataset.dialogues.iter().enumerate().skip(args.skip) {
        note(format!("dialogue {number}: {} questions", dialogue.questions.len()));
        let mut held = Held::import(dialogue, &run.folder.path, number)?;
        if let Some(model) = &model {
            held.embed(model, dialogue)?;
        }
        let baselines = Baseline::KINDS.map(|(name, cut)| (name, Baseline::of(dialogue, cut)));
        for question in &dialogue.questions {
            run.ask(&held, number, question)?;
            for (name, baseline) in &baselines {
                let found = held.gold(&baseline.ask(&question.text));
                run.report.add_baseline(name, question, &found, &held.gold(&question.evidence));
            }
            if let Some(found) = held.nearest(&question.text) {
                let gold = held.gold(&question.evidence);
                run.report.add_baseline("vectors alone", question, &found, &gold);
            }
        }
        held.ledger.close()?;
    }
    if let Some(mut lines) = run.lines {
        lines.flush().context("write the per-question file")?;
        let file = lines.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.finish()?;
    }
    let all = run.report.all();
    let extra = run.extra.finish(&dataset, args.skip, &run.folder.path, &all, note)?;
    Ok(run.report.finish(extra))
}

impl Run<'_> {
    fn ask(&mut self, held: &Held, number: usize, question: &Question) -> Result<()> {
        self.report.count(question);
        if question.evidence.is_empty() {
            return Ok(());
        }
        let gold = held.gold(&question.evidence);
        let limit_k = self.args.limit_k;
        let watch = Stopwatch::start();
        let found = held.ask(&question.text, MRR_CUT.max(limit_k))?;
        self.report.add(number, question.category, &found, &gold, watch.elapsed());
        self.extra.add(held, number, question, &found)?;
        if let Some(lines) = &mut self.lines {
            let top = found.get(..limit_k).unwrap_or(&found);
            let line = report::line(held, self.folder.kept, question, &gold, top);
            writeln!(lines, "{line}").context("write the per-question file")?;
        }
        Ok(())
    }
}

impl RecallArgs {
    /// The per-question file, begun, where one is asked for.
    fn lines(&self) -> Result<Option<BufWriter<OutFile>>> {
        let create = |path: &PathBuf| OutFile::create(path, self.force).map(BufWriter::new);
        self.per_question.as_ref().map(create).transpose()
    }
}

impl Folder {
    fn of(keep: Option<&Path>) -> Result<Folder> {
        if let Some(path) = keep {
            let path = std::path::absolute(path).context("find the folder to keep")?;
            return Ok(Folder { path, kept: true, _temporary: None });
        }
        let temporary = tempfile::tempdir().context("make a temporary folder")?;
        let path = temporary.path().to_owned();
        Ok(Folder { path, kept: false, _temporary: Some(temporary) })
    }
}

#[cfg(test)]
mod tests;
