use memlith_claims::{Guard, Parsed, Said, Statement, Verdict, verdict};
use memlith_event::{Cosine, Slot, Thresholds};

use crate::write::comparer::Comparer;
use crate::write::slot::{Voice, claimed_slot};

/// The relation of a second text to a first one, as a person sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairLabel {
    /// The second text says the same as the first.
    Restatement,
    /// The second text takes the place of the first.
    Change,
    /// The second text says something else.
    Distinct,
    /// The second text denies the first.
    Contradiction,
}

/// Two texts and what the second is to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledPair {
    /// The text that stands.
    pub a: String,
    /// The text that comes.
    pub b: String,
    /// The relation of `b` to `a`.
    pub label: PairLabel,
}

/// The thresholds that fit labelled pairs, and what they were found by.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Calibrated {
    /// The model.
    pub model: String,
    /// Its thresholds.
    pub thresholds: Thresholds,
    /// Pairs that have a cosine.
    pub pairs: u64,
    /// Those of them in which no guard sees a difference.
    pub unguarded: u64,
    /// Those of them that neither words, nor slots, nor guards decide: the thresholds are of
    /// these.
    pub open: u64,
    /// Pairs at or above the threshold of a restatement that are one, and how many there are.
    pub restated: (u64, u64),
    /// Pairs at or above the midpoint that may be superseded or restated, and how many there are.
    pub superseded: (u64, u64),
}

/// Percentage of the pairs above a threshold that have to be what it takes them for.
const PRECISION_HUNDREDTHS: u64 = 97;

/// Least number of pairs above a threshold that says anything of it.
const PAIRS_MIN: u64 = 8;

/// A pair that is left to its cosine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    cosine: Cosine,
    label: PairLabel,
    /// One word is in another's place, so that it can't restate.
    vetoed: bool,
}

/// Finds thresholds for `comparer`: the least at which, and from there up, 97 of a hundred
/// pairs are what they are taken for, and at least eight pairs are; one where there is none.
/// Add is the cosine that nineteen of twenty that may be superseded reach, at most the
/// midpoint.
///
/// Counted are the pairs that the door leaves to likeness. Those in which one word is in
/// another's place restate at no cosine; from the threshold of a restatement on they are
/// contested, and count for neither. Deterministic: integers alone.
#[must_use]
pub fn calibrate(pairs: &[LabelledPair], comparer: &dyn Comparer) -> Calibrated {
    let mut open: Vec<Open> = Vec::new();
    let (mut with_cosine, mut unguarded) = (0, 0);
    for LabelledPair { a, b, label } in pairs {
        let cosine = comparer.cosines(b, &[a]).first().copied().flatten();
        let Some(cosine) = cosine else { continue };
        with_cosine += 1;
        let (old, new) = (Statement::of(a), Statement::of(b));
        let veto = old.veto(&new).filter(|guard| *guard != Guard::Word);
        unguarded += u64::from(veto.is_none());
        if veto.is_none() && !is_decided((a, &old), (b, &new)) {
            let vetoed = old.veto(&new).is_some();
            open.push(Open { cosine, label: *label, vetoed });
        }
    }
    open.sort_unstable();
    let plain: Vec<Open> = open.iter().filter(|pair| !pair.vetoed).copied().collect();
    let (restate, restated) = least(&plain, &|label| label == PairLabel::Restatement);
    let below = |pair: &&Open| !pair.vetoed || pair.cosine < restate;
    let weighed: Vec<Open> = open.iter().filter(below).copied().collect();
    let (midpoint, superseded) = least(&weighed, &gives_way);
    let midpoint = midpoint.min(restate);
    let mut alike = weighed.iter().filter(|pair| gives_way(pair.label)).map(|pair| pair.cosine);
    let past = alike.clone().count() / 20;
    let add = alike.nth(past).unwrap_or(midpoint).min(midpoint);
    Calibrated {
        model: comparer.model().to_owned(),
        thresholds: Thresholds { restate, add, midpoint },
        pairs: with_cosine,
        unguarded,
        open: open.len() as u64,
        restated,
        superseded,
    }
}

/// Whether the first may be superseded by the second without a loss.
fn gives_way(label: PairLabel) -> bool {
    label != PairLabel::Distinct
}

/// Whether the door asks no model what the second text is to the first: by their words or by
/// the slots of what they claim it is known.
fn is_decided((a, old): (&str, &Statement), (b, new): (&str, &Statement)) -> bool {
    let said = |text| Parsed::of(&Said { text, speaker: "", about_one: false });
    let by_words = matches!(verdict(&said(a), &said(b)), Verdict::Same | Verdict::Ends);
    let voice = Voice { name: "", is_user: true, about_one: false };
    let slots = claimed_slot(old, &voice).zip(claimed_slot(new, &voice));
    // What another value of its slot stands against, and no words end that one, has no slot.
    by_words || slots.is_some_and(|(old, new)| !are_opposed(&old, &new))
}

