//! Tests that an impossible request is refused, says so, and leaves the ledger as it was.

use std::sync::Arc;

use memlith::{
    AsOf, Caller, Change, CheckoutRequest, Error, ErrorKind, Ledger, Options, Question, Rank,
    RecordId, Remember, Seq, Status, Timestamp, Validity, Written,
    copy::{Format, ImportOptions},
    log::Kind,
    storage::{Clock, FixedClock},
    write::{IdempotencyKey, Rejection, Weight},
};
use memlith_log::{Durability, Fault, FaultKind, Flags, Log, LogOptions, NewRecord};

use crate::world::{
    NOW, World, ana, ask, dialogue, digest, explain, factor, head, ids, import, invalidate, look,
    owner, say, words,
};

#[test]
fn a_request_for_nothing_is_refused() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The cat is called Momo.");
    let end = head(&ledger);
    let request = CheckoutRequest::new;
    let no_budget = CheckoutRequest { budget_tokens: 0, ..request("cat") };
    for bad in [request(""), request(" \n\t"), request("\u{200b}"), no_budget] {
        let error = ledger.checkout(&ana(), &bad).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    }
    let question = |as_of| Question { query: "cat".into(), as_of: Some(as_of) };
    let beyond = ledger.recall(&ana(), question(AsOf::Seq(end.next())), 3);
    assert!(matches!(beyond, Err(Error::AfterHead { .. })));
    let before = ledger.recall(&ana(), question(AsOf::Time(NOW.plus_us(-1))), 3);
    assert!(matches!(before, Err(Error::BeforeGenesis { .. })));
    assert!(ledger.recall(&ana(), question(AsOf::Seq(Seq(0))), 3).unwrap().is_empty());
    for missing in [
        RecordId { seq: Seq(9_999), ..id },
        RecordId { hash: [0; 6], ..id },
        RecordId { seq: Seq(0), ..id },
        RecordId { seq: Seq::MAX, ..id },
    ] {
        assert!(matches!(ledger.show(&ana(), missing), Err(Error::NoRecord { .. })));
        let change = Change::Pin;
        let refused = ledger.change(&ana(), change, [missing]);
        assert!(matches!(refused, Err(Error::Rejected(Rejection::NotFound { .. }))));
        assert!(ledger.erasure().erase(&owner(), &[missing]).is_err());
    }
    for (weight, confirms) in [(0, false), (0, true), (999_999, true), (10_000_001, true)] {
        let weight = Some(Weight(weight));
        let change = match confirms {
            true => Change::Confirm { weight, verified: false },
            false => Change::Invalidate { weight, reason: None },
        };
        let refused = ledger.change(&ana(), change, [id]);
        assert!(matches!(refused, Err(Error::Rejected(Rejection::Weight { .. }))), "{weight:?}");
    }
    let twice = ledger.change(&ana(), Change::Pin, [id, id]);
    assert!(matches!(twice, Err(Error::Rejected(Rejection::DuplicateTarget { .. }))));
    assert!(matches!(
        ledger.remember(&ana(), words("  ")),
        Err(Error::Rejected(Rejection::EmptyText))
    ));
    let long = "x".repeat((1 << 20) + 1);
    assert!(ledger.remember(&ana(), words(&long)).is_err());
    assert_eq!(head(&ledger), end, "a refusal wrote something");
    assert_eq!(factor(&ledger, id), "1.0");
}

#[test]
fn a_write_under_a_known_key_is_not_repeated() {
    // Repeated under its key, a confirmation was answered with its own record in place of
    // the item.
    let world = World::new();
    let ledger = world.init();
    let key = |number| Caller { key: Some(IdempotencyKey([number; 16])), ..ana() };
    let first = ledger.remember(&key(1), words("The cat is called Momo.")).unwrap();
    let restated = ledger.remember(&key(2), words("the cat is called momo")).unwrap();
    let confirm = || Change::Confirm { weight: None, verified: false };
    let confirmed = ledger.change(&key(3), confirm(), [first.id]).unwrap();
    let end = head(&ledger);
    let before = factor(&ledger, first.id);
    for _ in 0..2 {
        let again = ledger.remember(&key(1), words("The cat is called Momo.")).unwrap();
        assert_eq!((again.id, again.outcome.label()), (first.id, "already_present"));
        let again = ledger.remember(&key(2), words("the cat is called momo")).unwrap();
        assert_eq!((again.id, again.outcome.label()), (restated.id, "already_present"));
        let again = ledger.change(&key(3), confirm(), [first.id]).unwrap();
        assert_eq!((again.id, again.outcome.label()), (confirmed.id, "already_present"));
    }
    assert_eq!((head(&ledger), factor(&ledger, first.id)), (end, before));
    drop(ledger);
    let ledger = world.open();
    let again = ledger.remember(&key(1), words("The cat is called Momo.")).unwrap();
    assert_eq!((again.id, head(&ledger)), (first.id, end));
    // Another actor's key of the same bytes is another key.
    let other = Caller { name: "ben".into(), ..key(1) };
    let written = ledger.remember(&other, words("The dog is called Rex.")).unwrap();
    assert_eq!(written.outcome.label(), "added");
}

