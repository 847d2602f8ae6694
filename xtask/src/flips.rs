use std::process::Command;

use crate::cargo::{cargo, succeed};

/// Every bit of every file of a small ledger, flipped one at a time.
///
/// A program of its own, `examples/flips`: it needs the engine, and the optimiser.
pub(crate) struct Flips {
    /// The capacity of the ledger's segments.
    pub(crate) segment_kib: u32,
    /// Whether the result is one JSON object.
    pub(crate) json: bool,
}

impl Flips {
    /// Holds forty events in a sealed segment and one in use.
    pub(crate) const SEGMENT_KIB: u32 = 8;

    /// Builds and runs the campaign.
    ///
    /// # Errors
    /// A failed build, or a flip after which something was shown or lost without a word.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        succeed(&mut self.command())
    }

    /// What runs it.
    pub(crate) fn command(&self) -> Command {
        let form = if self.json { "json" } else { "text" };
        let segment_bytes = (u64::from(self.segment_kib) << 10).to_string();
        let build = ["run", "--quiet", "--release", "--package", "xtask", "--example", "flips"];
        let mut command = cargo(&build);
        command.args(["--", &segment_bytes, form]);
        command
    }
}
