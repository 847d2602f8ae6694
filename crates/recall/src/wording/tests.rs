use proptest::prelude::*;

use super::*;

const KNOWN: &str = "The staging database runs Postgres 15 on the old cluster";

fn likeness(text: &str, known: &str) -> Likeness {
    Wording::of(text).unwrap().likeness(&Wording::of(known).unwrap())
}

#[test]
fn the_same_in_other_forms_is_the_same() {
    for text in [
        KNOWN,
        "staging database is running Postgres 15 on the old cluster.",
        "The staging databases run POSTGRES 15, on the old cluster",
    ] {
        assert_eq!(likeness(text, KNOWN), Likeness::Same, "{text}");
    }
}

#[test]
fn what_says_more_or_less_is_akin() {
    for text in [
        "The staging database runs Postgres 15 on the old cluster behind the proxy of Acme",
        "The staging database runs Postgres on the old cluster",
        "Postgres 15 runs the staging database on the old cluster",
    ] {
        let turned = text.contains("behind") || text.contains(" of ");
        let expected = if turned { Likeness::Other } else { Likeness::Akin };
        assert_eq!(likeness(text, KNOWN), expected, "{text}");
    }
    let more = "The staging database runs Postgres 15 on the old cluster, Acme's, with 3 replicas";
    assert_eq!(
        likeness(&more.replace(", Acme's, with 3 replicas", ", Acme's, 3 replicas"), KNOWN),
        Likeness::Akin
    );
    assert_eq!(likeness("Postgres database", KNOWN), Likeness::Other);
}

#[test]
fn a_number_a_date_a_negation_or_a_turn_makes_another_text() {
    for (text, known) in [
        ("The staging database runs Postgres 16 on the old cluster", KNOWN),
        ("The staging database never runs Postgres 15 on the old cluster", KNOWN),
        ("The staging database doesn't run Postgres 15 on the old cluster", KNOWN),
        ("The staging database doesn\u{2019}t run Postgres 15 on the old cluster", KNOWN),
        ("The staging database isnt running Postgres 15 on the old cluster", KNOWN),
        ("Does the staging database run Postgres 15 on the old cluster?", KNOWN),
        ("The staging database runs Postgres -15 on the old cluster", KNOWN),
        ("The staging database runs Postgres fifteen on the old cluster", KNOWN),
        ("The staging database had Postgres 15 running on the old cluster", KNOWN),
        ("Deploys go live on Tuesday evenings", "Deploys go live on Thursday evenings"),
        ("Migrations run before the api deploys", "Migrations run after the api deploys"),
        ("Turn the cache of builds on", "Turn the cache of builds off"),
        ("Latency < 5 seconds is fine", "Latency > 5 seconds is fine"),
    ] {
        assert_eq!(likeness(text, known), Likeness::Other, "{text}");
        assert_eq!(likeness(known, text), Likeness::Other, "{text}");
    }
    // The same words in another order may say the opposite: never the same.
    assert_eq!(likeness("Ana pays Ben rent", "Ben pays Ana rent"), Likeness::Akin);
}

#[test]
fn only_in_a_long_text_may_a_term_be_missing() {
    let term = |n: usize| format!("word{}", ["a", "b", "c", "d", "e"][n / 5].repeat(n % 5 + 1));
    let all: Vec<String> = (0..20).map(term).collect();
    let known = all.join(" ");
    assert_eq!(likeness(&all[1..].join(" "), &known), Likeness::Same);
    assert_eq!(likeness(&all[2..].join(" "), &known), Likeness::Akin);
    assert_eq!(likeness(&known, &all[1..].join(" ")), Likeness::Akin);
    assert_eq!(likeness(&all[11..].join(" "), &known), Likeness::Other);
}

#[test]
fn what_has_no_content_or_no_end_is_compared_with_nothing() {
    assert_eq!(Wording::of(""), None);
    assert_eq!(Wording::of("it is"), None);
    assert!(Wording::of(&"word ".repeat(WORDS_MAX)).is_some());
    assert_eq!(Wording::of(&"word ".repeat(WORDS_MAX + 1)), None);
}

proptest! {
    #[test]
    fn every_text_is_the_same_as_itself_and_likeness_is_a_pure_function(text in "\\PC{0,60}") {
        if let Some(wording) = Wording::of(&text) {
            prop_assert_eq!(wording.likeness(&wording), Likeness::Same);
            prop_assert_eq!(Wording::of(&text), Some(wording));
        }
    }
}
