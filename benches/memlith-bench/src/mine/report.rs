use serde::Serialize;

use crate::rounded;
use crate::summary::Summary;

/// How many of what was hidden was found, and of what was proposed was hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) matched: usize,
    pub(crate) candidates: usize,
    pub(crate) planted: usize,
}

/// The best that a least support gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Best {
    pub(crate) support_min: usize,
    pub(crate) score: Score,
}

/// Figures that are printed.
pub(crate) struct Printed {
    pub(crate) score: Score,
    pub(crate) ngrams: Score,
    pub(crate) best: Best,
    pub(crate) contrast: Score,
    pub(crate) shuffled_candidates: usize,
    pub(crate) noise: f64,
    pub(crate) sessions: u64,
    pub(crate) steps: usize,
    pub(crate) abstract_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) summary: Summary,
}

/// The keys of the report, as `docs/cli.md` has them.
#[derive(Serialize)]
struct Keys<'a> {
    precision: f64,
    recall: f64,
    ngram_precision: f64,
    ngram_recall: f64,
    ngram_best_precision: f64,
    ngram_best_recall: f64,
    ngram_best_support: usize,
    shuffled_candidates: usize,
    planted: usize,
    candidates: usize,
    matched: usize,
    ngram_candidates: usize,
    contrast_recall: f64,
    noise: f64,
    sessions: u64,
    steps: usize,
    wall_ms: f64,
    cpu_ms: f64,
    abstract_ms: f64,
    #[serde(flatten)]
    summary: &'a Summary,
}

impl Score {
    /// 1 where nothing was proposed: nothing of it is wrong.
    pub(crate) fn precision(self) -> f64 {
        share(self.matched, self.candidates)
    }

    pub(crate) fn recall(self) -> f64 {
        share(self.matched, self.planted)
    }

    /// The harmonic mean of both.
    pub(crate) fn harmonic(self) -> f64 {
        if self.matched == 0 {
            return 0.0;
        }
        2.0 * self.matched as f64 / (self.candidates + self.planted) as f64
    }
}

impl Printed {
    fn keys(&self) -> Keys<'_> {
        Keys {
            precision: self.score.precision(),
            recall: self.score.recall(),
            ngram_precision: self.ngrams.precision(),
            ngram_recall: self.ngrams.recall(),
            ngram_best_precision: self.best.score.precision(),
            ngram_best_recall: self.best.score.recall(),
            ngram_best_support: self.best.support_min,
            shuffled_candidates: self.shuffled_candidates,
            planted: self.score.planted,
            candidates: self.score.candidates,
            matched: self.score.matched,
            ngram_candidates: self.ngrams.candidates,
            contrast_recall: self.contrast.recall(),
            noise: self.noise,
            sessions: self.sessions,
            steps: self.steps,
            wall_ms: self.summary.wall_ms_p50,
            cpu_ms: self.cpu_ms,
            abstract_ms: self.abstract_ms,
            summary: &self.summary,
        }
    }

    pub(crate) fn to_text(&self) -> String {
        let row = |name: &str, score: Score| {
            let (precision, recall) = (score.precision(), score.recall());
            format!("{name:22} {:>10} {precision:>9.4} {recall:>9.4}\n", score.candidates)
        };
        let mut out =
            format!("{:22} {:>10} {:>9} {:>9}\n", "", "candidates", "precision", "recall");
        out += &row("mined", self.score);
        out += &row("n-grams", self.ngrams);
        out += &row(&format!("n-grams, support {}", self.best.support_min), self.best.score);
        out += &row("what failed runs did", self.contrast);
        let Printed { sessions, steps, abstract_ms, cpu_ms, .. } = self;
        let wall = self.summary.wall_ms_p50;
        out += &format!(
            "{} candidates of the same sessions in any order\n\
             {sessions} sessions, {steps} steps: taken apart in {abstract_ms:.0} ms, mined in \
             {wall:.0} ms, {cpu_ms:.0} of a processor\n",
            self.shuffled_candidates
        );
        out + &self.summary.to_text()
    }
}

impl Serialize for Printed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.keys().serialize(serializer)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { rounded(part as f64 / whole as f64, 6) }
}
