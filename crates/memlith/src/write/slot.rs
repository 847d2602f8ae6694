//! The slot of what a write's words claim, where its writer states none.

use memlith_claims::{About, Cardinality, Claim, Statement};
use memlith_event::{Body, Event, Origin, ReconcileEvent, Scope, Slot};
use memlith_memory::{Door, Remember};
use memlith_text::normalised;

/// Speaker of a sentence, as far as the slot of what it claims depends on them.
pub(crate) struct Voice<'a> {
    /// Name that "I" stands for.
    pub(crate) name: &'a str,
    /// Whether it is a person: "I" is nobody known where a program writes.
    pub(crate) is_user: bool,
    /// Whether it is said of one thing that is known from elsewhere, which a pronoun means.
    pub(crate) about_one: bool,
}

/// The write with the slot of what its words claim, where the grammar is sure of it.
pub(crate) fn with_claimed_slot(remember: &Remember, door: &Door) -> Option<Remember> {
    if remember.slot.is_some() || door.origin == Origin::Derived {
        return None;
    }
    let voice = Voice {
        name: &door.actor.name,
        is_user: door.origin == Origin::User,
        about_one: is_person(&door.scope),
    };
    let slot = claimed_slot(&Statement::of(&remember.text), &voice)?;
    Some(Remember { slot: Some(slot), ..remember.clone() })
}

/// Whether all that is said in a scope is about one person, whom "she" means: its subject is no
/// path, address or project.
pub(crate) fn is_person(scope: &Scope<'_>) -> bool {
    let is_thing = |subject: &str| subject.contains(['/', '\\', '.']);
    scope.subject.as_deref().is_some_and(|subject| !is_thing(subject))
}

