//! An export, and what importing it makes.

use memlith::{
    AsOf, Error, Ledger, Remember, Seq,
    copy::ImportReport,
    log::{Body, Event, LinkKind, Record},
    write::IdempotencyKey,
};
use memlith_log::Payload;

use crate::world::{
    World, ana, ask, dialogue, digest, explain, export, head, ids, import, invalidate,
    little_of_everything, look, owner, say, words,
};

fn records(ledger: &Ledger) -> Vec<Record> {
    ledger.records(Seq(0), None).unwrap().map(|record| record.unwrap()).collect()
}

/// Returns the parts that must be equal in a restored record: everything but the chain.
fn kept(record: &Record) -> impl PartialEq + std::fmt::Debug + use<> {
    (record.header().encode(), record.id(), record.record_hash, record.payload.clone())
}

fn rich() -> (World, Ledger) {
    let world = World::new();
    let ledger = world.init();
    little_of_everything(&world, &ledger);
    ledger.checkpoints().write().unwrap();
    let canary = say(&ledger, "The canary sings at noon.");
    ledger.erasure().erase(&owner(), &[canary]).unwrap();
    say(&ledger, "After the erasure.");
    (world, ledger)
}

fn empty() -> (World, Ledger) {
    let world = World::on(memlith::storage::MemoryDisk::new(), 1_000);
    let ledger = world.init();
    (world, ledger)
}

#[test]
fn a_restored_ledger_has_every_record_and_the_same_digest() {
    let (world, ledger) = rich();
    let text = export(&ledger);
    let (there, copy) = empty();
    let report = copy.import_jsonl(&owner(), text.as_bytes()).unwrap();
    assert_eq!(report.added, head(&ledger).0 + 1);
    let (ours, theirs) = (records(&ledger), records(&copy));
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(kept(ours), kept(theirs));
        assert_ne!(ours.chain, theirs.chain, "the chain binds the ledger");
    }
    assert!(theirs.iter().any(|record| matches!(record.payload, Payload::Erased { .. })));
    assert_ne!(ledger.id(), copy.id());
    assert_eq!(digest(&copy), digest(&ledger));
    assert_eq!(copy.audit().digest().unwrap().digest, digest(&ledger));
    assert_eq!(there.findings(), []);
    assert!(text.contains("\"key\":\"") && text.contains("\"checkout\":\""), "names in hex");
    // Only the heading names the ledger, and only its chain differs.
    let unchained = |text: &str| {
        let lines = text.lines().skip(1).map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("chain");
            let log = line.get_mut("log").and_then(serde_json::Value::as_object_mut);
            log.map(|log| log.remove("chain"));
            line
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(unchained(&export(&copy)), unchained(&text));

    for (world, ledger) in [(&world, &ledger), (&there, &copy)] {
        world.tick();
        let id = say(ledger, "Both go on from here.");
        assert_eq!(ids(&ask(ledger, "both go on")), [id]);
        assert!(matches!(
            ledger.checkpoints().write(),
            Ok(memlith::prove::Checkpointed::Sealed { .. })
        ));
        assert_eq!(ledger.audit().digest().unwrap().digest, digest(ledger));
        let seq = *ledger.checkpoints().list().unwrap().last().unwrap();
        let replay = memlith::prove::Replay { from_checkpoint: Some(seq), ..Default::default() };
        assert_eq!(ledger.audit().replay(&replay).unwrap().digest, digest(ledger));
        assert_eq!(world.findings(), []);
        for audit in ledger.audit().receipts().unwrap() {
            use memlith::read::Verdict::{Affected, Reproduced};
            assert!(matches!(audit.verdict, Reproduced | Affected { .. }), "{audit:?}");
        }
    }
}

