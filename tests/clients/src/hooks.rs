mod home;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};

use crate::cargo::{built, cargo, succeed};
use home::Home;

/// Promises of `docs/agents.md` that hooks keep through kills, layouts and erasures; or how long
/// they take.
#[derive(clap::Args)]
pub(crate) struct Hooks {
    /// Begins what is random from this seed.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Kills so many hooks at random instants.
    #[arg(long, default_value_t = 500)]
    kills: u32,
    /// Makes so many random layouts of projects.
    #[arg(long, default_value_t = 1_000)]
    layouts: u32,
    /// Times hooks on a ledger of so many turns and tool calls, and does nothing else.
    #[arg(long)]
    times: Option<u32>,
    /// Times this program, and not the one that is built.
    #[arg(long)]
    program: Option<PathBuf>,
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
            None => built(&["--release", "--package=memlith-cli", "--bin=memlith"])?,
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
