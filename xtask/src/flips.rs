use std::process::Command;

use crate::cargo::succeed;
use crate::programs::Programs;

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

    /// Segment size of a small ledger, in KiB.
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
        let chosen = ["--release", "--package=xtask", "--example=flips"];
        self.on(&Programs::ordinary(&chosen)?)
    }

    /// Runs the campaign of these programs.
    ///
    /// # Errors
    /// As [`Flips::run`].
    pub(crate) fn on(&self, programs: &Programs) -> anyhow::Result<()> {
        succeed(&mut self.command(programs)?)
    }

    /// Returns the command that runs the checks.
    ///
    /// # Errors
    /// It isn't among these programs.
    pub(crate) fn command(&self, programs: &Programs) -> anyhow::Result<Command> {
        let form = if self.json { "json" } else { "text" };
        let size = if self.small { "small" } else { "full" };
        let segment_bytes = (u64::from(self.segment_kib) << 10).to_string();
        let mut command = programs.command("xtask/flips")?;
        command.args([&segment_bytes, size, form]);
        Ok(command)
    }
}
