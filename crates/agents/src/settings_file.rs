use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use memlith_files::Replacing;

use crate::install::InstallError;

/// A file of a client's settings, which people wrote: comments, order and blanks stay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettingsFile<'a>(pub(crate) &'a Path);

/// A byte order mark, which some editors write before everything else.
const MARK: char = '\u{feff}';

/// The end of the name of a copy of what was there before.
const BACKUP: &str = ".before-memlith";

impl SettingsFile<'_> {
    /// Where a copy of the file as it was is kept.
    pub(crate) fn backup(self) -> PathBuf {
        let mut name = self.0.file_name().unwrap_or_default().to_owned();
        name.push(BACKUP);
        self.0.with_file_name(name)
    }

    /// The text of the file; `None` where there is none.
    pub(crate) fn read(self) -> Result<Option<String>, InstallError> {
        match fs::read(self.0) {
            Ok(bytes) => {
                String::from_utf8(bytes).map(Some).map_err(|_| self.refuse("it is not UTF-8"))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.io(source)),
        }
    }

    /// Writes beside and renames, with the mode that the file has.
    pub(crate) fn write(self, text: &str) -> Result<(), InstallError> {
        let target = self.target();
        let folder = target.parent().unwrap_or(Path::new("."));
        let write = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            let before = fs::metadata(&target).ok().map(|file| file.permissions());
            let how = Replacing { permissions: before, durable: true };
            how.replace(&target, text.as_bytes())
        };
        write().map_err(|source| self.io(source))
    }

    /// The file as a tree of which all bytes are kept, but for a byte order mark.
    pub(crate) fn parse(self, text: &str) -> Result<CstRootNode, InstallError> {
        CstRootNode::parse(text.trim_start_matches(MARK), &ParseOptions::default())
            .map_err(|error| self.refuse(format!("it is not JSON: {error}")))
    }

    pub(crate) fn io(self, source: io::Error) -> InstallError {
        InstallError::Io { path: self.0.to_owned(), source }
    }

    pub(crate) fn refuse(self, reason: impl Into<String>) -> InstallError {
        InstallError::NotSettings { path: self.0.to_owned(), reason: reason.into() }
    }

    /// The file that a link leads to: the link stays.
    pub(crate) fn target(self) -> PathBuf {
        fs::canonicalize(self.0).unwrap_or_else(|_| self.0.to_owned())
    }
}

/// The tree as a text, behind the byte order mark that `before` has.
pub(crate) fn rendered(before: &str, root: &CstRootNode) -> String {
    let mark = before.len() - before.trim_start_matches(MARK).len();
    format!("{}{root}", before.get(..mark).unwrap_or_default())
}