#[test]
fn a_restore_that_was_cut_short_is_run_again() {
    // A ledger that held the beginning of the export was taken for one with content of its
    // own: what was missing came in as copies, with new ids.
    let (_, ledger) = rich();
    let text = export(&ledger);
    let lines: Vec<&str> = text.lines().collect();
    for cut in [1, 2, 3, 7, lines.len() / 2, lines.len() - 2, lines.len() - 1] {
        let (there, copy) = empty();
        let part = lines[..cut].join("\n");
        let _ = copy.import_jsonl(&owner(), part.as_bytes());
        drop(copy);
        let copy = there.open();
        copy.import_jsonl(&owner(), text.as_bytes()).unwrap();
        let same = records(&ledger).iter().map(kept).eq(records(&copy).iter().map(kept));
        assert!(same, "cut after {cut} lines");
        assert_eq!(copy.audit().digest().unwrap().digest, digest(&ledger), "cut after {cut} lines");
        let again = copy.import_jsonl(&owner(), text.as_bytes()).unwrap();
        assert_eq!(again.added, 0);
        assert_eq!(head(&copy), head(&ledger));
        assert_eq!(there.findings(), []);
    }
}

#[test]
fn a_ledger_that_takes_in_its_own_export_stays_as_it_is() {
    let (_, ledger) = rich();
    let text = export(&ledger);
    say(&ledger, "Written after the export.");
    let end = head(&ledger);
    let report = ledger.import_jsonl(&owner(), text.as_bytes()).unwrap();
    assert_eq!((report.added, head(&ledger)), (0, end));
}

#[test]
fn an_import_into_content_appends_once_with_links_and_provenance() {
    let source_world = World::new();
    let source = source_world.init();
    let tea = say(&source, "Ana drinks green tea.");
    let habit = Remember { rests_on: vec![tea], ..words("Ana keeps her habits.") };
    let habit = source.remember(&ana(), habit).unwrap().id;
    ask(&source, "green tea");
    let wrong = say(&source, "The dog is called Rex.");
    invalidate(&source, wrong);
    import(&source, &dialogue("trip", &["We went to Goa."])).unwrap();
    let text = export(&source);

    let (world, target) = empty();
    let present = say(&target, "Ana drinks green tea.");
    say(&target, "Something else altogether.");
    let before = head(&target);
    world.tick();
    let report = target.import_jsonl(&owner(), text.as_bytes()).unwrap();
    assert!(report.added > 0);
    let copied = |id: memlith::RecordId| {
        records(&target)
            .iter()
            .filter(|record| record.seq > before)
            .find(|record| {
                let body = memlith::log::decode(record).unwrap();
                let from = body.filter(|body| body.event.is_item());
                from.and_then(|body| body.envelope.copied_from)
                    .is_some_and(|from| from.id == id && from.ledger == source.id())
            })
            .cloned()
    };
    // What stood already is the one that the copy rests on.
    let habit = copied(habit).expect("the habit is copied");
    let body: Body<'_> = memlith::log::decode(&habit).unwrap().unwrap();
    assert_eq!(body.envelope.linked(LinkKind::RestsOn).collect::<Vec<_>>(), [present]);
    assert!(matches!(body.event, Event::Memory(_)));
    let dog = copied(wrong).expect("the dog is copied");
    let authority = target.show(&ana(), dog.id()).unwrap().authority;
    assert_eq!(authority, memlith::Authority::Invalidated);
    assert!(ids(&look(&target, "dog", None)).is_empty());
    assert!(explain(&target, present).explanation.steps.len() > 1, "the showing came along");
    invalidate(&target, present);
    let stale = target.show(&ana(), habit.id()).unwrap().authority;
    assert_eq!(stale, memlith::Authority::Stale);

    let end = head(&target);
    for _ in 0..2 {
        let again = target.import_jsonl(&owner(), text.as_bytes()).unwrap();
        assert_eq!((again.added, head(&target)), (0, end), "{again:?}");
    }
    // A longer export of the same ledger brings what is new, resting on what came before.
    let more = Remember { rests_on: vec![tea], ..words("Ana buys green tea on Mondays.") };
    let more = source.remember(&ana(), more).unwrap().id;
    crate::world::reconfirm(&target, present);
    let report: ImportReport = target.import_jsonl(&owner(), export(&source).as_bytes()).unwrap();
    assert!(report.added > 0);
    let more = copied(more).expect("the new one is copied");
    let body = memlith::log::decode(&more).unwrap().unwrap();
    assert_eq!(body.envelope.linked(LinkKind::RestsOn).collect::<Vec<_>>(), [present]);
    assert_eq!(world.findings(), []);
    assert_eq!(target.audit().digest().unwrap().digest, digest(&target));
}

