use anyhow::{Context, ensure};

use crate::cargo::succeed;
use crate::planted::{Bug, Caught, FOLDER, Line, Sabotage, torture};
use crate::programs::{Programs, TORTURE};
use crate::report::{Row, Table};

/// Checks the laws of `docs/model.md` over random histories.
#[derive(clap::Args)]
pub(crate) struct Laws {
    /// Plays so many seeds; each is a history of folds and one of an engine.
    #[arg(long, default_value_t = 50_000)]
    seeds: u32,
    /// Checks this law alone, such as P5.
    #[arg(long)]
    law: Option<String>,
    /// Prints one table, and tries the bugs that are planted for each law as well.
    #[arg(long)]
    report: bool,
}

/// Arguments that build the program.
const BUILT: [&str; 3] = ["--release", "--package=memlith-torture", "--bin=memlith-torture"];

/// A bug that a law doesn't find within so many seeds isn't found.
const TRIED_MAX: &str = "20000";

/// A law that takes longer to find a bug never does.
const SECONDS_MAX: u32 = 600;

impl Laws {
    /// Checks the laws, and what is planted for them.
    ///
    /// # Errors
    /// A law is broken, or doesn't find its bug.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let mut command = Programs::ordinary(&BUILT)?.command(TORTURE)?;
        command.args(["laws", "--seeds", &self.seeds.to_string()]);
        command.args(self.law.iter().flat_map(|law| ["--law", law.as_str()]));
        if !self.report {
            return succeed(&mut command);
        }
        let rows = Row::told(command.arg("--each"))?;
        let is_tried = rows.iter().all(|row| row.tried > 0 && !row.bugs.is_empty());
        let mut bugs = Vec::new();
        for row in &rows {
            for bug in &row.bugs {
                bugs.push((row.name.clone(), named(bug)?));
            }
        }
        Table { rows }.judge()?;
        ensure!(is_tried, "a law had no case, or no bug is planted for it");
        let sabotage = Sabotage::build_only(&BUILT)?;
        Line::judge(&Line::all(1, bugs, &|(law, bug)| try_bug(&sabotage, law, bug))?)
    }
}

/// The planted bug of a name.
fn named(name: &str) -> anyhow::Result<Bug> {
    let bug = Bug::all()?.into_iter().find(|bug| bug.name == name);
    bug.with_context(|| format!("`{name}` of a law is not in {FOLDER}"))
}

/// Has one law look for a bug; it has found it where it names a seed.
fn try_bug(sabotage: &Sabotage, law: String, bug: Bug) -> anyhow::Result<Line> {
    let campaign = torture("a law of the model", &[], &[], "histories");
    let words = ["laws", "--seeds", TRIED_MAX, "--law", &law, "--until-harm"].map(str::to_owned);
    let outcome = campaign.run(sabotage, Some(&bug.name), &words, SECONDS_MAX)?;
    let wall_seconds = outcome.wall_seconds;
    let caught = outcome.caught(&campaign).filter(|caught| caught.part.is_some());
    let caught = caught.map(|caught| Caught { by: law, ..caught });
    Ok(Line { bug, caught, wall_seconds })
}
