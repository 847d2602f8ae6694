//! Tests that erased texts stay erased, on every way in.

use memlith::{
    Caller, Error, Ledger, Options, Rank, RecordId, Remember,
    copy::{Format, ImportOptions, ImportReport},
    forget::Tombstones,
    write::Rejection,
};

use crate::world::{NOW, World, ana, owner, say};

/// A transcript of Claude Code with these turns, each with a name of its own.
fn transcript(turns: &[&str]) -> String {
    let line = |(at, text): (usize, &&str)| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"id-{at}\",\"sessionId\":\"s1\",\"cwd\":\"/w\",\
             \"timestamp\":\"2026-05-01T11:5{at}:00Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    };
    turns.iter().enumerate().map(line).collect()
}

fn import(ledger: &Ledger, text: &str) -> ImportReport {
    let options = ImportOptions { now: Some(NOW), ..ImportOptions::default() };
    ledger.import(Format::ClaudeCode, text.as_bytes(), options).unwrap()
}

fn export(ledger: &Ledger) -> Vec<u8> {
    let mut out = Vec::new();
    ledger.export_jsonl(&mut out).unwrap();
    out
}

/// The item whose words hold `words`.
fn item(ledger: &Ledger, words: &str) -> RecordId {
    let mut found = ledger.records(memlith::Seq::GENESIS, None).unwrap().filter_map(|record| {
        let record = record.unwrap();
        let body = memlith::log::decode(&record).unwrap()?;
        body.event.item_text().is_some_and(|text| text.contains(words)).then(|| record.id())
    });
    found.next().unwrap_or_else(|| panic!("{words} is not there"))
}

/// Whether any file of the ledger holds the words.
fn holds(world: &World, words: &str) -> bool {
    world.disk.names().iter().any(|name| {
        let bytes = world.disk.bytes(name).unwrap();
        bytes.windows(words.len()).any(|at| at == words.as_bytes())
    })
}

fn is_erased(outcome: Result<memlith::Written, Error>) -> bool {
    matches!(outcome, Err(Error::Rejected(Rejection::Erased { .. })))
}

fn note(text: &str) -> Remember {
    Remember { text: text.to_owned(), ..Remember::default() }
}

const SECRET: &str = "My locker code is marigold 4711";

#[test]
fn an_erased_turn_comes_back_by_no_import_and_no_write() {
    let world = World::new();
    let ledger = world.init();
    let text = transcript(&["Good morning to you", SECRET, "yes", "Thanks a lot for that"]);
    assert_eq!(import(&ledger, &text).added, 5);
    let before = export(&ledger);
    let turn = item(&ledger, "marigold");
    ledger.erasure().erase(&owner(), &[turn]).unwrap();
    assert!(!holds(&world, "marigold"));
    // The same transcript: known by its key.
    let again = import(&ledger, &text);
    assert_eq!((again.added, again.skipped["erased-here"]), (0, 1));
    // The same words in another transcript, or by hand, in another writing.
    let other = text.replace("s1", "s2").replace("id-", "jd-");
    let again = import(&ledger, &other);
    assert_eq!((again.added, again.skipped["erased-here"]), (4, 1));
    for words in [SECRET, "my locker  CODE is Marigold 4711."] {
        assert!(is_erased(ledger.remember(&ana(), note(words))), "{words}");
        assert!(is_erased(
            ledger.remember(&Caller::new("default", "bot", Rank::Tool), note(words))
        ));
    }
    // An export of before.
    let report = ledger.import_jsonl(&owner(), before.as_slice()).unwrap();
    assert_eq!(report.added, 0, "{report:?}");
    assert!(!holds(&world, "marigold") && !holds(&world, "Marigold"));
    // Something else may be said, also where it is like it.
    say(&ledger, "My locker code is dandelion 4712");
    // And nothing changes with a fresh process or a fold from the start.
    drop(ledger);
    let ledger = world.open_with(Options { use_checkpoint: false, ..Options::default() }).unwrap();
    assert!(is_erased(ledger.remember(&ana(), note(SECRET))));
    assert_eq!(world.findings(), []);
}

