//! Which users of the machine can read a ledger's folder.

use std::path::{Path, PathBuf};

use memlith_log::{Exposed, LocalStorage};

use crate::error::Error;

/// The files and folders of the ledger in `dir` that are open to other users than its kind
/// says, or closed to some of those it is shared with; see [`Sharing`](crate::storage::Sharing).
///
/// # Errors
/// The folder can't be read.
pub fn exposed(dir: impl AsRef<Path>) -> Result<Vec<Exposed>, Error> {
    let dir = dir.as_ref();
    let found = LocalStorage::open(dir).and_then(|storage| storage.exposed());
    found.map_err(|source| Error::Io { what: format!("look at {}", dir.display()), source })
}

/// Gives what [`exposed`] finds the modes of the ledger's kind, and returns what that was.
///
/// # Errors
/// Only the owner of a file may change its mode.
pub fn mend_exposed(dir: impl AsRef<Path>) -> Result<Vec<Exposed>, Error> {
    let dir = dir.as_ref();
    let mended = LocalStorage::open(dir).and_then(|storage| storage.close_to_others());
    let what = || format!("change the modes of files in {}", dir.display());
    mended.map_err(|source| Error::Io { what: what(), source })
}

/// The nearest folder at or above `dir` that holds a ledger, or what is left of one.
///
/// Symbolic links are followed first, so that a link can't hide a ledger.
///
/// # Errors
/// `dir` doesn't exist.
pub fn enclosing_ledger(dir: impl AsRef<Path>) -> Result<Option<PathBuf>, Error> {
    let dir = dir.as_ref();
    let real = dir
        .canonicalize()
        .map_err(|source| Error::Io { what: format!("find {}", dir.display()), source })?;
    // A folder that can't be read can't be looked through.
    let holds = |dir: &&Path| {
        let storage = LocalStorage::open(*dir);
        storage.is_ok_and(|storage| memlith_log::holds_ledger(&storage).unwrap_or(false))
    };
    Ok(real.ancestors().find(holds).map(Path::to_owned))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::{Ledger, Options, storage::Sharing};

    #[test]
    fn what_is_wider_than_its_ledger_is_named_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        for sharing in [Sharing::Private, Sharing::Group] {
            let dir = folder.path().join(format!("{sharing:?}"));
            let options = Options { sharing, ..Options::default() };
            Ledger::create(&dir, options).unwrap().close().unwrap();
            assert_eq!(exposed(&dir).unwrap(), []);
            let open = |name: &str, mode| {
                let path = dir.join(name);
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
            };
            open("mark", 0o664);
            std::fs::write(dir.join("notes.txt"), b"of somebody else").unwrap();
            open("notes.txt", 0o666);
            let expected =
                Exposed { name: "mark".to_owned(), mode: 0o664, wanted: sharing.file_mode() };
            let expected = [expected];
            assert_eq!(exposed(&dir).unwrap(), expected, "{sharing:?}");
            assert_eq!(mend_exposed(&dir).unwrap(), expected);
            assert_eq!(exposed(&dir).unwrap(), []);
        }
    }

    #[test]
    fn a_ledger_is_found_above_and_through_links() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("ledger");
        Ledger::create(&dir, Options::default()).unwrap().close().unwrap();
        std::fs::create_dir(dir.join("deep")).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(dir.join("deep"), &link).unwrap();
        let real = dir.canonicalize().unwrap();
        for inside in [dir.clone(), dir.join("deep"), link] {
            assert_eq!(enclosing_ledger(&inside).unwrap().as_ref(), Some(&real), "{inside:?}");
        }
        assert_eq!(enclosing_ledger(folder.path()).unwrap(), None);
        std::fs::remove_file(dir.join("seg-0000000000")).unwrap();
        assert_eq!(enclosing_ledger(&dir).unwrap(), Some(real), "what is left of one");
    }
}
