use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::cargo::{cargo, root, succeed};

/// The program that the crate is made of.
const EXAMPLE: &str = "examples/embed.rs";

/// Makes a crate outside of the workspace that depends on `memlith` alone, by its path, and
/// runs the example as its program: nothing that an embedder needs may be missing.
///
/// What is built stays in `target/outside`, so that a second run builds only the crate.
///
/// # Errors
/// The crate cannot be made or built, or its program fails.
pub(crate) fn run() -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    make(folder.path())?;
    let mut run = cargo(&["run", "--quiet"]);
    // The workspace's own flags and profiles are not an embedder's.
    run.current_dir(folder.path()).env("CARGO_TARGET_DIR", root().join("target/outside"));
    succeed(&mut run).with_context(|| format!("{EXAMPLE} fails outside of the workspace"))
}

fn make(folder: &Path) -> anyhow::Result<()> {
    let engine = root().join("crates/memlith");
    let manifest = format!(
        "[package]\nname = \"outside\"\nedition = \"2024\"\n\n[dependencies]\nmemlith = {{ path = {:?} }}\n",
        engine.display().to_string(),
    );
    let source = folder.join("src");
    fs::create_dir(&source)
        .and_then(|()| fs::write(folder.join("Cargo.toml"), manifest))
        // Locked as here, so that what runs is what was tested, and nothing is resolved anew.
        .and_then(|()| fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")))
        .and_then(|_| fs::copy(root().join(EXAMPLE), source.join("main.rs")))
        .with_context(|| format!("cannot make a crate in {}", folder.display()))?;
    Ok(())
}
