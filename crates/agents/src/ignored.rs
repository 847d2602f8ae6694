//! Files that `.memlithignore` names.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use memlith::copy::IgnoredFiles;

use crate::project::{Project, plain};

/// The rules of every folder that was asked about. A transcript names some ten thousand files,
/// and a turn waits: what is known of a folder is known for all that is named in it.
#[derive(Default)]
struct Ignored {
    folders: Mutex<BTreeMap<OsString, Arc<Folder>>>,
    /// The folders that a session's folder and the part of a name before its last slash lead to.
    named: Mutex<BTreeMap<String, Folders>>,
    /// The project's topmost folder for each folder of a session.
    roots: Mutex<BTreeMap<String, PathBuf>>,
}

type Folders = Arc<[Arc<Folder>]>;

struct Folder {
    path: PathBuf,
    /// The rules that hold in it, the nearest first.
    rules: Vec<Rule>,
    /// Whether it is ignored itself: as in git, nothing in it can be taken out of that.
    is_ignored: bool,
}

/// The rules of one `.memlithignore`.
#[derive(Clone)]
enum Rule {
    Globs(Arc<Gitignore>),
    /// It can't be read: somebody wrote it to keep something out.
    Everything,
}

/// The name of the file, with the syntax of `.gitignore`.
const FILE: &str = ".memlithignore";

/// The longest that is read, in bytes.
const FILE_MAX: u64 = 1 << 20;

/// Maximum number of folders kept in mind.
const FOLDERS_MAX: usize = 1 << 16;

/// Whether a `.memlithignore` names the file at `path` below the folder `root`.
pub(crate) fn is_ignored(root: &Path, path: &str) -> bool {
    Ignored::default().has(root.to_str(), path)
}

/// The files that a `.memlithignore` names, in a folder of theirs or one above. One that can't
/// be read, or has a line that is no pattern, names all that its folder holds.
#[must_use]
pub fn ignored_files() -> IgnoredFiles {
    let ignored = Ignored::default();
    IgnoredFiles::new(move |directory, name| ignored.has(directory, name))
}

impl Ignored {
    /// Whether `name`, which may be relative to `directory` or to the project's topmost folder,
    /// is ignored.
    fn has(&self, directory: Option<&str>, name: &str) -> bool {
        let (before, last) = name.split_at(name.rfind('/').map_or(0, |at| at + 1));
        self.named(directory, before).iter().any(|folder| folder.ignores(last))
    }

    /// The folders that `before`, the part of a name before its last part, may lead to.
    fn named(&self, directory: Option<&str>, before: &str) -> Folders {
        let key = format!("{}\n{before}", directory.unwrap_or_default());
        if let Some(known) = locked(&self.named).get(&key) {
            return Arc::clone(known);
        }
        let paths = self.paths(directory, before);
        let folders: Folders = paths.iter().map(|path| self.folder(&plain(path))).collect();
        remember(&self.named, key, &folders);
        folders
    }

    /// Where a part of a name may lead.
    fn paths(&self, directory: Option<&str>, before: &str) -> Vec<PathBuf> {
        if let Some(rest) = before.strip_prefix("~/") {
            return std::env::home_dir().map(|home| home.join(rest)).into_iter().collect();
        }
        if before.starts_with('/') {
            return vec![PathBuf::from(before)];
        }
        let Some(directory) = directory.filter(|folder| Path::new(folder).is_absolute()) else {
            return Vec::new();
        };
        // What git prints is relative to the topmost folder.
        let mut paths = vec![Path::new(directory).join(before), self.root(directory).join(before)];
        paths.dedup();
        paths
    }

    fn root(&self, directory: &str) -> PathBuf {
        if let Some(known) = locked(&self.roots).get(directory) {
            return known.clone();
        }
        let root = Project::of(Path::new(directory)).root;
        remember(&self.roots, directory.to_owned(), &root);
        root
    }

    fn folder(&self, path: &Path) -> Arc<Folder> {
        let key = path.as_os_str().to_owned();
        if let Some(known) = locked(&self.folders).get(&key) {
            return Arc::clone(known);
        }
        let above = path.parent().map(|above| self.folder(above));
        let is_ignored =
            above.as_ref().is_some_and(|above| above.is_ignored || says(&above.rules, path, true));
        let above = above.iter().flat_map(|above| above.rules.iter().cloned());
        let rules = Rule::read(path).into_iter().chain(above).collect();
        let folder = Arc::new(Folder { path: path.to_owned(), rules, is_ignored });
        remember(&self.folders, key, &folder);
        folder
    }
}

