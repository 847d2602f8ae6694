//! The manifest: which files of a folder are Memlith's, and what they were rendered from.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Name of the manifest within the folder.
pub const MANIFEST: &str = ".memlith-folder.json";

/// What the files of a folder were rendered from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the manifest itself.
    pub version: u32,
    /// The ledger.
    pub ledger: String,
    /// The last record that was read.
    pub view: u64,
    /// The instant of the render, in microseconds since 1970.
    pub now_us: i64,
    /// The form of the files: `current` or `seed`.
    pub form: String,
    /// The client they are for: `codex` or `claude-code`.
    pub reader: String,
    /// Sessions without evidence in so many days were left out; 0 kept all.
    pub days_max: u32,
    /// The digest of each file, in hex, by path.
    pub files: BTreeMap<String, String>,
    /// The digests of the files that a render is putting into place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pending: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads the manifest of a folder; `None` where it has none.
    ///
    /// # Errors
    /// [`Error::Manifest`] of one that can't be understood, and [`Error::Io`].
    pub fn of(root: &Path) -> Result<Option<Manifest>, Error> {
        let path = root.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(path, "read")(error)),
        };
        serde_json::from_slice(&text).map(Some).map_err(|source| Error::Manifest { path, source })
    }

    /// Whether bytes of this digest at `path` are Memlith's own.
    pub(crate) fn wrote(&self, path: &str, digest: &str) -> bool {
        [&self.files, &self.pending]
            .iter()
            .any(|files| files.get(path).is_some_and(|own| own == digest))
    }
}

/// The digest of a file, in hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
