mod home;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};

use crate::cargo::{cargo, succeed};
use crate::programs::Programs;
use home::Home;

/// Checks that hooks keep the promises of `docs/agents.md`: kills, layouts, erasures; or
/// measures how long they take.
pub(crate) struct Hooks {
    pub(crate) seed: u32,
    /// Hooks killed at random instants.
    pub(crate) kills: u32,
    /// Random layouts of projects.
    pub(crate) layouts: u32,
    /// Turns and tool calls of a ledger on which hooks are timed; then nothing else is done.
    pub(crate) times: Option<u32>,
    /// The program that is timed; else the one that is built.
    pub(crate) program: Option<String>,
}

/// Hooks that are timed, of each kind.
const RUNS: usize = 100;

/// A transcript in the middle of a long session, in bytes, and what a turn adds to it.
const TRANSCRIPT: (usize, usize) = (70 << 20, 100 << 10);

impl Hooks {
    /// Runs the campaigns in their long form, or the times.
    ///
    /// # Errors
    /// A promise is broken, or a program can't be run.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if let Some(turns) = self.times {
            return self.time(turns);
        }
        let mut tests = cargo(&["test", "--package=memlith-cli", "--test=it", "--"]);
        tests.args(["--nocapture", "killed::", "parted::", "forgotten::"]);
        let amounts = [("SEED", self.seed), ("KILLS", self.kills), ("LAYOUTS", self.layouts)];
        for (name, amount) in amounts.into_iter().chain([("CALLS", 1)]) {
            tests.env(format!("MEMLITH_{name}"), amount.to_string());
        }
        succeed(&mut tests)
    }

    #[expect(clippy::disallowed_methods, reason = "a measurement")]
    fn time(&self, turns: u32) -> anyhow::Result<()> {
        let program = match &self.program {
            Some(program) => std::fs::canonicalize(program).context("the program")?,
            None => {
                let built = ["--release", "--package=memlith-cli", "--bin=memlith"];
                let built = Programs::ordinary(&built)?;
                PathBuf::from(built.command("cli/memlith")?.get_program())
            }
        };
        let mut home = Home::make(program, u64::from(self.seed), turns)?;
        println!("{turns} turns and calls, {} MB of ledger", home.ledger_bytes()? / 1_000_000);
        for hook in ["SessionStart", "UserPromptSubmit", "Stop", "MCP checkout"] {
            let (mut times, mut answers) = (Vec::new(), 0);
            for run in 0..=RUNS {
                if hook == "Stop" {
                    home.grow("now", TRANSCRIPT)?;
                }
                if hook == "Stop" && run == 0 {
                    // The first one leaves a long transcript to a process that is not timed.
                    home.hook(hook, run)?;
                    home.catch_up()?;
                }
                let begun = Instant::now();
                let is_answered = match hook {
                    "MCP checkout" => home.checkout_of_a_server(run)?,
                    _ => home.hook(hook, run)?,
                };
                answers += usize::from(is_answered && run > 0);
                times.push(begun.elapsed());
            }
            // The first one reads files that no page holds.
            times.remove(0);
            times.sort();
            let at = |share: usize| times.get((times.len() * share).div_ceil(100).max(1) - 1);
            let [Some(half), Some(most)] = [at(50), at(99)] else { bail!("nothing was timed") };
            let ms = |time: &std::time::Duration| time.as_secs_f64() * 1e3;
            let (half, most) = (ms(half), ms(most));
            println!("{hook:<18} p50 {half:>6.1} ms   p99 {most:>6.1} ms   {answers} answers");
        }
        let failures = home.failures();
        println!("{} hooks gave up or failed", failures.len());
        failures.iter().take(3).for_each(|line| println!("  {line}"));
        Ok(())
    }
}
