use std::collections::BTreeMap;
use std::fs;
use std::io;

use anyhow::Context;

use crate::cargo::root;
use crate::planted::hunk::Hunk;

/// The folder of all bugs, `NAME.patch` each.
pub(crate) const FOLDER: &str = "tests/planted";

/// The patch that is no bug, and the first: it brings the macro `planted!`, by which each asks
/// whether it is at work.
const MACRO: &str = "0-macro";

/// A planted bug, as its patch has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bug {
    pub(crate) name: String,
    /// The first file that it is planted in, relative to the root.
    pub(crate) path: String,
    /// The first line of the patch.
    pub(crate) breaks: String,
    hunks: Vec<Hunk>,
}

impl Bug {
    /// Reads a file of the folder; `None` for one that is no patch.
    pub(crate) fn of(file: &str, text: &str) -> Option<Bug> {
        let name = file.strip_suffix(".patch")?.to_owned();
        let first = text.lines().next().filter(|line| !line.starts_with("--- "));
        let hunks = Hunk::all(text);
        let path = hunks.first().map(|hunk| hunk.path.clone()).unwrap_or_default();
        Some(Bug { name, path, breaks: first.unwrap_or_default().to_owned(), hunks })
    }

    /// Reads every patch, sorted: each is made on top of those before it.
    ///
    /// # Errors
    /// The folder or a patch can't be read.
    pub(crate) fn patches() -> anyhow::Result<Vec<Bug>> {
        let entries = fs::read_dir(root().join(FOLDER)).context(FOLDER)?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        let mut bugs = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            bugs.extend(Bug::of(&file, &text));
        }
        Ok(bugs)
    }

    /// Reads every bug.
    ///
    /// # Errors
    /// As [`Bug::patches`].
    pub(crate) fn all() -> anyhow::Result<Vec<Bug>> {
        let mut bugs = Bug::patches()?;
        bugs.retain(|bug| bug.name != MACRO);
        Ok(bugs)
    }

    /// Plants it in `files`, by path; `read` gives the text of one that isn't among them yet.
    ///
    /// # Errors
    /// A file has not the lines that the patch changes.
    pub(crate) fn plant(
        &self,
        files: &mut BTreeMap<String, String>,
        read: &dyn Fn(&str) -> String,
    ) -> anyhow::Result<()> {
        for hunk in &self.hunks {
            let text = files.entry(hunk.path.clone()).or_insert_with(|| read(&hunk.path));
            hunk.apply(text).with_context(|| {
                format!("`{}` has no place in {}: make its patch anew", self.name, hunk.path)
            })?;
        }
        Ok(())
    }
}
