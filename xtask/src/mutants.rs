use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use crate::cargo::{cargo, output, root};
use crate::step::started;

/// Small changes to recovery and verification, one at a time, each of which a test of the
/// crate has to notice: `cargo mutants` with the files and options of this project.
#[derive(clap::Args)]
pub(crate) struct Mutants {
    /// Tries one of so many equal parts.
    #[arg(long)]
    parts: Option<u32>,
    /// Tries again what the changed package's own tests missed the last time.
    #[arg(long)]
    again: bool,
}

/// The version that the figures are of.
const VERSION: &str = "27.1.0";

/// Files of opening, recovery, rotation, erasure, verification and checkpoints.
const FILES: [&str; 26] = [
    "crates/log/src/erase.rs",
    "crates/log/src/footer.rs",
    "crates/log/src/frame.rs",
    "crates/log/src/loss.rs",
    "crates/log/src/mark.rs",
    "crates/log/src/mark_file.rs",
    "crates/log/src/recover.rs",
    "crates/log/src/rotate.rs",
    "crates/log/src/space.rs",
    "crates/log/src/segment_header.rs",
    "crates/log/src/survey.rs",
    "crates/log/src/survey/load.rs",
    "crates/log/src/survey/remainder.rs",
    "crates/log/src/verify.rs",
    "crates/log/src/verify/erasures.rs",
    "crates/log/src/verify/part.rs",
    "crates/log/src/verify/segments.rs",
    "crates/log/src/walk.rs",
    "crates/log/src/window.rs",
    "crates/memlith/src/read/answer.rs",
    "crates/memlith/src/fold/checkpoint.rs",
    "crates/memlith/src/fold/span.rs",
    "crates/memlith/src/fold/stride.rs",
    "crates/state/src/checkpoint.rs",
    "crates/state/src/chunks.rs",
    "crates/state/src/run.rs",
];

/// Those that have to notice what the tests of the changed package do not, in the order in
/// which they are built and run sooner.
const OTHERS: [Tests; 3] = [
    Tests {
        name: "checkpoints",
        packages: "memlith-engine-tests",
        of: Some(("it", "checkpoints::")),
    },
    Tests { name: "engine", packages: "memlith,memlith-engine-tests", of: None },
    Tests { name: "campaigns", packages: "memlith-log,memlith-torture", of: None },
];

/// Tests of other packages than the changed one.
struct Tests {
    /// Name of the run.
    name: &'static str,
    packages: &'static str,
    /// The only test program, and what the names of its tests have in them.
    of: Option<(&'static str, &'static str)>,
}

/// Tests of the log that cost more than all others of it, and so come last.
const SLOW: &str = "flips::every_";

/// Changes that change nothing, as a pattern of their names, each with the reason.
const EQUIVALENT: [(&str, &str); 4] = [
    (
        r"^crates/log/src/window\.rs:\d+:\d+: replace << with >>$",
        "how far is read ahead changes nothing that is seen",
    ),
    (
        r"^crates/log/src/window\.rs:\d+:\d+: replace > with >= in Window::get$",
        "what is held to its last byte is read once more",
    ),
    (
        r"^crates/state/src/chunks\.rs:\d+:\d+: .*Chunks::(ask|will_need)( with \(\))?$",
        "a hint to the system changes nothing that is read",
    ),
    (
        r"^crates/state/src/chunks\.rs:\d+:\d+: replace Bits::(has -> bool with false|set with \(\))$",
        "a chunk that isn't known to have been checked is checked again",
    ),
];

/// The share of the changes that can be built and have to be noticed, in percent.
const GOAL_PERCENT: usize = 90;

/// Outcome of each change; from the lists that `cargo mutants` leaves.
#[derive(Debug, PartialEq, Eq)]
struct Tally {
    killed: Vec<String>,
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
        let begun = started();
        let mut tally =
            if self.again { Round::Own.lists()? } else { Round::Own.run(self.parts)? };
        for tests in &OTHERS {
            if !tally.missed.is_empty() {
                println!("{tally}{}", tally.by_crate());
                println!("{} are tried on the tests `{}`", tally.missed.len(), tests.name);
                let again = Round::Others { missed: &tally.missed, tests }.run(None)?;
                tally = tally.with(&again);
            }
        }
        tally.judge(begun.elapsed())
    }
}

