use std::cell::OnceCell;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use memlith::storage::{Rng as _, SeededRng};
use serde_json::Value;

/// A folder for one test, and the built binary to work in it.
pub(crate) struct Desk {
    dir: tempfile::TempDir,
    /// The token that its user reviews with, once it is made.
    token: OnceCell<String>,
}

/// Result of a run of the binary: exit code and outputs.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_memlith");

/// How much of a campaign is run: what the variable says, or so much.
#[expect(clippy::disallowed_methods, reason = "a tester asks for more than the usual")]
pub(crate) fn amount(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap(),
        Err(_) => default,
    }
}

/// Chances that come again with the seed: `$MEMLITH_SEED`, else 1. It is printed, for the run
/// that fails.
pub(crate) struct Chance {
    rng: SeededRng,
}

impl Chance {
    pub(crate) fn new() -> Chance {
        let seed = amount("MEMLITH_SEED", 1);
        println!("MEMLITH_SEED={seed}");
        Chance { rng: SeededRng::new(seed) }
    }

    /// A number below `bound`.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        let mut bytes = [0; 8];
        self.rng.fill(&mut bytes).unwrap();
        u64::from_le_bytes(bytes) % bound.max(1)
    }

    /// One of them.
    pub(crate) fn of<'a, T>(&self, all: &'a [T]) -> &'a T {
        &all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

impl Desk {
    /// An empty folder.
    pub(crate) fn empty() -> Desk {
        Desk { dir: tempfile::tempdir().unwrap(), token: OnceCell::new() }
    }

    /// A folder with an empty ledger in `.memlith`.
    pub(crate) fn new() -> Desk {
        let desk = Desk::empty();
        desk.ok(&["init"]);
        desk
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.path().join(".memlith")
    }

    pub(crate) fn segment(&self, number: u64) -> PathBuf {
        self.ledger().join(format!("seg-{number:010}"))
    }

    /// The command, ready to run in the folder with nothing of the tester's environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.args(args).current_dir(self.path()).env_clear();
        command.env("USER", "ana").env("TMPDIR", self.path()).env("HOME", self.path());
        command.envs(self.token.get().map(|token| ("MEMLITH_REVIEW_TOKEN", token)));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).stdin(Stdio::null()).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Run {
        let mut command = self.command(args);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A process that refuses early closes its end; what it says then is what counts.
        let _ = stdin.write_all(input);
        drop(stdin);
        Run::of(child.wait_with_output().unwrap())
    }

    /// Runs what has to succeed.
    pub(crate) fn ok(&self, args: &[&str]) -> Run {
        let run = self.run(args);
        assert_eq!(run.code, 0, "{args:?}: {run:?}");
        run
    }

    /// Runs what has to succeed, with `--json`, and reads the one object it prints.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        self.ok(&[args, &["--json"]].concat()).json()
    }

    /// Remembers `text` and gives its id.
    pub(crate) fn remember(&self, text: &str) -> String {
        id(&self.json(&["remember", text]))
    }

    /// Shows this token from now on.
    pub(crate) fn hold(&self, token: &str) {
        self.token.set(token.to_owned()).unwrap();
    }

    /// Runs what has to fail with `code` and to say each of `words` on standard error.
    pub(crate) fn refused(&self, code: i32, args: &[&str], words: &[&str]) -> Run {
        self.run(args).refused(code, words)
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Run {
            code: output.status.code().unwrap(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "one object, one line: {self:?}");
        serde_json::from_str(&self.out).unwrap()
    }

    pub(crate) fn refused(self, code: i32, words: &[&str]) -> Run {
        assert_eq!(self.code, code, "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "`{word}` is missing: {self:?}");
        }
        self
    }
}

/// The id in an answer.
pub(crate) fn id(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}