/// Whether not both can be so: two values of a single slot, or a value and its denial.
fn are_opposed(old: &Slot<'_>, new: &Slot<'_>) -> bool {
    let denies = |own: &Slot<'_>, other: &Slot<'_>| {
        own.predicate.strip_prefix("not ") == Some(&*other.predicate) && own.value == other.value
    };
    let single = old.single && new.single;
    let two_values = single && old.predicate == new.predicate && old.value != new.value;
    old.entity == new.entity && (two_values || denies(old, new) || denies(new, old))
}

/// The least cosine at which enough of the pairs from there up are `right`, with how many are
/// of how many.
fn least(ascending: &[Open], right: &dyn Fn(PairLabel) -> bool) -> (Cosine, (u64, u64)) {
    let mut best = (Cosine(Cosine::ONE), (0, 0));
    let (mut good, mut all) = (0_u64, 0_u64);
    let mut groups: Vec<&[Open]> =
        ascending.chunk_by(|one, other| one.cosine == other.cosine).collect();
    groups.reverse();
    for group in groups {
        all += group.len() as u64;
        good += group.iter().filter(|pair| right(pair.label)).count() as u64;
        let enough = all >= PAIRS_MIN && good * 100 >= all * PRECISION_HUNDREDTHS;
        if let (true, Some(pair)) = (enough, group.first()) {
            best = (pair.cosine, (good, all));
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

    /// Everything is like everything.
    #[derive(Debug)]
    struct Alike;

    impl Comparer for Alike {
        fn model(&self) -> &'static str {
            "alike"
        }

        fn cosines(&self, _: &str, others: &[&str]) -> Vec<Option<Cosine>> {
            vec![Some(Cosine(9_900_000)); others.len()]
        }
    }

    fn pairs(label: PairLabel, cosines: &[&str]) -> Vec<LabelledPair> {
        pairs_of("x y z", label, cosines)
    }

    fn pairs_of(a: &str, label: PairLabel, cosines: &[&str]) -> Vec<LabelledPair> {
        let pair = |b: &&str| LabelledPair { a: a.to_owned(), b: (*b).to_owned(), label };
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
        assert_eq!((found.pairs, found.unguarded, found.open), (23, 23, 23));
        // The order of the pairs doesn't matter.
        all.reverse();
        assert_eq!(calibrate(&all, &Said), found);
    }

    #[test]
    fn one_word_in_anothers_place_restates_at_no_cosine() {
        let high = ["jja", "jia", "jha", "jga", "jfa", "jea", "jda", "jca"];
        let same = pairs(PairLabel::Restatement, &high);
        let opposite = pairs_of("x", PairLabel::Distinct, &high);
        let found = calibrate(&[same.clone(), opposite.clone()].concat(), &Said);
        // Distinct as they are: the door lets none of them restate, nor be superseded there.
        assert_eq!((found.restated, found.superseded), ((8, 8), (8, 8)));
        let low = pairs_of("x", PairLabel::Change, &["iba", "iaa"]);
        let found = calibrate(&[same, opposite, low].concat(), &Said);
        assert_eq!((found.restated, found.superseded), ((8, 8), (10, 10)));
        assert_eq!(found.thresholds.midpoint, Cosine(8_000_000));
    }

    #[test]
    fn what_slots_and_guards_decide_is_no_measure_of_cosines() {
        let decided = [
            ("Ana lives in Pune", "Ana lives in Oslo"),
            ("the lease ends on 2026-03-01", "the lease ends on 2026-04-01"),
            ("tea is ready", "Tea is ready."),
            ("Ana lives in Pune", "Ana is based in Pune"),
            ("Ana lives in Pune", "Ana's age is 42"),
            ("staging runs Postgres 14", "we moved staging from Postgres 14 to 15"),
        ];
        for (a, b) in decided {
            let pair = LabelledPair { a: a.into(), b: b.into(), label: PairLabel::Change };
            let found = calibrate(&vec![pair; 8], &Alike);
            assert_eq!((found.pairs, found.open), (8, 0), "{a}");
            assert_eq!(found.thresholds.midpoint, Cosine(Cosine::ONE), "{a}");
        }
    }

    #[test]
    fn what_the_door_leaves_to_a_model_is_open() {
        for (a, b) in [
            ("grows tomatoes in pots", "has a balcony full of vegetables"),
            // Two values of one slot, of which no words end the first: the second has no slot.
            ("Project status: planning", "Project status: development"),
            ("the hall smells of roses", "the hall smells of petrol"),
        ] {
            let pair = LabelledPair { a: a.into(), b: b.into(), label: PairLabel::Distinct };
            assert_eq!(calibrate(&[pair], &Alike).open, 1, "{a}");
        }
    }

    #[test]
    fn too_few_pairs_restate_nothing() {
        let found = calibrate(&pairs(PairLabel::Restatement, &["jja", "jia"]), &Said);
        assert_eq!(found.thresholds.restate, Cosine(Cosine::ONE));
        assert!(calibrate(&[], &Said).thresholds.are_ordered());
    }
}