#[test]
fn a_known_key_is_refused_to_another_write() {
    // Was answered with what the first write had come to, and the other one was lost.
    let world = World::new();
    let ledger = world.init();
    let key = |number| Caller { key: Some(IdempotencyKey([number; 16])), ..ana() };
    let first = ledger.remember(&key(1), words("Ana lives in Pune")).unwrap();
    let again = ledger.remember(&key(2), words("ana lives in pune")).unwrap();
    let confirm = |verified| Change::Confirm { weight: None, verified };
    let confirmed = ledger.change(&key(3), confirm(false), [first.id]).unwrap();
    let end = head(&ledger);
    let refused = |written: Result<Written, Error>, seq: Seq| match written {
        Err(error @ Error::KeyReused { first }) => {
            assert_eq!((first.seq, error.kind()), (seq, ErrorKind::Refused));
            assert!(error.to_string().contains(&first.to_string()), "{error}");
        }
        other => panic!("{other:?}"),
    };
    refused(ledger.remember(&key(1), words("Ana lives in Oslo")), first.seq);
    refused(ledger.remember_new(&key(1), words("Ana lives in Oslo")), first.seq);
    refused(ledger.change(&key(1), confirm(false), [first.id]), first.seq);
    refused(ledger.correct(&key(1), first.id, words("Ana lives in Pune")), first.seq);
    refused(ledger.remember(&key(2), words("Ana lives in Oslo")), again.seq);
    refused(ledger.change(&key(3), confirm(true), [first.id]), confirmed.seq);
    let until = Validity { from: None, until: Some(NOW.plus_us(Timestamp::DAY_US)) };
    let ends = Remember { validity: until, ..words("Ana lives in Pune") };
    refused(ledger.remember(&key(1), ends), first.seq);
    let founded = Remember { rests_on: vec![first.id], ..words("Ana lives in Pune") };
    refused(ledger.remember(&key(1), founded), first.seq);
    assert_eq!(head(&ledger), end, "a refusal wrote something");
    let known = ledger.remember(&key(1), words("Ana lives in Pune")).unwrap();
    assert_eq!(known.status(), Status::Known);
}

#[test]
fn a_write_that_waits_says_so_each_time() {
    // Said again, or under its key, it was answered as if it were in force.
    let world = World::new();
    let ledger = world.init();
    let web =
        Caller { key: Some(IdempotencyKey([1; 16])), ..Caller::new("default", "w", Rank::Web) };
    let first = ledger.remember(&web, words("The sky is green.")).unwrap();
    assert_eq!(first.status(), Status::Waiting, "{first:?}");
    let keyed = ledger.remember(&web, words("The sky is green.")).unwrap();
    let said = ledger.remember(&Caller { key: None, ..web }, words("The sky is green.")).unwrap();
    for again in [keyed, said] {
        assert_eq!((again.status(), again.id), (Status::Waiting, first.id), "{again:?}");
    }
    let low = Caller::new("default", "bot", Rank::Assistant);
    let id = say(&ledger, "The cat is called Momo.");
    let wrong = Change::Invalidate { weight: None, reason: None };
    let disputed = ledger.change(&low, wrong, [id]).unwrap();
    assert_eq!(disputed.status(), Status::Disputed);
    let written = ledger.remember(&ana(), words("The sky is blue.")).unwrap();
    assert_eq!(written.status(), Status::Added);
}

