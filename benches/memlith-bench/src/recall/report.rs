use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use memlith::RecordId;
use serde::Serialize;
use serde_json::{Value, json};

use crate::machine::machine;
use crate::recall::dataset::{Dataset, Question};
use crate::recall::extra::Findings;
use crate::recall::figures::{Figures, Percentages};
use crate::recall::held::Held;
use crate::recall::interval::Interval;
use memlith_verbs::wall::Walls;

/// The figures while they grow.
pub(crate) struct Report {
    all: Figures,
    categories: BTreeMap<u64, Figures>,
    dialogues: BTreeMap<usize, Figures>,
    baselines: BTreeMap<&'static str, Baselines>,
    walls: Walls,
    unresolved: usize,
    unanswerable: usize,
    sha256: String,
    public: bool,
    skipped: usize,
}

/// The figures of an order that is not ours.
#[derive(Default)]
struct Baselines {
    all: Figures,
    categories: BTreeMap<u64, Figures>,
}

/// The figures of a baseline, as they are printed.
#[derive(Serialize)]
struct PrintedBaseline {
    #[serde(flatten)]
    all: Percentages,
    by_category: BTreeMap<u64, Percentages>,
}

/// The figures as they are printed; those of recall are percentages.
#[derive(Serialize)]
pub(crate) struct Printed {
    #[serde(flatten)]
    all: Percentages,
    /// Where there are two dialogues or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval_95: Option<Interval>,
    by_category: BTreeMap<u64, Percentages>,
    by_dialogue: BTreeMap<usize, Percentages>,
    baselines: BTreeMap<&'static str, PrintedBaseline>,
    unresolved_evidence: usize,
    questions_without_evidence: usize,
    dialogues_skipped: usize,
    sha256: String,
    public_dataset: bool,
    wall_ms_p50: f64,
    wall_ms_p99: f64,
    runs: usize,
    #[serde(flatten)]
    extra: Findings,
    engine: String,
    machine: String,
}

impl Report {
    pub(crate) fn new(dataset: &Dataset, skipped: usize) -> Report {
        Report {
            all: Figures::default(),
            categories: BTreeMap::new(),
            dialogues: BTreeMap::new(),
            baselines: BTreeMap::new(),
            walls: Walls::default(),
            unresolved: 0,
            unanswerable: 0,
            sha256: dataset.sha256.clone(),
            public: dataset.is_public(),
            skipped,
        }
    }

    /// Counts what is wrong with a question's evidence.
    pub(crate) fn count(&mut self, question: &Question) {
        self.unresolved += question.unresolved;
        self.unanswerable += usize::from(question.evidence.is_empty());
    }

    /// Adds a question that was asked.
    pub(crate) fn add(
        &mut self,
        dialogue: usize,
        category: u64,
        found: &[RecordId],
        gold: &[RecordId],
        wall: Duration,
    ) {
        self.all.add(found, gold);
        self.categories.entry(category).or_default().add(found, gold);
        self.dialogues.entry(dialogue).or_default().add(found, gold);
        self.walls.push(wall);
    }

    /// Adds what a baseline found for a question.
    pub(crate) fn add_baseline(
        &mut self,
        name: &'static str,
        question: &Question,
        found: &[RecordId],
        gold: &[RecordId],
    ) {
        if !gold.is_empty() {
            let baseline = self.baselines.entry(name).or_default();
            baseline.all.add(found, gold);
            baseline.categories.entry(question.category).or_default().add(found, gold);
        }
    }

    /// The figures of all questions so far.
    pub(crate) fn all(&self) -> Percentages {
        self.all.percentages()
    }

