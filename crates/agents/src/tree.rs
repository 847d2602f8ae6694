//! Files that memories name, compared with those of the project's tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use memlith::log::{Event, MemoryEvent, decode};
use memlith::{Caller, Ledger, RecordId, Scope};

use crate::ignored::is_ignored;
use crate::project::Project;
use crate::taught::taught;

/// The tree of a project.
///
/// A memory that names a file of it by its path keeps what the file was when the memory was
/// written, as metadata: the key is `tree:` and the path, and behind `#` a word of code that the
/// memory names and the file holds; the value is length, time of change and hash, of the lines
/// with that word or of the whole file.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
    /// The subject of the project's memories.
    subject: Option<String>,
}

/// Difference of a file from what it was when a memory named it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// Its contents differ where the memory speaks of it.
    Changed(String),
    /// It is not there, or the word of code is not in it.
    Gone(String),
}

/// Characters that stand beside a path in a text and are no part of it: of links and quotations.
const BESIDE_PATHS: [char; 10] = ['(', ')', '[', ']', '<', '>', '\'', '"', ',', ';'];

/// How the keys of metadata begin.
const KEY: &str = "tree:";

/// No longer file is read, in bytes.
const FILE_BYTES_MAX: u64 = 256 << 10;

/// The most files that are read for one answer: a stat tells most of them.
const READ_MAX: usize = 4;

/// The most paths of a memory, and the most words of code of each.
const PATHS_MAX: usize = 4;
const WORDS_MAX: usize = 2;

/// The most changes that are told at once.
const TOLD_MAX: usize = 4;

/// The most memories that are looked at for one answer.
const MEMORIES_MAX: usize = 64;

/// The longest path, in bytes.
const PATH_MAX: usize = 200;

impl Tree {
    /// The tree of a project, whose memories lie in the ledger at `dir`.
    #[must_use]
    pub fn of(project: &Project, dir: &Path) -> Tree {
        let is_own = project.ledger.as_deref() == Some(dir);
        let subject = (!is_own).then(|| project.name.clone());
        let root = fs::canonicalize(&project.root).unwrap_or_else(|_| project.root.clone());
        Tree { root, subject }
    }

    /// Whether a key of metadata is one of a file.
    #[must_use]
    pub fn is_key(key: &str) -> bool {
        key.starts_with(KEY)
    }

    /// The pairs of a memory of this scope; none where it isn't the project's: others read that,
    /// and have other trees.
    #[must_use]
    pub fn describe(&self, scope: &Scope<'_>, text: &str) -> BTreeMap<String, String> {
        if self.is_own(scope) { self.pairs(text) } else { BTreeMap::new() }
    }

    /// The metadata of a memory with this text: a pair for each file of the tree that it names.
    fn pairs(&self, text: &str) -> BTreeMap<String, String> {
        let mut pairs = BTreeMap::new();
        let root = format!("{}/", self.root.display());
        let words = text.split(|c: char| c.is_whitespace() || BESIDE_PATHS.contains(&c));
        // An agent writes the whole path of a file.
        let words = words.map(|word| word.split_once(&root).map_or(word, |(_, within)| within));
        let named: BTreeSet<&str> = words.filter_map(path_in).collect();
        for path in named.into_iter().take(PATHS_MAX) {
            // Of what is to be left out nothing is kept, not even a hash.
            let file = self.file(path).filter(|_| !is_ignored(&self.root, path));
            let Some(file) = file else { continue };
            let Some(bytes) = file.read() else { continue };
            let is_held = |word: &&str| span(&bytes, Some(word)).is_some();
            let words: Vec<&str> = words_in(text).filter(is_held).take(WORDS_MAX).collect();
            let keys = words.iter().map(|word| (format!("{KEY}{path}#{word}"), Some(*word)));
            let whole = words.is_empty().then(|| (format!("{KEY}{path}"), None));
            for (key, word) in keys.chain(whole) {
                let hash = span(&bytes, word).unwrap_or_default();
                pairs.insert(key, format!("{} {} {hash}", file.len, file.changed_us));
            }
        }
        pairs
    }

