//! Tests that patterns that jobs report again are counted, and proposed as a procedure in time.

use memlith::log::{Event, decode};
use memlith::procedures::{Mined, MinedStep, ProcedureId, ProposedProcedure};
use memlith::read::{ListOf, Listing};
use memlith::{Authority, Caller, Digest, Error, Judgement, Ledger, RecordId, Scope};
use memlith_writeback::{
    ExtractError, Extracted, Extraction, Extractor, JobEnd, JobQueue, Pattern, Practice, Turn, What,
};

use crate::world::{World, digest, head, owner};
use crate::writeback::{Talk, at, project};

/// Takes a turn "well: name: step; step" as a pattern that was seen to go well; "badly" and
/// "once" are the other two ends.
struct Told;

impl Extractor for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    fn claim_us(&self) -> i64 {
        60_000_000
    }

    fn extract(&self, _: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError> {
        let mut found = Extraction::default();
        for turn in turns {
            let What::User(text) = &turn.what else { continue };
            let parts: Vec<&str> = text.splitn(3, ": ").collect();
            let [end, name, steps] = parts[..] else { continue };
            found.patterns.push(Pattern {
                name: name.to_owned(),
                trigger: "a version is to be published".to_owned(),
                preconditions: vec!["the tree is clean".to_owned()],
                steps: steps.split("; ").map(str::to_owned).collect(),
                gotchas: vec!["crates go out one after another".to_owned()],
                success_criteria: vec!["the registry shows it".to_owned()],
                verified: match end {
                    "well" => Some(true),
                    "badly" => Some(false),
                    _ => None,
                },
                evidence: vec![turn.id],
            });
        }
        Ok(Extracted::Found(found))
    }
}

const SESSIONS: [&str; 8] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];

/// A session in which somebody says that, and its job; the turn.
fn told(ledger: &Ledger, session: &'static str, text: &str) -> RecordId {
    let before = head(ledger);
    let talk = Talk::of(ledger, session);
    talk.says("user", text);
    assert!(talk.queue(at(0)));
    let run = JobQueue::of(ledger).run(&Told, at(1)).unwrap().unwrap();
    assert!(matches!(run.end, JobEnd::Applied(applied) if applied.procedures == 1), "{run:?}");
    let mut new = ledger.records(before.next(), None).unwrap().map(Result::unwrap);
    new.find(|record| record.kind == 80).unwrap().id()
}

fn practices(ledger: &Ledger) -> Vec<Practice> {
    JobQueue::of(ledger).practices(at(2)).unwrap().into_iter().map(|one| one.practice).collect()
}

/// The procedures of the project, and what became of them.
fn procedures(ledger: &Ledger) -> Vec<(RecordId, Authority)> {
    let caller = Caller { scope: project(), ..owner() };
    let listing = Listing { what: ListOf::Memories, limit: 100, ..Listing::default() };
    let items = ledger.list(&caller, &listing).unwrap().items;
    let is_procedure = |id: RecordId| {
        let record = ledger.records(id.seq, Some(1)).unwrap().next().unwrap().unwrap();
        matches!(decode(&record).unwrap().unwrap().event, Event::Procedure(_))
    };
    let ids = items.iter().map(|one| one.item.id).filter(|id| is_procedure(*id));
    ids.map(|id| (id, ledger.show(&caller, id).unwrap().authority)).collect()
}

const RELEASE: &str = "well: release: bump the version; publish the crates";

#[test]
fn six_sessions_that_went_well_make_one_practice_and_from_the_third_a_candidate() {
    let world = World::new();
    let ledger = world.init();
    for (number, session) in (1..).zip(SESSIONS.iter().take(6)) {
        told(&ledger, session, RELEASE);
        let [practice] = practices(&ledger)[..] else { panic!("one, at {number}") };
        assert_eq!((practice.seen, practice.succeeded, practice.failed), (number, number, 0));
        // A few seconds' fading.
        let strength = practice.strength_at(at(2)).next_multiple_of(100);
        assert_eq!(strength, 400_000 + number * 100_000);
        let waits = procedures(&ledger);
        assert_eq!(waits.is_empty(), number < 3, "{number}");
        assert!(waits.iter().all(|(_, authority)| *authority != Authority::Active), "unreviewed");
    }
    // Told twice as often as when it was first proposed, it was proposed anew in its place.
    let waiting: Vec<RecordId> = procedures(&ledger)
        .into_iter()
        .filter(|(_, authority)| *authority == Authority::Pending)
        .map(|(id, _)| id)
        .collect();
    let [procedure] = waiting[..] else { panic!("{waiting:?}") };
    let reviewer = Caller { scope: project(), ..owner() };
    assert!(matches!(ledger.skill(&reviewer, procedure), Err(Error::NotAccepted { .. })));
    let _ = ledger.review().judge(&reviewer, Judgement::Accept, [procedure], None).unwrap();
    let skill = ledger.skill(&reviewer, procedure).unwrap().text;
    for line in [
        "# release\n",
        "## When to use\n\n- `a version is to be published`\n",
        "## Inputs to gather\n\n- `the tree is clean`\n",
        "## Procedure\n\n1. `bump the version`\n2. `publish the crates`\n",
        "## Efficiency plan\n\n- Unknown.\n",
        "## Pitfalls and fixes\n\n- `crates go out one after another`\n",
        "## Verification checklist\n\n- `the registry shows it`\n",
    ] {
        assert!(skill.contains(line), "{line} in {skill}");
    }
    // A copy that folds the log from its first record comes to the same.
    let before = digest(&ledger);
    drop(ledger);
    assert_eq!(before, digest(&world.open()));
}

