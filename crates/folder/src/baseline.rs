//! The folder's own repository of git, with which Codex finds out whether its memories changed.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde::Serialize;

use crate::error::Error;

/// The result for the baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    /// It wasn't asked for.
    #[default]
    Off,
    /// The program `git` isn't there.
    NoGit,
    /// It holds the folder as it is.
    Unchanged,
    /// The folder was committed.
    Committed,
}

/// The file that Codex writes there while it works.
const DIFF: &str = ":(exclude)phase2_workspace_diff.md";

/// Commits the folder as it stands.
///
/// A repository of at most one commit is made anew, so that what was forgotten isn't kept in its
/// objects; one with a history of its own gets one commit more.
pub(crate) fn commit(root: &Path) -> Result<Baseline, Error> {
    let git = Git { root };
    if git.run(&["--version"])?.is_none() {
        return Ok(Baseline::NoGit);
    }
    let folder = root.join(".git");
    if folder.is_dir() {
        let status = git.told(&["status", "--porcelain", "--untracked-files=all", "--", ".", DIFF]);
        if status.as_deref() == Some("")
            && git.told(&["rev-parse", "--verify", "-q", "HEAD"]).is_some()
        {
            return Ok(Baseline::Unchanged);
        }
        let count = git.told(&["rev-list", "--count", "--all"]);
        let count = count.and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or_default();
        if count <= 1 {
            std::fs::remove_dir_all(&folder).map_err(Error::io(&folder, "removed"))?;
        }
    }
    if !folder.exists() {
        git.must(&["init", "-q", "--template="])?;
    }
    git.must(&["add", "-A", "--", ".", DIFF])?;
    git.must(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "memories rendered"])?;
    Ok(Baseline::Committed)
}

struct Git<'a> {
    root: &'a Path,
}

impl Git<'_> {
    /// Runs the program; `None` where it isn't there.
    fn run(&self, arguments: &[&str]) -> Result<Option<Output>, Error> {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
            command.env_remove(name);
        }
        // A repository above the folder is none of its own.
        let above = self.root.parent().unwrap_or(self.root);
        command.env("GIT_CEILING_DIRECTORIES", above).current_dir(self.root);
        for setting in [
            "user.name=memlith",
            "user.email=memlith@localhost",
            "commit.gpgsign=false",
            "core.hooksPath=/dev/null",
            "core.autocrlf=false",
            "core.excludesFile=/dev/null",
        ] {
            command.args(["-c", setting]);
        }
        command.arg("--no-optional-locks").args(arguments).stdin(Stdio::null());
        match command.output() {
            Ok(output) => Ok(Some(output)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("git", "run")(error)),
        }
    }

    /// Output of the program; `None` where it fails.
    fn told(&self, arguments: &[&str]) -> Option<String> {
        let output = self.run(arguments).ok().flatten().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn must(&self, arguments: &[&str]) -> Result<(), Error> {
        let output = self.run(arguments)?;
        let Some(output) = output.filter(|output| !output.status.success()) else { return Ok(()) };
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(Error::Git { path: self.root.to_owned(), message })
    }
}
