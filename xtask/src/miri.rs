use std::process::{Command, Stdio};

use crate::cargo::{output, root, succeed};
use crate::step::Steps;

/// Tests in Miri, which interprets a program and finds undefined behaviour, and which can
/// pretend to be another machine.
///
/// It is some thousand times slower than the processor and has no file system. So it runs
/// one history of the engine over a disk in memory, whose digests and bytes are committed,
/// as 32-bit and as big-endian machines run it; short histories of the log; and of the
/// other crates the tests that it can run to their end.
#[derive(clap::Args)]
pub(crate) struct Miri {
    /// Runs the tests that take minutes each as well.
    #[arg(long)]
    long: bool,
}

/// One run of Miri: a package's tests, for a machine.
struct Run {
    name: &'static str,
    package: &'static str,
    /// The machine; this one where absent.
    target: Option<&'static str>,
    /// The rest of the command line: what to build, `--`, and which tests.
    tests: &'static str,
    /// Flags of Miri beside [`FLAGS`].
    flags: &'static str,
    /// Whether it takes part in the long run only.
    is_long: bool,
}

/// Two cases of each property, and no file that remembers a failure.
const FLAGS: &str = "-Zmiri-env-set=PROPTEST_CASES=2 \
    -Zmiri-env-set=PROPTEST_DISABLE_FAILURE_PERSISTENCE=1";

/// Pointers as the other model of aliasing that is proposed for Rust has them.
const TREE_BORROWS: &str = "-Zmiri-tree-borrows";

/// The history of the engine whose bytes and digests are committed, and the start of it.
const HISTORY: &str = "--test it -- golden::digests";
const BRIEF_HISTORY: &str = "--test it -- brief_digests";

/// A torn batch, a tail that is taken over, and an erasure.
const LOG: &str = "--test it -- rule_5_half rule_6 an_erasure_drops";

const BITS_32: Option<&str> = Some("i686-unknown-linux-gnu");
const BIG_ENDIAN: Option<&str> = Some("s390x-unknown-linux-gnu");

/// Runs of tests under Miri.
const RUNS: [Run; 11] = [
    Run { target: BIG_ENDIAN, ..Run::of("digests, big-endian", "memlith", BRIEF_HISTORY) },
    Run { target: BITS_32, ..Run::of("digests, 32 bits", "memlith", BRIEF_HISTORY) },
    Run::of("log on a disk in memory", "memlith-log", LOG),
    Run::of("bytes of the log", "memlith-log", "--lib -- digest:: footer:: kind:: mark::").long(),
    Run::of("histories of the log", "memlith-log", "--test it -- brief::").long(),
    Run { flags: TREE_BORROWS, ..Run::of("log, tree borrows", "memlith-log", LOG).long() },
    Run { target: BIG_ENDIAN, ..Run::of("history, big-endian", "memlith", HISTORY).long() },
    Run { target: BITS_32, ..Run::of("history, 32 bits", "memlith", HISTORY).long() },
    Run::of("bytes of the state", "memlith-state", "--lib -- bytes::"),
    Run::of("citations", "memlith-event", "--lib -- citation::"),
    Run::of("numbers", "memlith-salience", "--lib -- numbers_as powers_of_two products_are"),
];

const ADVICE: &str = "make a test of it that is red without Miri, then mend the code";

impl Miri {
    /// Runs every test that is chosen.
    ///
    /// # Errors
    /// Undefined behaviour, a failed test, or digests that are not those of other machines.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if let Err(error) = output(&mut nightly(&["miri", "--version"])) {
            println!(
                "MIRI IS NOT INSTALLED, nothing was checked; install it with\n   \
                 rustup toolchain install nightly --component miri,rust-src\n   ({error})"
            );
            return Ok(());
        }
        let mut steps = Steps::default();
        for run in RUNS.iter().filter(|run| self.long || !run.is_long) {
            steps.step(run.name, ADVICE, || run.run());
        }
        steps.finish()
    }
}

impl Run {
    const fn of(name: &'static str, package: &'static str, tests: &'static str) -> Run {
        Run { name, package, target: None, tests, flags: "", is_long: false }
    }

    const fn long(mut self) -> Run {
        self.is_long = true;
        self
    }

    fn run(&self) -> anyhow::Result<()> {
        let on_target: &[&str] = match &self.target {
            Some(target) => &["--target", target],
            None => &[],
        };
        let mut setup = nightly(&["miri", "setup", "--quiet"]);
        if let Err(error) = output(setup.args(on_target)) {
            println!("SKIPPED, nothing was checked: Miri's library can't be built: {error}");
            return Ok(());
        }
        let mut test = nightly(&["miri", "test", "--package", self.package]);
        test.args(on_target).args(self.tests.split_whitespace());
        succeed(test.env("MIRIFLAGS", format!("{FLAGS} {}", self.flags)))
    }
}

/// Cargo of the nightly compiler: the only one that has Miri.
fn nightly(arguments: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).args(arguments);
    command.current_dir(root()).stdin(Stdio::null());
    // What the calling cargo says of itself is not true of the other one.
    for name in ["CARGO", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR"] {
        command.env_remove(name);
    }
    // For 32 bits blake3 would compile C, which needs headers that few machines have.
    command.env("CARGO_FEATURE_PURE", "1");
    command
}
