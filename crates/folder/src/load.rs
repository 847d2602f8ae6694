//! The files of a folder, read from the disk for the lint.

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::lint::Files;
use crate::write::check_root;

/// The most files, the most bytes in all, and the deepest folder that are read.
const FILES_MAX: usize = 50_000;
const BYTES_MAX: usize = 256 << 20;
const DEPTH_MAX: usize = 6;

/// Reads the Markdown of a folder, without what is hidden and without following links.
///
/// # Errors
/// [`Error::SymbolicLink`] and [`Error::NoFolder`] of the root, [`Error::TooMuch`],
/// [`Error::Io`].
pub fn load(root: &Path) -> Result<Files, Error> {
    check_root(root)?;
    let mut files = Files::new();
    let mut bytes = 0;
    visit(root, "", DEPTH_MAX, (&mut files, &mut bytes))?;
    Ok(files)
}

fn visit(
    folder: &Path,
    prefix: &str,
    depth: usize,
    (files, bytes): (&mut Files, &mut usize),
) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::io(folder, "listed"))? {
        let entry = entry.map_err(Error::io(folder, "listed"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let kind = entry.file_type().map_err(Error::io(entry.path(), "looked at"))?;
        if kind.is_dir() && depth > 0 {
            let below = format!("{prefix}{name}/");
            visit(&entry.path(), &below, depth.saturating_sub(1), (files, bytes))?;
        } else if kind.is_file() && name.ends_with(".md") {
            let path = entry.path();
            let len = entry.metadata().map_err(Error::io(&path, "looked at"))?.len();
            *bytes = bytes.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
            if files.len() >= FILES_MAX {
                return Err(Error::TooMuch { path, max: FILES_MAX, of: "files" });
            }
            if *bytes > BYTES_MAX {
                return Err(Error::TooMuch { path, max: BYTES_MAX, of: "bytes" });
            }
            let text = fs::read(&path).map_err(Error::io(&path, "read"))?;
            files.insert(format!("{prefix}{name}"), String::from_utf8_lossy(&text).into_owned());
        }
    }
    Ok(())
}
