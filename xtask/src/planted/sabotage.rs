use std::process::Command;

use crate::cargo::{cargo, root};
use crate::programs::Programs;
use crate::wrapper::sabotaged;

/// The programs of the sabotaged build.
pub(crate) struct Sabotage {
    programs: Programs,
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

const SCHEDULES: [&str; 1] = ["--package=memlith-schedules"];

const PROGRAMS: [&str; 9] = [
    "--package=memlith-torture",
    "--package=memlith-outage",
    "--package=memlith-engine-tests",
    "--package=xtask",
    "--bin=memlith-torture",
    "--bin=outage",
    "--bin=race",
    "--example=flips",
    "--release",
];

const TESTS: [&str; 12] = [
    "--package=memlith-engine-tests",
    "--package=memlith-memory",
    "--package=memlith-salience",
    "--package=memlith-recall",
    "--package=memlith-checkout",
    "--package=memlith-cli",
    "--package=memlith-log",
    "--no-run",
    "--lib",
    "--test=it",
    "--test=laws",
    "--release",
];

impl Sabotage {
    /// Builds them; in a `quick` build, what shares the ordinary build's dependencies.
    ///
    /// # Errors
    /// It doesn't build.
    pub(crate) fn build(quick: bool) -> anyhow::Result<Sabotage> {
        let mut programs = Programs::default();
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
            programs.build(&mut built)?;
        }
        Ok(Sabotage { programs })
    }

    /// Builds these programs alone.
    ///
    /// # Errors
    /// They don't build.
    pub(crate) fn build_only(chosen: &[&str]) -> anyhow::Result<Sabotage> {
        let mut built = cargo(&["build"]);
        built.args(chosen).env("CARGO_INCREMENTAL", "0");
        sabotaged(&mut built)?;
        let mut programs = Programs::default();
        programs.build(&mut built)?;
        Ok(Sabotage { programs })
    }

    /// Whether a program was built.
    pub(crate) fn has(&self, program: &str) -> bool {
        self.programs.has(program)
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
        let path = self.programs.path(program)?;
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
