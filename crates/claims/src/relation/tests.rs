use super::*;

fn between(old: &str, new: &str) -> Relation {
    let said = |text| Said { text, speaker: "", about_one: false };
    relation(&said(old), &said(new))
}

#[test]
fn what_says_that_it_changed_replaces() {
    for (old, new) in [
        ("The kiln is set to 1,060 degrees.", "The kiln is set to 1,020 degrees."),
        ("The choir meets in the chapel.", "The choir moved from the chapel to the library."),
        ("Odile owns the ledger service.", "Odile handed the ledger over to Piet."),
        ("The crawler runs on port 7001.", "The crawler was moved to port 7002."),
        ("The parcel is due on 2 May.", "Because of the strike, the parcel slipped to 9 May."),
        ("The wall is white.", "The wall is green now."),
    ] {
        assert_eq!(between(old, new), Relation::Replaces, "{old} | {new}");
    }
}

#[test]
fn what_may_both_be_true_stands() {
    for (old, new) in [
        ("The kiln is set to 1,060 degrees.", "At night the kiln is set to 900 degrees."),
        ("The crawler runs on port 7001.", "The crawler also runs on port 7002."),
        ("The choir meets in the chapel.", "The choir might move to the library."),
        ("Odile owns the ledger service.", "Odile handed the archive over to Piet."),
        ("Odile speaks Dutch.", "Odile speaks Polish."),
    ] {
        assert_ne!(between(old, new), Relation::Replaces, "{old} | {new}");
    }
}

#[test]
fn the_first_person_is_the_speaker() {
    let said = |text, speaker| Said { text, speaker, about_one: false };
    let old = said("I live in Ghent.", "user:ines");
    assert_eq!(relation(&old, &said("I moved to Bruges.", "user:ines")), Relation::Replaces);
    assert_eq!(relation(&old, &said("I moved to Bruges.", "user:joost")), Relation::Beside);
    let third = said("Ines lives in Ghent.", "user:joost");
    assert_eq!(relation(&third, &said("I moved to Bruges.", "user:ines")), Relation::Replaces);
}

#[test]
fn a_pronoun_is_one_person_where_it_is_known_whom_it_means() {
    let said = |text, about_one| Said { text, speaker: "", about_one };
    let relation =
        |about| relation(&said("She lives in Ghent.", about), &said("She lives in Bruges.", about));
    assert_eq!(relation(true), Relation::Replaces);
    assert_eq!(relation(false), Relation::Contrary);
}

#[test]
fn a_value_and_its_denial_end_each_other() {
    let (yes, no) = ("Ines lives in Ghent.", "Ines doesn't live in Ghent.");
    assert_eq!(between(yes, no), Relation::Replaces);
    assert_eq!(between(no, yes), Relation::Replaces);
    assert_ne!(between(yes, "Ines doesn't live in Bruges."), Relation::Replaces);
    assert_ne!(between(yes, "Ines doesn't always live in Ghent."), Relation::Replaces);
}
