//! Bugs planted on purpose, and which campaign finds each.
//!
//! Each is a patch in `tests/planted`. All of them are planted in a copy of the workspace that
//! is built once; the environment chooses one of them, or none, for a process and those that it
//! starts. The campaigns know nothing of them.

mod bug;
mod campaign;
mod copy;
mod found;
mod hunk;
mod part;
mod sabotage;
mod table;

use anyhow::ensure;

pub(crate) use bug::{Bug, FOLDER};
pub(crate) use copy::copy;
pub(crate) use sabotage::Sabotage;

use campaign::{CAMPAIGNS, Campaign, Outcome};
use found::Found;
use table::{Caught, Line, Table};

use crate::fuzz::{Decoders, Fuzz, is_decoder};
use crate::workers::by_workers;

/// The campaigns against the planted bugs.
pub(crate) struct Planted {
    /// The only bug that is tried; every one where absent.
    pub(crate) name: Option<String>,
    /// Whether the result is one JSON object.
    pub(crate) json: bool,
    /// Whether each bug is first tried by the campaign that found it the last time, without
    /// a run of the campaigns that has no bug, and decoders are left to the fuzz targets.
    pub(crate) quick: bool,
}

impl Planted {
    /// Builds the sabotaged programs once, runs every campaign without a bug, and then the
    /// campaigns on each bug until one goes red.
    ///
    /// # Errors
    /// A failed build, a campaign that is red without a bug, or a bug that no campaign finds.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let mut table = Table::default();
        let (decoders, others): (Vec<Bug>, Vec<Bug>) =
            self.bugs()?.into_iter().partition(is_decoder);
        if !others.is_empty() {
            self.campaigns(others, &mut table)?;
        }
        if !decoders.is_empty() && !self.quick {
            targets(decoders, &mut table)?;
        }
        if self.json {
            println!("{}", table.to_json());
        } else {
            println!("{table}");
        }
        if !self.quick && self.name.is_none() {
            Found::write(table.lines())?;
        }
        ensure!(table.missed() == 0, "{} planted bugs are not caught", table.missed());
        Ok(())
    }

    /// Runs the campaigns, without a bug and on each of these.
    fn campaigns(&self, bugs: Vec<Bug>, table: &mut Table) -> anyhow::Result<()> {
        let sabotage = Sabotage::build(self.quick)?;
        let found = Found::read();
        for campaign in CAMPAIGNS.iter().filter(|_| !self.quick) {
            let outcome = campaign.run(&sabotage, None)?;
            eprintln!("no bug, {}: {outcome}", campaign.name);
            ensure!(!outcome.is_red(), "{} is red without a bug:\n{outcome}", campaign.name);
            table.control(campaign, &outcome);
        }
        // A campaign that is all of a try uses every processor; one seed of it uses one.
        let workers = if self.quick { 2 } else { 1 };
        let tried = by_workers(workers, bugs, &|bug| {
            let line = self.try_bug(&sabotage, &found, bug)?;
            eprintln!("{line}");
            Ok(line)
        })?;
        tried.into_iter().for_each(|line| table.push(line));
        Ok(())
    }

    fn bugs(&self) -> anyhow::Result<Vec<Bug>> {
        let mut bugs = Bug::all()?;
        if let Some(name) = &self.name {
            bugs.retain(|bug| bug.name == *name);
            ensure!(!bugs.is_empty(), "no planted bug is called `{name}`: see {FOLDER}");
        }
        Ok(bugs)
    }

    fn try_bug(&self, sabotage: &Sabotage, found: &Found, bug: Bug) -> anyhow::Result<Line> {
        let mut wall_seconds = 0.0;
        let mut campaigns: Vec<&Campaign> = CAMPAIGNS.iter().collect();
        campaigns.retain(|campaign| campaign.reaches(&bug) && sabotage.has(campaign.program));
        if self.quick {
            campaigns.sort_by_key(|campaign| !found.is_by(&bug.name, campaign.name));
        }
        for campaign in campaigns {
            let part = found.part(&bug.name, campaign.name).filter(|_| self.quick);
            let first =
                part.map(|part| campaign.run_part(sabotage, &bug.name, part)).transpose()?;
            let mut outcomes = first.flatten().into_iter().collect::<Vec<_>>();
            if !outcomes.iter().any(Outcome::is_red) {
                outcomes.push(campaign.run(sabotage, Some(&bug.name))?);
            }
            wall_seconds += outcomes.iter().map(Outcome::wall_seconds).sum::<f64>();
            if let Some(Outcome::Red { states, said, part, .. }) = outcomes.pop() {
                let (campaign, unit) = (campaign.name, campaign.unit);
                let caught = Caught { campaign, states, unit, said, part };
                return Ok(Line { bug, caught: Some(caught), wall_seconds });
            }
        }
        Ok(Line { bug, caught: None, wall_seconds })
    }
}

/// Runs the fuzz targets on the bugs that are planted for them.
fn targets(bugs: Vec<Bug>, table: &mut Table) -> anyhow::Result<()> {
    let decoders = Decoders::build(Fuzz::SEED)?;
    let lines = by_workers(2, bugs, &|bug| {
        let (report, wall_seconds) = decoders.find(&bug)?;
        let caught = report.broken.is_some().then(|| Caught {
            campaign: "fuzzing",
            states: report.executions,
            unit: "executions",
            said: report.said().to_owned(),
            part: None,
        });
        let line = Line { bug, caught, wall_seconds };
        eprintln!("{line}");
        Ok(line)
    })?;
    lines.into_iter().for_each(|line| table.push(line));
    Ok(())
}

/// Runs every fuzz target, or one, without a bug and then on its own.
///
/// # Errors
/// A failed build, a target that is red without a bug, or one that doesn't find its own.
pub(crate) fn decoders(target: Option<&str>, seed: u32) -> anyhow::Result<()> {
    Decoders::build(seed)?.run(&Bug::all()?, target)
}

/// Runs every fuzz target for a few seconds and then on its own bugs, in one build.
///
/// # Errors
/// As [`decoders`].
pub(crate) fn fuzz_check() -> anyhow::Result<()> {
    Decoders::build(Fuzz::SEED)?.check(&Bug::all()?)
}