impl Folder {
    fn ignores(&self, name: &str) -> bool {
        if self.is_ignored || self.rules.is_empty() || matches!(name, "" | "." | "..") {
            return self.is_ignored;
        }
        let path = self.path.join(name);
        // It may be gone, so that nobody knows what it was.
        [false, true].into_iter().any(|is_dir| says(&self.rules, &path, is_dir))
    }
}

/// Whether a path is ignored, by the nearest of the rules that says anything of it.
fn says(rules: &[Rule], path: &Path, is_dir: bool) -> bool {
    rules.iter().find_map(|rule| rule.says(path, is_dir)).unwrap_or(false)
}

fn remember<K: Ord, V: Clone>(known: &Mutex<BTreeMap<K, V>>, key: K, value: &V) {
    let mut known = locked(known);
    if known.len() >= FOLDERS_MAX {
        known.clear();
    }
    known.insert(key, value.clone());
}

impl Rule {
    /// The rules of a folder's own file; `None` where it has none.
    fn read(folder: &Path) -> Option<Rule> {
        let path = folder.join(FILE);
        let text = match fs::metadata(&path) {
            Ok(file) if file.is_file() && file.len() <= FILE_MAX => fs::read_to_string(&path),
            Ok(_) => return Some(Rule::Everything),
            Err(error) => Err(error),
        };
        match text {
            Ok(text) => Some(Rule::of(folder, &text).unwrap_or(Rule::Everything)),
            Err(error) => {
                let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
                // Of a word that is no path nothing can be there.
                let absent = absent.contains(&error.kind())
                    || matches!(
                        error.kind(),
                        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename
                    );
                (!absent).then_some(Rule::Everything)
            }
        }
    }

    fn of(folder: &Path, text: &str) -> Result<Rule, ignore::Error> {
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.trim_start_matches('\u{feff}').lines() {
            builder.add_line(None, line)?;
        }
        Ok(Rule::Globs(Arc::new(builder.build()?)))
    }

    /// Whether it ignores a path or says that it doesn't; `None` where it says nothing.
    fn says(&self, path: &Path, is_dir: bool) -> Option<bool> {
        match self {
            Rule::Everything => Some(true),
            Rule::Globs(globs) => match globs.matched(path, is_dir) {
                ignore::Match::None => None,
                ignore::Match::Ignore(_) => Some(true),
                ignore::Match::Whitelist(_) => Some(false),
            },
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_ignored_as_git_ignores_them() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at(".git")).unwrap();
        fs::create_dir_all(at("web/src")).unwrap();
        fs::write(at(FILE), "# mine\n/secrets/\n*.pem\n!open.pem\n\n").unwrap();
        fs::write(at("web").join(FILE), "/notes.md\n").unwrap();
        let (root, web) = (at("").display().to_string(), at("web").display().to_string());
        let ignored = Ignored::default();
        for (directory, name, expected) in [
            (&root, "secrets", true),
            (&root, "secrets/deep/a.txt", true),
            (&root, "./web/../secrets/a", true),
            (&root, "web/secrets", false),
            (&root, "web/x.pem", true),
            (&root, "open.pem", false),
            (&root, "secrets/open.pem", true),
            (&root, "notes.md", false),
            (&root, "web/notes.md", true),
            (&web, "notes.md", true),
            (&web, "../secrets/a", true),
            // As git prints it, relative to the topmost folder.
            (&web, "secrets/a", true),
            (&web, "src/a.rs", false),
        ] {
            assert_eq!(ignored.has(Some(directory), name), expected, "{directory} {name}");
            let whole = Path::new(directory).join(name).display().to_string();
            let is_relative_to_root = name == "secrets/a";
            assert!(is_relative_to_root || ignored.has(None, &whole) == expected, "{whole}");
        }
        assert!(!ignored.has(None, "secrets") && !ignored.has(Some("x"), "secrets"));
    }

    #[test]
    fn a_file_that_is_not_understood_hides_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let within = |name: &str| folder.path().join(name).display().to_string();
        fs::write(folder.path().join(FILE), "a{b\n").unwrap();
        assert!(Ignored::default().has(None, &within("any")));
        fs::remove_file(folder.path().join(FILE)).unwrap();
        assert!(!Ignored::default().has(None, &within("any")));
        fs::create_dir(folder.path().join(FILE)).unwrap();
        assert!(Ignored::default().has(None, &within("any")));
    }
}
