use crate::cargo::{cargo, output, root, succeed};
use crate::fuzz::{Decoders, Fuzz};
use crate::gates::Gates;
use crate::planted::Planted;
use crate::programs::driven;
use crate::step::Steps;
use crate::tidy;
use crate::verifier::Verifier;
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

/// Runs the tests, the checks and the gates: what every change has to pass.
pub(crate) fn ci() -> anyhow::Result<()> {
    let mut steps = Steps::default();
    test_steps(&mut steps);
    check_steps(&mut steps);
    let advice = "find what costs more, or `cargo xtask gates --write` and say why";
    steps.step("gates", advice, || Gates { write: false }.run());
    steps.finish()
}

/// Runs what a change may wait for: fuzz targets, planted bugs, licences, and the programs of
/// other people.
///
/// # Errors
/// A step fails; a program that can't be fetched fails its step.
pub(crate) fn nightly() -> anyhow::Result<()> {
    let mut steps = Steps::default();
    let advice = "make a test of the input that was found, then mend the code";
    steps.step("fuzz", advice, || Decoders::build(Fuzz::SEED)?.check());
    let advice = "`cargo xtask planted --name NAME` shows the bug that no campaign finds";
    steps.step("planted", advice, || Planted { name: None, quick: true }.run());
    steps.step("deny", "see deny.toml; a new licence or source needs a decision", deny);
    let advice = "run `cargo xtask` with this word alone";
    steps.step("verifier", advice, || Verifier::ORDINARY.run());
    steps.step("python", advice, crate::python::run);
    for (name, words) in DRIVEN {
        steps.step(name, advice, || driven(name, words));
    }
    steps.finish()
}

/// Features of the program, each of which is built alone.
const FEATURES: [&str; 7] = ["", "mcp", "mcp-http", "chat", "deliver", "webhook", "falkordb"];

/// Programs of other people, and the words that drive them, within a time in seconds.
const DRIVEN: [(&str, &[&str]); 4] = [
    ("chat", &[]),
    ("deliver", &[]),
    ("clients", &["--seconds", "180"]),
    ("mcp", &["--seconds", "180", "--requests", "30000"]),
];

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
    steps.step("features", "say with `cfg` what a feature is needed for", || {
        FEATURES.iter().try_for_each(|feature| {
            let package = "--package=memlith-cli";
            let feature = format!("--features={feature}");
            succeed(&mut cargo(&["clippy", package, &feature, "--quiet", "--", "--deny=warnings"]))
        })
    });
    steps.step("doc", "mend the link or the example that rustdoc names", || {
        let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
        succeed(doc.env("RUSTDOCFLAGS", "--deny warnings"))
    });
}

fn deny() -> anyhow::Result<()> {
    if output(&mut cargo(&["deny", "--version"])).is_err() {
        let mut install = cargo(&["install", "--quiet", "--locked", "--debug"]);
        install.args(["cargo-deny", "--version", DENY_VERSION]);
        // Unoptimised: it builds in half the time and takes a second where it would take a tenth.
        install.env("CARGO_TARGET_DIR", root().join("target/cargo-deny"));
        succeed(&mut install)?;
    }
    succeed(&mut cargo(&["deny", "check", "licenses", "bans", "sources"]))
}