#[test]
fn an_erased_memory_comes_back_by_no_copy() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, SECRET);
    let export = export(&ledger);
    // Another ledger takes it in, and erases it there.
    let copy = World::new();
    let other = copy.init();
    say(&other, "Something of its own.");
    assert!(other.import_jsonl(&owner(), export.as_slice()).unwrap().added > 0);
    other.erasure().erase(&owner(), &[item(&other, "marigold")]).unwrap();
    let report = other.import_jsonl(&owner(), export.as_slice()).unwrap();
    assert_eq!(report.added, 0, "{report:?}");
    assert!(!holds(&copy, "marigold"));
    // Here it stands as it did.
    assert!(ledger.show(&ana(), id).is_ok());
}

#[test]
fn short_words_that_anybody_may_say_are_known_by_their_key_alone() {
    let world = World::new();
    let ledger = world.init();
    let text = transcript(&["yes", "Good morning to you"]);
    import(&ledger, &text);
    ledger.erasure().erase(&owner(), &[item(&ledger, "yes")]).unwrap();
    assert_eq!(import(&ledger, &text).skipped["erased-here"], 1);
    let other = text.replace("s1", "s2").replace("id-", "jd-");
    assert_eq!(import(&ledger, &other).added, 3, "another `yes` is another turn");
    // Of what somebody remembered every text counts.
    let id = say(&ledger, "4711");
    ledger.erasure().erase(&owner(), &[id]).unwrap();
    assert!(is_erased(ledger.remember(&ana(), note("4711"))));
}

#[test]
fn another_tenant_may_say_the_same() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, SECRET);
    ledger.erasure().erase(&owner(), &[id]).unwrap();
    let other = Caller::user("other", "bea");
    assert!(ledger.remember(&other, note(SECRET)).is_ok());
}

#[test]
fn the_owner_alone_lifts_a_tombstone() {
    let world = World::new();
    let ledger = world.init();
    let (id, other) = (say(&ledger, SECRET), say(&ledger, "My badge says hyacinth."));
    assert!(matches!(
        ledger.erasure().lift(&owner(), &[id]),
        Err(Error::Rejected(Rejection::NoTombstone { .. }))
    ));
    ledger.erasure().erase(&owner(), &[id, other]).unwrap();
    assert_eq!(
        ledger.erasure().tombstones().unwrap().standing,
        6,
        "the items, and the decisions that let them in"
    );
    assert!(matches!(
        ledger.erasure().lift(&ana(), &[id]),
        Err(Error::Rejected(Rejection::Rank { .. }))
    ));
    ledger.erasure().lift(&owner(), &[id]).unwrap();
    assert!(ledger.remember(&ana(), note(SECRET)).is_ok());
    assert!(is_erased(ledger.remember(&ana(), note("My badge says hyacinth."))));
    ledger.erasure().lift_all(&owner()).unwrap();
    assert!(ledger.remember(&ana(), note("My badge says hyacinth.")).is_ok());
    assert_eq!(ledger.erasure().tombstones().unwrap(), Tombstones::default());
}

/// An export of before the erasure was taken for what is there already, lifted or not.
#[test]
fn what_is_lifted_comes_back_with_an_export_of_its_own() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, SECRET);
    say(&ledger, "The cat is called Momo.");
    let export = export(&ledger);
    ledger.erasure().erase(&owner(), &[id]).unwrap();
    let import = || ledger.import_jsonl(&owner(), export.as_slice()).unwrap();
    let barred = import();
    assert_eq!(barred.added, 0, "{barred:?}");
    assert!(!holds(&world, "marigold"));
    ledger.erasure().lift(&owner(), &[id]).unwrap();
    let back = import();
    assert_eq!(back.added, 2, "it, and the decision that lets it in: {back:?}");
    let copy = item(&ledger, "marigold");
    assert!(copy > id);
    let again = import();
    assert_eq!(again.added, 0, "no copy twice: {again:?}");
    assert_eq!(world.findings(), []);
}

