//! A folder on the disk: what is written, and what is left alone.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use memlith::{Scope, Seq};
use memlith_folder::{
    Baseline, Error, Folder, Inputs, MANIFEST, Manifest, WriteOptions, WroteFolder, edits, lint,
    load, render, write,
};

use crate::sample::{add, config, mixed};

fn folder_of(inputs: &Inputs) -> Folder {
    render(inputs, &config())
}

fn put(root: &Path, inputs: &Inputs, options: WriteOptions) -> Result<WroteFolder, Error> {
    write(
        root,
        &folder_of(inputs),
        Manifest::new(("ledger", &Scope::tenant("t")), Seq(1), &config()),
        options,
    )
}

/// Every file below a folder but those of git, with its bytes, number of its inode and mode.
fn tree(root: &Path) -> BTreeMap<String, (Vec<u8>, u64, u32)> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let (path, found) = (entry.path(), entry.metadata().unwrap());
            if found.is_dir() && entry.file_name() != ".git" {
                assert_eq!(found.permissions().mode() & 0o777, 0o700, "{}", path.display());
                folders.push(path);
            } else if found.is_file() {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                let bytes = fs::read(&path).unwrap();
                files.insert(name, (bytes, found.ino(), found.permissions().mode() & 0o777));
            }
        }
    }
    files
}

#[test]
fn a_second_render_writes_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a/memories");
    let inputs = mixed(50);
    let options = WriteOptions { baseline: true, ..WriteOptions::default() };
    let first = put(&root, &inputs, options).unwrap();
    assert_eq!(first.written.len(), folder_of(&inputs).files.len());
    let before = tree(&root);
    assert!(before.values().all(|(_, _, mode)| *mode == 0o600));
    assert!(before.contains_key(MANIFEST));
    let second = put(&root, &inputs, options).unwrap();
    assert_eq!((second.written.len(), second.removed.len()), (0, 0));
    assert!(matches!(second.baseline, Baseline::Unchanged | Baseline::NoGit));
    assert_eq!(tree(&root), before);
    assert_eq!(lint(&load(&root).unwrap(), None).findings, []);
}

#[test]
fn the_baseline_holds_the_newest_state_and_no_older_one() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("memories");
    let options = WriteOptions { baseline: true, ..WriteOptions::default() };
    let mut inputs = mixed(14);
    if put(&root, &inputs, options).unwrap().baseline == Baseline::NoGit {
        return;
    }
    let gone = inputs.sessions.remove(3).thread;
    inputs.statements.retain(|one| one.threads != [gone.clone()]);
    let wrote = put(&root, &inputs, options).unwrap();
    assert_eq!(wrote.baseline, Baseline::Committed);
    assert_eq!(wrote.removed.len(), 1);
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(&root).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(git(&["status", "--porcelain"]), "");
    assert_eq!(git(&["rev-list", "--count", "--all"]), "1\n");
    // What is gone is in no object either.
    let objects = git(&["cat-file", "--batch-check", "--batch-all-objects"]);
    for line in objects.lines().filter(|line| line.contains(" blob ")) {
        let text = git(&["cat-file", "blob", line.split(' ').next().unwrap()]);
        assert!(!text.contains(&gone));
    }
    // A history of one's own is kept.
    git(&[
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "mine",
    ]);
    add(&mut inputs, 20, "/home/ana/site");
    put(&root, &inputs, options).unwrap();
    assert_eq!(git(&["rev-list", "--count", "--all"]), "3\n");
}

#[test]
fn a_folder_of_somebody_else_is_left_alone_unless_it_is_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::write(root.join("MEMORY.md"), "mine\n").unwrap();
    fs::write(root.join("other.txt"), "mine too\n").unwrap();
    let before = tree(root);
    let inputs = mixed(3);
    let refused = put(root, &inputs, WriteOptions::default());
    assert!(matches!(refused, Err(Error::NotOurs { .. })), "{refused:?}");
    assert_eq!(tree(root), before);
    let adopt = WriteOptions { adopt: true, ..WriteOptions::default() };
    put(root, &inputs, adopt).unwrap();
    assert_eq!(fs::read_to_string(root.join(".memlith-replaced/MEMORY.md")).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(root.join("other.txt")).unwrap(), "mine too\n");
    // From then on it is ours.
    put(root, &mixed(4), WriteOptions::default()).unwrap();
}

