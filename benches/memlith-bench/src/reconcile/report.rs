use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use memlith::write::{Cosine, Thresholds};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::machine::machine;
use crate::reconcile::pairs::{Half, Label, Pair};
use crate::reconcile::verdict::Verdict;
use crate::rounded;
use memlith_verbs::wall::Walls;

/// The figures while they grow.
pub(crate) struct Report {
    halves: BTreeMap<Option<Half>, Counts>,
    by_table: BTreeMap<Option<Half>, Counts>,
    nearest: BTreeMap<Option<Half>, Counts>,
    walls: Walls,
    sha256: String,
}

/// How often which label got which verdict.
#[derive(Default)]
struct Counts(BTreeMap<(Label, Verdict), u64>);

/// The figures as they are printed; shares are of 1.
#[derive(Serialize)]
pub(crate) struct Printed {
    #[serde(flatten)]
    all: Figures,
    tuned: Figures,
    untouched: Figures,
    /// With the built-in table as the model.
    with_table: Figures,
    with_table_untouched: Figures,
    /// Cosine alone, 0.95 and 0.80: that of the line, else the table's.
    nearest: Option<Figures>,
    nearest_untouched: Option<Figures>,
    sha256: String,
    grammar: u32,
    wall_us_p50: f64,
    wall_us_p99: f64,
    runs: usize,
    engine: String,
    machine: String,
}

#[derive(Serialize)]
struct Figures {
    pairs: u64,
    precision: Option<f64>,
    precision_of_changes: Option<f64>,
    recall: Option<f64>,
    false_supersede: u64,
    restatement_precision: Option<f64>,
    restatement_recall: Option<f64>,
    contradictions_merged: u64,
    by_label: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
}

