use std::path::Path;
use std::process::Command;

use crate::cargo::{cargo, root};
use crate::planted::copy;
use crate::programs::Programs;
use crate::wrapper::sabotaged;

/// The programs of the sabotaged build.
pub(crate) struct Sabotage {
    programs: Programs,
}

const PROGRAMS: [&str; 8] = [
    "build",
    "--package=memlith-torture",
    "--package=memlith-outage",
    "--package=memlith-engine-tests",
    "--bin=memlith-torture",
    "--bin=outage",
    "--bin=race",
    "--release",
];

const TESTS: [&str; 13] = [
    "test",
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
        let tree = copy()?;
        let mut programs = Programs::default();
        programs.build(&mut build_in(&tree, &PROGRAMS)?)?;
        programs.build(&mut build_in(&tree, &TESTS)?)?;
        if !quick {
            let mut schedules = cargo(&["build", "--package=memlith-schedules"]);
            schedules.current_dir(&tree).env("CARGO_INCREMENTAL", "0");
            // Flags for every package: elsewhere they throw away what was built without them.
            schedules.env("RUSTFLAGS", "--cfg sabotage --cfg shuttle");
            schedules.env("CARGO_TARGET_DIR", root().join("target/planted/schedules"));
            programs.build(&mut schedules)?;
        }
        Ok(Sabotage { programs })
    }

    /// Builds these programs alone.
    ///
    /// # Errors
    /// They don't build.
    pub(crate) fn build_only(chosen: &[&str]) -> anyhow::Result<Sabotage> {
        let mut programs = Programs::default();
        programs.build(build_in(&copy()?, &["build"])?.args(chosen))?;
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

/// A call of cargo that builds in the copy of the workspace that has the bugs.
fn build_in(tree: &Path, arguments: &[&str]) -> anyhow::Result<Command> {
    let mut build = cargo(arguments);
    build.current_dir(tree).env("CARGO_INCREMENTAL", "0");
    sabotaged(&mut build)?;
    Ok(build)
}
