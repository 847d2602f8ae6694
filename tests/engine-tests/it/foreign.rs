//! Tests of an export from elsewhere: its claims here, and the disputes that it brings.

use memlith::{
    Authority, Caller, Change, Ledger, Rank, RecordId, Seq, WriteOutcome, log::Record,
    storage::MemoryDisk,
};

use crate::world::{World, ana, export, fact, head, ids, look, owner, say, words};

const QUESTION: &str = "where does Ana live";

fn elsewhere(seed: u64) -> (World, Ledger) {
    let world = World::on(MemoryDisk::new(), seed);
    let ledger = world.init();
    world.tick();
    (world, ledger)
}

fn behind(ledger: &Ledger, seq: Seq) -> Vec<Record> {
    ledger.records(seq.next(), None).unwrap().map(|record| record.unwrap()).collect()
}

fn lives_in(place: &str) -> memlith::Remember {
    fact(&format!("Ana lives in {place}."), "ana", "lives_in", place)
}

fn wrong() -> Change {
    Change::Invalidate { weight: None, reason: Some("so it says".into()) }
}

/// An export in which an owner says otherwise, and takes back what is true here.
fn claims() -> String {
    let (world, ledger) = elsewhere(1_000);
    world.tick();
    let _ = ledger.remember(&owner(), lives_in("Berlin")).unwrap();
    let cat = ledger.remember(&owner(), words("The cat is called Momo.")).unwrap().id;
    let summary = memlith::Remember { rests_on: vec![cat], ..words("There is a cat.") };
    let engine = Caller { origin: Some(memlith::Origin::Derived), ..owner() };
    let _ = ledger.remember(&engine, summary).unwrap();
    let _ =
        ledger.change(&owner(), Change::Confirm { weight: None, verified: true }, [cat]).unwrap();
    let _ = ledger.change(&owner(), wrong(), [cat]).unwrap();
    export(&ledger)
}

#[test]
fn a_file_claims_no_more_than_its_importer() {
    let text = claims();
    let web = Caller::new("default", "crawler", Rank::Web);
    let capped = Caller { tier_cap: Some(1), ..owner() };
    for (importer, rank, tier) in
        [(ana(), Rank::User, 4), (web, Rank::Web, 1), (capped, Rank::Web, 1)]
    {
        let (world, ledger) = elsewhere(2_000);
        let pune = ledger.remember(&owner(), lives_in("Pune")).unwrap().id;
        let cat = ledger.remember(&owner(), words("The cat is called Momo.")).unwrap().id;
        let before = head(&ledger);
        world.pass_days(1);
        assert!(ledger.import_jsonl(&importer, text.as_bytes()).unwrap().added > 0);
        assert_eq!(ids(&look(&ledger, QUESTION, None))[0], pune, "{rank:?}");
        assert!(ids(&look(&ledger, "the cat", None)).contains(&cat), "{rank:?}");
        assert!(!ledger.show(&ana(), cat).unwrap().disputed_by.is_empty(), "{rank:?}");
        for record in behind(&ledger, before) {
            let body = memlith::log::decode(&record).unwrap().unwrap();
            assert!(body.envelope.actor.rank <= rank, "{body:?}");
            if body.event.is_item() {
                let item = ledger.show(&ana(), record.id()).unwrap().item;
                assert!(item.tier.0 <= tier && item.guard <= tier, "{item:?}");
            }
        }
        let end = head(&ledger);
        assert_eq!(ledger.import_jsonl(&importer, text.as_bytes()).unwrap().added, 0);
        assert_eq!((head(&ledger), world.findings()), (end, vec![]));
    }
    // The owner's own import has the owner's authority.
    let (world, ledger) = elsewhere(2_000);
    let pune = ledger.remember(&owner(), lives_in("Pune")).unwrap().id;
    world.pass_days(1);
    ledger.import_jsonl(&owner(), text.as_bytes()).unwrap();
    assert_eq!(ledger.show(&ana(), pune).unwrap().authority, Authority::Superseded);
}

