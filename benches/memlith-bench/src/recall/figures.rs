use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use memlith_verbs::wall::rounded;

/// The reciprocal rank looks no further.
///
/// Source: the published figures it is compared with are cut there.
pub(crate) const MRR_CUT: usize = 50;

/// How well some questions were answered, as sums; printed in percent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    questions: usize,
    sums: [f64; 6],
}

/// The names of the sums.
const NAMES: [&str; 6] =
    ["recall_at_5", "recall_at_10", "recall_at_20", "hit_at_5", "hit_at_10", "mrr"];

impl Figures {
    /// Adds a question: the answers, best first, and what should be among them.
    pub(crate) fn add<T: PartialEq>(&mut self, answers: &[T], gold: &[T]) {
        let place = |gold: &T| answers.iter().position(|answer| answer == gold);
        let places: Vec<usize> = gold.iter().filter_map(place).collect();
        let found = |cut| places.iter().filter(|place| **place < cut).count() as f64;
        let recall = |cut| found(cut) / gold.len().max(1) as f64;
        let hit = |cut| found(cut).min(1.0);
        let first = places.iter().min().filter(|place| **place < MRR_CUT);
        let reciprocal_rank = first.map_or(0.0, |place| 1.0 / (place + 1) as f64);
        let own = [recall(5), recall(10), recall(20), hit(5), hit(10), reciprocal_rank];
        self.questions += 1;
        self.sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    }

    fn percentages(&self) -> [f64; 6] {
        self.sums.map(|sum| rounded(100.0 * sum / self.questions.max(1) as f64, 2))
    }

    /// Returns the share of evidence among the best ten answers and the mean reciprocal rank.
    pub(crate) fn recall_and_mrr(&self) -> (f64, f64) {
        let [_, recall_at_10, _, _, _, mrr] = self.percentages();
        (recall_at_10, mrr)
    }

    pub(crate) fn figures(&self) -> Value {
        let named = NAMES.iter().zip(self.percentages());
        let mut fields: Map<String, Value> =
            named.map(|(name, percent)| ((*name).to_owned(), json!(percent))).collect();
        fields.insert("questions".to_owned(), json!(self.questions));
        Value::Object(fields)
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.figures().serialize(serializer)
    }
}

/// The 97.5 % quantiles of Student's t for 1, 2, ... degrees of freedom.
const T: [f64; 15] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131,
];

/// The quantile past the table's end, a little too wide for all of them.
const T_MANY: f64 = 2.120;

/// The bounds between which the figures lie with 95 % confidence, in percent; `None` for fewer
/// than two dialogues.
///
/// Questions about one dialogue are no independent draws, so dialogues are what is drawn:
/// the ratio estimator of a cluster sample and Student's t with one degree of freedom less
/// than there are dialogues (W. G. Cochran, Sampling Techniques, 1977, 6.4 and 9A.2). No
/// random numbers are in it.
pub(crate) fn interval<'a>(dialogues: impl Iterator<Item = &'a Figures>) -> Option<Value> {
    let dialogues: Vec<&Figures> = dialogues.collect();
    let freedom = dialogues.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let t = T.get(freedom - 1).copied().unwrap_or(T_MANY);
    let of_figure = |(place, name): (usize, &&str)| {
        let own = |one: &&Figures| one.percentages().get(place).copied().unwrap_or_default();
        let lines: Vec<(f64, f64)> =
            dialogues.iter().map(|one| (one.questions as f64, own(one))).collect();
        ((*name).to_owned(), json!(bounds(&lines, t)))
    };
    Some(Value::Object(NAMES.iter().enumerate().map(of_figure).collect()))
}

/// The bounds of a mean over questions, given each dialogue's questions and its own mean.
fn bounds(dialogues: &[(f64, f64)], t: f64) -> [f64; 2] {
    let count = dialogues.len() as f64;
    let questions: f64 = dialogues.iter().map(|(questions, _)| questions).sum();
    let mean = dialogues.iter().map(|(n, mean)| n * mean).sum::<f64>() / questions.max(1.0);
    let away = dialogues.iter().map(|(n, own)| n * (own - mean));
    let squares: f64 = away.map(|away| away * away).sum();
    let error = (squares * count / (count - 1.0).max(1.0)).sqrt() / questions.max(1.0);
    [(mean - t * error).max(0.0), (mean + t * error).min(100.0)].map(|bound| rounded(bound, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_cuts_are_counted_from_one() {
        let answers: Vec<u32> = (1..=60).collect();
        // Gold, then recall at 5, 10, 20, hit at 5, 10, reciprocal rank.
        let cases: [(&[u32], [f64; 6]); 5] = [
            (&[1], [100.0; 6]),
            (&[5, 6], [50.0, 100.0, 100.0, 100.0, 100.0, 20.0]),
            (&[20, 21], [0.0, 0.0, 50.0, 0.0, 0.0, 5.0]),
            (&[50], [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]),
            (&[51], [0.0; 6]),
        ];
        for (gold, expected) in cases {
            let mut figures = Figures::default();
            figures.add(&answers, gold);
            assert_eq!(figures.percentages(), expected, "{gold:?}");
        }
    }

    #[test]
    fn bounds_are_those_of_a_cluster_sample() {
        // Equal dialogues: the mean and t times the standard error of three means.
        assert_eq!(bounds(&[(10.0, 70.0), (10.0, 80.0), (10.0, 90.0)], 4.303), [55.16, 100.0]);
        // A dialogue of many questions counts for more.
        let [low, high] = bounds(&[(30.0, 60.0), (10.0, 64.0)], 12.706);
        assert_eq!((low + high) / 2.0, 61.0);
        assert_eq!(interval([&Figures::default()].into_iter()), None);
    }
}
