//! How much of the evidence for a data set's questions `recall` finds.
//!
//! Each dialogue is imported into a ledger of its own, as anybody would import it, and
//! each question is asked of [`memlith::Ledger::recall`], the function behind `memlith search`.
//! The unit is the turn, the query is the raw question.

mod agents;
mod baseline;
mod beam;
mod dataset;
mod extra;
mod figures;
mod held;
mod latency;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use memlith::RecordId;
use serde_json::{Value, json};

use self::baseline::Baseline;
use self::dataset::{Dataset, Question};
use self::extra::{Extra, Wanted};
use self::figures::{Figures, MRR_CUT, interval};
use self::held::Held;
use crate::report::{answer, merged};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::out_file::{Force, OutFile};
use memlith_verbs::wall::{Stopwatch, Walls};

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
    /// Keeps the ledgers in this folder, so that the command line can be asked the same.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Leaves out the first dialogues of the file, e.g. those that weights were tuned on.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    #[command(flatten)]
    wanted: Wanted,
}

/// How many ids a line of a question holds.
const TOP: usize = 20;

/// Runs the bench and prints its figures.
///
/// # Errors
/// The data set or a ledger can't be read or written.
pub(crate) fn run(args: &RecallArgs, context: &mut Context) -> Result<Exit> {
    if args.agents {
        let (walls, figures) = agents::measure(args.seed, agents::SESSIONS)?;
        return answer(context, &walls, figures);
    }
    let path = args.dataset.as_deref().unwrap_or(Path::new(""));
    let unread = || format!("read the data set {}", path.display());
    let bytes = std::fs::read(path).with_context(unread)?;
    let dataset = Dataset::parse(&bytes).with_context(unread)?;
    let temporary = tempfile::tempdir().context("make a temporary folder")?;
    let folder = args.keep.as_deref().unwrap_or(temporary.path());
    let folder = std::path::absolute(folder).context("find the folder to keep")?;
    let create = |path: &PathBuf| OutFile::create(path, args.force);
    let mut lines = args.per_question.as_ref().map(create).transpose()?;
    let (mut report, mut extra) = (Report::default(), Extra::new(args.wanted));
    for (number, dialogue) in dataset.dialogues.iter().enumerate().skip(args.skip) {
        context.note(format!("dialogue {number}: {} questions", dialogue.questions.len()));
        let held = Held::import(dialogue, &folder, number)?;
        let baselines = Baseline::KINDS.map(|(name, cut)| (name, Baseline::of(dialogue, cut)));
        for question in &dialogue.questions {
            report.unresolved += question.unresolved;
            let gold = held.gold(&question.evidence);
            if gold.is_empty() {
                report.unanswerable += 1;
                continue;
            }
            let watch = Stopwatch::start();
            let found = held.ask(&question.text, MRR_CUT)?;
            report.walls.push(watch.elapsed());
            let found: Vec<RecordId> = found.iter().map(|cited| cited.id).collect();
            report.add(number, question.category, &found, &gold);
            extra.add(&held, question, &gold)?;
            for (name, baseline) in &baselines {
                let found = held.gold(&baseline.ask(&question.text));
                report.add_baseline(name, question.category, &found, &gold);
            }
            if let Some(lines) = &mut lines {
                let top = found.get(..TOP).unwrap_or(&found);
                let line = line(&held, args.keep.is_some(), question, &gold, top);
                writeln!(lines, "{line}").context("write the per-question file")?;
            }
        }
        held.ledger.close()?;
    }
    lines.map(OutFile::finish).transpose()?;
    let mut figures = report.figures();
    if args.wanted.latency {
        let measured = latency::measure(&dataset, args.wanted.latency_max, &folder, context)?;
        figures = merged([figures, json!({ "latency": measured })]);
    }
    let of_file = json!({
        "dialogues_skipped": args.skip,
        "sha256": dataset.sha256,
        "public_dataset": dataset.is_public(),
    });
    let figures = merged([figures, extra.figures(&report.all), of_file]);
    answer(context, &report.walls, figures)
}

/// The figures while they grow.
#[derive(Default)]
struct Report {
    all: Figures,
    categories: BTreeMap<u64, Figures>,
    dialogues: BTreeMap<usize, Figures>,
    baselines: BTreeMap<&'static str, (Figures, BTreeMap<u64, Figures>)>,
    walls: Walls,
    unresolved: usize,
    unanswerable: usize,
}

impl Report {
    /// Adds a question that was asked.
    fn add(&mut self, dialogue: usize, category: u64, found: &[RecordId], gold: &[RecordId]) {
        self.all.add(found, gold);
        self.categories.entry(category).or_default().add(found, gold);
        self.dialogues.entry(dialogue).or_default().add(found, gold);
    }

    /// Adds an order of the answers that is not ours.
    fn add_baseline(
        &mut self,
        name: &'static str,
        category: u64,
        found: &[RecordId],
        gold: &[RecordId],
    ) {
        let (all, categories) = self.baselines.entry(name).or_default();
        all.add(found, gold);
        categories.entry(category).or_default().add(found, gold);
    }

    fn figures(&self) -> Value {
        let baseline = |(name, (all, categories)): (&&'static str, &(Figures, BTreeMap<_, _>))| {
            (*name, merged([all.figures(), json!({ "by_category": categories })]))
        };
        let baselines: BTreeMap<&str, Value> = self.baselines.iter().map(baseline).collect();
        let more = json!({
            "interval_95": interval(self.dialogues.values()),
            "by_category": self.categories,
            "by_dialogue": self.dialogues,
            "baselines": baselines,
            "unresolved_evidence": self.unresolved,
            "questions_without_evidence": self.unanswerable,
        });
        merged([self.all.figures(), more])
    }
}

/// A question with what should be and what was found, and the command line that finds
/// the same where the ledger is kept.
fn line(
    held: &Held,
    kept: bool,
    question: &Question,
    gold: &[RecordId],
    top: &[RecordId],
) -> Value {
    let names = |ids: &[RecordId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    let now = held.caller.now.unwrap_or_default().to_string();
    let subject = held.caller.scope.subject.as_deref().unwrap_or_default();
    let command = [
        "memlith".to_owned(),
        "search".to_owned(),
        format!("--ledger={}", held.dir.display()),
        format!("--scope=subject={subject}"),
        format!("--now={now}"),
        format!("--limit={}", top.len().max(1)),
        "--json".to_owned(),
        "--".to_owned(),
        question.text.clone(),
    ];
    json!({
        "dialogue": subject,
        "category": question.category,
        "question": question.text,
        "now": now,
        "gold": names(gold),
        "top": names(top),
        "command": kept.then_some(command),
    })
}
