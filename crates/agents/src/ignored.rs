//! What `.memlithignore` names.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use memlith::transfer::IgnoredFiles;

use crate::project::Project;

/// The rules of every folder that was asked about.
#[derive(Default)]
struct Ignored {
    /// Of each folder the rules that hold in it, the nearest first.
    rules: Mutex<BTreeMap<PathBuf, Rules>>,
    /// The project's topmost folder for each folder of a session.
    roots: Mutex<BTreeMap<String, PathBuf>>,
}

type Rules = Arc<[Rule]>;

/// What one `.memlithignore` says.
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

/// So many folders are kept in mind.
const FOLDERS_MAX: usize = 1 << 16;

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
        let path = match name.strip_prefix("~/") {
            Some(rest) => match std::env::home_dir() {
                Some(home) => home.join(rest),
                None => return false,
            },
            None => PathBuf::from(name),
        };
        if path.is_absolute() {
            return self.has_path(&plain(&path));
        }
        let Some(directory) = directory.filter(|folder| Path::new(folder).is_absolute()) else {
            return false;
        };
        let (folder, root) = (Path::new(directory), self.root_of(directory));
        let is_below = |base: &Path| self.has_path(&plain(&base.join(&path)));
        // What git prints is relative to the topmost folder.
        is_below(folder) || root != folder && is_below(&root)
    }

    fn has_path(&self, path: &Path) -> bool {
        let Some(parent) = path.parent() else { return false };
        if self.rules_in(parent).is_empty() {
            return false;
        }
        let mut prefixes: Vec<&Path> = path.ancestors().collect();
        prefixes.reverse();
        // As in git: what stands in an ignored folder can't be taken out of it.
        prefixes.iter().any(|prefix| {
            let Some(folder) = prefix.parent() else { return false };
            let rules = self.rules_in(folder);
            // It may be gone, so that nobody knows what it was.
            [true, false].into_iter().any(|is_dir| {
                let said = rules.iter().find_map(|rule| rule.says(prefix, is_dir));
                said.unwrap_or(false)
            })
        })
    }

    /// The rules that hold in a folder.
    fn rules_in(&self, folder: &Path) -> Rules {
        if let Some(known) = locked(&self.rules).get(folder) {
            return Arc::clone(known);
        }
        let above = folder.parent().map(|above| self.rules_in(above)).unwrap_or_default();
        let rules = match Rule::read(folder) {
            None => above,
            Some(own) => [own].into_iter().chain(above.iter().cloned()).collect(),
        };
        let mut all = locked(&self.rules);
        if all.len() >= FOLDERS_MAX {
            all.clear();
        }
        all.insert(folder.to_owned(), Arc::clone(&rules));
        rules
    }

    fn root_of(&self, directory: &str) -> PathBuf {
        let mut roots = locked(&self.roots);
        if let Some(known) = roots.get(directory) {
            return known.clone();
        }
        let root = Project::of(Path::new(directory)).root;
        roots.insert(directory.to_owned(), root.clone());
        root
    }
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

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
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
