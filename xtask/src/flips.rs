use std::process::Command;

use crate::cargo::{cargo, succeed};

/// Every bit of every file of a small ledger, flipped one at a time.
///
/// A program of its own, `examples/flips`: it needs the engine, and the optimiser.
pub(crate) struct Flips {
    /// The capacity of the ledger's segments.
    pub(crate) segment_kib: u32,
    /// Whether it holds one of everything, in place of forty events.
    pub(crate) small: bool,
    /// Whether the result is one JSON object.
    pub(crate) json: bool,
}

impl Flips {
    /// Holds forty events in a sealed segment and one in use.
    pub(crate) const SEGMENT_KIB: u32 = 8;

    /// The same for a small ledger.
    pub(crate) const SMALL_SEGMENT_KIB: u32 = 4;

    /// The ledger of the checks.
    pub(crate) fn small(json: bool) -> Flips {
        Flips { segment_kib: Flips::SMALL_SEGMENT_KIB, small: true, json }
    }

    /// A ledger of forty events.
    pub(crate) fn full(json: bool) -> Flips {
        Flips { segment_kib: Flips::SEGMENT_KIB, small: false, json }
    }

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
        let size = if self.small { "small" } else { "full" };
        command.args(["--", &segment_bytes, size, form]);
        command
    }
}