#[test]
fn a_clock_ten_years_ahead_is_refused_and_one_that_goes_back_is_not() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The cat is called Momo.");
    let end = head(&ledger);
    world.pass_days(3_650);
    let refused = ledger.remember(&ana(), words("From the future."));
    assert!(matches!(refused, Err(Error::Log(memlith_log::Error::ClockJump { .. }))));
    // Reading goes on, and says that it wasn't observed.
    let request = CheckoutRequest::new("cat");
    let checkout = ledger.checkout(&ana(), &request).unwrap();
    assert_eq!(ids(&checkout), [id]);
    assert!(checkout.observed.is_err());
    assert_eq!(head(&ledger), end);
    world.clock.set(NOW.plus_us(-Timestamp::DAY_US));
    let written = ledger.remember(&ana(), words("The dog is called Rex.")).unwrap();
    let records: Vec<_> =
        ledger.records(Seq(0), None).unwrap().map(|record| record.unwrap()).collect();
    assert!(records.windows(2).all(|pair| pair[0].recorded_at <= pair[1].recorded_at));
    let row = records.last().unwrap();
    assert!(row.flags.contains(Flags::CLAMPED));
    let body = memlith::log::decode(row).unwrap().unwrap();
    assert_eq!(body.envelope.occurred_at, NOW.plus_us(-Timestamp::DAY_US));
    assert_eq!(row.id(), written.id);
    drop(ledger);
    world.clock.set(NOW.plus_us(3_650 * Timestamp::DAY_US));
    let accepted = Options { accept_clock_jump: true, ..Options::default() };
    let ledger = world.open_with(accepted).unwrap();
    say(&ledger, "From the future, and meant.");
    assert_eq!(world.findings(), []);
}

#[test]
fn what_a_clock_ahead_said_holds_now_once_it_is_said_again() {
    let world = World::new();
    let ledger = world.init();
    world.clock.set(NOW.plus_us(200 * Timestamp::DAY_US));
    let early = say(&ledger, "The cat is called Momo.");
    world.clock.set(NOW);
    let request = CheckoutRequest::new("what is the cat called?");
    assert_eq!(ids(&ledger.checkout(&ana(), &request).unwrap()), []);
    let again = say(&ledger, "The cat is called Momo.");
    assert_ne!(again, early);
    assert_eq!(ids(&ledger.checkout(&ana(), &request).unwrap()), [again]);
}

#[test]
fn nothing_has_happened_after_it_was_recorded() {
    let world = World::new();
    let ledger = world.init();
    // What was written as of the day after tomorrow stood there as of today, unsaid.
    let minutes = |minutes: i64| NOW.plus_us(minutes * 60_000_000);
    let head_before = head(&ledger);
    for now in [minutes(5).plus_us(1), minutes(900 * 24 * 60), Timestamp(i64::MAX)] {
        let ahead = Caller { now: Some(now), ..ana() };
        let refused = |error| matches!(error, Error::NowAhead { clock: NOW, .. });
        assert!(refused(ledger.remember(&ahead, words("Said tomorrow.")).unwrap_err()));
        let options = ImportOptions { now: Some(now), ..ImportOptions::default() };
        assert!(refused(ledger.import(Format::Codex, &b""[..], options).unwrap_err()));
        // Looking ahead is no write, and its observation is of the clock.
        ledger.checkout(&ahead, CheckoutRequest::new("anything")).unwrap().observed.unwrap();
    }
    assert_eq!(head(&ledger).0, head_before.0 + 3, "three observations");
    let ahead = Caller { now: Some(minutes(5)), ..ana() };
    let id = ledger.remember(&ahead, words("Said by a clock that is fast.")).unwrap().id;
    assert_eq!(ledger.show(&ana(), id).unwrap().item.occurred_at, NOW);
    // What happened earlier, before the ledger was made too, is told as that.
    let long_ago = Timestamp(NOW.0 - 9_000 * Timestamp::DAY_US);
    let then = Caller { now: Some(long_ago), ..ana() };
    let told = ledger.remember(&then, words("Ana went to school in Pune.")).unwrap().id;
    let row = ledger.records(told.seq, Some(1)).unwrap().next().unwrap().unwrap();
    assert_eq!(row.recorded_at, NOW);
    assert_eq!(ledger.show(&ana(), told).unwrap().item.occurred_at, long_ago);
    assert_eq!(explain(&ledger, id).explanation.salience.to_string(), "1.0");
    let document = dialogue("ahead", &["From the year 2040."]).replace("2023", "2040");
    let report = import(&ledger, &document).unwrap();
    assert_eq!(report.added, 1);
    let records = ledger.records(Seq(0), None).unwrap().map(|record| record.unwrap());
    for record in records.filter(|record| record.kind >= 64) {
        let body = memlith::log::decode(&record).unwrap().unwrap();
        assert!(body.envelope.occurred_at <= record.recorded_at);
    }
}

