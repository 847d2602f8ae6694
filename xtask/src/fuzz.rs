//! Coverage-guided fuzzing with libFuzzer.
//!
//! Works on stable Rust with a C++ compiler and no other tool: `libfuzzer-sys` compiles
//! libFuzzer, and the compiler's own pass counts the edges. A target is a file in
//! `fuzz/src/bin`; its committed inputs are in `fuzz/seeds/TARGET`, words that help it in
//! `fuzz/words/TARGET`, what it finds is kept in `fuzz/corpus/TARGET`, and what breaks it
//! in `fuzz/artifacts/TARGET`.

mod build;
mod planted;
mod report;
mod target;

use anyhow::{bail, ensure};
use serde_json::Value;

use crate::workers::by_workers;

pub(crate) use build::Build;
pub(crate) use planted::{Decoders, is_decoder};
pub(crate) use report::Report;
pub(crate) use target::{Limit, Run, targets};

/// The targets that are run, and for how long.
pub(crate) struct Fuzz {
    /// The only target to run; all where it is not given.
    pub(crate) target: Option<String>,
    /// How long each target runs.
    pub(crate) limit: Limit,
    /// Where the mutations start.
    pub(crate) seed: u32,
    /// How many targets run at a time.
    pub(crate) jobs: u32,
    /// Whether the result is one JSON object.
    pub(crate) json: bool,
}

impl Fuzz {
    /// The seed of the checks: a fixed one, so that an unrelated change finds nothing new.
    pub(crate) const SEED: u32 = 1;

    /// Seconds a target runs in `cargo xtask check`.
    pub(crate) const SHORT_SECONDS: u32 = 4;

    /// Builds the targets and runs them.
    ///
    /// # Errors
    /// No such target, a failed build, or an input that breaks a target.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let targets = chosen(self.target.as_deref())?;
        self.on(&Build::ordinary()?, targets)
    }

    /// Runs these targets of a build.
    fn on(&self, build: &Build, targets: Vec<String>) -> anyhow::Result<()> {
        let mut reports = by_workers(self.jobs, targets, &|target| {
            let run = Run { limit: self.limit, seed: self.seed, ..Run::of(&target) };
            let report = run.go(build)?;
            if !self.json {
                println!("{report}");
            }
            Ok(report)
        })?;
        reports.sort_by(|one, other| one.target.cmp(&other.target));
        if self.json {
            println!("{}", reports.iter().map(Report::to_json).collect::<Value>());
        }
        let broken: Vec<&str> = reports
            .iter()
            .filter(|report| report.broken.is_some())
            .map(|report| report.target.as_str())
            .collect();
        ensure!(broken.is_empty(), "these targets broke: {}", broken.join(", "));
        Ok(())
    }
}

/// Every target, or the one that is named.
fn chosen(name: Option<&str>) -> anyhow::Result<Vec<String>> {
    let known = targets()?;
    match name {
        None => Ok(known),
        Some(name) if known.iter().any(|target| target == name) => Ok(vec![name.to_owned()]),
        Some(name) => bail!("no fuzz target `{name}`; there are {}", known.join(", ")),
    }
}
