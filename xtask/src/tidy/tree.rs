use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;

use super::packages::{Package, packages};
use super::rust::RustFile;
use super::tracked::Tracked;

/// Everything that a rule may look at: the files of the project and its packages.
pub(crate) struct Tree {
    /// Path relative to the root, with `/`, to text; `None` where it is no UTF-8.
    files: BTreeMap<String, Option<String>>,
    rust: Vec<RustFile>,
    packages: Vec<Package>,
    tracked: Vec<Tracked>,
}

/// Folders that are built or found, never written: those of cargo and libFuzzer, and git's own
/// (which is a file where a repository has several work trees).
const NOT_SOURCES: [&str; 5] = [".git", "target", "fuzz/target", "fuzz/corpus", "fuzz/artifacts"];

/// Folders with a leading dot that are sources; all others are tools' own.
const HIDDEN_SOURCES: [&str; 3] = [".cargo", ".ci", ".github"];

impl Tree {
    /// Reads the project below `root`.
    ///
    /// # Errors
    /// A file cannot be read, a Rust file cannot be lexed, or cargo refuses the workspace.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Tree> {
        let mut files = BTreeMap::new();
        read_folder(root, "", &mut files)?;
        let rust = texts(&files)
            .filter(|(path, _)| path.ends_with(".rs"))
            .map(|(path, text)| RustFile::new(path, text))
            .collect::<anyhow::Result<_>>()?;
        Ok(Tree { files, rust, packages: packages(root)?, tracked: Tracked::all(root)? })
    }

    /// A tree of the given files, for tests of rules.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let owned = files.iter().map(|&(path, text)| (path.to_owned(), Some(text.to_owned())));
        let rust = files.iter().filter(|(path, _)| path.ends_with(".rs"));
        Tree {
            files: owned.collect(),
            rust: rust.map(|(path, text)| RustFile::new(path, text).unwrap()).collect(),
            packages: Vec::new(),
            tracked: Vec::new(),
        }
    }

    /// Replaces the packages of the tree, for tests of rules.
    #[cfg(test)]
    pub(crate) fn with_packages(self, packages: Vec<Package>) -> Tree {
        Tree { packages, ..self }
    }

    /// Replaces the tracked files of the tree, for tests of rules.
    #[cfg(test)]
    pub(crate) fn with_tracked(self, tracked: Vec<Tracked>) -> Tree {
        Tree { tracked, ..self }
    }

    /// Every text file, by path.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        texts(&self.files)
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Whether `path` is a file, or a folder with files.
    pub(crate) fn exists(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self
                .files
                .range(folder.clone()..)
                .next()
                .is_some_and(|(p, _)| p.starts_with(&folder))
    }

    /// Every Rust file, by path.
    pub(crate) fn rust(&self) -> &[RustFile] {
        &self.rust
    }

    /// The files that git keeps; none outside of a repository.
    pub(crate) fn tracked(&self) -> &[Tracked] {
        &self.tracked
    }

    /// The packages of the workspace.
    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }
}

fn texts(files: &BTreeMap<String, Option<String>>) -> impl Iterator<Item = (&str, &str)> {
    files.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
}

fn read_folder(
    root: &Path,
    folder: &str,
    files: &mut BTreeMap<String, Option<String>>,
) -> anyhow::Result<()> {
    let at = root.join(folder);
    for entry in fs::read_dir(&at).with_context(|| format!("cannot read {}", at.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type()?;
        if NOT_SOURCES.contains(&path.as_str()) {
            continue;
        }
        if kind.is_file() {
            let bytes = fs::read(entry.path()).with_context(|| format!("cannot read {path}"))?;
            files.insert(path, String::from_utf8(bytes).ok());
        } else if kind.is_dir() && is_shown(&path, &name) {
            read_folder(root, &path, files)?;
        }
    }
    Ok(())
}

fn is_shown(path: &str, name: &str) -> bool {
    !name.starts_with('.') || HIDDEN_SOURCES.contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_exist_when_they_hold_a_file() {
        let tree = Tree::of(&[("docs/format.md", "")]);
        assert!(tree.exists("docs") && tree.exists("docs/format.md") && tree.exists(""));
        assert!(!tree.exists("doc") && !tree.exists("docs/format"));
    }

    #[test]
    fn built_and_hidden_folders_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["src/target/a.rs", "target/b.rs", ".ci/run", ".tool/c", "fuzz/corpus/t/d"] {
            let file = root.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        fs::write(root.join(".git"), "gitdir: elsewhere").unwrap();
        let mut files = BTreeMap::new();
        read_folder(root, "", &mut files).unwrap();
        assert_eq!(files.into_keys().collect::<Vec<_>>(), [".ci/run", "src/target/a.rs"]);
    }
}