#[test]
fn a_full_disk_stops_writing_loses_nothing_and_lets_an_invalidation_through() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The cat is called Momo.");
    let filler = "filler ".repeat(20_000);
    world.disk.set_space(Some(world.disk.used()));
    let mut acknowledged = vec![id];
    let refused = (0..100).find_map(|number| {
        match ledger.remember(&ana(), words(&format!("Number {number}. {filler}"))) {
            Ok(written) => {
                acknowledged.push(written.id);
                None
            }
            Err(error) => Some(error),
        }
    });
    let refused = refused.expect("the disk is full at some point");
    assert!(matches!(refused, Error::Log(memlith_log::Error::NoSpace { .. })), "{refused:?}");
    assert_eq!(refused.kind(), ErrorKind::Io);
    assert!(ids(&look(&ledger, "cat", None)).contains(&id));
    assert!(ledger.checkpoints().write().is_err());
    invalidate(&ledger, id);
    assert!(!ids(&look(&ledger, "cat", None)).contains(&id));
    world.disk.set_space(None);
    say(&ledger, "There is room again.");
    drop(ledger);
    let ledger = world.open();
    for id in acknowledged {
        assert!(ledger.show(&ana(), id).is_ok());
    }
    assert_eq!(world.findings(), []);
}

#[test]
fn after_a_failed_write_the_handle_writes_no_more_and_a_new_one_goes_on() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The cat is called Momo.");
    for at in 0..12 {
        let world = world.copied(100 + at);
        let ledger = world.open();
        let kind = FaultKind::Fail(std::io::ErrorKind::Other);
        world.disk.set_fault(Some(Fault { at, kind }));
        let outcome = ledger.remember(&ana(), words("The dog is called Rex."));
        world.disk.set_fault(None);
        if let Err(error) = &outcome {
            assert_eq!(error.kind(), ErrorKind::Io, "{at}: {error}");
        }
        // Reads go on either way, and the state is that of the log.
        assert_eq!(ids(&look(&ledger, "cat", None)).first(), Some(&id), "{at}");
        assert_eq!(ledger.audit().digest().unwrap().digest, digest(&ledger), "{at}");
        let next = ledger.remember(&ana(), words("The fish is called Bo."));
        if let Err(error) = &next {
            let poisoned = matches!(error, Error::Log(memlith_log::Error::Poisoned));
            assert!(poisoned && outcome.is_err(), "{at}: {error}");
            assert!(
                ledger.checkout(&ana(), CheckoutRequest::new("cat")).unwrap().observed.is_err()
            );
        }
        drop(ledger);
        let ledger = world.open();
        let dog = say(&ledger, "The dog is called Rex.");
        assert_eq!(ids(&ask(&ledger, "dog")), [dog], "{at}: once, whatever became of the first");
        assert_eq!(world.findings(), [], "{at}");
    }
}

#[test]
fn a_second_writer_in_one_process_and_a_missing_ledger_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Ledger::open(folder.path(), Options::default()).unwrap_err();
    assert!(matches!(missing, Error::Log(memlith_log::Error::NoLedger { .. })), "{missing}");
    let nowhere = Ledger::open(folder.path().join("nowhere"), Options::default()).unwrap_err();
    assert_eq!(nowhere.kind(), ErrorKind::Io);
    let ledger = Ledger::create(folder.path(), Options::default()).unwrap();
    let twice = Ledger::create(folder.path(), Options::default()).unwrap_err();
    assert!(matches!(twice, Error::Log(memlith_log::Error::AlreadyExists { .. })), "{twice}");
    let second = Ledger::open(folder.path(), Options::default()).unwrap_err();
    assert!(matches!(second, Error::Log(memlith_log::Error::InUse { .. })), "{second}");
    let reader = Options { read_only: true, ..Options::default() };
    assert!(Ledger::open(folder.path(), reader).is_ok());
    say(&ledger, "The cat is called Momo.");
    drop(ledger);
    let twice = Ledger::create(folder.path(), Options::default()).unwrap_err();
    assert!(matches!(twice, Error::Log(memlith_log::Error::AlreadyExists { .. })), "{twice}");
}

