//! Flags for the packages of this project alone.
//!
//! Cargo has flags for everything that a build compiles, or for nothing. It calls a program
//! in place of the compiler where it is told to: this very one, which passes them on to the
//! compiler for what lies in this folder, and only for that.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::cargo::root;

/// Holds the flags, between spaces.
const FLAGS: &str = "XTASK_FLAGS";

/// Has a build compile the copy of this workspace with bugs in it, and share with the ordinary one
/// the packages from elsewhere; its programs lie in a folder of their own.
///
/// What cargo has a wrapper of the workspace compile it keeps apart.
///
/// # Errors
/// This program has no path any more.
pub(crate) fn sabotaged(build: &mut Command) -> anyhow::Result<()> {
    build.env("RUSTC_WORKSPACE_WRAPPER", this()?).env(FLAGS, "--cfg sabotage");
    build.env("CARGO_BUILD_BUILD_DIR", root().join("target"));
    build.env("CARGO_TARGET_DIR", root().join("target/planted/target"));
    Ok(())
}

/// Has a build compile the packages of this project, and no other, with these flags.
///
/// # Errors
/// This program has no path any more.
pub(crate) fn with_own_flags(build: &mut Command, flags: &str) -> anyhow::Result<()> {
    build.env("RUSTC_WRAPPER", this()?).env(FLAGS, flags);
    Ok(())
}

fn this() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("the path of xtask")
}

/// If this program was called in place of the compiler, calls that.
pub(crate) fn as_compiler() -> Option<ExitCode> {
    let flags = std::env::var_os(FLAGS)?.into_string().ok()?;
    let mut words = std::env::args_os().skip(1);
    let mut compiler = Command::new(words.next()?);
    compiler.args(words);
    let package = std::env::var_os("CARGO_MANIFEST_DIR");
    if package.is_some_and(|package| Path::new(&package).starts_with(root())) {
        compiler.args(flags.split(' '));
    }
    let is_compiled = compiler.status().is_ok_and(|status| status.success());
    Some(if is_compiled { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
