use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The built bench.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_memlith-bench");

/// A folder for one test, to run the bench in.
pub(crate) struct Desk {
    dir: tempfile::TempDir,
}

/// Exit code and output of a run.
#[derive(Debug)]
pub(crate) struct Run {
    code: i32,
    pub(crate) out: String,
    err: String,
}

impl Desk {
    pub(crate) fn empty() -> Desk {
        Desk { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Runs the bench with nothing of the tester's environment.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        let mut command = Command::new(BINARY);
        command.args(args).current_dir(self.path()).env_clear();
        command.env("USER", "ana").env("TMPDIR", self.path()).env("HOME", self.path());
        Run::of(command.stdin(Stdio::null()).output().unwrap())
    }

    /// Runs what has to succeed, with `--json`, and reads the one object it prints.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let run = self.run(&[args, &["--json"]].concat());
        assert_eq!((run.code, run.out.lines().count()), (0, 1), "{args:?}: {run:?}");
        serde_json::from_str(&run.out).unwrap()
    }

    /// Runs what has to fail with `code` and to say each of `words` on standard error.
    pub(crate) fn refused(&self, code: i32, args: &[&str], words: &[&str]) {
        let run = self.run(args);
        assert_eq!(run.code, code, "{run:?}");
        for word in words {
            assert!(run.err.contains(word), "`{word}` is missing: {run:?}");
        }
    }
}

impl Run {
    fn of(output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Run {
            code: output.status.code().unwrap(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}
