use std::fs::{File, FileType};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::exit;

/// Source that a path on the command line names.
#[derive(Debug)]
pub(super) enum Named {
    Stdin,
    File(PathBuf),
    /// A folder with transcripts.
    Folder(Folder),
}

/// A folder, and the files below it in the order of their names.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Those named `*.jsonl`.
    pub(super) files: Vec<PathBuf>,
    /// How many are named `*.jsonl.zst` or `*.jsonl.gz`, which are not read.
    pub(super) compressed: u64,
}

impl Named {
    /// Looks at a path without opening it. What is no regular file may never end, or
    /// wait for a writer before it even begins.
    ///
    /// # Errors
    /// It isn't there, it is of another kind, or it is a folder without files or where
    /// `takes_folders` is false.
    pub(super) fn of(path: &Path, takes_folders: bool) -> Result<Named> {
        if path.as_os_str() == "-" {
            return Ok(Named::Stdin);
        }
        let shown = path.display();
        let kind = std::fs::metadata(path).with_context(|| format!("look at {shown}"))?.file_type();
        if kind.is_file() && is_compressed(path) {
            return Err(exit::usage(format!("{shown} is compressed; {DECOMPRESS}")));
        }
        if kind.is_file() {
            return Ok(Named::File(path.to_owned()));
        }
        if !kind.is_dir() {
            return Err(irregular(path, kind));
        }
        if !takes_folders {
            return Err(exit::usage(format!(
                "{shown} is a folder; this format is imported file by file"
            )));
        }
        let mut folder = Folder { path: path.to_owned(), ..Folder::default() };
        below(path, &mut folder)?;
        match (folder.files.is_empty(), folder.compressed) {
            (true, 0) => Err(exit::unusable(format!("{shown} holds no *.jsonl files"))),
            (true, count) => Err(exit::unusable(format!(
                "{shown} holds no *.jsonl files, and {count} compressed; {DECOMPRESS}"
            ))),
            (false, _) => Ok(Named::Folder(folder)),
        }
    }
}

/// The advice about a transcript that is compressed.
pub(super) const DECOMPRESS: &str =
    "decompress it first (`zstd -d FILE`, `gunzip FILE`), then import it";

fn is_compressed(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".jsonl.zst") || name.ends_with(".jsonl.gz")
}

/// Opens a regular file; `None` where it is anything else.
///
/// # Errors
/// It can't be opened.
pub(super) fn open_regular(path: &Path) -> io::Result<Option<File>> {
    // Opening a pipe waits for its writer, so what it is has to be known before.
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = File::open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// The refusal of a path that is neither a regular file nor a folder.
pub(super) fn irregular(path: &Path, kind: FileType) -> anyhow::Error {
    exit::usage(format!(
        "{} is {}: import reads regular files, folders of them, and standard input as `-`",
        path.display(),
        kind_name(kind)
    ))
}

#[cfg(unix)]
fn kind_name(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "no regular file"
    }
}

#[cfg(not(unix))]
fn kind_name(_: FileType) -> &'static str {
    "no regular file"
}

/// Every `*.jsonl` below a folder, in the order of their names; links to folders are not followed.
fn below(path: &Path, found: &mut Folder) -> Result<()> {
    let list = || -> io::Result<Vec<_>> {
        let entries: io::Result<Vec<_>> = std::fs::read_dir(path)?.collect();
        let mut entries = entries?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        entries.into_iter().map(|entry| Ok((entry.path(), entry.file_type()?))).collect()
    };
    for (path, kind) in list().with_context(|| format!("list {}", path.display()))? {
        if kind.is_dir() {
            below(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.files.push(path);
        } else if is_compressed(&path) {
            found.compressed += 1;
        }
    }
    Ok(())
}
