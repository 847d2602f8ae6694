//! State in runs: checked as far as it is read, and the same by every way to it.

use std::path::Path;
use std::sync::Arc;

use memlith::{AsOf, Caller, Ledger, Options, Pack, Seq, WriteOutcome};

use crate::world::{World, ana, dialogue, digest, fact, head, import, look, say, words};

/// Strides so short that a few hundred records make runs of every size.
fn options() -> Options {
    Options { stride_records: 16, ..Options::default() }
}

/// Words of a small vocabulary, the first ones more often than the others.
struct Words(u64);

impl Words {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn next(&mut self) -> String {
        let bound = 1 + self.below(400);
        format!("w{}x", self.below(bound))
    }

    fn text(&mut self, count: u64) -> String {
        (0..count).map(|_| self.next()).collect::<Vec<_>>().join(" ")
    }
}

/// Turns of sessions, and facts that replace each other.
fn fill(ledger: &Ledger, words: &mut Words, rounds: u64) {
    for round in 0..rounds {
        let turns: Vec<String> = (0..12).map(|_| words.text(40)).collect();
        let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
        let name = format!("day-{}-{}", head(ledger), round);
        import(ledger, &dialogue(&name, &turns)).unwrap();
        let value = words.next();
        let _ = ledger
            .remember(&ana(), fact(&format!("Ana lives in {value}."), "Ana", "lives in", &value))
            .unwrap();
        say(ledger, &words.text(12));
    }
}

/// Returns the items that a question shows and leaves out.
fn pack(ledger: &Ledger, query: &str, as_of: Option<AsOf>) -> Pack {
    let mut pack = look(ledger, query, as_of).pack;
    // Every receipt has a number of its own.
    pack.receipt.checkout = memlith::read::CheckoutId([0; 16]);
    pack
}

#[test]
fn a_damaged_chunk_changes_no_answer() {
    let world = World::new();
    let ledger = Ledger::create_in(world.env(), options()).unwrap();
    let mut text = Words(1);
    fill(&ledger, &mut text, 20);
    ledger.checkpoints().write().unwrap();
    fill(&ledger, &mut text, 6);
    ledger.checkpoints().write().unwrap();
    fill(&ledger, &mut text, 1);
    let queries: Vec<String> = ["where does Ana live", "w399x"]
        .map(str::to_owned)
        .into_iter()
        .chain((0..4).map(|_| text.text(3)))
        .collect();
    let expected: Vec<Pack> = queries.iter().map(|query| pack(&ledger, query, None)).collect();
    let state = digest(&ledger);
    ledger.close().unwrap();
    let (mut damaged, mut met) = (0, 0);
    for name in world.run_files() {
        let sound = world.disk.bytes(&name).unwrap();
        // Another layout or fold is other software's file, and no damage.
        let versions = 4..12;
        let places = (0..sound.len()).rev().step_by(6_007).filter(|at| !versions.contains(at));
        for at in places {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x10;
            world.disk.set_bytes(&name, bytes);
            damaged += 1;
            for (query, expected) in queries.iter().zip(&expected) {
                let ledger = world.open_with(options()).unwrap();
                assert_eq!(pack(&ledger, query, None), *expected, "{name}, byte {at}: {query}");
                met += usize::from(ledger.audit().digest().unwrap().digest != state);
            }
            let findings = world.findings();
            assert!(
                findings.iter().any(|found| found.what.contains(&name)),
                "{name}, byte {at}: {findings:?}"
            );
        }
        world.disk.set_bytes(&name, sound);
    }
    assert!(damaged > 30 && met == 0, "{damaged} bytes");
    assert_eq!(world.findings(), []);
}

