use memlith_claims::{Guard, Statement};
use memlith_event::{Cosine, Thresholds};

use crate::comparer::Comparer;

/// What a second text is to a first one, as a person sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairLabel {
    /// It says the same.
    Restatement,
    /// It says what takes the place of the first.
    Change,
    /// It says something else.
    Distinct,
    /// It says that the first is not so.
    Contradiction,
}

/// Two texts and what the second is to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledPair {
    /// The text that stands.
    pub a: String,
    /// The text that comes.
    pub b: String,
    /// What it is.
    pub label: PairLabel,
}

/// The thresholds that fit labelled pairs, and what they were found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibrated {
    /// The model.
    pub model: String,
    /// Its thresholds.
    pub thresholds: Thresholds,
    /// Pairs that have a cosine.
    pub pairs: u64,
    /// Those of them in which no guard sees a difference: the thresholds are of these.
    pub unguarded: u64,
    /// Of what is at the threshold of a restatement or above, so many are one.
    pub restated: (u64, u64),
    /// Of what is at the midpoint or above, so many restate or replace.
    pub superseded: (u64, u64),
}

/// A threshold holds where of a hundred pairs above it so many are what it takes them for.
const PRECISION_HUNDREDTHS: u64 = 97;

/// Fewer pairs above a threshold say nothing of it.
const PAIRS_MIN: u64 = 8;

/// Finds thresholds for `comparer`: the least at which, and from there up, 97 of a hundred
/// pairs are what they are taken for, and at least eight pairs are; one where there is none.
/// Add is the cosine that nineteen of twenty restatements and changes reach, at most the
/// midpoint.
///
/// Pairs in which a guard sees a difference are vetoed whatever their cosine, and count for
/// neither. Deterministic: integers alone.
#[must_use]
pub fn calibrate(pairs: &[LabelledPair], comparer: &dyn Comparer) -> Calibrated {
    let mut found: Vec<(Cosine, PairLabel)> = Vec::new();
    let mut with_cosine = 0;
    for LabelledPair { a, b, label } in pairs {
        let cosine = comparer.cosines(b, &[a]).first().copied().flatten();
        let Some(cosine) = cosine else { continue };
        with_cosine += 1;
        if Statement::of(a).veto(&Statement::of(b)).is_none_or(|guard| guard == Guard::Word) {
            found.push((cosine, *label));
        }
    }
    found.sort_unstable();
    let restates = |label: PairLabel| label == PairLabel::Restatement;
    let replaces = |label: PairLabel| matches!(label, PairLabel::Restatement | PairLabel::Change);
    let (restate, restated) = least(&found, &restates);
    let (midpoint, superseded) = least(&found, &replaces);
    let midpoint = midpoint.min(restate);
    let mut alike = found.iter().filter(|(_, label)| replaces(*label)).map(|(cosine, _)| *cosine);
    let past = found.iter().filter(|(_, label)| replaces(*label)).count() / 20;
    let add = alike.nth(past).unwrap_or(midpoint).min(midpoint);
    Calibrated {
        model: comparer.model().to_owned(),
        thresholds: Thresholds { restate, add, midpoint },
        pairs: with_cosine,
        unguarded: found.len() as u64,
        restated,
        superseded,
    }
}

/// The least cosine at which enough of the pairs from there up are `right`, with how many are
/// of how many.
fn least(
    ascending: &[(Cosine, PairLabel)],
    right: &dyn Fn(PairLabel) -> bool,
) -> (Cosine, (u64, u64)) {
    let mut best = (Cosine(Cosine::ONE), (0, 0));
    let (mut good, mut all) = (0_u64, 0_u64);
    let mut groups: Vec<&[(Cosine, PairLabel)]> =
        ascending.chunk_by(|one, other| one.0 == other.0).collect();
    groups.reverse();
    for group in groups {
        all += group.len() as u64;
        good += group.iter().filter(|(_, label)| right(*label)).count() as u64;
        let enough = all >= PAIRS_MIN && good * 100 >= all * PRECISION_HUNDREDTHS;
        if let (true, Some((cosine, _))) = (enough, group.first()) {
            best = (*cosine, (good, all));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cosine stands in the second text, in ten millionths, as letters.
    #[derive(Debug)]
    struct Said;

    impl Comparer for Said {
        fn model(&self) -> &'static str {
            "said"
        }

        fn cosines(&self, text: &str, _: &[&str]) -> Vec<Option<Cosine>> {
            let letters = text.bytes().filter(u8::is_ascii_lowercase);
            let value = letters.fold(0_i32, |sum, byte| sum * 10 + i32::from(byte - b'a'));
            vec![Some(Cosine(value * 10_000))]
        }
    }

    fn pairs(label: PairLabel, cosines: &[&str]) -> Vec<LabelledPair> {
        let pair = |b: &&str| LabelledPair { a: "x".into(), b: (*b).to_owned(), label };
        cosines.iter().map(pair).collect()
    }

    #[test]
    fn thresholds_are_the_least_that_hold() {
        // j is nine, a is nought: jja is 0.990.
        let same = ["jja", "jia", "jha", "jga", "jfa", "jea", "jda", "jca", "jba", "iaa"];
        let changed = ["ija", "iia", "iha", "iga", "ifa", "iea", "ida", "ica", "iba", "haa"];
        let mut all = pairs(PairLabel::Restatement, &same);
        all.extend(pairs(PairLabel::Change, &changed));
        all.extend(pairs(PairLabel::Distinct, &["hja", "caa", "baa"]));
        let found = calibrate(&all, &Said);
        let of = |thousandths: i32| Cosine(thousandths * 10_000);
        assert_eq!(found.thresholds.restate, of(910));
        assert_eq!(found.restated, (9, 9));
        assert_eq!(found.thresholds.midpoint, of(800));
        assert_eq!(found.superseded, (19, 19));
        assert_eq!(found.thresholds.add, of(800), "never above the midpoint");
        assert!(found.thresholds.are_ordered());
        assert_eq!((found.pairs, found.unguarded), (23, 23));
        // The order of the pairs doesn't matter.
        all.reverse();
        assert_eq!(calibrate(&all, &Said), found);
    }

    #[test]
    fn too_few_pairs_restate_nothing() {
        let found = calibrate(&pairs(PairLabel::Restatement, &["jja", "jia"]), &Said);
        assert_eq!(found.thresholds.restate, Cosine(Cosine::ONE));
        assert!(calibrate(&[], &Said).thresholds.are_ordered());
    }
}