/// The slot of what a sentence claims, where the grammar is sure of it.
///
/// None where a pronoun may stand for anybody, nor where "I" is not a person: of whom that is
/// said, no slot can tell.
pub(crate) fn claimed_slot(statement: &Statement, voice: &Voice<'_>) -> Option<Slot<'static>> {
    let claim = statement.claim().filter(|claim| claim.makes_slot())?;
    let known = match claim.about {
        About::Named | About::Reader => true,
        About::Speaker => voice.is_user,
        About::Pronoun => voice.about_one,
    };
    let speaker = normalised(voice.name);
    let entity = match claim.about {
        About::Speaker if !speaker.is_empty() => of_speaker(&claim.entity, speaker),
        About::Speaker | About::Named | About::Reader | About::Pronoun => claim.entity.clone(),
    };
    known.then(|| Slot {
        entity: entity.into(),
        // A denial is a slot of its own, for each value that is denied.
        predicate: format!("{}{}", if claim.negated { "not " } else { "" }, claim.predicate).into(),
        value: claim.value.clone().into(),
        single: claim.cardinality == Cardinality::Single && !claim.negated,
    })
}

/// Names by its speaker what the grammar calls "self", or something of it: "my sister" is another
/// one than "I".
fn of_speaker(entity: &str, speaker: String) -> String {
    match entity.split_once(' ') {
        Some((_, thing)) => format!("{speaker} {thing}"),
        None => speaker,
    }
}

/// Writes into the decision that the grammar gave the slot, and which version did.
pub(crate) fn note_grammar(bodies: &mut [Body<'static>]) {
    for body in bodies {
        if let Event::Reconcile(ReconcileEvent::Decided(decided)) = &mut body.event {
            let grammar = format!("grammar {}", Claim::GRAMMAR);
            let noted = match &decided.model {
                Some(model) => format!("{model}, {grammar}"),
                None => grammar,
            };
            decided.model = Some(noted.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use memlith_event::{MemoryEvent, Rank};
    use memlith_log::{Env, FixedClock, MemoryDisk, SeededRng, Seq, Tick, Timestamp};

    use super::*;
    use crate::caller::Moment;
    use crate::{Caller, Ledger, Options, WriteOutcome, Written, log::decode};

    const NOW: Timestamp = Timestamp(1_777_636_800_000_000);

    fn env(disk: &MemoryDisk) -> Env {
        Env {
            storage: Arc::new(disk.process()),
            clock: Arc::new(FixedClock::new(NOW)),
            rng: Arc::new(SeededRng::new(1)),
        }
    }

    fn with(grammar: bool) -> Options {
        Options { grammar, ..Options::default() }
    }

    fn ana() -> Caller {
        Caller::user("home", "ana")
    }

    fn say(ledger: &Ledger, caller: &Caller, text: &str) -> Written {
        ledger.remember(caller, Remember { text: text.to_owned(), ..Remember::default() }).unwrap()
    }

    fn all(texts: &[&str], caller: &Caller) -> Vec<&'static str> {
        let ledger = Ledger::init_in(env(&MemoryDisk::new()), with(true)).unwrap();
        texts.iter().map(|text| say(&ledger, caller, text).outcome.label()).collect()
    }

    #[test]
    fn values_of_a_slot_are_told_apart_letter_for_letter() {
        for texts in [
            ["The image has the tag 3.10", "The image has the tag 3.1"],
            ["The service has version 3.10", "The service has version 3.1"],
            ["The boiler valve has part number 00123", "The boiler valve has part number 123"],
            ["The data dir is /srv/Data", "The data dir is /srv/data"],
            ["The home directory is /Users/Robin", "The home directory is /users/robin"],
            ["The env var is DB_URL", "The env var is db_url"],
            ["The SKU is AB-100", "The SKU is ab-100"],
            ["The config lives in /etc/Relay", "The config lives in /etc/relay"],
        ] {
            assert_ne!(all(&texts, &ana()).last(), Some(&"restated"), "{texts:?}");
        }
        assert_eq!(all(&["The port is 8,080", "The port is 8080"], &ana()), ["added", "restated"]);
    }

    #[test]
    fn a_changed_value_takes_the_place_of_the_old_one() {
        for (texts, expected) in [
            (
                &["Ana lives in Pune", "Ana moved to Bangalore", "Ana lives in Pune"][..],
                &["added", "superseded", "superseded"][..],
            ),
            (&["prefers email", "likes being emailed"], &["added", "restated"]),
            (&["The API port is 8080", "The API listens on port 9090"], &["added", "superseded"]),
            (&["Ana likes tea", "Ana likes coffee"], &["added", "added"]),
            (&["Ana lives in Pune", "Maybe Ana lives in Oslo"], &["added", "added"]),
            (&["She lives in Pune", "She lives in Oslo"], &["added", "added"]),
            (&["I live in Pune", "I moved to Oslo"], &["added", "superseded"]),
            (&["I live in Lyon", "My sister lives in Lyon"], &["added", "added"]),
            (&["My mother is allergic to nuts", "I am allergic to nuts"], &["added", "added"]),
            (
                &["My sister lives in Lyon", "I live in Porto", "I moved to Faro"],
                &["added", "added", "superseded"],
            ),
            (
                &["Ana lives in Pune", "Ana does not live in Oslo", "Ana doesn't live in Pune"],
                &["added", "added", "superseded"],
            ),
            (&["We use Redis", "We no longer use Redis"], &["added", "superseded"]),
            (&["Ana has no car", "Ana does not have a car"], &["added", "restated"]),
            (
                &["The rent is 900 euros", "The rent is not 900 euros", "The rent is 900 euros"],
                &["added", "superseded", "superseded"],
            ),
            (&["Ana likes tea", "Ana doesn't always like tea"], &["added", "added"]),
            (&["Ana likes tea", "Ana won't like tea"], &["added", "added"]),
        ] {
            assert_eq!(all(texts, &ana()), expected, "{texts:?}");
        }
    }

    /// The pairs `A|B` of a file, without those in which the first is one of `but`.
    fn pairs<'a>(lines: &'a str, but: &[&str]) -> Vec<[&'a str; 2]> {
        let pair = |line: &'a str| line.split_once('|').map(|(a, b)| [a, b]);
        lines.lines().filter_map(pair).filter(|[a, _]| !but.contains(a)).collect()
    }

    #[test]
    fn a_new_value_takes_the_place_of_the_old_one() {
        // Of whom a pronoun speaks nobody can tell, and of a few nobody has said the words.
        let kept = [
            "He works as an accountant",
            "Project status: planning",
            "She weighs 60 kg",
            "She is vegan",
            "He is 42",
            "Her favorite author is Orwell",
            "Wants the summary in bullet points",
        ];
        let pairs = pairs(include_str!("../../../claims/tests/changed.txt"), &kept);
        let stands: Vec<&[&str; 2]> = pairs
            .iter()
            .filter(|texts| all(&texts[..], &ana()) != ["added", "superseded"])
            .collect();
        // What isn't sure stands, and is shown below.
        assert!(stands.len() * 5 <= pairs.len(), "{} of {}: {stands:?}", stands.len(), pairs.len());
    }

    #[test]
    fn what_may_both_be_so_takes_nothing_out() {
        for [one, other] in pairs(include_str!("../../../claims/tests/apart.txt"), &[]) {
            for texts in [[one, other], [other, one]] {
                assert_eq!(all(&texts, &ana()), ["added", "added"], "{texts:?}");
            }
        }
    }

    #[test]
    fn what_nobody_can_tell_is_no_slot() {
        let about_bob =
            Caller { scope: Scope { subject: Some("bob".into()), ..ana().scope }, ..ana() };
        let texts = ["She lives in Pune", "She lives in Oslo"];
        assert_eq!(all(&texts, &about_bob), ["added", "superseded"]);
        let assistant = Caller { rank: Rank::Assistant, ..ana() };
        assert_eq!(all(&["I use npm", "I use pnpm"], &assistant), ["added", "added"]);
        let stated = Slot { entity: "x".into(), predicate: "y".into(), ..Slot::default() };
        let text = "Ana lives in Pune".to_owned();
        let stated = Remember { text, slot: Some(stated), ..Remember::default() };
        let tick = Tick { raw: NOW, recorded_at: NOW, clamped: false };
        let door = ana().door(Moment { tick, next: Seq(1) }, None).unwrap();
        assert_eq!(with_claimed_slot(&stated, &door), None);
    }

    #[test]
    fn the_log_keeps_the_slot_and_who_gave_it() {
        let disk = MemoryDisk::new();
        let ledger = Ledger::init_in(env(&disk), with(true)).unwrap();
        let _ = say(&ledger, &ana(), "Ana lives in Pune");
        let written = say(&ledger, &ana(), "Ana lives in Oslo");
        assert!(matches!(written.outcome, WriteOutcome::Decided { .. }));
        let mut seen = (None, None);
        for record in ledger.records(Seq(0), None).unwrap() {
            let record = record.unwrap();
            let Some(body) = decode(&record).unwrap() else { continue };
            if let Event::Reconcile(ReconcileEvent::Decided(decided)) = &body.event {
                seen.0 = decided.model.as_ref().map(ToString::to_string);
            }
            if let Event::Memory(MemoryEvent::Remembered(row)) = &body.event {
                let slot = row.slot.as_ref();
                seen.1 = slot.map(|slot| format!("{} {}", slot.predicate, slot.value));
            }
        }
        assert_eq!(seen.0, Some(format!("grammar {}", Claim::GRAMMAR)));
        assert_eq!(seen.1.as_deref(), Some("lives_in oslo"));
        let digest = ledger.snapshot().unwrap().digest(1);
        ledger.close().unwrap();
        // A replay, and a writer without the grammar, take the slot from the log.
        let plain = Options { use_checkpoint: false, ..with(false) };
        let again = Ledger::open_in(env(&disk), plain).unwrap();
        assert_eq!(again.snapshot().unwrap().digest(1), digest);
        let labels = ["Ana lives in Oslo", "Ana lives in Rome"]
            .map(|text| say(&again, &ana(), text).outcome.label());
        assert_eq!(labels, ["restated", "added"]);
    }

    #[test]
    fn the_same_words_are_the_same_with_a_slot_or_without() {
        let disk = MemoryDisk::new();
        let ledger = Ledger::init_in(env(&disk), with(false)).unwrap();
        let _ = say(&ledger, &ana(), "Ana lives in Pune");
        ledger.close().unwrap();
        let ledger = Ledger::open_in(env(&disk), with(true)).unwrap();
        assert_eq!(say(&ledger, &ana(), "Ana lives in Pune").outcome.label(), "restated");
    }
}
