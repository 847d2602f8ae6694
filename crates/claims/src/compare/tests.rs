use super::*;

const MODEL: Thresholds = Thresholds::PUBLISHED;

fn claim(value: &str) -> Claim {
    Claim {
        entity: "ana".to_owned(),
        predicate: "lives_in".to_owned(),
        value: value.to_owned(),
        cardinality: Cardinality::Single,
        negated: false,
        past: false,
        detail: String::new(),
        about: crate::About::Named,
    }
}

fn by_claim(old: &Claim, new: &Claim) -> Verdict {
    let old = Statement::with_claim("one", Some(old.clone()));
    let new = Statement::with_claim("another", Some(new.clone()));
    compare(&old, &new, Some(Millionths(960_000)), &MODEL).verdict
}

fn by_words(old: &str, new: &str, cosine: Option<i32>) -> Verdict {
    let (old, new) = (Statement::with_claim(old, None), Statement::with_claim(new, None));
    compare(&old, &new, cosine.map(Millionths), &MODEL).verdict
}

#[test]
fn a_slot_decides_whatever_the_cosine() {
    let pune = claim("pune");
    let denied = Claim { negated: true, ..pune.clone() };
    let past = Claim { past: true, ..pune.clone() };
    let many = |value: &str| Claim { cardinality: Cardinality::Many, ..claim(value) };
    let unknown = |value: &str| Claim { cardinality: Cardinality::Unknown, ..claim(value) };
    let detailed = Claim { detail: "last year".to_owned(), ..pune.clone() };
    let bob = Claim { entity: "bob".to_owned(), ..pune.clone() };
    for (old, new, expected) in [
        (&pune, &pune, Verdict::Restatement),
        (&pune, &claim("oslo"), Verdict::Supersede),
        (&pune, &denied, Verdict::Supersede),
        (&denied, &pune, Verdict::Supersede),
        (&denied, &claim("oslo"), Verdict::Add),
        (&claim("oslo"), &denied, Verdict::Add),
        (&pune, &past, Verdict::Add),
        (&past, &claim("oslo"), Verdict::Add),
        (&pune, &detailed, Verdict::Band),
        (&pune, &bob, Verdict::Add),
        (&pune, &Claim { detail: "since may".to_owned(), ..claim("oslo") }, Verdict::Supersede),
        (&many("a"), &many("b"), Verdict::Add),
        (&many("a"), &many("a"), Verdict::Restatement),
        (&unknown("a"), &unknown("b"), Verdict::Band),
    ] {
        assert_eq!(by_claim(old, new), expected, "{old:?} {new:?}");
    }
}

#[test]
fn the_boundaries_of_the_cosine_are_inclusive_below() {
    let (one, other) = ("grows tomatoes in pots", "has a balcony full of vegetables");
    for (cosine, expected) in [
        (Some(950_001), Verdict::Restatement),
        (Some(950_000), Verdict::Restatement),
        (Some(949_999), Verdict::Band),
        (Some(800_000), Verdict::Band),
        (Some(799_999), Verdict::Add),
        (Some(-1_000_000), Verdict::Add),
        (None, Verdict::Add),
    ] {
        assert_eq!(by_words(one, other, cosine), expected, "{cosine:?}");
    }
}

#[test]
fn a_guard_vetoes_a_restatement() {
    for (old, new) in [
        ("callback after 6pm suits them", "callback before 6pm suits them"),
        ("the whole crew is allergic to nuts", "the whole crew is not allergic to nuts"),
        ("the batch takes 30 s each night", "the batch takes 30 ms each night"),
    ] {
        assert_eq!(by_words(old, new, Some(999_000)), Verdict::Contested, "{old}");
        assert_eq!(by_words(old, new, None), Verdict::Contested, "{old}");
    }
    assert_eq!(by_words("we met Ana there", "we met Bob there", Some(999_000)), Verdict::Add);
}

#[test]
fn the_same_words_are_a_restatement_without_a_vector() {
    for (old, new) in [
        ("Prefers e-mail.", "prefers  E-Mail"),
        ("the team writes docs", "team is writing the docs"),
    ] {
        assert_eq!(by_words(old, new, None), Verdict::Restatement, "{old}");
    }
    assert_eq!(by_words("dog bites man", "man bites dog", None), Verdict::Contested);
    assert_eq!(by_words("dog bites man", "man bites dog", Some(1_000_000)), Verdict::Contested);
}