#[test]
fn a_flipped_bit_is_refused_or_changes_no_answer() {
    let world = World::new();
    let ledger = world.init();
    crate::world::little_of_everything(&world, &ledger);
    let expected = (digest(&ledger), head(&ledger));
    drop(ledger);
    let name = world.disk.names().into_iter().find(|name| name.starts_with("seg-")).unwrap();
    let sound = world.disk.bytes(&name).unwrap();
    let used = sound.iter().rposition(|byte| *byte != 0).unwrap();
    let options =
        || Options { read_only: true, use_checkpoint: false, mmap: false, ..Options::default() };
    let mut refused = 0;
    for bit in (0..used * 8).step_by(197) {
        let mut bytes = sound.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        world.disk.set_bytes(&name, bytes);
        match world.open_with(options()).and_then(|ledger| Ok((ledger.audit().digest()?, ledger))) {
            Err(error) => {
                refused += 1;
                assert_eq!(error.kind(), ErrorKind::Integrity, "bit {bit}: {error}");
                assert!(error.to_string().contains(&name), "bit {bit}: {error}");
            }
            Ok((state, _)) => assert_eq!((state.digest, state.seq), expected, "bit {bit}"),
        }
        if bit % 5 == 0 {
            assert_ne!(world.findings(), [], "bit {bit}");
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn a_lock_that_is_held_is_named_and_a_checkout_answers_unobserved() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The cat is called Momo.");
    let holder = Log::open(world.env(), LogOptions::default()).unwrap();
    let held = holder.writer().unwrap();
    let refused = ledger.remember(&ana(), words("Not now."));
    assert!(matches!(refused, Err(Error::Log(memlith_log::Error::LockTimeout { .. }))));
    let before = world.clock.elapsed();
    let checkout = ledger.checkout(&ana(), CheckoutRequest::new("cat")).unwrap();
    assert_eq!(ids(&checkout), [id]);
    assert!(checkout.observed.unwrap_err().contains("locked"));
    let waited = world.clock.elapsed() - before;
    assert!(waited < std::time::Duration::from_millis(120), "{waited:?}");
    drop(held);
    drop(holder);
    assert!(ledger.checkout(&ana(), CheckoutRequest::new("cat")).unwrap().observed.is_ok());
}

#[test]
fn an_import_that_fails_names_the_place_and_keeps_what_came_before() {
    let world = World::new();
    let ledger = world.init();
    let from = |format, text: &[u8]| ledger.import(format, text, ImportOptions::default());
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for (format, text) in [
        (Format::Locomo, "{}".as_bytes()),
        (Format::Locomo, deep.as_bytes()),
        (Format::Locomo, b"[{\"conversation\": {\"session_1\": 3}}]".as_slice()),
        (Format::Locomo, b"[\xff\xfe]".as_slice()),
        (Format::ClaudeCode, b"\xff\xfe\n".as_slice()),
    ] {
        let end = head(&ledger);
        match from(format, text) {
            Err(error) => {
                assert!(matches!(error, Error::Import(_)), "{error}");
                assert_eq!(error.kind(), ErrorKind::Io);
            }
            Ok(report) => assert_eq!(report.added, 0, "{report:?}"),
        }
        assert_eq!(head(&ledger), end);
    }
    let document = dialogue("trip", &["We went to Goa.", "The sea was warm."]);
    assert_eq!(import(&ledger, &document).unwrap().added, 2);
    let end = head(&ledger);
    let again = import(&ledger, &document).unwrap();
    assert_eq!((again.added, again.already_present, head(&ledger)), (0, 2, end));
}

/// Appends an event of a kind that nobody knows, with `flags`.
fn append_unknown(world: &World, flags: Flags) {
    let log = Log::open(world.env(), LogOptions::default()).unwrap();
    let body = b"from the future";
    let record = NewRecord { kind: 60_000, kind_version: 1, codec: 1, flags, body };
    log.writer().unwrap().append(&[record], Durability::Immediate).unwrap();
    log.close().unwrap();
}

#[test]
fn unknown_kinds_are_kept_and_their_flags_heeded() {
    // The flags were written into the format and heeded by nobody: a guarded record of newer
    // software was folded as if it were nothing.
    let plain = World::new();
    let ledger = plain.init();
    let id = say(&ledger, "The cat is called Momo.");
    append_unknown(&plain, Flags::NONE);
    assert_eq!(ids(&ask(&ledger, "cat")), [id]);
    assert!(crate::world::export(&ledger).contains("60000"));
    drop(ledger);
    assert_eq!(plain.findings(), []);

    // Older software may read, but what it would decide could be wrong.
    let guarded = plain.copied(10);
    append_unknown(&guarded, Flags::RO_COMPAT);
    let ledger = guarded.open();
    let end = head(&ledger);
    assert_eq!(ids(&look(&ledger, "cat", None)), [id]);
    assert!(matches!(ledger.remember(&ana(), words("No.")), Err(Error::Decode { .. })));
    assert!(ledger.checkout(&ana(), CheckoutRequest::new("cat")).unwrap().observed.is_err());
    assert_eq!(head(&ledger), end);

    // And here not even what it would show.
    let closed = plain.copied(20);
    append_unknown(&closed, Flags::INCOMPAT);
    assert!(matches!(closed.open_with(Options::default()), Err(Error::Decode { .. })));
}

#[test]
fn a_clock_is_only_asked_for_the_time() {
    // A caller's own instant decides decay and validity; the clock only the record's time.
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The cat is called Momo.");
    let later = Caller { now: Some(NOW.plus_us(30 * Timestamp::DAY_US)), ..ana() };
    let shown = ledger.explain(&later, id).unwrap().explanation.salience.to_string();
    assert_eq!(shown, "0.5");
    let other: Arc<FixedClock> = Arc::new(FixedClock::new(NOW.plus_us(77)));
    let env = memlith::storage::Env { clock: other, ..world.env() };
    let elsewhere = Ledger::open_in(env, Options::default()).unwrap();
    assert_eq!(elsewhere.explain(&later, id).unwrap().explanation.salience.to_string(), "0.5");
    assert_ne!(world.clock.now(), elsewhere.now());
}

#[test]
fn kinds_keep_their_numbers() {
    let numbers = [(Kind::REMEMBERED, 96), (Kind::SURFACED, 97), (Kind::DECIDED, 128)];
    for (kind, number) in numbers {
        assert_eq!(kind.number, number);
    }
}

/// A folder that takes no file was called writable: the lock alone was taken.
#[test]
fn a_ledger_is_writable_where_a_file_can_be_made_in_it() {
    let world = World::new();
    let ledger = world.init();
    let (files, head) = (world.disk.names(), ledger.head());
    ledger.check_writable().unwrap();
    assert_eq!(ledger.refresh().unwrap(), head, "nothing is written");
    world.disk.set_fault(None);
    ledger.check_writable().unwrap();
    let operations = world.disk.operations();
    assert_eq!(world.disk.names(), files, "and nothing is left");
    let refused = (0..operations).filter(|at| {
        let kind = FaultKind::Fail(std::io::ErrorKind::PermissionDenied);
        world.disk.set_fault(Some(Fault { at: *at, kind }));
        let refused = ledger.check_writable().err();
        world.disk.set_fault(None);
        ledger.check_writable().unwrap();
        assert_eq!(world.disk.names(), files);
        refused.is_some_and(|error| {
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
            error.to_string().starts_with("make a file in ")
        })
    });
    assert_eq!(refused.count(), 2, "to make it, and to remove it");
    let reading = world.open_with(Options { read_only: true, ..Options::default() }).unwrap();
    assert!(reading.check_writable().is_err());
}

/// A checkpoint that was ahead of what was left kept the ledger from ever being opened again.
#[test]
fn a_loss_that_was_accepted_is_told_and_the_ledger_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(folder.path(), Options::default()).unwrap();
    let kept = say(&ledger, "The cat is called Momo.");
    let lost = say(&ledger, "The dog is called Rex.");
    ledger.checkpoints().write().unwrap();
    let synced = ledger.head().seq.next().0;
    ledger.close().unwrap();
    let open = || Ledger::accept_loss(folder.path(), Options::default()).unwrap();
    assert_eq!(open().accepted_loss(), None, "nothing is lost");
    let segment = folder.path().join("seg-0000000000");
    let mut bytes = std::fs::read(&segment).unwrap();
    let at = bytes.windows(3).position(|at| at == b"Rex").unwrap();
    bytes[at] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    let ledger = open();
    let loss = ledger.accepted_loss().unwrap();
    // The decision is of one batch with it.
    assert_eq!((loss.kept, loss.synced), (lost.seq.0 - 1, synced));
    assert!(ledger.show(&ana(), kept).is_ok());
    assert!(!ids(&look(&ledger, "dog Rex", None)).contains(&lost));
    ledger.close().unwrap();
    let ledger = Ledger::open(folder.path(), Options::default()).unwrap();
    assert_eq!(ledger.accepted_loss(), None, "it is no news");
    say(&ledger, "The dog is called Rex.");
    assert_eq!(ledger.audit().digest().unwrap().digest, digest(&ledger));
}
