use serde::Serialize;

use crate::rounded;

/// The reciprocal rank looks no further.
///
/// Source: the published figures it is compared with are cut there.
pub(crate) const MRR_CUT: usize = 50;

/// How well some questions were answered, as sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    questions: usize,
    recall: [f64; 3],
    hit: [f64; 2],
    reciprocal_rank: f64,
}

/// How well some questions were answered, in percent.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub(crate) struct Percentages {
    pub(crate) questions: usize,
    pub(crate) recall_at_5: f64,
    pub(crate) recall_at_10: f64,
    pub(crate) recall_at_20: f64,
    pub(crate) hit_at_5: f64,
    pub(crate) hit_at_10: f64,
    pub(crate) mrr: f64,
}

impl Figures {
    /// Adds a question: the answers, best first, and what should be among them.
    pub(crate) fn add<T: PartialEq>(&mut self, answers: &[T], gold: &[T]) {
        let place = |gold: &T| answers.iter().position(|answer| answer == gold);
        let places: Vec<usize> = gold.iter().filter_map(place).collect();
        let found = |cut| places.iter().filter(|place| **place < cut).count() as f64;
        self.questions += 1;
        for (sum, cut) in self.recall.iter_mut().zip([5, 10, 20]) {
            *sum += found(cut) / gold.len().max(1) as f64;
        }
        for (sum, cut) in self.hit.iter_mut().zip([5, 10]) {
            *sum += found(cut).min(1.0);
        }
        let first = places.into_iter().min().filter(|place| *place < MRR_CUT);
        self.reciprocal_rank += first.map_or(0.0, |place| 1.0 / (place + 1) as f64);
    }

    pub(crate) fn percentages(&self) -> Percentages {
        let percent = |sum: f64| rounded(100.0 * sum / self.questions.max(1) as f64, 2);
        let [recall_at_5, recall_at_10, recall_at_20] = self.recall.map(percent);
        let [hit_at_5, hit_at_10] = self.hit.map(percent);
        Percentages {
            questions: self.questions,
            recall_at_5,
            recall_at_10,
            recall_at_20,
            hit_at_5,
            hit_at_10,
            mrr: percent(self.reciprocal_rank),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_cuts_are_counted_from_one() {
        let answers: Vec<u32> = (1..=60).collect();
        // Gold, then recall at 5, 10, 20, hit at 5, 10, reciprocal rank.
        let cases: [(&[u32], [f64; 6]); 7] = [
            (&[1], [100.0, 100.0, 100.0, 100.0, 100.0, 100.0]),
            (&[5, 6], [50.0, 100.0, 100.0, 100.0, 100.0, 20.0]),
            (&[10, 11], [0.0, 50.0, 100.0, 0.0, 100.0, 10.0]),
            (&[20, 21], [0.0, 0.0, 50.0, 0.0, 0.0, 5.0]),
            (&[50], [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]),
            (&[51], [0.0; 6]),
            (&[99], [0.0; 6]),
        ];
        for (gold, expected) in cases {
            let mut figures = Figures::default();
            figures.add(&answers, gold);
            let found = figures.percentages();
            let found = [
                found.recall_at_5,
                found.recall_at_10,
                found.recall_at_20,
                found.hit_at_5,
                found.hit_at_10,
                found.mrr,
            ];
            assert_eq!(found, expected, "{gold:?}");
        }
    }

    #[test]
    fn questions_weigh_alike_whatever_their_evidence() {
        let mut figures = Figures::default();
        figures.add(&[1, 2], &[1]);
        figures.add(&[1, 2], &[2, 7, 8]);
        let found = figures.percentages();
        assert_eq!((found.questions, found.recall_at_5, found.mrr), (2, 66.67, 75.0));
    }
}