#[test]
fn what_an_import_refused_is_not_tried_again() {
    // Said again after its invalidation, a memory was reopened there. Here the same words
    // came too early, were refused, and restated the memory at the second import, after
    // the reconfirmation that follows them had been copied.
    let source_world = World::new();
    let source = source_world.init();
    let goa = say(&source, "Ana likes Goa.");
    invalidate(&source, goa);
    source_world.pass_days(3);
    assert_eq!(source.remember(&owner(), words("Ana likes Goa.")).unwrap().id, goa);
    let text = export(&source);
    let (world, target) = empty();
    world.pass_days(3);
    say(&target, "Something is here already.");
    assert!(target.import_jsonl(&owner(), text.as_bytes()).unwrap().added > 0);
    let end = head(&target);
    for _ in 0..2 {
        let again = target.import_jsonl(&owner(), text.as_bytes()).unwrap();
        assert_eq!((again.added, head(&target)), (0, end), "{again:?}");
    }
}

#[test]
fn a_changed_line_is_named() {
    let (_, ledger) = rich();
    let text = export(&ledger);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.contains("green tea")).unwrap();
    let body_start = lines[at].find("\"body\":\"").unwrap() + 40;
    let mut changed: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let swapped = if &changed[at][body_start..=body_start] == "A" { "B" } else { "A" };
    changed[at].replace_range(body_start..=body_start, swapped);
    let broken = [
        (changed.join("\n"), at + 1),
        (text.replacen("\"seq\":3,", "\"seq\":4,", 1), 5),
        (format!("{}\nnot json", lines[..6].join("\n")), 7),
        (lines[1..].join("\n"), 1),
        (format!("{}\n{}", lines[0], "[".repeat(10_000)), 2),
        (String::new(), 1),
    ];
    for (text, line) in broken {
        for content in [false, true] {
            let (there, copy) = empty();
            if content {
                say(&copy, "Something is here already.");
            }
            let error = copy.import_jsonl(&owner(), text.as_bytes()).unwrap_err();
            let named = matches!(&error, Error::Jsonl { line: named, .. } if *named == line as u64);
            assert!(named, "line {line}: {error:?}");
            assert_eq!(there.findings(), []);
        }
    }
}

#[test]
fn a_record_erased_in_the_export_is_not_taken_for_one_that_is_here() {
    // Passed over, the record would stay while the erasure that names it is restored and
    // believed done: the ledger would contradict itself for ever.
    let world = World::new();
    let ledger = world.init();
    let canary = say(&ledger, "The canary sings at noon.");
    let early = export(&ledger);
    ledger.erasure().erase(&owner(), &[canary]).unwrap();
    let late = export(&ledger);
    let (there, copy) = empty();
    copy.import_jsonl(&owner(), early.as_bytes()).unwrap();
    let report = copy.import_jsonl(&owner(), late.as_bytes()).unwrap();
    assert_eq!(report.added, 0, "{report:?}");
    assert_eq!(there.findings(), []);
    copy.erasure().erase(&owner(), &[canary]).unwrap();
    assert!(there.files_with("canary").is_empty());
    assert_eq!(there.findings(), []);
}

#[test]
fn a_key_is_kept_by_a_restore() {
    let world = World::new();
    let ledger = world.init();
    let keyed = memlith::Caller { key: Some(IdempotencyKey([7; 16])), ..ana() };
    let id = ledger.remember(&keyed, words("Said under a key.")).unwrap().id;
    let (_, copy) = empty();
    copy.import_jsonl(&owner(), export(&ledger).as_bytes()).unwrap();
    let again = copy.remember(&keyed, words("Said under a key.")).unwrap();
    assert_eq!((again.id, again.outcome.label()), (id, "already_present"));
    assert_eq!(ids(&look(&copy, "key", Some(AsOf::Seq(head(&copy))))), [id]);
}