#[test]
fn a_file_that_was_edited_stops_the_render() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("m");
    let inputs = mixed(3);
    put(&root, &inputs, WriteOptions::default()).unwrap();
    let path = root.join("MEMORY.md");
    let own = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{own}- my own line\n")).unwrap();
    let found = edits(&root).unwrap();
    assert_eq!((found.len(), found[0].path.as_str()), (1, "MEMORY.md"));
    assert_eq!(memlith_folder::added_lines(&own, &found[0].text), ["my own line"]);
    let refused = put(&root, &mixed(4), WriteOptions::default());
    assert!(matches!(refused, Err(Error::EditedByHand { paths }) if paths == ["MEMORY.md"]));
    assert!(fs::read_to_string(&path).unwrap().ends_with("- my own line\n"));
    let overwrite = WriteOptions { overwrite_edits: true, ..WriteOptions::default() };
    assert_eq!(put(&root, &inputs, overwrite).unwrap().written, ["MEMORY.md"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), own);
    // A file that is gone is written again.
    fs::remove_file(&path).unwrap();
    assert_eq!(put(&root, &inputs, WriteOptions::default()).unwrap().written, ["MEMORY.md"]);
}

#[test]
fn links_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("target");
    fs::create_dir(&target).unwrap();
    let root = dir.path().join("link");
    symlink(&target, &root).unwrap();
    let refused = put(&root, &mixed(3), WriteOptions { adopt: true, ..WriteOptions::default() });
    assert!(matches!(refused, Err(Error::SymbolicLink { .. })));
    assert!(matches!(load(&root), Err(Error::SymbolicLink { .. })));
    // Neither is one below the root.
    let root = dir.path().join("m");
    fs::create_dir(&root).unwrap();
    symlink(&target, root.join("rollout_summaries")).unwrap();
    let refused = put(&root, &mixed(3), WriteOptions { adopt: true, ..WriteOptions::default() });
    assert!(matches!(refused, Err(Error::SymbolicLink { .. })));
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    assert!(matches!(put(&file, &mixed(1), WriteOptions::default()), Err(Error::NoFolder { .. })));
}

#[test]
fn a_render_at_work_keeps_another_out() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("m");
    put(&root, &mixed(3), WriteOptions::default()).unwrap();
    let handle = fs::File::open(&root).unwrap();
    handle.lock().unwrap();
    assert!(matches!(put(&root, &mixed(4), WriteOptions::default()), Err(Error::Busy { .. })));
    drop(handle);
    put(&root, &mixed(4), WriteOptions::default()).unwrap();
}

/// A crash between two renames leaves files of both renders: none of them is taken for an edit.
#[test]
fn a_render_that_was_killed_is_finished_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (dir.path().join("one"), dir.path().join("other"));
    put(&one, &mixed(20), WriteOptions::default()).unwrap();
    put(&other, &mixed(21), WriteOptions::default()).unwrap();
    let of = |root: &Path| Manifest::of(root).unwrap().unwrap();
    let pending = Manifest { pending: of(&other).files, ..of(&one) };
    fs::write(one.join(MANIFEST), serde_json::to_vec(&pending).unwrap()).unwrap();
    fs::copy(other.join("MEMORY.md"), one.join("MEMORY.md")).unwrap();
    fs::create_dir(one.join(".memlith-staging-x")).unwrap();
    put(&one, &mixed(21), WriteOptions::default()).unwrap();
    let texts = |root: &Path| {
        tree(root).into_iter().map(|(path, (bytes, ..))| (path, bytes)).collect::<Vec<_>>()
    };
    assert_eq!(texts(&one), texts(&other));
}
