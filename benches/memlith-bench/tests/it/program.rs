//! The program that is measured.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::harness::{BINARY, Desk};

/// The `memlith` beside the bench. A test of this package alone builds no other one's
/// programs, so it is built here.
pub(crate) fn path() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let path = Path::new(BINARY).with_file_name("memlith");
        if !path.is_file() {
            let mut build = Command::new(env!("CARGO"));
            let built = build.args(["build", "--quiet", "--package", "memlith-cli"]).status();
            assert!(built.unwrap().success() && path.is_file(), "{}", path.display());
        }
        path
    })
}

/// Runs a verb of `memlith` and returns its JSON answer.
pub(crate) fn memlith(desk: &Desk, args: &[&str]) -> Value {
    let output = Command::new(path()).args(args).current_dir(desk.path()).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}
