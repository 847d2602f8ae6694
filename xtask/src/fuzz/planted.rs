use std::fs;
use std::path::Path;

use anyhow::ensure;

use crate::cargo::root;
use crate::fuzz::Fuzz;
use crate::fuzz::build::Build;
use crate::fuzz::report::Report;
use crate::fuzz::target::{Limit, Run, targets};
use crate::planted::Bug;
use crate::workers::by_workers;

/// Prefix of the name of a bug that a fuzz target finds; the target's name follows.
const PREFIX: &str = "decoder-";

/// Targets that run at a time.
const JOBS: u32 = 2;

/// Whether a planted bug is one for a fuzz target.
pub(crate) fn is_decoder(bug: &Bug) -> bool {
    bug.name.starts_with(PREFIX)
}

/// The fuzz targets against the bugs that are planted for them.
pub(crate) struct Decoders {
    build: Build,
    targets: Vec<String>,
    bugs: Vec<Bug>,
    seed: u32,
}

impl Decoders {
    /// Seconds after which a bug that isn't found is missed.
    const SECONDS_MAX: u32 = 120;

    /// Seconds that a target has to stay green without a bug.
    const CONTROL_SECONDS: u32 = 3;

    /// Builds the sabotaged targets.
    ///
    /// # Errors
    /// They don't build.
    pub(crate) fn build(seed: u32) -> anyhow::Result<Decoders> {
        let (targets, bugs) = (targets()?, Bug::all()?);
        Ok(Decoders { build: Build::sabotaged()?, targets, bugs, seed })
    }

    /// Runs every target without a bug and then with its own, from its seeds alone.
    ///
    /// # Errors
    /// A target without a bug of its own, one that is red without a bug, or green with it.
    pub(crate) fn run(&self, only: Option<&str>) -> anyhow::Result<()> {
        let mut targets = self.targets.clone();
        targets.retain(|target| only.is_none_or(|only| target == only));
        by_workers(JOBS, targets.clone(), &|target| {
            let control = self.control(&target)?;
            println!("{target:<20} green after {} executions without a bug", control.executions);
            Ok(())
        })?;
        self.find_all(targets)
    }

    /// Runs every target as the checks do, and then with its own bug.
    ///
    /// # Errors
    /// As [`Decoders::run`].
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let limit = Limit::Seconds(Fuzz::SHORT_SECONDS);
        let fuzz = Fuzz { target: None, limit, seed: self.seed, jobs: JOBS, json: false };
        fuzz.on(&self.build, self.targets.clone())?;
        self.find_all(self.targets.clone())
    }

    /// Runs these targets with their own bugs.
    fn find_all(&self, targets: Vec<String>) -> anyhow::Result<()> {
        let missed = by_workers(JOBS, targets, &|target| {
            let is_own = |bug: &&Bug| self.target_of(bug) == Some(&target);
            let own: Vec<&Bug> = self.bugs.iter().filter(is_own).collect();
            ensure!(!own.is_empty(), "no bug is planted for {target}");
            let mut missed = Vec::new();
            for bug in own {
                let start = started();
                let report = self.fresh(&target, Some(&bug.name), Decoders::SECONDS_MAX)?;
                let wall_seconds = start.elapsed().as_secs_f64();
                let Report { executions, broken, .. } = &report;
                let verdict = if broken.is_some() { "found" } else { "NOT FOUND" };
                println!(
                    "{target:<20} {verdict} after {executions} executions, {wall_seconds:.1} s: \
                     {}\n    {}",
                    bug.name,
                    report.said().chars().take(160).collect::<String>()
                );
                missed.extend(broken.is_none().then(|| bug.name.clone()));
            }
            Ok(missed)
        })?;
        let missed = missed.concat();
        ensure!(missed.is_empty(), "not found: {}", missed.join(", "));
        Ok(())
    }

    /// Runs a target without a bug.
    ///
    /// # Errors
    /// It is red.
    fn control(&self, target: &str) -> anyhow::Result<Report> {
        let report = self.fresh(target, None, Decoders::CONTROL_SECONDS)?;
        ensure!(report.broken.is_none(), "{target} is red without a bug: {report}");
        Ok(report)
    }

    /// A run that knows the committed seeds and nothing that was found before.
    fn fresh(&self, target: &str, bug: Option<&str>, seconds: u32) -> anyhow::Result<Report> {
        let folder = Path::new("fuzz/target/planted").join(target);
        if root().join(&folder).exists() {
            fs::remove_dir_all(root().join(&folder))?;
        }
        let (corpus, artifacts) = (folder.join("corpus"), folder.join("artifacts"));
        let (limit, seed) = (Limit::Seconds(seconds), self.seed);
        Run { target, limit, seed, bug, corpus, artifacts }.go(&self.build)
    }

    /// The target whose name stands in the bug's, the longest if several do.
    fn target_of(&self, bug: &Bug) -> Option<&String> {
        let rest = bug.name.strip_prefix(PREFIX)?.replace('-', "_");
        let mut named = self.targets.iter().filter(|target| rest.starts_with(target.as_str()));
        let first = named.next()?;
        Some(named.fold(first, |one, other| if other.len() > one.len() { other } else { one }))
    }
}

#[expect(clippy::disallowed_methods, reason = "the wall time of a target is what is reported")]
fn started() -> std::time::Instant {
    std::time::Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_bug_of_its_own_and_every_bug_a_target() {
        let (bugs, targets) = (Bug::all().unwrap(), targets().unwrap());
        let is_of = |bug: &Bug, target: &str| {
            bug.name.starts_with(&format!("{PREFIX}{}-", target.replace('_', "-")))
        };
        for target in &targets {
            assert!(bugs.iter().any(|bug| is_of(bug, target)), "plant one for {target}");
        }
        for bug in bugs.iter().filter(|bug| is_decoder(bug)) {
            assert!(targets.iter().any(|target| is_of(bug, target)), "{} is of none", bug.name);
        }
    }
}
