//! A folder on the disk.
//!
//! Invariants
//! 1. A file is put into place by one rename, and is whole before and after it.
//! 2. The manifest names a file's new digest before the file is put into place, and is written
//!    again when all are: after a crash at any point every file is known to be Memlith's.
//! 3. Nothing is written where nothing changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::baseline::{Baseline, commit};
use crate::error::Error;
use crate::manifest::{MANIFEST, Manifest, digest};
use crate::page::Folder;

/// Options of a render: what it may do to a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Take over a folder that Memlith didn't write; what stood in place of its files is moved to
    /// `.memlith-replaced`.
    pub adopt: bool,
    /// Overwrite what was changed by hand; else such a file stops the render.
    pub overwrite_edits: bool,
    /// Commit the state to the folder's own repository of git, so that Codex sees no change.
    pub baseline: bool,
}

/// The changes that a render made to a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WroteFolder {
    /// The files that were written, by path.
    pub written: Vec<String>,
    /// The files that were removed.
    pub removed: Vec<String>,
    /// Number of files that were as they should be.
    pub unchanged: usize,
    /// The result for the baseline.
    pub baseline: Baseline,
}

/// A file that was changed by hand since the last render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file, within the folder.
    pub path: String,
    /// The text of the file.
    pub text: String,
}

const STAGING: &str = ".memlith-staging-";
const REPLACED: &str = ".memlith-replaced";

/// Writes a rendered folder to `root`; `manifest` says what it was rendered from, and gets its
/// files here.
///
/// Each file is written beside the others and renamed into place, with mode 0600 in folders of
/// 0700. Files that Memlith didn't write stay, unless they stand in the place of one.
///
/// # Errors
/// [`Error::SymbolicLink`], [`Error::NoFolder`], [`Error::NotOurs`], [`Error::EditedByHand`],
/// [`Error::Busy`], [`Error::Manifest`], [`Error::Io`], and [`Error::Git`] of the baseline, when
/// the files are written.
pub fn write(
    root: &Path,
    folder: &Folder,
    manifest: Manifest,
    options: WriteOptions,
) -> Result<WroteFolder, Error> {
    check_root(root)?;
    create_folder(root)?;
    let _lock = locked(root)?;
    remove_staging(root)?;
    let before = Manifest::of(root)?;
    if before.is_none() && !options.adopt && !is_free(root)? {
        return Err(Error::NotOurs { path: root.to_owned() });
    }
    let changed = edits_of(root, before.as_ref())?;
    if !options.overwrite_edits && !changed.is_empty() {
        return Err(Error::EditedByHand {
            paths: changed.into_iter().map(|one| one.path).collect(),
        });
    }
    let mut files = BTreeMap::new();
    let mut done = WroteFolder::default();
    for (path, page) in &folder.files {
        let own = digest(page.text().as_bytes());
        if digest_at(root, path)?.as_ref() == Some(&own) {
            done.unchanged = done.unchanged.saturating_add(1);
        } else {
            done.written.push(path.clone());
        }
        files.insert(path.clone(), own);
    }
    let old = before.as_ref().map(|before| before.files.keys().chain(before.pending.keys()));
    let old: BTreeSet<String> = old.into_iter().flatten().cloned().collect();
    done.removed = old.into_iter().filter(|path| !files.contains_key(path)).collect();
    let is_same = before.as_ref().is_some_and(|had| had.files == files && had.pending.is_empty());
    if !is_same || !done.written.is_empty() {
        let manifest = Manifest { version: 1, files, pending: BTreeMap::new(), ..manifest };
        put(root, folder, (before.unwrap_or_default(), manifest), &done)?;
    }
    if options.baseline {
        done.baseline = commit(root)?;
    }
    Ok(done)
}

/// Puts the files of `done` into place, the manifest last.
fn put(
    root: &Path,
    folder: &Folder,
    (before, after): (Manifest, Manifest),
    done: &WroteFolder,
) -> Result<(), Error> {
    let staging = tempfile::Builder::new().prefix(STAGING).tempdir_in(root);
    let staging = staging.map_err(Error::io(root, "written to"))?;
    for (number, path) in done.written.iter().enumerate() {
        let text = folder.text(path).unwrap_or_default();
        write_file(&staging.path().join(number.to_string()), text.as_bytes())?;
    }
    // From here on a crash leaves files of both renders, and both are in the manifest.
    let pending = Manifest { pending: after.files.clone(), ..before.clone() };
    write_manifest(root, staging.path(), &pending)?;
    for (number, path) in done.written.iter().enumerate() {
        let target = root.join(path);
        create_parents(root, path)?;
        if let Some(had) = digest_at(root, path)?
            && before.files.is_empty()
            && !before.wrote(path, &had)
        {
            set_aside(root, path)?;
        }
        let staged = staging.path().join(number.to_string());
        fs::rename(&staged, &target).map_err(Error::io(&target, "put into place"))?;
    }
    for path in &done.removed {
        let target = root.join(path);
        match fs::remove_file(&target) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(target, "removed")(error));
            }
            Ok(()) | Err(_) => {}
        }
        // The folder of a skill goes with it; one that holds something else stays.
        if path.starts_with("skills/") {
            let _ = target.parent().map(fs::remove_dir);
        }
    }
    write_manifest(root, staging.path(), &after)?;
    sync_folder(root)
}

