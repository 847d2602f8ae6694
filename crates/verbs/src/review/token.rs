use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use memlith::storage::{Rng as _, SystemRng};
use serde::Serialize;

use crate::context::Context;
use crate::environment;
use crate::exit::{Exit, refused, unusable};
use crate::out_file::{self, Force};

#[derive(Serialize)]
struct Answer {
    path: PathBuf,
    token: String,
}

/// A token is this many random bytes, in hex.
const TOKEN_BYTES: usize = 32;

/// No file with a token is longer.
const FILE_BYTES_MAX: u64 = 4_096;

pub(super) fn run(renew: bool, context: &mut Context) -> Result<Exit> {
    let path = path()?;
    if path.exists() && !renew {
        return Err(refused(format!(
            "there is a review token in {} already; --renew makes another",
            path.display()
        )));
    }
    let mut bytes = [0; TOKEN_BYTES];
    SystemRng.fill(&mut bytes).context("draw a token")?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    write(&path, &token)?;
    let answer = Answer { path, token };
    context.answer(&answer, &answer.token)?;
    context.note(format_args!("it is kept in {}, and shown once", answer.path.display()));
    Ok(Exit::Ok)
}

/// The token that is kept.
///
/// # Errors
/// There is none, others than the user may read it, or it can't be read.
pub(super) fn read() -> Result<String> {
    let path = path()?;
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(refused(format!(
                "MEMLITH_REVIEW_TOKEN is set, and there is no token in {}; \
                 `memlith review token` makes one",
                path.display()
            )));
        }
        Err(error) => return Err(error).with_context(|| format!("open {}", path.display())),
    };
    if is_open_to_others(&file).with_context(|| format!("look at {}", path.display()))? {
        return Err(refused(format!(
            "others may read the review token in {}; `memlith review token --renew` makes another",
            path.display()
        )));
    }
    let mut token = String::new();
    file.take(FILE_BYTES_MAX)
        .read_to_string(&mut token)
        .with_context(|| format!("read {}", path.display()))?;
    Ok(token)
}

fn path() -> Result<PathBuf> {
    let settings = environment::settings().ok_or_else(|| {
        unusable("there is no folder for the user's settings: set XDG_CONFIG_HOME or HOME")
    })?;
    Ok(settings.join("memlith").join("review-token"))
}

/// Puts the token there whole, readable for the user alone from its first moment.
fn write(path: &Path, token: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        out_file::create_folder(folder)?;
    }
    // Whether one may be replaced was asked before.
    out_file::write(path, format!("{token}\n").as_bytes(), Force::YES)
}

#[cfg(unix)]
fn is_open_to_others(file: &File) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(file.metadata()?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &File) -> std::io::Result<bool> {
    Ok(false)
}
