use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::finding::Finding;
use super::tree::Tree;

/// A file that git keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tracked {
    pub(crate) path: String,
    /// Whether `.gitignore` names it all the same.
    pub(crate) is_ignored: bool,
    /// Whether its first [`LOOKED_AT`] bytes hold a zero.
    pub(crate) is_binary: bool,
}

/// The list of folders whose files are no text, one `FOLDER -- reason` a line.
const BINARIES: &str = "xtask/tidy/binaries.txt";

/// Number of first bytes of a file that are looked at, as git does.
const LOOKED_AT: u64 = 8 << 10;

/// Checks that somebody wrote each file that git keeps: nothing ignored, and nothing that nobody
/// can read, unless [`BINARIES`] says what its folder is for.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let (mut found, listed) = (Vec::new(), folders(tree));
    for file in tree.tracked() {
        if file.is_ignored {
            let message = "git keeps it and `.gitignore` names it: `git rm --cached` it";
            found.push(Finding::new("ignored", &file.path, 1, message));
        }
        if file.is_binary && !listed.iter().any(|(_, folder)| *folder == Some(file.folder())) {
            let message = format!("it is no text: take it out, or list its folder in {BINARIES}");
            found.push(Finding::new("binary", &file.path, 1, message));
        }
    }
    let is_used = |folder: Option<&str>| {
        tree.tracked().iter().any(|file| file.is_binary && folder == Some(file.folder()))
    };
    // Outside of a repository nothing is known of what git keeps.
    let is_known = !tree.tracked().is_empty();
    for (line, _) in listed.iter().filter(|(_, folder)| is_known && !is_used(*folder)) {
        let message = "write `FOLDER -- reason`, of a folder with a binary in it";
        found.push(Finding::new("binary", BINARIES, *line, message));
    }
    found
}

/// The lines of [`BINARIES`], and their folders where a reason stands beside them.
fn folders(tree: &Tree) -> Vec<(usize, Option<&str>)> {
    let lines = (1..).zip(tree.text(BINARIES).unwrap_or_default().lines());
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(at, line)| (at, line.split_once(" -- ").map(|(folder, _)| folder))).collect()
}

impl Tracked {
    fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The files that git keeps below `root`; none where there is no git or no repository.
    ///
    /// # Errors
    /// Git refuses, or a file can't be read.
    pub(super) fn all(root: &Path) -> anyhow::Result<Vec<Tracked>> {
        if !root.join(".git").exists() {
            return Ok(Vec::new());
        }
        let Some(paths) = listed(root, &[])? else { return Ok(Vec::new()) };
        // What one user ignores is no rule of the project's.
        let ignored = listed(root, &["--ignored", "--exclude-per-directory=.gitignore"])?;
        let ignored = ignored.unwrap_or_default();
        let mut tracked = Vec::new();
        for path in paths {
            // One that was deleted and not yet committed is on its way out.
            let Some(is_binary) = is_binary(&root.join(&path))? else { continue };
            tracked.push(Tracked { is_ignored: ignored.contains(&path), is_binary, path });
        }
        Ok(tracked)
    }
}

/// Returns the list of `git ls-files`; `None` where git is not installed.
fn listed(root: &Path, more: &[&str]) -> anyhow::Result<Option<Vec<String>>> {
    let mut git = Command::new("git");
    // The folder may be another user's, as in a container.
    git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached"]).args(more);
    let ended = match git.current_dir(root).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        ended => ended.context("run git ls-files")?,
    };
    let said = String::from_utf8_lossy(&ended.stderr);
    anyhow::ensure!(ended.status.success(), "git ls-files failed: {}", said.trim());
    let paths = String::from_utf8_lossy(&ended.stdout);
    Ok(Some(paths.split_terminator('\0').map(str::to_owned).collect()))
}

/// Whether a file is no text; `None` where it isn't there.
fn is_binary(path: &Path) -> anyhow::Result<Option<bool>> {
    if !path.is_file() {
        return Ok(None);
    }
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut head = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut head)?;
    Ok(Some(head.contains(&0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracked(path: &str, is_ignored: bool, is_binary: bool) -> Tracked {
        Tracked { path: path.to_owned(), is_ignored, is_binary }
    }

    #[test]
    fn what_is_ignored_or_no_text_is_found() {
        let listed = "# Why.\n\nkept -- bytes\ngone -- bytes\nmade\n";
        let tree = Tree::of(&[(BINARIES, listed)]).with_tracked(vec![
            tracked("kept/seg-0", false, true),
            tracked("made/seg-0", false, true),
            tracked("a.rs", false, false),
            tracked("tool/cache.txt", true, false),
            tracked("tool/cache.db", true, true),
        ]);
        let found = check(&tree);
        let shown: Vec<_> =
            found.iter().map(|one| (one.rule, one.path.as_str(), one.line)).collect();
        let expected = [
            ("binary", "made/seg-0", 1),
            ("ignored", "tool/cache.txt", 1),
            ("ignored", "tool/cache.db", 1),
            ("binary", "tool/cache.db", 1),
            ("binary", BINARIES, 4),
            ("binary", BINARIES, 5),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn git_says_what_it_keeps() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(Tracked::all(root).unwrap(), [], "no repository");
        let git = |args: &[&str]| Command::new("git").args(args).current_dir(root).output();
        let Ok(made) = git(&["init", "--quiet"]) else { return };
        assert!(made.status.success());
        std::fs::create_dir(root.join(".tool")).unwrap();
        for (path, bytes) in [
            (".gitignore", &b".tool/\n"[..]),
            ("text", b"words"),
            (".tool/cache.db", b"SQLite\0"),
            ("late", &[b'x'; 9_000]),
            ("gone", b""),
            ("untracked", b"\0"),
        ] {
            std::fs::write(root.join(path), bytes).unwrap();
        }
        let added = git(&["add", "--force", ".gitignore", "text", ".tool", "late", "gone"]);
        assert!(added.unwrap().status.success());
        std::fs::remove_file(root.join("gone")).unwrap();
        let expected = [
            tracked(".gitignore", false, false),
            tracked(".tool/cache.db", true, true),
            tracked("late", false, false),
            tracked("text", false, false),
        ];
        assert_eq!(Tracked::all(root).unwrap(), expected);
    }
}