#[test]
fn a_history_is_continued_with_no_more_than_its_importer_has() {
    let (world, source) = elsewhere(1_000);
    let canary = say(&source, "The canary sings at noon.");
    let early = export(&source);
    world.tick();
    let ours = say(&source, "Said by Ana.");
    let theirs = source.remember(&owner(), words("Said by the owner.")).unwrap().id;
    let late = export(&source);
    source.erasure().erase(&owner(), &[canary]).unwrap();
    // The canary's words, and the erasure that took them.
    let kept = late.lines().count() - 1;
    let export = export(&source);
    let forged: Vec<&str> = late.lines().take(kept).chain(export.lines().skip(kept)).collect();
    let forged = forged.join("\n");

    let restored = |text: &str, importer: &Caller| {
        let (world, copy) = elsewhere(3_000);
        world.pass_days(1);
        copy.import_jsonl(&ana(), early.as_bytes()).unwrap();
        copy.import_jsonl(importer, text.as_bytes()).unwrap();
        copy
    };
    let is_here = |copy: &Ledger, id: RecordId| copy.show(&ana(), id).is_ok();
    let copy = restored(&late, &ana());
    assert!(is_here(&copy, canary) && is_here(&copy, ours) && !is_here(&copy, theirs));
    let copied = ids(&look(&copy, "said by the owner", None))[0];
    assert_eq!(copy.show(&ana(), copied).unwrap().item.guard, 4);
    let copy = restored(&late, &owner());
    assert!(is_here(&copy, canary) && is_here(&copy, ours) && is_here(&copy, theirs));
    let copy = restored(&forged, &ana());
    assert_eq!(copy.show(&ana(), canary).unwrap().authority, Authority::Active);
    assert!(behind(&copy, Seq(0)).iter().all(|record| record.kind >= 64));
}

#[test]
fn a_proposal_stays_one_and_a_dispute_comes_along() {
    let (world, source) = elsewhere(1_000);
    let tool = Caller::new("default", "shell", Rank::Tool);
    let tea = say(&source, "Ana drinks green tea.");
    let home = source.remember(&owner(), lives_in("Pune")).unwrap().id;
    world.tick();
    let mut pending = vec![
        source.remember(&tool, lives_in("Goa")).unwrap(),
        // Here the owner's word is worth a user's: what stood below it must not displace it.
        source.remember(&ana(), lives_in("Berlin")).unwrap(),
        source.correct(&tool, tea, words("Ana drinks black coffee.")).unwrap(),
    ];
    pending
        .retain(|written| matches!(written.outcome, WriteOutcome::Decided { pending: true, .. }));
    assert_eq!(pending.len(), 3);
    let _ = source.change(&tool, wrong(), [tea]).unwrap();
    let _ = source.change(&ana(), wrong(), [home]).unwrap();
    let disputes = |ledger: &Ledger, id| ledger.show(&ana(), id).unwrap().disputed_by.len();
    assert_eq!((disputes(&source, tea), disputes(&source, home)), (2, 3));
    let text = export(&source);

    for importer in [ana(), owner()] {
        let (world, target) = elsewhere(4_000);
        say(&target, "Something is here already.");
        world.pass_days(1);
        target.import_jsonl(&importer, text.as_bytes()).unwrap();
        let here = |id: RecordId| {
            let from_there = |record: &Record| {
                let body =
                    memlith::log::decode(record).unwrap().filter(|body| body.event.is_item());
                body.and_then(|body| body.envelope.copied_from).is_some_and(|from| from.id == id)
            };
            behind(&target, Seq(0)).iter().find(|record| from_there(record)).unwrap().id()
        };
        for id in [tea, home] {
            assert_eq!(disputes(&target, here(id)), disputes(&source, id), "{:?}", importer.rank);
            let authority = target.show(&ana(), here(id)).unwrap().authority;
            assert_eq!(authority, Authority::Active, "{:?}", importer.rank);
        }
        for written in &pending {
            let authority = target.show(&ana(), here(written.id)).unwrap().authority;
            assert_eq!(authority, Authority::Pending, "{:?}", importer.rank);
        }
        // A person's word ends the dispute here as there.
        let confirm = Change::Confirm { weight: None, verified: false };
        let _ = target.change(&ana(), confirm, [here(tea)]).unwrap();
        assert_eq!(disputes(&target, here(tea)), 0);
        assert_eq!(world.findings(), []);
    }
}
