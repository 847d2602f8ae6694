use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::cargo::{cargo, root, succeed};

/// Compares the program with the verifier in Python, which was written from the pages alone, reads
/// its exports with other libraries, and runs the edits and attacks of the benchmark
/// agent-memory-integrity.
#[derive(clap::Args, Debug)]
pub(crate) struct Verifier {
    /// Ledgers and proofs with changed bytes, of each so many.
    #[arg(long, default_value_t = 1_000)]
    rounds: u64,
}

/// Packages of PyPI.
const PACKAGES: [&str; 5] =
    ["blake3", "cryptography", "agent-memory-integrity==0.6.3", "prov", "cloudevents"];

impl Verifier {
    pub(crate) const ORDINARY: Verifier = Verifier { rounds: 1_000 };

    /// Runs all three, with Python in `target/verifier`.
    ///
    /// # Errors
    /// Python or a package is missing, the two differ, or an edit is not found.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        succeed(&mut cargo(&["build", "--quiet", "--release", "--package=memlith-cli"]))?;
        let python = python(&root().join("target/verifier"), &PACKAGES)?;
        let program = root().join("target/release/memlith");
        let script = |name: &str| {
            let mut command = Command::new(&python);
            command.arg(root().join("tests/verifier").join(name)).arg("--program").arg(&program);
            command
        };
        let rounds = self.rounds.to_string();
        succeed(script("agree.py").args(["--rounds", rounds.as_str()]))?;
        succeed(&mut script("formats.py"))?;
        succeed(&mut script("integrity.py"))
    }
}

/// Makes an environment of Python with packages of PyPI; returns its interpreter.
///
/// # Errors
/// Python or a package is missing.
pub(crate) fn python(folder: &Path, packages: &[&str]) -> anyhow::Result<std::path::PathBuf> {
    let python = folder.join("bin/python");
    if !python.exists() {
        let made = succeed(Command::new("python3").args(["-m", "venv"]).arg(folder));
        made.context("Python can't make an environment")?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    succeed(Command::new(&python).args(pip).args(packages)).context("packages of PyPI")?;
    Ok(python)
}
