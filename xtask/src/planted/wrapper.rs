use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::cargo::root;

/// Holds the `cfg` with which the packages of this workspace are to be compiled.
const CFG: &str = "XTASK_CFG";

/// Has a build compile this workspace with bugs in it, and share with the ordinary build
/// the packages from elsewhere; its programs lie in a folder of their own.
///
/// Cargo calls this very program in place of the compiler for the members of the
/// workspace, and keeps what comes of it apart.
///
/// # Errors
/// This program has no path any more.
pub(crate) fn sabotaged(build: &mut Command) -> anyhow::Result<()> {
    let this = std::env::current_exe().context("the path of xtask")?;
    build.env("RUSTC_WORKSPACE_WRAPPER", this).env(CFG, "sabotage");
    build.env("CARGO_BUILD_BUILD_DIR", root().join("target"));
    build.env("CARGO_TARGET_DIR", root().join("target/sabotage"));
    Ok(())
}

/// If this program was called in place of the compiler, calls that.
pub(crate) fn as_compiler() -> Option<ExitCode> {
    let cfg = std::env::var_os(CFG)?;
    let mut words = std::env::args_os().skip(1);
    let mut compiler = Command::new(words.next()?);
    compiler.args(words).args([OsString::from("--cfg"), cfg]);
    let is_compiled = compiler.status().is_ok_and(|status| status.success());
    Some(if is_compiled { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
