//! The campaigns by name, and how much each does.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use memlith::storage::{Clock, SystemClock};

use crate::mounted::{Image, Kind, alone, missing};
use crate::row::Row;
use crate::trial::Program;
use crate::{backups, blocks, faults, kill, power, space, syscalls};

/// Campaign that is run, and how much of it.
#[derive(Debug)]
pub(crate) struct Campaign {
    name: String,
    amount: Option<u64>,
    seed: u64,
    program: Program,
    /// The file systems of the campaigns that need one; the temporary folder where empty.
    kinds: Vec<Kind>,
}

impl Campaign {
    /// Reads `NAME [AMOUNT] [--seed N] [--program FILE] [--on KIND]`.
    ///
    /// # Errors
    /// A word that means nothing here.
    pub(crate) fn parse(words: &[&str]) -> anyhow::Result<Campaign> {
        let (name, mut rest) = words.split_first().context("which campaign?")?;
        let mut campaign = Campaign {
            name: (*name).to_owned(),
            amount: None,
            seed: 1,
            program: Program::own()?,
            kinds: Vec::new(),
        };
        while let Some((word, tail)) = rest.split_first() {
            rest = match (*word, tail) {
                ("--seed", [seed, tail @ ..]) => {
                    campaign.seed = seed.parse().with_context(|| format!("--seed {seed}"))?;
                    tail
                }
                ("--program", [file, tail @ ..]) => {
                    campaign.program = Program::other(PathBuf::from(file));
                    tail
                }
                ("--on", ["ext4", tail @ ..]) => {
                    campaign.kinds.push(Kind::Ext4);
                    tail
                }
                ("--on", ["xfs", tail @ ..]) => {
                    campaign.kinds.push(Kind::Xfs);
                    tail
                }
                (amount, tail) => {
                    let amount = amount.parse().with_context(|| format!("what is `{amount}`?"))?;
                    campaign.amount = Some(amount);
                    tail
                }
            };
        }
        Ok(campaign)
    }

    /// Runs it, in a process of its own if it mounts something.
    ///
    /// # Errors
    /// The machine can't, although it has what is needed.
    pub(crate) fn run(&self) -> anyhow::Result<Vec<Row>> {
        if matches!(self.name.as_str(), "space" | "power" | "blocks") || !self.kinds.is_empty() {
            alone()?;
        }
        let Campaign { program, seed, .. } = self;
        let amount = |default| self.amount.unwrap_or(default);
        let kinds = match self.kinds.as_slice() {
            [] => &[Kind::Ext4, Kind::Xfs],
            kinds => kinds,
        };
        match self.name.as_str() {
            "kill" => Ok(vec![timed(|| kill::run(program, amount(500), *seed))?]),
            "backups" => Ok(vec![timed(|| backups::run(amount(100), *seed))?]),
            "syscalls" => self.syscalls(amount(24)),
            "faults" => Ok(vec![timed(|| faults::run(program, amount(24)))?]),
            "space" => Ok(vec![
                timed(|| space::full_disk(program, amount(20)))?,
                timed(|| space::file_limit(program, amount(20)))?,
                timed(|| space::read_only(program, amount(20)))?,
            ]),
            "power" => {
                let power = |kind: &Kind| timed(|| power::run(program, *kind, amount(50), *seed));
                kinds.iter().map(power).collect()
            }
            "blocks" => Ok(vec![timed(|| blocks::run(program, 40, amount(200), *seed))?]),
            other => bail!("no campaign is called `{other}`"),
        }
    }

    fn syscalls(&self, steps: u64) -> anyhow::Result<Vec<Row>> {
        if self.kinds.is_empty() {
            let place = std::env::temp_dir();
            return Ok(vec![timed(|| on(self, steps, &place, "killed at every call"))?]);
        }
        let each = |kind: &Kind| {
            let name = format!("killed at every call, {}", kind.name());
            if let Some(why) = missing(&["mount"]) {
                return Ok(Row::skipped(name, why));
            }
            let place = tempfile::tempdir()?;
            let mount = Image::make(*kind, place.path())?.mount()?;
            let row = timed(|| on(self, steps, mount.folder(), &name))?;
            mount.leave()?;
            Ok(row)
        };
        self.kinds.iter().map(each).collect()
    }
}

fn on(campaign: &Campaign, steps: u64, place: &Path, name: &str) -> anyhow::Result<Row> {
    syscalls::run(&campaign.program, steps, place, name)
}

fn timed(run: impl FnOnce() -> anyhow::Result<Row>) -> anyhow::Result<Row> {
    let clock = SystemClock::new();
    let begun = clock.elapsed();
    let mut row = run()?;
    row.wall_ms = u64::try_from((clock.elapsed() - begun).as_millis()).unwrap_or(u64::MAX);
    Ok(row)
}
