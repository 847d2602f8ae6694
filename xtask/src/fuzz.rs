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

use crate::workers::by_workers;

use build::Build;
pub(crate) use planted::{Decoders, is_decoder};
use target::{Limit, Run, targets};

/// Runs every fuzz target, or one, for so many seconds or executions.
#[derive(clap::Args)]
pub(crate) struct Fuzz {
    /// Runs this target alone.
    target: Option<String>,
    /// Ends each after so many seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Ends each after so many executions, however long they take.
    #[arg(long)]
    runs: Option<u32>,
    /// Begins the mutations from this seed.
    #[arg(long, default_value_t = Fuzz::SEED)]
    seed: u32,
    /// Runs so many targets at a time.
    #[arg(long, default_value_t = 1)]
    jobs: u32,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
    /// Checks that each target finds the bug that is planted for it.
    #[arg(long)]
    planted: bool,
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
        if self.planted {
            return Decoders::build(self.seed)?.run(targets);
        }
        self.on(&Build::ordinary()?, targets)
    }

    /// Runs these targets of a build.
    fn on(&self, build: &Build, targets: Vec<String>) -> anyhow::Result<()> {
        let mut reports = by_workers(self.jobs, targets, &|target| {
            let limit = self.runs.map_or(Limit::Seconds(self.seconds), Limit::Runs);
            let run = Run { limit, seed: self.seed, ..Run::of(&target) };
            let report = run.go(build)?;
            if !self.json {
                println!("{report}");
            }
            Ok(report)
        })?;
        reports.sort_by(|one, other| one.target.cmp(&other.target));
        if self.json {
            println!("{}", serde_json::to_string(&reports)?);
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
