use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::cargo::{cargo, output, root, succeed};
use crate::planted::copy;
use crate::wrapper::with_own_flags;

/// The programs of all targets.
pub(crate) struct Build {
    folder: PathBuf,
}

/// The instrumentation that libFuzzer reads, of everything: edges as 8-bit counters.
///
/// Source: libFuzzer's `-fsanitize=fuzzer-no-link`, spelled for rustc's LLVM.
const RUSTFLAGS: &str = "--cfg fuzzing -Dwarnings \
    -Ccodegen-units=1 \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table";

/// The instrumentation of the packages of this project: compared values as well. Of others
/// they cost more than they find: half of all time went to the comparisons with which the
/// parser of command lines looks for a similar word.
const OWN_FLAGS: &str = "-Cllvm-args=-sanitizer-coverage-trace-compares";

impl Build {
    /// Builds them as they are.
    ///
    /// # Errors
    /// They don't build.
    pub(crate) fn ordinary() -> anyhow::Result<Build> {
        Build::with(&root(), "", "fuzz/target")
    }

    /// Builds them with every planted bug in place and none at work, in a folder of its own.
    ///
    /// # Errors
    /// They don't build.
    pub(crate) fn sabotaged() -> anyhow::Result<Build> {
        Build::with(&copy()?, "--cfg sabotage ", "target/planted/fuzz")
    }

    /// Builds them in a tree, into a folder of this workspace.
    fn with(tree: &Path, cfg: &str, folder: &str) -> anyhow::Result<Build> {
        let host = host()?;
        let folder = root().join(folder);
        let mut build =
            cargo(&["build", "--manifest-path", "fuzz/Cargo.toml", "--bins", "--quiet"]);
        build.current_dir(tree);
        // Naming the host keeps the instrumentation out of build scripts.
        build.args(["--target", &host]).env("RUSTFLAGS", format!("{cfg}{RUSTFLAGS}"));
        build.env_remove("CARGO_ENCODED_RUSTFLAGS").env("CARGO_TARGET_DIR", &folder);
        with_own_flags(&mut build, OWN_FLAGS)?;
        succeed(&mut build)
            .context("the targets need a C++ compiler for libFuzzer: install g++")?;
        Ok(Build { folder: folder.join(host).join("debug") })
    }

    /// The program of a target.
    pub(crate) fn program(&self, target: &str) -> PathBuf {
        self.folder.join(target)
    }
}

/// The triple that rustc builds for.
fn host() -> anyhow::Result<String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}
