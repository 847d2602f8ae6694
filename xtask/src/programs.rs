use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::cargo::{cargo, output, root, succeed};

/// Programs that one call of cargo built, by `PACKAGE/TARGET` and, for a library's tests,
/// `PACKAGE/lib`.
///
/// One call, since what packages share is built for the features that all of them ask for:
/// called for one after the other, cargo builds the engine for each.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    paths: BTreeMap<String, PathBuf>,
}

/// The campaigns on a simulated disk, and on this machine, as [`Programs`] calls them.
pub(crate) const TORTURE: &str = "torture/memlith-torture";
pub(crate) const OUTAGE: &str = "outage/outage";

/// Asked of cargo, the path of each program.
const MESSAGES: [&str; 2] = ["--quiet", "--message-format=json-render-diagnostics"];

impl Programs {
    /// The programs of the campaigns: on a simulated disk, and on this machine.
    pub(crate) const CAMPAIGNS: [&str; 5] = [
        "--release",
        "--package=memlith-torture",
        "--package=memlith-outage",
        "--bin=memlith-torture",
        "--bin=outage",
    ];

    /// Builds these, without bugs.
    ///
    /// # Errors
    /// They don't build.
    pub(crate) fn ordinary(chosen: &[&str]) -> anyhow::Result<Programs> {
        let mut programs = Programs::default();
        programs.build(cargo(&["build"]).args(chosen))?;
        Ok(programs)
    }

    /// Adds those that a call of cargo builds.
    ///
    /// # Errors
    /// It ends with an error, or builds none.
    pub(crate) fn build(&mut self, cargo: &mut Command) -> anyhow::Result<()> {
        let before = self.paths.len();
        for message in output(cargo.args(MESSAGES))?.lines() {
            let message: Value = serde_json::from_str(message).context("cargo's messages")?;
            self.paths.extend(program(&message));
        }
        ensure!(self.paths.len() > before, "nothing was built");
        Ok(())
    }

    /// Whether a program was built.
    pub(crate) fn has(&self, program: &str) -> bool {
        self.paths.contains_key(program)
    }

    /// Where a program lies.
    ///
    /// # Errors
    /// It isn't among those that were built.
    pub(crate) fn path(&self, program: &str) -> anyhow::Result<&Path> {
        let path = self.paths.get(program);
        path.map(PathBuf::as_path).with_context(|| format!("{program} was not built"))
    }

    /// A command that runs a program at the root of the workspace.
    ///
    /// # Errors
    /// As [`Programs::path`].
    pub(crate) fn command(&self, program: &str) -> anyhow::Result<Command> {
        let mut command = Command::new(self.path(program)?);
        command.current_dir(root());
        Ok(command)
    }
}

/// Runs the program that drives other people's programs, `tests/clients`.
///
/// # Errors
/// It doesn't build, or something it checks doesn't hold.
pub(crate) fn driven(name: &str, words: &[impl AsRef<OsStr>]) -> anyhow::Result<()> {
    let run = ["run", "--quiet", "--release", "--package=memlith-clients", "--", name];
    succeed(cargo(&run).args(words))
}

/// Runs the campaign that flips every bit of a small ledger.
///
/// # Errors
/// It doesn't build, or after a flip something was shown or lost without a word.
pub(crate) fn flips(words: &[String]) -> anyhow::Result<()> {
    let run = ["run", "--quiet", "--release", "--package=memlith-torture", "--", "flips"];
    succeed(cargo(&run).args(words))
}

/// Runs the program that makes the table of word vectors, in a workspace of its own.
///
/// # Errors
/// It doesn't build, or gives another table than the one that is compared.
pub(crate) fn distill(words: &[String]) -> anyhow::Result<()> {
    let mut run = cargo(&["run", "--quiet", "--release", "--locked"]);
    run.args(["--target-dir=target/distill", "--manifest-path=xtask/distill/Cargo.toml", "--"]);
    succeed(run.args(["--table", "crates/recall/table/minilm-256.bin"]).args(words))
}

/// The program that a message of cargo's says is built.
fn program(message: &Value) -> Option<(String, PathBuf)> {
    let path = message.get("executable")?.as_str()?;
    let target = message.get("target")?;
    let package = message.get("package_id")?.as_str()?;
    let package = package.rsplit('/').next()?.split('#').next()?;
    let is_lib = target.get("kind")?.as_array()?.iter().any(|kind| kind == "lib");
    let name = if is_lib { "lib" } else { target.get("name")?.as_str()? };
    Some((format!("{package}/{name}"), PathBuf::from(path)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn programs_are_called_by_package_and_target() {
        let message = |kind: &str, executable: Value| {
            json!({
                "package_id": "path+file:///x/crates/memory#memlith-memory@0.1.0",
                "target": {"kind": [kind], "name": "memlith_memory"},
                "executable": executable,
            })
        };
        let name = |message| program(&message).map(|(name, _)| name);
        assert_eq!(name(message("lib", json!("/a"))).as_deref(), Some("memory/lib"));
        assert_eq!(name(message("test", json!("/a"))).as_deref(), Some("memory/memlith_memory"));
        assert_eq!(name(message("lib", Value::Null)), None);
    }
}