/// Which changes are tried on which tests.
///
/// Most are noticed by the quick tests of the package that they are made in, which is built
/// and run in seconds; only the rest is worth building what depends on it.
enum Round<'a> {
    /// All of them on the package's own tests, but for [`SLOW`] ones.
    Own,
    /// These on others.
    Others { missed: &'a [String], tests: &'a Tests },
}

impl Round<'_> {
    fn run(&self, parts: Option<u32>) -> anyhow::Result<Tally> {
        let folder = self.folder();
        std::fs::create_dir_all(&folder).context("no target/mutants")?;
        let mut run = self.command(&folder, parts);
        // Code 2: some are missed, 3: some ran out of time; the lists say which. One that was
        // cut short leaves lists as well.
        let ended = run.status().context("cannot start `cargo mutants`")?;
        ensure!(matches!(ended.code(), Some(0 | 2 | 3)), "`cargo mutants` ended with {ended}");
        self.lists()
    }

    /// Reads the outcome of the last run.
    fn lists(&self) -> anyhow::Result<Tally> {
        Tally::read(&self.folder().join("mutants.out"))
    }

    fn folder(&self) -> PathBuf {
        root().join("target/mutants").join(self.label())
    }

    fn label(&self) -> &str {
        match self {
            Round::Own => "own",
            Round::Others { tests, .. } => tests.name,
        }
    }

    fn command(&self, folder: &Path, parts: Option<u32>) -> Command {
        let mut run = cargo(&["mutants", "--jobs", "1", "--no-shuffle"]);
        run.arg("--output").arg(folder);
        run.args(FILES.iter().flat_map(|file| ["--file", file]));
        run.args(EQUIVALENT.iter().flat_map(|(pattern, _)| ["--exclude-re", pattern]));
        if let Some(parts) = parts {
            run.args(["--shard", &format!("0/{parts}"), "--sharding", "round-robin"]);
        }
        match self {
            Round::Own => {
                run.args(["--cargo-test-arg", "--tests"]);
                // The tests take a second or two; many a change makes one go on for ever.
                run.args(["--timeout", "20", "--", "--", "--skip", SLOW]);
            }
            Round::Others { missed, tests } => {
                run.args(missed.iter().flat_map(|name| ["--re".to_owned(), exactly(name)]));
                run.args(["--timeout", "300", "--test-package", tests.packages]);
                match tests.of {
                    None => run.args(["--cargo-test-arg", "--tests"]),
                    Some((program, part)) => {
                        run.args(["--cargo-test-arg", "--test", "--cargo-test-arg", program]);
                        run.args(["--", "--", part])
                    }
                };
            }
        }
        // Each change is one small build: what is compiled again counts, not how it runs.
        run.env("CARGO_INCREMENTAL", "1").env("CARGO_PROFILE_DEV_DEBUG", "0");
        // A test that fails a thousand times over must not run out of time looking up lines.
        run.env("RUST_BACKTRACE", "0");
        // Every run copies the workspace anew; what it depends on is compiled once.
        run.env("CARGO_TARGET_DIR", root().join("target/mutants/build"));
        run
    }
}

/// The pattern of this name and no other.
fn exactly(name: &str) -> String {
    let mut pattern = "^".to_owned();
    for character in name.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern + "$"
}

impl Tally {
    fn read(folder: &Path) -> anyhow::Result<Tally> {
        let lines = |name: &str| -> anyhow::Result<Vec<String>> {
            let text = std::fs::read_to_string(folder.join(name)).context(name.to_owned())?;
            Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
        };
        // A change that makes the tests go on for ever is noticed.
        let killed = [lines("caught.txt")?, lines("timeout.txt")?].concat();
        Ok(Tally { killed, missed: lines("missed.txt")?, unviable: lines("unviable.txt")?.len() })
    }

