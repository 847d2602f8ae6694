use std::fs;
use std::process::Command;

use anyhow::Context;

use crate::cargo::{cargo, root, succeed};
use crate::verifier::python;

/// Packages of PyPI that build and test the wheel.
const PACKAGES: [&str; 13] = [
    "maturin>=1.9,<2",
    "pytest",
    "hypothesis",
    "mypy",
    "ruff",
    "nbclient",
    "ipykernel",
    "tqdm",
    "langgraph-checkpoint>=2",
    "langchain-core>=1",
    "llama-index-core>=0.14",
    "openai-agents>=0.24",
    "pydantic-ai-slim>=2",
];

/// Builds the Python wheel with the program in it, and runs its checks and tests on the wheel.
///
/// # Errors
/// Python or a package is missing, the wheel can't be built, or a test fails.
pub(crate) fn run() -> anyhow::Result<()> {
    let folder = root().join("python");
    let build = ["build", "--quiet", "--profile=dist", "--package=memlith-cli", "--features=full"];
    succeed(&mut cargo(&build))?;
    fs::create_dir_all(folder.join("memlith/bin"))?;
    let program = root().join("target/dist/memlith");
    fs::copy(&program, folder.join("memlith/bin/memlith"))
        .with_context(|| format!("copy {}", program.display()))?;
    let environment = root().join("target/python");
    let python = python(&environment, &PACKAGES)?;
    let module = |args: &[&str]| {
        let mut command = Command::new(&python);
        command.current_dir(&folder).arg("-m").args(args);
        command
    };
    let wheels = root().join("target/wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)?;
    }
    let mut maturin = module(&["maturin", "build", "--release", "--quiet", "--interpreter"]);
    maturin.arg(&python).arg("--out").arg(&wheels);
    succeed(maturin.env("CARGO_TARGET_DIR", root().join("target/wheel")))?;
    let wheel = fs::read_dir(&wheels)?.next().context("maturin made no wheel")??;
    let install = ["pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"];
    succeed(module(&install).arg("--no-deps").arg(wheel.path()))?;
    succeed(&mut module(&["ruff", "check", "."]))?;
    succeed(&mut module(&["ruff", "format", "--check", "."]))?;
    succeed(&mut module(&["mypy", "memlith"]))?;
    // Of the wheel, not of the folder.
    let mut tests = Command::new(&python);
    tests.current_dir(&environment).args(["-m", "pytest", "--quiet", "--import-mode=importlib"]);
    succeed(tests.arg(folder.join("tests")))
}
