mod table;

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::cargo::succeed;
use crate::planted::{Bug, FOLDER, Sabotage};
use crate::programs::Programs;
use table::{Row, Table, Tried};

/// The laws of `docs/model.md`, over random histories.
pub(crate) struct Laws {
    /// Seeds; each is a history of folds and one of an engine.
    pub(crate) seeds: u32,
    /// The only law that is checked.
    pub(crate) law: Option<String>,
    /// Whether the bugs that are planted for each law are tried as well, in one table.
    pub(crate) report: bool,
    /// Whether that table is one JSON object.
    pub(crate) json: bool,
}

/// A program of `tests/torture`.
const PROGRAM: &str = "torture/memlith-torture";

/// Arguments that build the program.
const BUILT: [&str; 3] = ["--release", "--package=memlith-torture", "--bin=memlith-torture"];

/// A bug that a law doesn't find within so many seeds isn't found.
const TRIED_MAX: u32 = 20_000;

/// A law that takes longer to find a bug never does.
const SECONDS_MAX: u32 = 600;

impl Laws {
    /// A hundred thousand histories.
    pub(crate) const SEEDS: u32 = 50_000;

    /// Checks the laws, and what is planted for them.
    ///
    /// # Errors
    /// A law is broken, or doesn't find its bug.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let programs = Programs::ordinary(&BUILT)?;
        let mut command = programs.command(PROGRAM)?;
        command.args(self.words(self.seeds, self.law.as_deref()));
        if !self.report {
            return succeed(&mut command);
        }
        // One that is broken ends with an error, and has told how.
        let told = command.arg("--each").output()?;
        let told = told_of(&told.stdout)?;
        let sabotage = Sabotage::build_only(&BUILT)?;
        let known = Bug::all()?;
        let mut table = Table::default();
        for law in told {
            eprintln!("{}: {} cases, {} broken", law.law, law.cases, law.violations);
            let mut tried = Vec::new();
            for bug in &law.bugs {
                let is_known = known.iter().any(|known| known.name == *bug);
                ensure!(is_known, "`{bug}` of {} is not in {FOLDER}", law.law);
                tried.push(self.try_bug(&sabotage, &law.law, bug)?);
            }
            table.push(Row { told: law, tried });
        }
        if self.json {
            println!("{}", table.to_json())
        } else {
            println!("{table}")
        }
        ensure!(table.is_sound(), "a law is broken, or doesn't find its bug");
        Ok(())
    }

    fn words(&self, seeds: u32, law: Option<&str>) -> Vec<String> {
        let mut words = vec!["laws".to_owned(), "--seeds".to_owned(), seeds.to_string()];
        words.extend(law.iter().flat_map(|law| ["--law".to_owned(), (*law).to_owned()]));
        words
    }

    fn try_bug(&self, sabotage: &Sabotage, law: &str, bug: &str) -> anyhow::Result<Tried> {
        let mut command = sabotage.command(PROGRAM, Some(bug), SECONDS_MAX)?;
        command.args(self.words(TRIED_MAX, Some(law))).args(["--until-harm", "--each"]);
        let told = told_of(&command.output()?.stdout)?;
        let seed = told.into_iter().find(|told| told.law == law).and_then(|told| told.seed);
        let tried = Tried { bug: bug.to_owned(), history: seed.map(|seed| seed + 1) };
        eprintln!("{law}: {tried}");
        Ok(tried)
    }
}

/// Result of one law, as the program reports it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Told {
    law: String,
    says: String,
    bugs: Vec<String>,
    histories: u64,
    cases: u64,
    violations: u64,
    seed: Option<u64>,
    what: Option<String>,
}

fn told_of(out: &[u8]) -> anyhow::Result<Vec<Told>> {
    let lines = std::str::from_utf8(out)?.lines();
    let told: Vec<Told> = lines
        .map(|line| serde_json::from_str(line).with_context(|| format!("not of a law: {line}")))
        .collect::<anyhow::Result<_>>()?;
    ensure!(!told.is_empty(), "the laws did not run to their end");
    Ok(told)
}