    /// Says which files that memories name changed or went since; nothing where none did.
    ///
    /// Cost: a stat for each file, and at most four files read.
    ///
    /// # Errors
    /// The ledger's.
    pub fn since(
        &self,
        ledger: &Ledger,
        caller: &Caller,
        ids: &[RecordId],
    ) -> Result<String, memlith::Error> {
        let mut told = BTreeSet::new();
        let mut reads = READ_MAX;
        for id in ids.iter().take(MEMORIES_MAX) {
            let metadata = self.metadata_of(ledger, caller, *id)?;
            for (key, value) in metadata.iter().flatten() {
                told.extend(self.change(key, value, &mut reads));
            }
        }
        let mut text = String::new();
        for change in told.iter().take(TOLD_MAX) {
            // Writing to a string can't fail.
            let _ = match change {
                Change::Changed(what) => writeln!(text, "Since this was written {what} changed."),
                Change::Gone(what) => writeln!(text, "Since this was written {what} is gone."),
            };
        }
        Ok(text)
    }

    /// The metadata of a memory of this project, or of the memories that a turn taught.
    fn metadata_of(
        &self,
        ledger: &Ledger,
        caller: &Caller,
        id: RecordId,
    ) -> Result<Vec<BTreeMap<String, String>>, memlith::Error> {
        let shown = match ledger.show(caller, id) {
            Ok(shown) => shown,
            // It may be of another ledger or scope.
            Err(memlith::Error::NoRecord { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let body = decode(&shown.record).ok().flatten();
        let Some(body) = body.filter(|body| self.is_own(&body.envelope.scope)) else {
            return Ok(Vec::new());
        };
        if let Event::Memory(MemoryEvent::Remembered(memory)) = &body.event {
            return Ok(vec![memory.metadata.to_map()]);
        }
        let mut pairs = Vec::new();
        for memory in taught(ledger, caller, id)?.into_iter().flatten() {
            let record = ledger.show(caller, memory.id)?.record;
            let body = decode(&record).ok().flatten();
            if let Some(Event::Memory(MemoryEvent::Remembered(memory))) = body.map(|b| b.event) {
                pairs.push(memory.metadata.to_map());
            }
        }
        Ok(pairs)
    }

    /// Whether memories of a scope are the project's.
    fn is_own(&self, scope: &Scope<'_>) -> bool {
        scope.subject.as_deref() == self.subject.as_deref()
    }

    fn change(&self, key: &str, value: &str, reads: &mut usize) -> Option<Change> {
        let named = key.strip_prefix(KEY)?;
        let (path, word) = match named.split_once('#') {
            Some((path, word)) => (path, Some(word)),
            None => (named, None),
        };
        let [len, changed_us, hash] = value.split(' ').collect::<Vec<_>>().try_into().ok()?;
        // What stands in a ledger is no reason to look outside of the tree.
        let path = path_in(path).filter(|found| *found == path)?;
        let Some(file) = self.file(path) else { return Some(Change::Gone(path.to_owned())) };
        let same = (file.len.to_string(), file.changed_us.to_string());
        if same == (len.to_owned(), changed_us.to_owned()) || *reads == 0 {
            return None;
        }
        *reads -= 1;
        let bytes = file.read()?;
        match (span(&bytes, word), word) {
            (Some(now), _) if now == hash => None,
            (None, Some(word)) => Some(Change::Gone(format!("`{word}` of {path}"))),
            (_, _) => Some(Change::Changed(path.to_owned())),
        }
    }

    fn file(&self, path: &str) -> Option<File> {
        let path = self.root.join(path);
        let about = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        // A folder on the way may be a link that leads out of the tree.
        let path = fs::canonicalize(path).ok().filter(|path| path.starts_with(&self.root))?;
        let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(File { len: about.len(), changed_us: changed.as_micros(), path })
    }
}

/// A file of the tree.
struct File {
    path: PathBuf,
    len: u64,
    changed_us: u128,
}

impl File {
    fn read(&self) -> Option<Vec<u8>> {
        memlith_files::read(&self.path, FILE_BYTES_MAX).ok().flatten()
    }
}

/// The path in a word of a text: relative, of plain characters, with a slash or an ending.
fn path_in(word: &str) -> Option<&str> {
    let word = word.trim_matches(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_')));
    let word = word.trim_end_matches('.');
    // A place in a file: `src/cart.ts:12`.
    let word = word.split(':').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let is_path = (word.contains('/') || word.contains('.'))
        && word.len() <= PATH_MAX
        && word.chars().all(is_plain)
        && word.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_path.then_some(word)
}

/// The words of code between the backticks of a text.
fn words_in(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let bare = quoted.map(|word| word.trim_end_matches("()"));
    bare.filter(|word| {
        (3..=64).contains(&word.len())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The hash of the lines that hold a word, or of the whole; `None` where no line does.
fn span(bytes: &[u8], word: Option<&str>) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    match word {
        None => {
            hasher.update(bytes);
        }
        Some(word) => {
            let text = String::from_utf8_lossy(bytes);
            let mut lines = text.lines().filter(|line| holds(line, word)).peekable();
            lines.peek()?;
            for line in lines {
                hasher.update(line.trim().as_bytes()).update(b"\n");
            }
        }
    }
    Some(hasher.finalize().to_hex().chars().take(16).collect())
}

/// Whether a line holds a word of code by itself.
fn holds(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.split(|c: char| !is_part(c)).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(folder: &Path) -> Tree {
        Tree { root: fs::canonicalize(folder).unwrap(), subject: None }
    }

    /// The changes of a memory with this text, which was written before `change`.
    fn changes(text: &str, change: impl FnOnce(&Path)) -> Vec<Change> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/cart.ts"), "let a = 1;\nfn total() {}\n").unwrap();
        let tree = tree(folder.path());
        let pairs = tree.pairs(text);
        change(folder.path());
        let mut reads = READ_MAX;
        pairs.iter().filter_map(|(key, value)| tree.change(key, value, &mut reads)).collect()
    }

    #[test]
    fn a_file_that_a_memory_names_is_as_it_was_or_changed_or_gone() {
        let whole = "Totals are made in src/cart.ts:2.";
        let span = "Totals are made by `total()` in `src/cart.ts`";
        let path = |folder: &Path| folder.join("src/cart.ts");
        let changed = [Change::Changed("src/cart.ts".to_owned())];
        let gone = [Change::Gone("src/cart.ts".to_owned())];
        for text in [whole, span] {
            assert_eq!(changes(text, |_| ()), []);
            // A checkout of the same words: another time, the same file.
            let again = |folder: &Path| {
                let file = fs::File::options().write(true).open(path(folder)).unwrap();
                file.set_modified(UNIX_EPOCH).unwrap();
            };
            assert_eq!(changes(text, again), []);
            assert_eq!(changes(text, |at| fs::remove_file(path(at)).unwrap()), gone);
            let moved = |at: &Path| fs::rename(path(at), at.join("src/basket.ts")).unwrap();
            assert_eq!(changes(text, moved), gone);
        }
        let elsewhere = |at: &Path| fs::write(path(at), "let a = 22;\nfn total() {}\n").unwrap();
        assert_eq!(changes(whole, elsewhere), changed);
        assert_eq!(changes(span, elsewhere), [], "the span is as it was");
        let there = |at: &Path| fs::write(path(at), "fn total(rounded: bool) {}\n").unwrap();
        assert_eq!(changes(span, there), changed);
        let without = |at: &Path| fs::write(path(at), "fn sum() {}\n").unwrap();
        assert_eq!(changes(span, without), [Change::Gone("`total` of src/cart.ts".to_owned())]);
    }

    #[test]
    fn nothing_outside_of_the_tree_is_looked_at() {
        for word in ["../x.ts", "/etc/passwd", "a//b.c", "./x", "nothing", "x y", "a;b.c"] {
            assert_eq!(
                path_in(word).filter(|path| path.contains("..") || path.starts_with('/')),
                None
            );
        }
        assert_eq!(path_in("(`src/cart.ts`),"), Some("src/cart.ts"));
        for text in ["See {root}/in.txt:3", "[in](in.txt)", "in.txt's end", "'in.txt'"] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("in.txt"), "x").unwrap();
            let tree = tree(folder.path());
            let text = text.replace("{root}", &tree.root.display().to_string());
            assert!(tree.pairs(&text).contains_key("tree:in.txt"), "{text}");
        }
        assert_eq!(path_in("/etc/passwd"), Some("etc/passwd"), "of the tree, not of the root");
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.txt")).unwrap();
        assert!(tree(folder.path()).pairs("See link.txt").is_empty());
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("x.txt"), "x").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("out")).unwrap();
        assert!(tree(folder.path()).pairs("See out/x.txt").is_empty());
        fs::write(folder.path().join("secret.txt"), "x").unwrap();
        assert_eq!(tree(folder.path()).pairs("See secret.txt").len(), 1);
        fs::write(folder.path().join(".memlithignore"), "secret.*\n").unwrap();
        assert!(tree(folder.path()).pairs("See secret.txt").is_empty());
        assert_eq!(tree(folder.path()).change("tree:../x.ts", "1 2 3", &mut 4), None);
        assert_eq!(tree(folder.path()).change("tree:x.ts", "1 2", &mut 4), None);
    }
}
