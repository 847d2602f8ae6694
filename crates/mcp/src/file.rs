//! The files of the folder `/memories`: each is one memory.
//!
//! Its words are a line with the path and a digest of the content, and then the content: so two
//! files never say the same, an edit of a blank is an edit, and a search finds the name.

use std::collections::BTreeMap;

use anyhow::Result;
use memlith::RecordId;
use memlith_verbs::graph::{Desk, Row, RowSlot, digest};

use crate::memory_path::{MemoryPath, ROOT};

/// A file that stands.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// The memory that it is.
    pub(crate) id: RecordId,
    pub(crate) content: String,
}

/// Beginning of the predicates of files.
const PREFIX: &str = "file ";

impl File {
    /// Every file that stands, by its path.
    ///
    /// # Errors
    /// The ledger can't be read.
    pub(crate) fn all(at: Desk<'_>) -> Result<BTreeMap<MemoryPath, File>> {
        let rows = at.rows(Some(ROOT), PREFIX)?;
        Ok(rows.into_iter().filter_map(File::of).collect())
    }

    /// Writes a file; one that stands at this path gives way to it.
    ///
    /// # Errors
    /// The ledger's, or it waits for a person.
    pub(crate) fn write(at: Desk<'_>, path: &MemoryPath, content: &str) -> Result<()> {
        let name = path.to_string();
        let version = digest(&[content]);
        let text = format!("{name} {version}\n{content}");
        let slot = RowSlot {
            entity: ROOT.to_owned(),
            predicate: format!("{PREFIX}{}", digest(&[&name])),
            value: version,
            single: true,
        };
        at.write(&text, slot)
    }

    fn of(row: Row) -> Option<(MemoryPath, File)> {
        let (heading, content) = row.text.split_once('\n')?;
        let (path, _) = heading.rsplit_once(' ')?;
        let path = path.parse().ok()?;
        Some((path, File { content: content.to_owned(), id: row.id }))
    }
}
