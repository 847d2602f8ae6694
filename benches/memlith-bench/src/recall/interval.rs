use serde::Serialize;

use crate::recall::figures::{Figures, Percentages};
use crate::rounded;

/// The bounds between which a figure lies with 95 % confidence, in percent.
///
/// Questions about one dialogue are no independent draws, so dialogues are what is drawn:
/// the ratio estimator of a cluster sample and Student's t with one degree of freedom less
/// than there are dialogues (W. G. Cochran, Sampling Techniques, 1977, 6.4 and 9A.2). No
/// random numbers are in it.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct Interval {
    recall_at_5: [f64; 2],
    recall_at_10: [f64; 2],
    recall_at_20: [f64; 2],
    hit_at_10: [f64; 2],
    mrr: [f64; 2],
}

/// The 97.5 % quantiles of Student's t for 1, 2, ... degrees of freedom.
const T: [f64; 15] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131,
];

/// The quantile past the table's end, a little too wide for all of them.
const T_MANY: f64 = 2.120;

impl Interval {
    /// The intervals of the figures of some dialogues; `None` for fewer than two.
    pub(crate) fn of<'a>(dialogues: impl Iterator<Item = &'a Figures>) -> Option<Interval> {
        let dialogues: Vec<Percentages> = dialogues.map(Figures::percentages).collect();
        let freedom = dialogues.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
        let t = T.get(freedom - 1).copied().unwrap_or(T_MANY);
        let bounds = |figure: fn(&Percentages) -> f64| {
            let lines = dialogues.iter().map(|one| (one.questions as f64, figure(one)));
            bounds(&lines.collect::<Vec<_>>(), t)
        };
        Some(Interval {
            recall_at_5: bounds(|figures| figures.recall_at_5),
            recall_at_10: bounds(|figures| figures.recall_at_10),
            recall_at_20: bounds(|figures| figures.recall_at_20),
            hit_at_10: bounds(|figures| figures.hit_at_10),
            mrr: bounds(|figures| figures.mrr),
        })
    }

    /// The interval as a line of the report.
    pub(crate) fn to_text(&self) -> String {
        let range = |name: &str, [low, high]: [f64; 2]| format!("{name} {low:.1}-{high:.1}");
        format!(
            "95 % by dialogue: {}, {}, {}, {}, {}\n",
            range("R@5", self.recall_at_5),
            range("R@10", self.recall_at_10),
            range("R@20", self.recall_at_20),
            range("hit@10", self.hit_at_10),
            range("MRR", self.mrr),
        )
    }
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
    fn bounds_are_those_of_a_cluster_sample() {
        // Equal dialogues: the mean and t times the standard error of three means.
        assert_eq!(bounds(&[(10.0, 70.0), (10.0, 80.0), (10.0, 90.0)], 4.303), [55.16, 100.0]);
        assert_eq!(bounds(&[(10.0, 50.0), (10.0, 50.0)], 12.706), [50.0, 50.0]);
        // A dialogue of many questions counts for more.
        let [low, high] = bounds(&[(30.0, 60.0), (10.0, 64.0)], 12.706);
        assert_eq!((low + high) / 2.0, 61.0);
    }

    #[test]
    fn one_dialogue_says_nothing_of_others() {
        let mut one = Figures::default();
        one.add(&[1], &[1]);
        assert_eq!(Interval::of([&one].into_iter()), None);
        let both = Interval::of([&one, &one].into_iter()).unwrap();
        assert_eq!(both.mrr, [100.0, 100.0]);
    }
}