    /// Returns the outcome of all changes, after those that were missed were tried `again`.
    ///
    /// Others may have been tried with them: `cargo mutants` leaves out no deletion of a
    /// field, whatever its name. What was not tried stays missed.
    fn with(mut self, again: &Tally) -> Tally {
        let (killed, missed) =
            self.missed.into_iter().partition(|name| again.killed.contains(name));
        self.killed.extend::<Vec<_>>(killed);
        Tally { missed, ..self }
    }

    fn viable(&self) -> usize {
        self.killed.len() + self.missed.len()
    }

    /// A line for each crate: how many changes to it are noticed, of how many.
    fn by_crate(&self) -> String {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let killed = self.killed.iter().map(|name| (name, 1));
        for (name, counted) in killed.chain(self.missed.iter().map(|name| (name, 0))) {
            let part = name.match_indices('/').nth(1).map_or(name.len(), |(at, _)| at);
            let (killed, viable) = counts.entry(name.get(..part).unwrap_or(name)).or_default();
            *killed += counted;
            *viable += 1;
        }
        let lines = counts.into_iter().map(|(part, (killed, viable))| {
            format!("\n  {part}: {killed} of {viable}, {}", percent(killed, viable))
        });
        lines.collect()
    }

    fn judge(&self, wall: Duration) -> anyhow::Result<()> {
        let (killed, viable) = (self.killed.len(), self.viable());
        for missed in &self.missed {
            println!("missed: {missed}");
        }
        ensure!(viable > 0, "nothing was tried");
        let each = wall.as_secs() / u64::try_from(viable + self.unviable)?;
        println!("{self}; {each} s for each{}", self.by_crate());
        ensure!(
            killed * 100 >= viable * GOAL_PERCENT,
            "fewer than {GOAL_PERCENT} % are noticed: write the tests that are missing"
        );
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (killed, viable) = (self.killed.len(), self.viable());
        let (share, unviable) = (percent(killed, viable), self.unviable);
        write!(f, "{killed} of {viable} noticed, {share}; {unviable} more can't be built")
    }
}

fn percent(part: usize, whole: usize) -> String {
    let permille = part * 1_000 / whole.max(1);
    format!("{}.{} %", permille / 10, permille % 10)
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
        let tally = || Tally::read(folder.path()).unwrap();
        assert_eq!((tally().killed.len(), tally().missed.as_slice()), (9, &["m".to_owned()][..]));
        assert_eq!(tally().to_string(), "9 of 10 noticed, 90.0 %; 2 more can't be built");
        let wall = Duration::from_secs(1);
        assert!(tally().judge(wall).is_ok());
        let fewer = tally().killed.into_iter().skip(1).collect();
        assert!(Tally { killed: fewer, ..tally() }.judge(wall).is_err());
        let none = || Tally { killed: Vec::new(), missed: Vec::new(), unviable: 2 };
        assert!(none().judge(wall).is_err());
        let again = |name: &str| tally().with(&Tally { killed: vec![name.to_owned()], ..none() });
        assert_eq!((again("m").killed.len(), again("m").missed.len()), (10, 0));
        assert_eq!(again("another"), tally());
        let split = Tally {
            killed: vec!["crates/log/src/a.rs:1".to_owned(), "crates/log/src/b.rs:1".to_owned()],
            missed: vec!["crates/log/src/a.rs:2".to_owned(), "crates/state/src/a.rs:1".to_owned()],
            unviable: 0,
        };
        let lines = "\n  crates/log: 2 of 3, 66.6 %\n  crates/state: 0 of 1, 0.0 %";
        assert_eq!(split.by_crate(), lines);
    }

    #[test]
    fn a_name_is_the_pattern_of_itself() {
        let name = "crates/a.rs:1:2: replace A<'_>::b -> Option<u8> with Some(0)";
        let pattern = r"^crates/a\.rs:1:2: replace A<'_>::b \-> Option<u8> with Some\(0\)$";
        assert_eq!(exactly(name), pattern);
    }
}
