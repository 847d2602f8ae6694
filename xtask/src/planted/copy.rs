use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::cargo::{output, root};
use crate::planted::Bug;

/// Makes a copy of the workspace in which every bug is planted; returns its root.
///
/// A file that is as it was isn't written, so that cargo builds only what has changed.
///
/// # Errors
/// A bug has no place, or a file can't be read or written.
pub(crate) fn copy() -> anyhow::Result<PathBuf> {
    let (root, folder) = (root(), root().join("target/planted"));
    let mut files = sources(&root)?;
    let mut planted = BTreeMap::new();
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    for bug in Bug::patches()? {
        bug.plant(&mut planted, &read)?;
    }
    files.extend(planted.into_iter().map(|(path, text)| (path, text.into_bytes())));
    let (copy, list) = (folder.join("tree"), folder.join("files"));
    let earlier = fs::read_to_string(&list).unwrap_or_default();
    for gone in earlier.lines().filter(|path| !files.contains_key(*path)) {
        let _ = fs::remove_file(copy.join(gone));
    }
    for (path, bytes) in &files {
        put(&copy.join(path), bytes).with_context(|| format!("copy {path}"))?;
    }
    fs::write(&list, files.into_keys().collect::<Vec<_>>().join("\n"))?;
    Ok(copy)
}

/// The files that git keeps or would keep, by path.
fn sources(root: &Path) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others"]);
    let listed = output(git.arg("--exclude-standard").current_dir(root))?;
    // One that was deleted and not yet committed is on its way out.
    let paths = listed.split_terminator('\0').filter(|path| root.join(path).is_file());
    paths.map(|path| anyhow::Ok((path.to_owned(), fs::read(root.join(path))?))).collect()
}

/// Writes a file, unless it holds these bytes.
fn put(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if fs::read(path).is_ok_and(|held| held == bytes) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, bytes)?)
}