/// An export that was cut anywhere gives what there is, and says how much is not there.
#[test]
fn a_cut_export_says_how_much_is_missing() {
    let world = World::new();
    let ledger = world.init();
    for number in 0..6 {
        say(&ledger, &format!("Lamp {number} stands in room {number}."));
    }
    let text = export(&ledger);
    let export = text.as_bytes();
    let records = ledger.head().seq.0 + 1;
    let last = text.lines().last().unwrap();
    assert!(last.starts_with(&format!("{{\"memlith_export_end\":{records},")), "{last}");
    assert!(last.contains(&ledger.head().chain.to_string()), "{last}");
    let heading = text.find('\n').unwrap() + 1;
    let copied = |bytes: &[u8]| {
        let ledger = World::on(memlith::storage::MemoryDisk::new(), 9).init();
        let report = ledger.import_jsonl(&owner(), bytes).unwrap();
        assert_eq!(report.added + report.missing, records, "what is there and what isn't");
        report.cut
    };
    assert!(!copied(export));
    // Without its last line nothing is missing that is known of, and yet it is not whole.
    let whole = text.len() - last.len() - 1;
    let ledger = World::new().init();
    let report = ledger.import_jsonl(&owner(), &export[..whole]).unwrap();
    assert_eq!((report.cut, report.missing), (true, 0));
    // The whole one restores the rest.
    assert!(!ledger.import_jsonl(&owner(), export).unwrap().cut);
    assert_eq!(ledger.head().seq.0 + 1, records);
    for cut in (heading..whole - 1).step_by(97) {
        assert!(copied(&export[..cut]), "cut at {cut}");
    }
    // Into a ledger of its own records nothing is restored, and the same is said.
    let other = World::new().init();
    say(&other, "Something else.");
    assert!(other.import_jsonl(&owner(), &export[..whole / 2]).unwrap().missing > 0);
}

/// The rest of a history went into a ledger that held a part of it as copies, beside the part.
#[test]
fn a_cut_export_and_then_the_whole_one_are_the_whole_history_once() {
    let (_, ledger) = rich();
    let text = export(&ledger);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for count in (1..lines.len()).step_by(3) {
        let (there, copy) = empty();
        // Whole lines, and half a line behind them.
        let mut cut = lines[..count].concat();
        cut.push_str(&lines[count][..lines[count].len() / 2]);
        let report = copy.import_jsonl(&owner(), cut.as_bytes()).unwrap();
        assert!(report.cut, "{count}: {report:?}");
        let report = copy.import_jsonl(&owner(), text.as_bytes()).unwrap();
        assert!(!report.cut && report.missing == 0, "{count}: {report:?}");
        let (ours, theirs) = (records(&ledger), records(&copy));
        assert_eq!(ours.len(), theirs.len(), "{count}: {report:?}");
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(kept(ours), kept(theirs), "{count}");
        }
        assert_eq!(copy.audit().digest().unwrap().digest, digest(&ledger), "{count}");
        assert_eq!(there.findings(), [], "{count}");
    }
}

#[test]
fn a_last_line_that_lies_is_refused() {
    let world = World::new();
    let ledger = world.init();
    say(&ledger, "The cat is called Momo.");
    let text = export(&ledger);
    let (body, last) = text.trim_end().rsplit_once('\n').unwrap();
    for lie in [
        format!("{body}\n{}\n", last.replace("end\":3", "end\":4")),
        format!("{text}{last}\n"),
        format!("{text}\n"),
    ] {
        let ledger = World::new().init();
        assert!(ledger.import_jsonl(&owner(), lie.as_bytes()).is_err(), "{lie}");
    }
}