#[test]
fn a_write_is_decided_on_nothing_damaged() {
    let world = World::new();
    let ledger = Ledger::create_in(world.env(), options()).unwrap();
    fill(&ledger, &mut Words(2), 4);
    let old = ledger
        .remember(&ana(), fact("Staging listens on 5432.", "staging", "port", "5432"))
        .unwrap();
    fill(&ledger, &mut Words(3), 3);
    ledger.checkpoints().write().unwrap();
    ledger.close().unwrap();
    for (run, name) in world.run_files().into_iter().enumerate() {
        let len = world.disk.bytes(&name).unwrap().len();
        for at in (0..len).rev().step_by(4_001) {
            let copy = world.copied(1_000 + run as u64);
            let mut bytes = copy.disk.bytes(&name).unwrap();
            bytes[at] ^= 1;
            copy.disk.set_bytes(&name, bytes);
            let ledger = copy.open_with(options()).unwrap();
            let new = fact("Staging listens on 6432.", "staging", "port", "6432");
            let written = ledger.remember(&ana(), new).unwrap();
            let WriteOutcome::Decided { outcome, .. } = written.outcome else {
                panic!("{name}, byte {at}")
            };
            assert!(
                format!("{outcome:?}").contains("Superseded"),
                "{name}, byte {at}: {outcome:?}"
            );
            assert!(
                !ledger.show(&ana(), old.id).unwrap().authority.is_shown(),
                "{name}, byte {at}"
            );
            let again = ledger.remember(&ana(), words("Something else.")).unwrap();
            assert!(again.seq > written.seq);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// A thousand questions, a third of them of some past instant, to four handles: with the
/// newest checkpoint mapped, and read; with none; and with an older one alone.
#[test]
fn every_way_to_the_state_gives_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a"), folder.path().join("b"));
    let mut text = Words(4);
    let ledger = Ledger::create(&first, options()).unwrap();
    fill(&ledger, &mut text, 9);
    ledger.checkpoints().write().unwrap();
    ledger.close().unwrap();
    let older: Vec<_> =
        std::fs::read_dir(&first).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let ledger = Ledger::open(&first, options()).unwrap();
    fill(&ledger, &mut text, 9);
    ledger.checkpoints().write().unwrap();
    fill(&ledger, &mut text, 1);
    ledger.close().unwrap();
    // The log of the first, and of its checkpoints the older one alone.
    copy(&first, &second);
    for entry in std::fs::read_dir(&second).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        let is_derived =
            ["ckpt-", "run-"].iter().any(|start| name.to_string_lossy().starts_with(start));
        if is_derived && !older.contains(&name) {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    let read_only = |dir: &Path, options: Options| {
        Ledger::open(dir, Options { read_only: true, ..options }).unwrap()
    };
    let handles = [
        read_only(&first, options()),
        read_only(&first, Options { mmap: false, ..options() }),
        read_only(&first, Options { use_checkpoint: false, ..options() }),
        read_only(&second, options()),
    ];
    let states = handles.each_ref().map(digest);
    assert!(states.iter().all(|state| *state == states[0]));
    assert_eq!(handles[3].checkpoints().list().unwrap().len(), 1);
    let end = head(&handles[3]);
    let caller = Caller { now: Some(handles[0].now()), ..ana() };
    for number in 0..1_000 {
        let query = text.text(1 + number % 5);
        let as_of = (number % 3 == 0).then(|| AsOf::Seq(Seq(1 + text.below(end.0 - 1))));
        let request = |ledger: &Ledger| {
            let question = memlith::Question { query: query.clone(), as_of };
            let request = memlith::CheckoutRequest {
                question,
                observe: false,
                ..memlith::CheckoutRequest::new("")
            };
            let pack = ledger.checkout(&caller, &request).unwrap().pack;
            (pack.items, pack.left_out, pack.tokens, pack.receipt.view)
        };
        let answers = handles.each_ref().map(request);
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{query}, {as_of:?}");
    }
    let audited = Ledger::open(&first, options()).unwrap().audit().state().unwrap();
    assert!(audited.len() >= 2 && audited.iter().all(|audit| audit.verdict.is_ok()), "{audited:?}");
}

/// Writers and readers go on while a keeper writes checkpoints; none is ever refused.
#[test]
fn a_keeper_writes_checkpoints_while_others_write() {
    let world = World::new();
    let ledger = Arc::new(Ledger::create_in(world.env(), options()).unwrap());
    let keeper = memlith::Keeper::of(&ledger).unwrap();
    let mut text = Words(5);
    let long = "word ".repeat(20_000);
    for _ in 0..30 {
        say(&ledger, &(text.text(4) + &long));
        look(&ledger, "word", None);
    }
    let expected = digest(&ledger);
    // It may be at work: what it is doing is finished, nothing further is begun.
    drop(keeper);
    ledger.checkpoints().write_if_due().unwrap();
    let kept = ledger.checkpoints().list().unwrap();
    assert!(!kept.is_empty());
    assert_eq!(digest(&ledger), expected);
    drop(ledger);
    assert_eq!(digest(&world.open_with(options()).unwrap()), expected);
    assert_eq!(world.findings(), []);
}
