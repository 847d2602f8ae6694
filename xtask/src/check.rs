use anyhow::bail;

use crate::cargo::{cargo, output, succeed};
use crate::planted;
use crate::step::Steps;
use crate::tidy;
use crate::weight;

/// The version of cargo-deny that the checks are written for.
const DENY_VERSION: &str = "0.20.2";

/// Runs every test of the workspace.
pub(crate) fn test() -> anyhow::Result<()> {
    let mut steps = Steps::default();
    test_steps(&mut steps);
    steps.finish()
}

/// Runs everything that is not a test.
pub(crate) fn check() -> anyhow::Result<()> {
    let mut steps = Steps::default();
    check_steps(&mut steps);
    steps.finish()
}

/// Runs the tests and the checks.
pub(crate) fn ci() -> anyhow::Result<()> {
    let mut steps = Steps::default();
    test_steps(&mut steps);
    check_steps(&mut steps);
    steps.finish()
}

fn test_steps(steps: &mut Steps) {
    steps.step("test", "run `cargo test -p PACKAGE NAME` for the test that failed", || {
        succeed(&mut cargo(&["test", "--workspace", "--no-fail-fast"]))
    });
}

fn check_steps(steps: &mut Steps) {
    steps.step("fmt", "run `cargo fmt`, in fuzz/ as well", || {
        succeed(&mut cargo(&["fmt", "--all", "--check"]))?;
        succeed(&mut cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))
    });
    steps.step("tidy", "each finding says how to mend it", tidy::run);
    steps.step("weight", "do without the new package, or argue for it in ADR/0006", weight::run);
    steps.step("clippy", "mend it, or `#[expect(clippy::..., reason = \"...\")]`", || {
        succeed(&mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--quiet",
            "--",
            "--deny",
            "warnings",
        ]))
    });
    steps.step("doc", "mend the link or the example that rustdoc names", || {
        let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
        succeed(doc.env("RUSTDOCFLAGS", "--deny warnings"))
    });
    steps.step("deny", "see deny.toml; a new licence or source needs a decision", deny);
    let advice = "make a test of the input that was found, then mend the code";
    steps.step("fuzz", advice, planted::fuzz_check);
}

fn deny() -> anyhow::Result<()> {
    if output(&mut cargo(&["deny", "--version"])).is_err() {
        bail!(
            "CARGO-DENY IS NOT INSTALLED, nothing was checked; install it with\n   \
             cargo install --locked cargo-deny --version {DENY_VERSION}"
        );
    }
    succeed(&mut cargo(&["deny", "check", "licenses", "bans", "sources"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ci_installs_the_version_that_is_advised() {
        let script = std::fs::read_to_string(crate::cargo::root().join(".ci/run")).unwrap();
        let line = format!("cargo-deny --version {DENY_VERSION}");
        assert!(script.contains(&line), ".ci/run does not install `{line}`");
    }
}
