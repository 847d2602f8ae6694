//! Tests that an erasure takes everything that it should, everywhere.

use memlith::{
    Authority, Change, Error, Ledger, Options, Rank, Remember,
    read::OwnStatus,
    storage::MemoryDisk,
    write::{Rejection, TaskReport},
};
use memlith_log::{Fault, FaultKind};

use crate::world::{
    World, ana, ask, digest, fact, head, ids, little_of_everything, look, owner, say, words,
};

const CANARY: &str = "quetzalcoatlus";

/// A ledger whose files hold the canary in every way that an item can bring it in.
fn told() -> (World, Ledger, memlith::RecordId) {
    let world = World::new();
    let ledger = world.init();
    let other = say(&ledger, "The cat is called Momo.");
    let text = format!("The wifi password is {CANARY}.");
    let slot = fact(&text, "wifi", "phrase", CANARY);
    let id = ledger.remember(&ana(), slot).unwrap().id;
    world.tick();
    // Said again, in words and as a value: decisions that repeat it.
    let _ = ledger.remember(&ana(), words(&text.to_uppercase())).unwrap();
    let value = fact(&format!("Wifi: {CANARY}!"), "wifi", "phrase", CANARY);
    assert_eq!(ledger.remember(&ana(), value).unwrap().id, id);
    // And what rests on it, directly and through another.
    let on = |id, text: &str| Remember { rests_on: vec![id, other], ..words(text) };
    let near = on(id, &format!("Guests are told {CANARY}."));
    let near = ledger.remember(&ana(), near).unwrap().id;
    let far = on(near, &format!("The sign in the hall says {CANARY}."));
    let _ = ledger.remember(&ana(), far).unwrap();
    ask(&ledger, "wifi password");
    ledger.checkpoints().write().unwrap();
    say(&ledger, "The dog is called Rex.");
    (world, ledger, id)
}

fn assert_gone(world: &World, what: &str) {
    for needle in [CANARY.to_owned(), CANARY.to_uppercase()] {
        assert_eq!(world.files_with(&needle), Vec::<String>::new(), "{what}");
    }
    assert_eq!(world.findings(), [], "{what}");
}

#[test]
fn an_erased_text_is_in_no_file_and_the_rest_is_found() {
    let (world, ledger, id) = told();
    assert!(!world.files_with(CANARY).is_empty());
    let asker = Ledger::open_in(world.env(), Options { read_only: true, ..Options::default() });
    let asker = asker.unwrap();
    assert!(!ids(&look(&asker, "wifi", None)).is_empty());
    let erased = ledger.erasure().erase(&owner(), &[id]).unwrap();
    assert_eq!(erased.records.len(), 9, "{erased:?}");
    assert_gone(&world, "erased");
    for ledger in [&ledger, &asker, &world.open()] {
        assert_eq!(ledger.show(&ana(), id).unwrap().authority, Authority::Erased);
        assert!(ids(&look(ledger, "wifi password", None)).is_empty());
        // A cat is near a dog, but not so near as itself.
        let first = |query| ids(&look(ledger, query, None)).first().copied();
        assert!(first("cat").is_some() && first("dog").is_some() && first("cat") != first("dog"));
        assert_eq!(ledger.audit().digest().unwrap().digest, digest(ledger));
    }
    drop(asker);
    ledger.checkpoints().write().unwrap();
    assert_gone(&world, "checkpointed again");
    let expected = digest(&ledger);
    drop(ledger);
    assert_eq!(world.open().audit().digest().unwrap().digest, expected);
    let export = crate::world::export(&world.open());
    assert!(!export.contains(CANARY));
}

#[test]
fn an_erasure_is_the_owners_and_is_done_once() {
    // Who repeated an erasure that was cut short was told that there is no such item.
    let (_world, ledger, id) = told();
    for rank in [Rank::Web, Rank::Tool, Rank::Assistant, Rank::User, Rank::Reviewer] {
        let refused = ledger.erasure().erase(&memlith::Caller { rank, ..owner() }, &[id]);
        assert!(matches!(refused, Err(Error::Rejected(Rejection::Rank { .. }))), "{rank:?}");
    }
    assert!(matches!(
        ledger.erasure().erase(&owner(), &[]),
        Err(Error::Rejected(Rejection::NoTargets))
    ));
    let first = ledger.erasure().erase(&owner(), &[id]).unwrap();
    let end = head(&ledger);
    let again = ledger.erasure().erase(&owner(), &[id]).unwrap();
    assert_eq!((again.erasure, again.records), (first.erasure, vec![]));
    assert_eq!(head(&ledger), end, "nothing was appended");
    // With another that stands, that one is erased and nothing twice.
    let next = say(&ledger, "Another that has to go.");
    let both = ledger.erasure().erase(&owner(), &[id, next]).unwrap();
    assert_eq!(both.records.last(), Some(&next));
    assert_eq!(both.records.len(), 2, "it, and what let it in: {both:?}");
    assert_ne!(both.erasure, first.erasure);
}

