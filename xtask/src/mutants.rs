use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail, ensure};

use crate::cargo::{cargo, output, root};

/// Small changes to recovery and verification, one at a time, each of which a test of the
/// crate has to notice: `cargo mutants` with the files and options of this project.
pub(crate) struct Mutants {
    /// Of how many equal parts one is tried; all of it where absent.
    pub(crate) parts: Option<u32>,
}

/// The version that the figures are of.
const VERSION: &str = "27.1.0";

/// What opening, recovery, rotation, erasure, verification and checkpoints are made of.
const FILES: [&str; 19] = [
    "crates/log/src/erase.rs",
    "crates/log/src/footer.rs",
    "crates/log/src/frame.rs",
    "crates/log/src/loss.rs",
    "crates/log/src/mark.rs",
    "crates/log/src/mark_file.rs",
    "crates/log/src/recover.rs",
    "crates/log/src/rotate.rs",
    "crates/log/src/segment_header.rs",
    "crates/log/src/survey.rs",
    "crates/log/src/survey/load.rs",
    "crates/log/src/survey/remainder.rs",
    "crates/log/src/verify.rs",
    "crates/log/src/verify/erasures.rs",
    "crates/log/src/verify/segments.rs",
    "crates/log/src/walk.rs",
    "crates/log/src/window.rs",
    "crates/memlith/src/checkpoint.rs",
    "crates/state/src/checkpoint.rs",
];

/// The packages whose tests have to notice.
const PACKAGES: &str = "memlith-log,memlith-state,memlith,memlith-tests";

/// The share of the changes that can be built and have to be noticed, in percent.
const GOAL_PERCENT: usize = 90;

/// What came of each change; from the lists that `cargo mutants` leaves.
#[derive(Debug, PartialEq, Eq)]
struct Tally {
    killed: usize,
    missed: Vec<String>,
    unviable: usize,
}

impl Mutants {
    /// Runs the tests on every change and prints those that nothing noticed.
    ///
    /// # Errors
    /// cargo-mutants is missing or fails, or too few changes were noticed.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if output(&mut cargo(&["mutants", "--version"])).is_err() {
            bail!(
                "CARGO-MUTANTS IS NOT INSTALLED, nothing was checked; install it with\n   \
                 cargo install --locked cargo-mutants --version {VERSION}"
            );
        }
        let folder = root().join("target/mutants");
        std::fs::create_dir_all(&folder).context("no target/mutants")?;
        let mut run = self.command(&folder);
        // It ends with another code than 0 where a change is missed; the lists say which.
        let ended = run.status().context("cannot start `cargo mutants`")?;
        let tally = Tally::read(&folder.join("mutants.out"))
            .with_context(|| format!("`cargo mutants` ended with {ended}"))?;
        tally.judge()
    }

    fn command(&self, folder: &Path) -> Command {
        let mut run = cargo(&["mutants", "--jobs", "1", "--timeout", "300", "--no-shuffle"]);
        run.arg("--output").arg(folder).args(["--test-package", PACKAGES]);
        run.args(FILES.iter().flat_map(|file| ["--file", file]));
        if let Some(parts) = self.parts {
            run.args(["--shard", &format!("0/{parts}"), "--sharding", "round-robin"]);
        }
        run.args(["--cargo-test-arg", "--tests"]);
        // Each change is one small build: what is compiled again counts, not how it runs.
        run.env("CARGO_INCREMENTAL", "1").env("CARGO_PROFILE_DEV_DEBUG", "0");
        run
    }
}

impl Tally {
    fn read(folder: &Path) -> anyhow::Result<Tally> {
        let lines = |name: &str| -> anyhow::Result<Vec<String>> {
            let text = std::fs::read_to_string(folder.join(name)).context(name.to_owned())?;
            Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
        };
        // A change that makes the tests go on for ever is noticed.
        let killed = lines("caught.txt")?.len() + lines("timeout.txt")?.len();
        Ok(Tally { killed, missed: lines("missed.txt")?, unviable: lines("unviable.txt")?.len() })
    }

    fn judge(&self) -> anyhow::Result<()> {
        let viable = self.killed + self.missed.len();
        for missed in &self.missed {
            println!("missed: {missed}");
        }
        println!("{} of {viable} noticed; {} can't be built", self.killed, self.unviable);
        ensure!(viable > 0, "nothing was tried");
        ensure!(
            self.killed * 100 >= viable * GOAL_PERCENT,
            "fewer than {GOAL_PERCENT} % are noticed: write the tests that are missing"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_there() {
        for file in FILES {
            assert!(root().join(file).is_file(), "{file}: take it out of the list, or mend it");
        }
    }

    #[test]
    fn lists_are_counted_and_judged() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("caught.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
        write("timeout.txt", "i\n");
        write("unviable.txt", "x\ny\n");
        assert!(Tally::read(folder.path()).is_err(), "a list is missing");
        write("missed.txt", "m\n");
        let tally = Tally::read(folder.path()).unwrap();
        assert_eq!(tally, Tally { killed: 9, missed: vec!["m".to_owned()], unviable: 2 });
        assert!(tally.judge().is_ok());
        assert!(Tally { killed: 8, ..tally }.judge().is_err());
        assert!(Tally { killed: 0, missed: Vec::new(), unviable: 2 }.judge().is_err());
    }
}