#[test]
fn a_mention_counts_as_seen_and_other_steps_are_another_practice() {
    let world = World::new();
    let ledger = world.init();
    let mention = "once: release: bump the version; publish the crates";
    for session in SESSIONS.iter().take(4) {
        told(&ledger, session, mention);
    }
    told(&ledger, SESSIONS[4], "badly: Release: bump  the version; publish the crates");
    told(&ledger, SESSIONS[5], "well: release: tag it; publish the crates");
    let counts: Vec<(u32, u32, u32, u32)> = practices(&ledger)
        .iter()
        .map(|one| (one.seen, one.succeeded, one.failed, one.strength))
        .collect();
    assert_eq!(counts, [(1, 1, 0, 500_000), (5, 0, 1, 300_000)]);
    assert_eq!(procedures(&ledger), []);
}

#[test]
fn what_is_erased_counts_no_longer_and_one_session_alone_proposes_nothing() {
    let world = World::new();
    let ledger = world.init();
    let first = told(&ledger, SESSIONS[0], RELEASE);
    told(&ledger, SESSIONS[1], RELEASE);
    assert_eq!(practices(&ledger)[0].seen, 2);
    // The turn alone is erased: what was made of its words goes with it.
    let erased = ledger.erasure().erase(&Caller { scope: project(), ..owner() }, &[first]).unwrap();
    assert!(erased.records.len() >= 3, "{erased:?}");
    assert_eq!(practices(&ledger)[0].seen, 1);

    // Three jobs of one session are three successes, and one session's word.
    let talk = Talk::of(&ledger, SESSIONS[2]);
    for minute in 10..13 {
        talk.says("user", "well: deploy: build it; copy it over");
        assert!(talk.queue(at(minute)));
        assert!(JobQueue::of(&ledger).run(&Told, at(minute)).unwrap().is_some());
    }
    let deploy = practices(&ledger).into_iter().find(|one| one.succeeded == 3).unwrap();
    assert!(deploy.is_proven());
    assert_eq!(procedures(&ledger), []);
}

#[test]
fn what_a_mined_procedure_does_is_evidence_for_that_one() {
    let world = World::new();
    let ledger = world.init();
    let told_first = told(&ledger, SESSIONS[0], "well: ship: make dist; git push");
    let second = told(&ledger, SESSIONS[1], "well: ship: make dist; git push");
    let verbs = ["make dist", "git push"];
    let step = |verb: &&str| MinedStep { verb: (*verb).to_owned().into(), ..MinedStep::default() };
    let mined = Mined {
        title: "From make dist to git push".into(),
        identity: Digest(ProcedureId::of(verbs).0),
        steps: verbs.iter().map(step).collect(),
        support: 2,
        required: 2,
        ..Mined::default()
    };
    let proposed = ProposedProcedure { mined, rests_on: vec![told_first, second] };
    let reviewer = Caller { scope: project(), ..owner() };
    let _ = ledger.propose_procedure(&reviewer, &proposed).unwrap();
    let [(id, Authority::Pending)] = procedures(&ledger)[..] else { panic!() };
    let _ = ledger.review().judge(&reviewer, Judgement::Accept, [id], None).unwrap();
    let strength = |ledger: &Ledger| {
        let told = ledger.explain(&reviewer, id).unwrap();
        told.explanation.salience.to_string().parse::<f64>().unwrap()
    };
    let before = strength(&ledger);
    for session in &SESSIONS[2..5] {
        told(&ledger, session, "well: ship it: make dist; git push");
    }
    let high = strength(&ledger);
    assert!(high > before, "what went well made it no stronger");
    let ids: Vec<RecordId> = procedures(&ledger).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [id], "no second one of the same verbs");
    for session in &SESSIONS[5..8] {
        told(&ledger, session, "badly: ship it: make dist; git push");
    }
    // A person accepted it: what an assistant says against it disputes it, and is kept.
    let all = ledger.records(memlith::Seq::GENESIS, None).unwrap().map(Result::unwrap);
    assert_eq!(all.filter(|record| record.kind == 144).count(), 6);
}
