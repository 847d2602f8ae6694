use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use memlith_verbs::exit::unusable;

/// The name of what users run.
const NAME: &str = "memlith";

/// The program that is measured: the one that is named, else the one that was built or
/// installed beside this one.
pub(super) fn path(named: Option<&Path>) -> Result<PathBuf> {
    let path = match named {
        Some(named) => named.to_owned(),
        None => std::env::current_exe().context("find this program")?.with_file_name(NAME),
    };
    match path.is_file() {
        true => Ok(path),
        false => Err(unusable(format!(
            "there is no program {}: `cargo build --release` makes it, or name one with --program",
            path.display()
        ))),
    }
}
