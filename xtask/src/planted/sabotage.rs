use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::cargo::{cargo, output, root};
use crate::planted::wrapper::sabotaged;

/// The programs of the sabotaged build, by `PACKAGE/TARGET` and, for a library's tests,
/// `PACKAGE/lib`.
pub(crate) struct Sabotage {
    programs: BTreeMap<String, PathBuf>,
}

/// A part of the build.
struct Part {
    command: &'static str,
    arguments: &'static [&'static str],
    /// Flags for every package, for a part that needs other dependencies, and the folder
    /// where it does not throw away what others built.
    flags: Option<(&'static str, &'static str)>,
}

const PARTS: [Part; 3] = [
    Part { command: "build", arguments: &PROGRAMS, flags: None },
    Part { command: "test", arguments: &TESTS, flags: None },
    Part {
        command: "build",
        arguments: &SCHEDULES,
        flags: Some(("--cfg sabotage --cfg shuttle", "sabotage/schedules")),
    },
];

const SCHEDULES: [&str; 3] =
    ["--package=memlith-schedules", "--quiet", "--message-format=json-render-diagnostics"];

const PROGRAMS: [&str; 11] = [
    "--package=memlith-torture",
    "--package=memlith-outage",
    "--package=memlith-tests",
    "--package=xtask",
    "--bin=memlith-torture",
    "--bin=outage",
    "--bin=race",
    "--example=flips",
    "--release",
    "--quiet",
    "--message-format=json-render-diagnostics",
];

const TESTS: [&str; 12] = [
    "--package=memlith-tests",
    "--package=memlith-memory",
    "--package=memlith-salience",
    "--package=memlith-recall",
    "--package=memlith-checkout",
    "--no-run",
    "--lib",
    "--test=it",
    "--test=laws",
    "--release",
    "--quiet",
    "--message-format=json-render-diagnostics",
];

impl Sabotage {
    /// Builds them; in a `quick` build, what shares the ordinary build's dependencies.
    ///
    /// # Errors
    /// It doesn't build.
    pub(crate) fn build(quick: bool) -> anyhow::Result<Sabotage> {
        let mut programs = BTreeMap::new();
        for Part { command, arguments, flags } in
            PARTS.iter().filter(|part| !quick || part.flags.is_none())
        {
            let mut line = vec![*command];
            line.extend(*arguments);
            let mut built = cargo(&line);
            built.env("CARGO_INCREMENTAL", "0");
            match flags {
                Some((flags, folder)) => {
                    let folder = root().join("target").join(folder);
                    built.env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", folder);
                }
                None => sabotaged(&mut built)?,
            }
            for message in output(&mut built)?.lines() {
                let message: Value = serde_json::from_str(message).context("cargo's messages")?;
                programs.extend(program(&message));
            }
        }
        ensure!(!programs.is_empty(), "nothing was built");
        Ok(Sabotage { programs })
    }

    /// Whether a program was built.
    pub(crate) fn has(&self, program: &str) -> bool {
        self.programs.contains_key(program)
    }

    /// A command that runs a program for at most `seconds_max`, with `bug` at work.
    ///
    /// # Errors
    /// It isn't among those that were built.
    pub(crate) fn command(
        &self,
        program: &str,
        bug: Option<&str>,
        seconds_max: u32,
    ) -> anyhow::Result<Command> {
        let path =
            self.programs.get(program).with_context(|| format!("{program} was not built"))?;
        // A bug may keep a campaign from ever ending.
        let mut command = Command::new("timeout");
        command.arg("--kill-after=5").arg(seconds_max.to_string()).arg(path);
        command.env_remove("MEMLITH_PLANTED").env("PROPTEST_RNG_SEED", "1");
        // What fails here is no regression, and needs no smallest case.
        command.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
        command.env("PROPTEST_MAX_SHRINK_ITERS", "16");
        command.env("RUST_BACKTRACE", "0").envs(bug.map(|bug| ("MEMLITH_PLANTED", bug)));
        let folder = root().join("tests");
        command.current_dir(folder);
        Ok(command)
    }
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
