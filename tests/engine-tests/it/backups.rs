//! Backups: copies that keep the proof.

use std::fs;
use std::path::{Path, PathBuf};

use memlith::{
    CheckoutRequest, Error, Ledger, Options, RecordId, copy::BackedUp, log::LogError, prove::Level,
    verify,
};

use crate::world::{ana, digest, owner, say};

/// Segments so small that a few notes fill one.
fn options() -> Options {
    Options { segment_lens: [8 << 10; 4], ..Options::default() }
}

fn reading() -> Options {
    Options { read_only: true, ..options() }
}

struct Desk {
    folder: tempfile::TempDir,
    ledger: Ledger,
    notes: Vec<RecordId>,
}

impl Desk {
    /// A ledger of a few segments.
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::create(folder.path().join("ledger"), options()).unwrap();
        let mut desk = Desk { folder, ledger, notes: Vec::new() };
        desk.note(40);
        desk
    }

    fn note(&mut self, count: usize) {
        for _ in 0..count {
            let number = self.notes.len();
            let text = format!("Note {number} says that lamp {number} is {}.", "blue ".repeat(40));
            self.notes.push(say(&self.ledger, &text));
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn backup(&self) -> Result<BackedUp, Error> {
        self.ledger.backup(self.at("copy"))
    }

    /// The copy is the ledger: it verifies, folds to the same state and knows every citation.
    fn check(&self, done: BackedUp) {
        let copy = Ledger::open(self.at("copy"), reading()).unwrap();
        assert_eq!((copy.id(), copy.head()), (self.ledger.id(), done.head));
        assert_eq!(verify(self.at("copy"), Level::Full).unwrap().findings, []);
        assert_eq!(digest(&copy), digest(&self.ledger));
        for id in &self.notes {
            assert_eq!(copy.cite(*id), self.ledger.cite(*id));
            assert_eq!(
                copy.show(&owner(), *id).unwrap().record,
                self.ledger.show(&owner(), *id).unwrap().record
            );
        }
        assert!(!self.at("copy.partial").exists());
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Whether any file below the folder holds the words.
fn holds(folder: &Path, words: &str) -> bool {
    names(folder).iter().map(|name| folder.join(name)).any(|path| match path.is_dir() {
        true => holds(&path, words),
        false => fs::read(path).unwrap().windows(words.len()).any(|at| at == words.as_bytes()),
    })
}

fn refused(outcome: Result<BackedUp, Error>) -> String {
    match outcome {
        Err(Error::Log(LogError::BackupRefused { what, .. })) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_backup_is_the_ledger_and_the_next_one_copies_what_is_new() {
    let mut desk = Desk::new();
    desk.ledger.checkpoints().write().unwrap();
    let first = desk.backup().unwrap();
    assert!(first.segments >= 4 && first.copied == first.segments, "{first:?}");
    desk.check(first);
    assert!(names(&desk.at("copy")).iter().any(|name| name.starts_with("ckpt-")));
    let again = desk.backup().unwrap();
    assert_eq!((again.copied, again.segments), (1, first.segments), "the last one alone");
    desk.check(again);
    desk.note(20);
    let more = desk.backup().unwrap();
    assert!(more.segments > first.segments);
    assert_eq!(more.copied, more.segments - first.segments + 1);
    assert!(more.bytes < first.bytes);
    desk.check(more);
}

#[test]
fn a_head_and_a_citation_of_before_hold_in_the_backup_and_it_can_be_gone_on_with() {
    let desk = Desk::new();
    let head = desk.ledger.head();
    let asked = desk.ledger.checkout(&ana(), CheckoutRequest::new("which lamp is blue?")).unwrap();
    let cited: Vec<RecordId> = asked.pack.items.iter().map(|item| item.id).collect();
    assert!(!cited.is_empty());
    desk.backup().unwrap();
    let Desk { folder, ledger, .. } = desk;
    ledger.close().unwrap();
    let copy = Ledger::open(folder.path().join("copy"), options()).unwrap();
    let at_head = copy.records(head.seq, Some(1)).unwrap().next().unwrap().unwrap();
    assert_eq!(at_head.chain, head.chain);
    for id in cited {
        assert!(copy.show(&owner(), id).is_ok());
    }
    let audits = copy.audit().receipts().unwrap();
    assert!(!audits.is_empty());
    assert!(audits.iter().all(|audit| audit.verdict == memlith::read::Verdict::Reproduced));
    say(&copy, "The copy goes on.");
    copy.close().unwrap();
    assert_eq!(verify(folder.path().join("copy"), Level::Full).unwrap().findings, []);
}

#[test]
fn what_is_erased_is_gone_from_the_next_backup() {
    let mut desk = Desk::new();
    let secret = say(&desk.ledger, "The safe opens with marigold at dusk.");
    desk.note(20);
    desk.backup().unwrap();
    assert!(holds(&desk.at("copy"), "marigold"));
    desk.ledger.erasure().erase(&owner(), &[secret]).unwrap();
    let done = desk.backup().unwrap();
    assert!(done.copied < done.segments, "{done:?}");
    assert!(!holds(&desk.at("copy"), "marigold"));
    desk.check(done);
}

#[test]
fn a_folder_that_cannot_take_it_is_refused_and_left_alone() {
    let mut desk = Desk::new();
    let refuses = |name: &str, words: &str| {
        let path = desk.at(name);
        let before = if path.is_dir() { names(&path) } else { Vec::new() };
        let what = refused(desk.ledger.backup(&path));
        assert!(what.contains(words), "{name}: {what}");
        let after = if path.is_dir() { names(&path) } else { Vec::new() };
        assert_eq!(after, before, "{name}");
        assert!(!desk.at(&format!("{name}.partial")).exists(), "{name}");
    };
    Ledger::create(desk.at("other"), options()).unwrap().close().unwrap();
    fs::create_dir(desk.at("full")).unwrap();
    fs::write(desk.at("full/letter.txt"), "of somebody").unwrap();
    std::os::unix::fs::symlink(desk.at("ledger"), desk.at("link")).unwrap();
    refuses("ledger", "the ledger itself");
    refuses("link", "the ledger itself");
    refuses("ledger/copy", "inside a ledger");
    refuses("other", "another ledger");
    refuses("full", "letter.txt");
    desk.backup().unwrap();
    // Somebody wrote to the copy: it is no backup any more.
    let copy = Ledger::open(desk.at("copy"), options()).unwrap();
    say(&copy, "Something of its own.");
    copy.close().unwrap();
    refuses("copy", "holds records that the ledger lacks");
    desk.note(30);
    let what = refused(desk.backup());
    assert!(what.contains("another history"), "{what}");
}

#[test]
fn damage_is_never_copied_over_a_good_backup() {
    let mut desk = Desk::new();
    desk.backup().unwrap();
    desk.note(30);
    // A segment that the backup doesn't have yet rots.
    let known = names(&desk.at("copy"));
    let new: Vec<String> = names(&desk.at("ledger"))
        .into_iter()
        .filter(|name| name.starts_with("seg-") && !known.contains(name))
        .collect();
    let rotten = desk.at("ledger").join(&new[0]);
    let mut bytes = fs::read(&rotten).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&rotten, bytes).unwrap();
    let error = desk.backup().unwrap_err();
    assert!(matches!(error, Error::Log(LogError::Corrupt { .. })), "{error}");
    assert_eq!(names(&desk.at("copy")), known);
    assert_eq!(verify(desk.at("copy"), Level::Full).unwrap().findings, []);
}

#[test]
fn an_interrupted_backup_is_gone_on_from() {
    let desk = Desk::new();
    let done = desk.backup().unwrap();
    // As if it had been killed before its mark: some segments, one of them half there.
    fs::rename(desk.at("copy"), desk.at("copy.partial")).unwrap();
    let partial = desk.at("copy.partial");
    for name in ["mark".to_owned(), format!("seg-{:010}", done.segments - 1)] {
        fs::remove_file(partial.join(name)).unwrap();
    }
    fs::write(partial.join("ckpt.tmp"), "half a segment").unwrap();
    let again = desk.backup().unwrap();
    assert_eq!(again.copied, 1, "{again:?}");
    desk.check(again);
    // A folder of that name which holds something else is left alone.
    fs::create_dir(&partial).unwrap();
    fs::write(partial.join("letter.txt"), "of somebody").unwrap();
    assert!(refused(desk.backup()).contains("letter.txt"));
    fs::remove_dir_all(&partial).unwrap();
    Ledger::create(&partial, options()).unwrap().close().unwrap();
    assert!(refused(desk.backup()).contains("another ledger"));
}

#[test]
fn what_lies_in_a_ledger_and_in_its_backup_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    desk.ledger.checkpoints().write().unwrap();
    desk.backup().unwrap();
    for folder in ["ledger", "copy"].map(|name| desk.at(name)) {
        let paths: Vec<PathBuf> = names(&folder).iter().map(|name| folder.join(name)).collect();
        assert!(paths.len() > 4, "{paths:?}");
        for path in paths.into_iter().chain([folder]) {
            let metadata = path.metadata().unwrap();
            let wanted = if metadata.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(metadata.permissions().mode() & 0o7777, wanted, "{}", path.display());
        }
    }
}
