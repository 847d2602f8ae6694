//! A file of the folder, and what each of its lines rests on.

use std::collections::BTreeMap;

/// A session, statement or procedure that a line rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// A session, by its thread.
    Session(String),
    /// A statement, by its id.
    Statement(String),
    /// A procedure, by its id.
    Procedure(String),
}

impl Ground {
    /// The id of a memory or procedure.
    #[must_use]
    pub fn memory(&self) -> Option<&str> {
        match self {
            Ground::Statement(id) | Ground::Procedure(id) => Some(id),
            Ground::Session(_) => None,
        }
    }
}

/// A file: its lines, each with what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    text: String,
    /// Grounds of the lines, by number from 1; a line that isn't here rests on nothing alone.
    grounds: BTreeMap<usize, Vec<Ground>>,
    lines: usize,
}

/// A rendered folder: each file by its path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// The files, by path with `/` between names.
    pub files: BTreeMap<String, Page>,
    /// Things that were left out for a limit, in sentences.
    pub shed: Vec<String>,
}

impl Page {
    /// This text and the end of its last line, which rest on `grounds` as a whole.
    pub(crate) fn whole(text: &str, grounds: &[Ground]) -> Page {
        let mut page = Page::default();
        for line in text.split('\n') {
            page.push_on(line, grounds.to_vec());
        }
        page
    }

    /// Adds a line that rests on nothing alone.
    pub(crate) fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.lines = self.lines.saturating_add(1);
    }

    /// Adds a line and what it rests on.
    pub(crate) fn push_on(&mut self, line: &str, grounds: Vec<Ground>) {
        self.push(line);
        if !grounds.is_empty() {
            self.grounds.insert(self.lines, grounds);
        }
    }

    /// Adds the lines of another file.
    pub(crate) fn extend(&mut self, other: Page) {
        for (line, grounds) in other.grounds {
            self.grounds.insert(self.lines.saturating_add(line), grounds);
        }
        self.text.push_str(&other.text);
        self.lines = self.lines.saturating_add(other.lines);
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Grounds that a line rests on; lines count from 1.
    #[must_use]
    pub fn grounds(&self, line: usize) -> &[Ground] {
        self.grounds.get(&line).map_or(&[], Vec::as_slice)
    }
}

impl Folder {
    /// The text of a file.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(Page::text)
    }

    /// The digest of all paths and bytes, in hex.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (path, page) in &self.files {
            for part in [path.as_bytes(), page.text.as_bytes()] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}