#[test]
fn without_its_key_nothing_with_words_is_taken_in_and_everything_is_read() {
    const KEY: &str = "tombstone.key";
    let world = World::new();
    let ledger = world.init();
    let (id, kept) = (say(&ledger, SECRET), say(&ledger, "The cat is called Momo."));
    ledger.erasure().erase(&owner(), &[id]).unwrap();
    drop(ledger);
    let whole = world.disk.bytes(KEY).unwrap();
    let other = {
        let other = World::on(memlith::storage::MemoryDisk::new(), 77);
        other.init();
        other.disk.bytes(KEY).unwrap()
    };
    let mut flipped = whole.clone();
    flipped[40] ^= 1;
    let cases: [(&str, Option<Vec<u8>>); 5] = [
        ("missing", None),
        ("damaged", Some(whole[..63].to_vec())),
        ("damaged", Some(Vec::new())),
        ("damaged", Some(flipped)),
        ("another ledger", Some(other)),
    ];
    for (words, bytes) in cases {
        world.disk.delete(KEY);
        if let Some(bytes) = bytes {
            world.disk.set_bytes(KEY, bytes);
        }
        let ledger = world.open();
        let refused = ledger.remember(&ana(), note("Something new.")).unwrap_err();
        assert!(matches!(refused, Error::TombstoneKey { .. }), "{words}: {refused}");
        assert!(refused.to_string().contains(words), "{refused}");
        assert!(ledger.show(&ana(), kept).is_ok());
        assert!(matches!(ledger.erasure().tombstones(), Err(Error::TombstoneKey { .. })));
        drop(ledger);
        let found = world.findings();
        let is_it = |finding: &&memlith::prove::Finding| {
            finding.file == KEY && finding.what.contains(words)
        };
        assert_eq!(found.iter().filter(is_it).count(), 1, "{words}: {found:?}");
        assert_eq!(found.len(), 1, "{words}: {found:?}");
    }
    // The owner goes on without: from then on nothing is barred.
    world.disk.delete(KEY);
    let ledger = world.open();
    ledger.erasure().lift_all(&owner()).unwrap();
    assert_eq!(world.findings(), [], "no tombstone needs it");
    world.disk.set_bytes(KEY, vec![0; 64]);
    let found = world.findings();
    assert!(found.len() == 1 && found[0].what.contains("an erasure makes another"), "{found:?}");
    world.disk.delete(KEY);
    assert!(ledger.remember(&ana(), note(SECRET)).is_ok());
    // The next erasure makes a key of its own.
    ledger.erasure().erase(&owner(), &[kept]).unwrap();
    assert!(is_erased(ledger.remember(&ana(), note("The cat is called Momo"))));
    drop(ledger);
    world.disk.set_bytes(KEY, whole);
    let refused = world.open().remember(&ana(), note("Something new.")).unwrap_err();
    assert!(refused.to_string().contains("not the key"), "{refused}");
}

#[test]
fn a_ledger_restored_from_an_export_needs_no_key_it_never_had() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, SECRET);
    ledger.erasure().erase(&owner(), &[id]).unwrap();
    let export = export(&ledger);
    let restored = World::on(memlith::storage::MemoryDisk::new(), 50);
    let ledger = restored.init();
    ledger.import_jsonl(&owner(), export.as_slice()).unwrap();
    let counted = ledger.erasure().tombstones().unwrap();
    assert!(counted.standing == 0 && counted.foreign > 0, "{counted:?}");
    say(&ledger, "It goes on here.");
}

#[test]
fn a_crash_at_every_step_of_an_erasure_leaves_no_way_back() {
    let world = World::new();
    let ledger = world.init();
    let text = transcript(&["Good morning to you", SECRET]);
    import(&ledger, &text);
    let turn = item(&ledger, "marigold");
    ledger.close().unwrap();
    for at in 0.. {
        let copy = world.copied(900 + at);
        let ledger = copy.open();
        copy.disk.set_fault(Some(memlith_log::Fault { at, kind: memlith_log::FaultKind::Stop }));
        let erased = ledger.erasure().erase(&owner(), &[turn]).is_ok();
        let done = erased && copy.disk.operations() <= at;
        drop(ledger);
        for disk in [copy.disk.after_kill(), copy.disk.after_power_cut()] {
            let after = World::on(disk, 5_000 + at);
            let ledger = after.open();
            // The next writer finishes what was begun.
            ledger.check_writable().unwrap();
            let gone = !holds(&after, "marigold");
            assert!(gone || !done, "step {at}");
            import(&ledger, &text);
            assert_eq!(!holds(&after, "marigold"), gone, "step {at}: it came back");
            if !gone {
                ledger.erasure().erase(&owner(), &[turn]).unwrap();
                import(&ledger, &text);
                assert!(!holds(&after, "marigold"), "step {at}");
            }
        }
        if done {
            assert!(at > 10, "{at}");
            return;
        }
    }
}
