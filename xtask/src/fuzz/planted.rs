use std::fs;
use std::path::Path;

use anyhow::ensure;

use crate::cargo::root;
use crate::fuzz::Fuzz;
use crate::fuzz::build::Build;
use crate::fuzz::report::Report;
use crate::fuzz::target::{Limit, Run, targets};
use crate::planted::{Bug, Caught, Line};
use crate::step::started;
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

    /// Runs these targets without a bug and then with their own, from their seeds alone.
    ///
    /// # Errors
    /// One is red without a bug, or green with it.
    pub(super) fn run(&self, targets: Vec<String>) -> anyhow::Result<()> {
        by_workers(JOBS, targets.clone(), &|target| {
            let control = self.control(&target)?;
            println!("{target:<20} green after {} executions without a bug", control.executions);
            Ok(())
        })?;
        self.find_all(&targets)
    }

    /// Runs every target as the checks do, and then with its own bug.
    ///
    /// # Errors
    /// As [`Decoders::run`].
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let (seconds, seed) = (Fuzz::SHORT_SECONDS, self.seed);
        let (target, runs, jobs, json, planted) = (None, None, JOBS, false, false);
        let fuzz = Fuzz { target, seconds, runs, seed, jobs, json, planted };
        fuzz.on(&self.build, self.targets.clone())?;
        self.find_all(&self.targets)
    }

    /// Runs these targets with their own bugs.
    fn find_all(&self, targets: &[String]) -> anyhow::Result<()> {
        let own = |bug: &Bug| self.target_of(bug).filter(|target| targets.contains(target));
        let own = self.bugs.iter().filter_map(|bug| Some((own(bug)?, bug.clone())));
        Line::judge(&Line::all(JOBS, own.collect(), &|(target, bug)| self.find(target, bug))?)
    }

    fn find(&self, target: &str, bug: Bug) -> anyhow::Result<Line> {
        let start = started();
        let report = self.fresh(target, Some(&bug.name), Decoders::SECONDS_MAX)?;
        let caught = report.broken.is_some().then(|| Caught {
            by: target.to_owned(),
            after: format!("{} executions", report.executions),
            said: report.said().to_owned(),
            part: None,
        });
        Ok(Line { bug, caught, wall_seconds: start.elapsed().as_secs_f64() })
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
        let folder = Path::new("fuzz/target/planted").join(bug.unwrap_or(target));
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