#[test]
fn a_word_in_the_place_of_another_is_no_restatement_however_near() {
    let (one, other) = ("the hall smells of roses", "the hall smells of petrol");
    assert_eq!(by_words(one, other, Some(990_000)), Verdict::Contested);
    assert_eq!(by_words(one, other, Some(900_000)), Verdict::Band);
    assert_eq!(
        by_words(one, "the hall smells of roses again", Some(990_000)),
        Verdict::Restatement
    );
}

#[test]
fn a_text_too_long_to_be_taken_apart_is_never_restated_by_likeness() {
    let long = "word ".repeat(600);
    let other = format!("{long} more");
    assert_eq!(by_words(&long, &other, Some(999_999)), Verdict::Contested);
    assert_eq!(by_words(&long, &other, Some(900_000)), Verdict::Band);
    assert_eq!(by_words(&long, &long, None), Verdict::Restatement);
}

#[test]
fn the_published_examples_come_out_right() {
    // The pairs of Matrix's own article, with the cosines that MiniLM gives them, of which
    // the published thresholds get four right.
    for (cosine, old, new, expected) in [
        (716_000, "prefers email", "likes being emailed", Verdict::Restatement),
        (498_000, "prefers email", "wants email follow-ups", Verdict::Restatement),
        (518_000, "prefers email", "asked to be contacted by email", Verdict::Restatement),
        (
            895_000,
            "The contact prefers email",
            "The contact prefers to be contacted by email",
            Verdict::Restatement,
        ),
        (659_000, "prefers email", "now prefers a phone call", Verdict::Supersede),
        (768_000, "prefers email", "does not want email", Verdict::Supersede),
        (735_000, "lives in Pune", "lives in Bangalore", Verdict::Supersede),
        (872_000, "favourite number is 7", "favourite number is 11", Verdict::Supersede),
        (777_000, "API listens on port 8080", "API listens on port 9090", Verdict::Supersede),
        (993_000, "callback after 6pm", "callback before 6pm", Verdict::Supersede),
        (951_000, "allergic to peanuts", "NOT allergic to peanuts", Verdict::Supersede),
        (795_000, "lives in Pune", "moved to Pune last year", Verdict::Band),
        (353_000, "interested in senior role", "wants a management track", Verdict::Band),
    ] {
        for cosine in [Some(Millionths(cosine)), None] {
            let (one, other) = (Statement::of(old), Statement::of(new));
            let found = compare(&one, &other, cosine, &MODEL);
            assert_eq!(found.verdict, expected, "{old} / {new}: {found:?}");
        }
    }
}

fn pairs(lines: &str) -> impl Iterator<Item = (&str, &str)> {
    lines.lines().filter_map(|line| line.split_once('|'))
}

#[test]
fn a_new_value_takes_the_place_of_the_old_one() {
    for (old, new) in pairs(include_str!("../../tests/changed.txt")) {
        let found = compare(&Statement::of(old), &Statement::of(new), None, &MODEL);
        assert_eq!(found.verdict, Verdict::Supersede, "{old} / {new}: {found:?}");
        // Nor does a cosine have a say in it.
        let near = compare(&Statement::of(old), &Statement::of(new), Some(Millionths::ONE), &MODEL);
        assert_eq!(near.verdict, Verdict::Supersede, "{old} / {new}");
    }
}

#[test]
fn what_may_both_be_so_takes_nothing_out() {
    for (one, other) in pairs(include_str!("../../tests/apart.txt")) {
        for (old, new) in [(one, other), (other, one)] {
            let found = compare(&Statement::of(old), &Statement::of(new), None, &MODEL);
            let kept = matches!(found.verdict, Verdict::Add | Verdict::Contested | Verdict::Band);
            assert!(kept, "{old} / {new}: {found:?}");
        }
    }
}

#[test]
fn the_veto_is_what_the_order_goes_by() {
    for (lines, taken) in [
        (include_str!("../../tests/changed.txt"), false),
        (include_str!("../../tests/apart.txt"), false),
        ("the hall smells of roses|the hall smells of petrol\nwe met Ana|we met Bob", true),
    ] {
        for (old, new) in pairs(lines) {
            let (old, new) = (Statement::with_claim(old, None), Statement::with_claim(new, None));
            let found = compare(&old, &new, Some(Millionths::ONE), &MODEL);
            let reason = match old.veto(&new) {
                Some(guard) => Reason::Guard(guard),
                None if old.normal == new.normal => Reason::Text,
                None if found.reason == Reason::Words => Reason::Words,
                None => Reason::Cosine,
            };
            assert_eq!(found.reason, reason, "{old:?} {new:?}");
            assert!(!taken || old.veto(&new).is_some());
        }
    }
}