#[test]
fn an_erased_text_is_in_no_file_of_a_real_folder() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(folder.path(), Options::default()).unwrap();
    let id = say(&ledger, &format!("The wifi password is {CANARY}."));
    say(&ledger, "The cat is called Momo.");
    ledger.checkpoints().write().unwrap();
    let holding = || -> Vec<std::path::PathBuf> {
        let mut folders = vec![folder.path().to_path_buf()];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if std::fs::read(&path)
                    .unwrap()
                    .windows(CANARY.len())
                    .any(|window| window == CANARY.as_bytes())
                {
                    found.push(path);
                }
            }
        }
        found
    };
    assert_eq!(holding().len(), 1);
    ledger.erasure().erase(&owner(), &[id]).unwrap();
    assert_eq!(holding(), Vec::<std::path::PathBuf>::new());
    assert_eq!(ids(&look(&ledger, "cat", None)).len(), 1);
    drop(ledger);
    let report = memlith::verify(folder.path(), memlith::prove::Level::Full).unwrap();
    assert_eq!(report.findings, []);
}

#[test]
fn another_process_finishes_an_erasure_that_was_cut_short() {
    let (world, ledger, id) = told();
    drop(ledger);
    let mut finished = false;
    for at in 0.. {
        let cut = world.copied(300 + at);
        let ledger = cut.open();
        cut.disk.set_fault(Some(Fault { at, kind: FaultKind::Stop }));
        let outcome = ledger.erasure().erase(&owner(), &[id]);
        drop(ledger);
        for (disk, how) in
            [(cut.disk.after_kill(), "killed"), (cut.disk.after_power_cut(), "power")]
        {
            check_cut(disk, &format!("{how} at operation {at}"), outcome.is_ok(), id);
        }
        if outcome.is_ok() {
            finished = true;
            break;
        }
        assert!(at < 200, "an erasure doesn't take so many operations");
    }
    assert!(finished);
}

/// After a cut either nothing happened, or the next writer leaves nothing.
fn check_cut(disk: MemoryDisk, what: &str, done: bool, id: memlith::RecordId) {
    let world = World::on(disk, 900);
    let reader = world.open_with(Options { read_only: true, ..Options::default() }).expect(what);
    let erased = reader.show(&ana(), id).unwrap().authority == Authority::Erased;
    let seen = !ids(&look(&reader, "wifi password", None)).is_empty();
    assert_ne!(erased, seen, "{what}: a reader sees what is erased, or misses what isn't");
    assert!(erased || !done, "{what}: an erasure that was acknowledged is there");
    assert_eq!(reader.audit().digest().unwrap().digest, digest(&reader), "{what}");
    drop(reader);
    let writer = world.open();
    say(&writer, "The next process writes this.");
    assert_eq!(ids(&look(&writer, "next process", None)).len(), 1, "{what}");
    assert_eq!(writer.audit().digest().unwrap().digest, digest(&writer), "{what}");
    drop(writer);
    if erased {
        assert_gone(&world, what);
    } else {
        assert_eq!(world.findings(), [], "{what}");
    }
}

#[test]
fn what_is_asked_of_the_past_leaves_the_erased_out() {
    let world = World::new();
    let ledger = world.init();
    little_of_everything(&world, &ledger);
    let id = say(&ledger, &format!("The wifi password is {CANARY}."));
    let then = head(&ledger);
    say(&ledger, "The cat sleeps.");
    ledger.checkpoints().write().unwrap();
    ledger.erasure().erase(&owner(), &[id]).unwrap();
    assert!(ledger.checkpoints().write().is_ok());
    let past = Some(memlith::AsOf::Seq(then));
    assert!(!ids(&look(&ledger, "wifi password cat", past)).contains(&id));
    assert!(!ids(&look(&ledger, "tea", past)).is_empty());
}

/// An erasure left the question that an item was shown for, and the reason for which it was
/// taken out: words that tell what is gone.
#[test]
fn what_speaks_of_erased_items_alone_goes_with_them() {
    let world = World::new();
    let ledger = world.init();
    let gone = say(&ledger, "The safe opens at dusk.");
    let change = |change, ids: &[memlith::RecordId]| ledger.change(&ana(), change, ids).unwrap();
    let reason = |words: &str| Some(words.to_owned());
    assert_eq!(ids(&ask(&ledger, "quetzal safe")), [gone]);
    let note = reason("quokka");
    let report = TaskReport { targets: vec![gone], note, ..TaskReport::default() };
    let _ = ledger.report(&ana(), report).unwrap();
    let _ = change(Change::Invalidate { weight: None, reason: reason("narwhal") }, &[gone]);
    world.tick();
    let _ = change(Change::Reconfirm { reason: reason("axolotl") }, &[gone]);
    // Of another item too: that one would be another without it.
    let kept = say(&ledger, "The cat is called Momo.");
    let _ = change(Change::Invalidate { weight: None, reason: reason("pangolin") }, &[gone, kept]);
    ledger.checkpoints().write().unwrap();
    ledger.erasure().erase(&owner(), &[gone]).unwrap();
    for words in ["dusk", "quetzal", "quokka", "narwhal", "axolotl"] {
        assert_eq!(world.files_with(words), Vec::<String>::new(), "{words}");
    }
    assert!(!world.files_with("pangolin").is_empty(), "it speaks of what stays");
    assert_eq!(ledger.show(&ana(), kept).unwrap().item.own, OwnStatus::Invalidated);
    assert_eq!(world.findings(), []);
    assert_eq!(ledger.audit().digest().unwrap().digest, digest(&ledger));
}
