//! The manifest: which files of a folder are Memlith's, and what they were rendered from.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use memlith::{Scope, Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::config::{Config, Form, Reader};
use crate::error::Error;
use crate::page::Folder;

/// Name of the manifest within the folder.
pub const MANIFEST: &str = ".memlith-folder.json";

/// The origin of a folder's files: the position and the settings they were rendered from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the manifest itself.
    pub version: u32,
    /// The ledger.
    pub ledger: String,
    /// The scope that was read.
    #[serde(default)]
    pub scope: FolderScope,
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
    /// The most sessions of the folder.
    pub sessions_max: usize,
    /// The digest of each file, in hex, by path.
    pub files: BTreeMap<String, String>,
    /// The digests of the files that a render is putting into place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pending: BTreeMap<String, String>,
}

/// The scope that a folder was rendered for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderScope {
    /// Whether it holds every tenant, agent and subject.
    pub everywhere: bool,
    /// The tenant.
    pub tenant: String,
    /// The agent, if its own memories are in it.
    pub agent: Option<String>,
    /// The subject, if its memories are in it.
    pub subject: Option<String>,
}

impl FolderScope {
    /// Copies the scope of a reader.
    #[must_use]
    pub fn of(scope: &Scope<'_>) -> FolderScope {
        FolderScope {
            everywhere: scope.everywhere,
            tenant: scope.tenant.to_string(),
            agent: scope.agent.as_ref().map(ToString::to_string),
            subject: scope.subject.as_ref().map(ToString::to_string),
        }
    }

    /// The scope to read again.
    #[must_use]
    pub fn scope(&self) -> Scope<'static> {
        Scope {
            agent: self.agent.clone().map(Into::into),
            subject: self.subject.clone().map(Into::into),
            everywhere: self.everywhere,
            ..Scope::tenant(self.tenant.clone())
        }
    }
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

    /// The manifest of a render, as yet without files.
    #[must_use]
    pub fn new((ledger, scope): (&str, &Scope<'_>), view: Seq, config: &Config) -> Manifest {
        Manifest {
            version: 1,
            ledger: ledger.to_owned(),
            scope: FolderScope::of(scope),
            view: view.0,
            now_us: config.now.0,
            form: config.form.label().to_owned(),
            reader: config.reader.label().to_owned(),
            days_max: config.days_max,
            sessions_max: config.sessions_max,
            ..Manifest::default()
        }
    }

    /// How the folder was rendered.
    #[must_use]
    pub fn config(&self) -> Config {
        let is_seed = self.form == Form::Seed.label();
        let is_claude = self.reader == Reader::ClaudeCode.label();
        Config {
            form: if is_seed { Form::Seed } else { Form::Current },
            reader: if is_claude { Reader::ClaudeCode } else { Reader::Codex },
            now: Timestamp(self.now_us),
            sessions_max: self.sessions_max,
            days_max: self.days_max,
        }
    }

    /// Whether a file of this render is the one that is named, to the byte.
    #[must_use]
    pub fn is_of(&self, folder: &Folder, path: &str) -> bool {
        let own = folder.text(path).map(|text| digest(text.as_bytes()));
        own.is_some() && self.files.get(path) == own.as_ref()
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
