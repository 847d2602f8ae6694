use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// A cargo command that runs at the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root()).args(arguments).stdin(Stdio::null());
    command
}

/// Builds `memlith` as the tests have built it, so that nothing is built twice; its path.
///
/// # Errors
/// It doesn't build.
pub(crate) fn memlith() -> anyhow::Result<PathBuf> {
    // With the whole workspace and an example the packages have the features that they have in
    // its tests.
    built(&["--workspace", "--bin=memlith", "--example=embed"])
}

/// Builds what is chosen, with `memlith` among it; the path of that.
///
/// # Errors
/// It doesn't build.
pub(crate) fn built(chosen: &[&str]) -> anyhow::Result<PathBuf> {
    let told = ["build", "--quiet", "--message-format=json-render-diagnostics"];
    let messages = output(cargo(&told).args(chosen))?;
    let mut programs = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message.get("executable")?.as_str().map(PathBuf::from)
    });
    programs.find(|path| path.ends_with("memlith")).context("memlith was not built")
}

/// Runs a command to its end, its output shown as it comes.
///
/// # Errors
/// The command cannot be started, or ends with another code than 0.
pub(crate) fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let line = shown(command);
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// Runs a command to its end and returns its standard output.
///
/// # Errors
/// As [`succeed`]; the message holds what the command wrote to standard error.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let line = shown(command);
    let output = command.output().with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` ended with {}: {}", output.status, stderr.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` wrote no UTF-8"))
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