/// The files that were changed by hand since the last render; none where there is no manifest.
///
/// A file that is gone isn't one of them: it is written again.
///
/// # Errors
/// [`Error::SymbolicLink`], [`Error::Manifest`] and [`Error::Io`].
pub fn edits(root: &Path) -> Result<Vec<Edit>, Error> {
    check_root(root)?;
    edits_of(root, Manifest::of(root)?.as_ref())
}

fn edits_of(root: &Path, manifest: Option<&Manifest>) -> Result<Vec<Edit>, Error> {
    let Some(manifest) = manifest else { return Ok(Vec::new()) };
    let mut edits = Vec::new();
    let paths: BTreeSet<&String> = manifest.files.keys().chain(manifest.pending.keys()).collect();
    for path in paths {
        let Some(bytes) = bytes_at(root, path)? else { continue };
        if !manifest.wrote(path, &digest(&bytes)) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            edits.push(Edit { path: path.clone(), text });
        }
    }
    Ok(edits)
}

pub(crate) fn check_root(root: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(root) {
        Ok(found) if found.is_symlink() => Err(Error::SymbolicLink { path: root.to_owned() }),
        Ok(found) if !found.is_dir() => Err(Error::NoFolder { path: root.to_owned() }),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io(root, "looked at")(error)),
    }
}

fn create_folder(path: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(Error::io(path, "made"))
}

/// Makes the folders above a file; none of them may lead elsewhere.
fn create_parents(root: &Path, path: &str) -> Result<(), Error> {
    let mut folder = root.to_owned();
    let names: Vec<&str> = path.split('/').collect();
    for name in names.iter().take(names.len().saturating_sub(1)) {
        folder.push(name);
        check_root(&folder)?;
        create_folder(&folder)?;
    }
    Ok(())
}

/// The lock of a folder.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that another thread is just starting holds the file open for a moment, and
        // with it the lock: closing alone wouldn't free it. What fails here ends with the process.
        let _ = self.0.unlock();
    }
}

fn locked(root: &Path) -> Result<Lock, Error> {
    let handle = File::open(root).map_err(Error::io(root, "opened"))?;
    match handle.try_lock() {
        Ok(()) => Ok(Lock(handle)),
        Err(fs::TryLockError::WouldBlock) => Err(Error::Busy { path: root.to_owned() }),
        Err(fs::TryLockError::Error(error)) => Err(Error::io(root, "locked")(error)),
    }
}

/// Removes what a render that was killed left behind.
fn remove_staging(root: &Path) -> Result<(), Error> {
    for name in names_in(root)? {
        if name.starts_with(STAGING) {
            let path = root.join(name);
            fs::remove_dir_all(&path).map_err(Error::io(path, "removed"))?;
        }
    }
    Ok(())
}

/// Whether nothing stands in the folder.
fn is_free(root: &Path) -> Result<bool, Error> {
    Ok(names_in(root)?.is_empty())
}

fn names_in(root: &Path) -> Result<Vec<String>, Error> {
    let entries = fs::read_dir(root).map_err(Error::io(root, "listed"))?;
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    names.collect::<Result<_, _>>().map_err(Error::io(root, "listed"))
}

fn bytes_at(root: &Path, path: &str) -> Result<Option<Vec<u8>>, Error> {
    let path = root.join(path);
    match fs::symlink_metadata(&path) {
        // A link in place of a file: its target is none of ours.
        Ok(found) if found.is_symlink() => Err(Error::SymbolicLink { path }),
        Ok(_) => fs::read(&path).map(Some).map_err(Error::io(path, "read")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path, "read")(error)),
    }
}

fn digest_at(root: &Path, path: &str) -> Result<Option<String>, Error> {
    Ok(bytes_at(root, path)?.map(|bytes| digest(&bytes)))
}

/// Moves a file that isn't Memlith's out of the way.
fn set_aside(root: &Path, path: &str) -> Result<(), Error> {
    let folder = root.join(REPLACED);
    check_root(&folder)?;
    create_folder(&folder)?;
    let name = path.replace('/', "_");
    let mut target = folder.join(&name);
    let mut number = 2_usize;
    while target.exists() {
        target = folder.join(format!("{name}.{number}"));
        number = number.saturating_add(1);
    }
    fs::rename(root.join(path), &target).map_err(Error::io(target, "put into place"))
}

fn write_file(path: &PathBuf, bytes: &[u8]) -> Result<(), Error> {
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = opened.map_err(Error::io(path, "made"))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(Error::io(path, "written"))
}

fn write_manifest(root: &Path, staging: &Path, manifest: &Manifest) -> Result<(), Error> {
    let target = root.join(MANIFEST);
    let staged = staging.join("manifest");
    let bytes = serde_json::to_vec_pretty(manifest);
    let bytes = bytes.map_err(|source| Error::Manifest { path: target.clone(), source })?;
    write_file(&staged, &bytes)?;
    fs::rename(&staged, &target).map_err(Error::io(target, "put into place"))
}

fn sync_folder(root: &Path) -> Result<(), Error> {
    let synced = File::open(root).and_then(|folder| folder.sync_all());
    synced.map_err(Error::io(root, "synced"))
}
