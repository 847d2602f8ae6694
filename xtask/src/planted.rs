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
mod line;
mod parts;
mod sabotage;

use anyhow::ensure;

pub(crate) use bug::{Bug, FOLDER};
pub(crate) use campaign::torture;
pub(crate) use copy::copy;
pub(crate) use line::{Caught, Line};
pub(crate) use sabotage::Sabotage;

use campaign::{CAMPAIGNS, Campaign, SECONDS_MAX};
use found::Found;

use crate::fuzz::is_decoder;

/// The campaigns against the planted bugs, but for those of decoders: fuzz targets find them.
#[derive(clap::Args)]
pub(crate) struct Planted {
    /// Tries this bug alone.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Tries each bug first on the campaign that found it the last time, and runs no campaign
    /// without a bug.
    #[arg(long)]
    pub(crate) quick: bool,
}

impl Planted {
    /// Builds the sabotaged programs once, runs every campaign without a bug, and then the
    /// campaigns on each bug until one goes red.
    ///
    /// # Errors
    /// A failed build, a campaign that is red without a bug, or a bug that no campaign finds.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let bugs = self.bugs()?;
        let sabotage = Sabotage::build(self.quick)?;
        for campaign in CAMPAIGNS.iter().filter(|_| !self.quick) {
            let outcome = campaign.run(&sabotage, None, &campaign.words(), SECONDS_MAX)?;
            println!("no bug, {}: {outcome}", campaign.name);
            ensure!(outcome.said.is_none(), "{} is red without a bug", campaign.name);
        }
        let found = Found::read();
        // A campaign that is all of a try uses every processor; one seed of it uses one.
        let workers = if self.quick { 2 } else { 1 };
        let lines = Line::all(workers, bugs, &|bug| self.try_bug(&sabotage, &found, bug))?;
        if !self.quick && self.name.is_none() {
            Found::write(&lines)?;
        }
        Line::judge(&lines)
    }

    fn bugs(&self) -> anyhow::Result<Vec<Bug>> {
        let mut bugs = Bug::all()?;
        bugs.retain(|bug| !is_decoder(bug));
        if let Some(name) = &self.name {
            bugs.retain(|bug| bug.name == *name);
            ensure!(!bugs.is_empty(), "no bug for a campaign is called `{name}`: see {FOLDER}");
        }
        Ok(bugs)
    }

    fn try_bug(&self, sabotage: &Sabotage, found: &Found, bug: Bug) -> anyhow::Result<Line> {
        let mut wall_seconds = 0.0;
        let mut campaigns: Vec<&'static Campaign> = CAMPAIGNS.iter().collect();
        campaigns.retain(|campaign| campaign.reaches(&bug) && sabotage.has(campaign.program));
        if self.quick {
            campaigns.sort_by_key(|campaign| !found.is_by(&bug.name, campaign.name));
        }
        for campaign in campaigns {
            let part = found.part(&bug.name, campaign.name).filter(|_| self.quick);
            let first = part.and_then(|part| campaign.words_of(part));
            for words in first.into_iter().chain([campaign.words()]) {
                let outcome = campaign.run(sabotage, Some(&bug.name), &words, SECONDS_MAX)?;
                wall_seconds += outcome.wall_seconds;
                let caught = outcome.caught(campaign);
                if caught.is_some() {
                    return Ok(Line { bug, caught, wall_seconds });
                }
            }
        }
        Ok(Line { bug, caught: None, wall_seconds })
    }
}