impl Report {
    pub(crate) fn new(bytes: &[u8]) -> Report {
        let digest = Sha256::digest(bytes);
        Report {
            halves: BTreeMap::new(),
            by_table: BTreeMap::new(),
            nearest: BTreeMap::new(),
            walls: Walls::default(),
            sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// Adds a pair that was written.
    pub(crate) fn add(&mut self, pair: &Pair, verdict: Verdict, wall: Duration) {
        for half in [None, Some(pair.half())] {
            self.halves.entry(half).or_default().add(pair.label, verdict);
        }
        self.walls.push(wall);
    }

    /// Adds what becomes of a pair with the built-in table, and what the cosine alone makes of
    /// it: that of its line, else the table's.
    pub(crate) fn add_by_table(&mut self, pair: &Pair, verdict: Verdict, cosine: Option<Cosine>) {
        for half in [None, Some(pair.half())] {
            self.by_table.entry(half).or_default().add(pair.label, verdict);
            if let Some(cosine) = cosine {
                self.nearest.entry(half).or_default().add(pair.label, by_cosine(cosine));
            }
        }
    }

    pub(crate) fn finish(self) -> Printed {
        let of = |half| self.halves.get(&half).map_or_else(Figures::none, Counts::figures);
        let with_table =
            |half| self.by_table.get(&half).map_or_else(Figures::none, Counts::figures);
        let nearest = |half| self.nearest.get(&half).map(Counts::figures);
        let micros = |millis: f64| rounded(millis * 1e3, 1);
        Printed {
            all: of(None),
            tuned: of(Some(Half::Tuned)),
            untouched: of(Some(Half::Untouched)),
            with_table: with_table(None),
            with_table_untouched: with_table(Some(Half::Untouched)),
            nearest: nearest(None),
            nearest_untouched: nearest(Some(Half::Untouched)),
            grammar: memlith::claims::Claim::GRAMMAR,
            wall_us_p50: micros(self.walls.percentile_ms(50)),
            wall_us_p99: micros(self.walls.percentile_ms(99)),
            runs: self.walls.count(),
            engine: crate::engine(),
            machine: machine(),
            sha256: self.sha256,
        }
    }
}

/// Judges a pair by the nearest neighbour's cosine alone.
fn by_cosine(cosine: Cosine) -> Verdict {
    let Thresholds { restate, midpoint, .. } = Thresholds::default();
    if cosine >= restate {
        Verdict::Restated
    } else if cosine >= midpoint {
        Verdict::Superseded
    } else {
        Verdict::Added
    }
}

impl Counts {
    fn add(&mut self, label: Label, verdict: Verdict) {
        *self.0.entry((label, verdict)).or_default() += 1;
    }

    fn of(&self, labels: &[Label], verdicts: &[Verdict]) -> u64 {
        let counted = |(label, verdict): &(Label, Verdict)| {
            labels.contains(label) && verdicts.contains(verdict)
        };
        self.0.iter().filter(|(key, _)| counted(key)).map(|(_, count)| count).sum()
    }

    fn figures(&self) -> Figures {
        let superseded = |labels: &[Label]| self.of(labels, &[Verdict::Superseded]);
        let restated = |labels: &[Label]| self.of(labels, &[Verdict::Restated]);
        let all = |labels: &[Label]| self.of(labels, &Verdict::ALL);
        let share =
            |part: u64, whole: u64| (whole > 0).then(|| rounded(part as f64 / whole as f64, 4));
        let (every, changes) = (&Label::ALL, &[Label::Change]);
        let right = superseded(&[Label::Change, Label::Contradiction]);
        let labels = Label::ALL.map(|label| {
            let of = |verdict: Verdict| (verdict.name(), self.of(&[label], &[verdict]));
            (label.name(), Verdict::ALL.map(of).into_iter().collect())
        });
        Figures {
            pairs: all(every),
            precision: share(right, superseded(every)),
            precision_of_changes: share(superseded(changes), superseded(every)),
            recall: share(superseded(changes), all(changes)),
            false_supersede: superseded(every) - right,
            restatement_precision: share(restated(&[Label::Restatement]), restated(every)),
            restatement_recall: share(restated(&[Label::Restatement]), all(&[Label::Restatement])),
            contradictions_merged: restated(&[Label::Contradiction]),
            by_label: labels.into_iter().collect(),
        }
    }
}

impl Figures {
    fn none() -> Figures {
        Counts::default().figures()
    }
}

impl Printed {
    pub(crate) fn to_text(&self) -> String {
        let mut out = format!(
            "{:20} {:>6} {:>10} {:>7} {:>16} {:>15} {:>7}\n",
            "", "pairs", "precision", "recall", "false supersede", "restated right", "merged"
        );
        row(&mut out, "all", &self.all);
        row(&mut out, "tuned", &self.tuned);
        row(&mut out, "untouched", &self.untouched);
        row(&mut out, "with the table", &self.with_table);
        row(&mut out, "of the untouched", &self.with_table_untouched);
        for (name, figures) in
            [("cosine alone", &self.nearest), ("of the untouched", &self.nearest_untouched)]
        {
            if let Some(figures) = figures {
                row(&mut out, name, figures);
            }
        }
        // Writing to a string can't fail.
        let _ = write!(
            out,
            "a pair: {} us p50, {} us p99; grammar {}",
            self.wall_us_p50, self.wall_us_p99, self.grammar
        );
        out
    }
}

fn row(out: &mut String, name: &str, figures: &Figures) {
    let share = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.3}"));
    let _ = writeln!(
        out,
        "{name:20} {:>6} {:>10} {:>7} {:>16} {:>15} {:>7}",
        figures.pairs,
        share(figures.precision),
        share(figures.recall),
        figures.false_supersede,
        share(figures.restatement_precision),
        figures.contradictions_merged,
    );
}

/// A line of the file with each pair.
pub(crate) fn line(pair: &Pair, verdict: Verdict, by_table: Verdict) -> Value {
    json!({
        "a": pair.a,
        "b": pair.b,
        "label": pair.label.name(),
        "half": pair.half().name(),
        "verdict": verdict.name(),
        "with_table": by_table.name(),
    })
}