    pub(crate) fn finish(self, extra: Findings) -> Printed {
        Printed {
            all: self.all.percentages(),
            interval_95: Interval::of(self.dialogues.values()),
            by_category: percentages(&self.categories),
            by_dialogue: percentages(&self.dialogues),
            baselines: self.baselines.iter().map(|(name, one)| (*name, one.printed())).collect(),
            unresolved_evidence: self.unresolved,
            questions_without_evidence: self.unanswerable,
            dialogues_skipped: self.skipped,
            sha256: self.sha256,
            public_dataset: self.public,
            wall_ms_p50: self.walls.percentile_ms(50),
            wall_ms_p99: self.walls.percentile_ms(99),
            runs: self.walls.count(),
            extra,
            engine: crate::engine(),
            machine: machine(),
        }
    }
}

impl Baselines {
    fn printed(&self) -> PrintedBaseline {
        PrintedBaseline { all: self.all.percentages(), by_category: percentages(&self.categories) }
    }
}

impl Printed {
    pub(crate) fn to_text(&self) -> String {
        let mut out = format!(
            "{:13} {:>9} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}\n",
            "", "questions", "R@5", "R@10", "R@20", "hit@5", "hit@10", "MRR"
        );
        row(&mut out, "all", &self.all);
        for (name, baseline) in &self.baselines {
            row(&mut out, name, &baseline.all);
        }
        for (category, figures) in &self.by_category {
            row(&mut out, &format!("category {category}"), figures);
        }
        for (dialogue, figures) in &self.by_dialogue {
            row(&mut out, &format!("dialogue {dialogue}"), figures);
        }
        out.push_str(&self.interval_95.as_ref().map(Interval::to_text).unwrap_or_default());
        out.push_str(&self.extra.to_text());
        let which = if self.public_dataset { "the public ten dialogues" } else { "another file" };
        // Writing to a string can't fail.
        let _ = write!(
            out,
            "unresolved evidence {}, questions without evidence {}, dialogues skipped {}\n\
             a query: {} ms p50, {} ms p99\n\
             data set {} ({which})\n{}\n{}\n",
            self.unresolved_evidence,
            self.questions_without_evidence,
            self.dialogues_skipped,
            self.wall_ms_p50,
            self.wall_ms_p99,
            self.sha256,
            self.engine,
            self.machine,
        );
        out
    }
}

fn percentages<K: Ord + Copy>(groups: &BTreeMap<K, Figures>) -> BTreeMap<K, Percentages> {
    groups.iter().map(|(group, figures)| (*group, figures.percentages())).collect()
}

fn row(out: &mut String, name: &str, figures: &Percentages) {
    let Percentages { questions, recall_at_5, recall_at_10, recall_at_20, .. } = figures;
    let Percentages { hit_at_5, hit_at_10, mrr, .. } = figures;
    let _ = writeln!(
        out,
        "{name:13} {questions:>9} {recall_at_5:>6.1} {recall_at_10:>6.1} {recall_at_20:>6.1} \
         {hit_at_5:>6.1} {hit_at_10:>6.1} {mrr:>6.1}"
    );
}

/// A question with what should be and what was found, and the command line that finds
/// the same where the ledger is kept.
pub(crate) fn line(
    held: &Held,
    kept: bool,
    question: &Question,
    gold: &[RecordId],
    top: &[RecordId],
) -> Value {
    let names = |ids: &[RecordId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    let now = held.caller.now.unwrap_or_default().to_string();
    let mut line = json!({
        "dialogue": held.subject(),
        "category": question.category,
        "question": question.text,
        "now": now,
        "gold": names(gold),
        "top": names(top),
    });
    if let (true, Some(fields)) = (kept, line.as_object_mut()) {
        let command = [
            "memlith".to_owned(),
            "search".to_owned(),
            format!("--ledger={}", held.dir.display()),
            format!("--scope=subject={}", held.subject()),
            format!("--now={now}"),
            format!("--limit={}", top.len().max(1)),
            "--json".to_owned(),
            "--".to_owned(),
            question.text.clone(),
        ];
        fields.insert("command".to_owned(), json!(command));
    }
    line
}
