#[cfg(feature = "chat")]
mod model;
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::{Scope, Timestamp};
use memlith_writeback::{Extractor, JobEnd, JobQueue, JobRun, QUIET_US, Rules};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;
use crate::verb::Verb;
use crate::wait::Wait;

#[cfg(feature = "chat")]
use model::{With, chosen};
use worker::Worker;

/// Learn what sessions taught: do the jobs that wait.
///
/// Hooks queue what a session gained, and do it themselves a little later by rules that need no
/// model: what was said word for word becomes its speaker's memory, resting on the turn. This
/// does what is due now, or all that waits. Once you agreed to --with a model, it is asked here
/// and in the background; the rules do what it gives up, and all other projects.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith jobs run                  # what is due
  memlith jobs run --all            # also what waits for more turns
  memlith jobs run --with claude-code
  memlith jobs run --with ollama:qwen3:4b --all
  memlith jobs run --with rules     # no model from now on
  memlith jobs run --command './extract.py --small' --timeout 90s
  memlith jobs run --watch          # goes on until it is stopped")]
pub struct RunJobsArgs {
    /// Also the jobs of sessions that may go on.
    #[arg(long)]
    all: bool,

    /// Ask a program instead of the rules: evidence as JSON on its standard input, a reply as
    /// JSON on its standard output.
    #[arg(long, value_name = "CMD")]
    command: Option<String>,

    /// How long one job waits for the program.
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "command")]
    timeout: Wait,

    /// Ask a model, from now on: claude-code or codex, the client that you have; ollama:MODEL;
    /// ADDRESS#MODEL, a server with OpenAI's chat completions; server, which `writeback.toml` in
    /// the ledger's folder names; or rules, which need none.
    #[cfg(feature = "chat")]
    #[arg(long, value_name = "WHO", conflicts_with = "command")]
    with: Option<With>,

    /// Ask a model; not in this build.
    #[cfg(not(feature = "chat"))]
    #[arg(long, value_name = "WHO", hide = true)]
    with: Option<String>,

    /// Send the evidence of this run without asking first, whatever project it is of.
    #[cfg(feature = "chat")]
    #[arg(long, requires = "with")]
    yes: bool,

    /// Go on, and look for new jobs each five seconds. SIGTERM and SIGINT end it once the job
    /// that it is at is done; where it is killed, the next one does that job.
    #[arg(long, conflicts_with = "all")]
    watch: bool,
}

/// How long a watcher waits where nothing is due: so many times so long.
const PAUSE: (u32, Duration) = (50, Duration::from_millis(100));

#[derive(Default, Serialize)]
struct Answer {
    jobs: u64,
    memories: u64,
    procedures: u64,
    outcomes: u64,
    dropped: u64,
    retrying: u64,
    dead: u64,
    failures: Vec<String>,
    /// Until when jobs that are due are left alone.
    rests_until: Option<Timestamp>,
}

impl Verb for RunJobsArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &RunJobsArgs, context: &mut Context) -> Result<Exit> {
    #[cfg(not(feature = "chat"))]
    if args.with.is_some() {
        return Err(crate::exit::without("chat"));
    }
    let ledger = context.open()?;
    let worker = Worker::of(args, context, &ledger)?;
    let mut answer = Answer::default();
    let stopped = Arc::new(AtomicBool::new(false));
    if args.watch {
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
            let registered = signal_hook::flag::register(signal, stopped.clone());
            registered.with_context(|| format!("signal {signal} can't be listened for"))?;
        }
    }
    let is_stopped = || stopped.load(Ordering::Relaxed);
    let tree = context.tree()?;
    let describe = |scope: &Scope<'_>, text: &str| tree.describe(scope, text);
    let jobs = JobQueue::of(&ledger).described(&describe);
    loop {
        let rested = std::mem::take(&mut answer.rests_until);
        while !is_stopped() {
            let now = context.caller().now.unwrap_or_else(|| ledger.now());
            let early = now.plus_us(QUIET_US);
            let is_due = jobs.is_due(now)?;
            if !(is_due || args.all && jobs.is_queued(early)?) {
                break;
            }
            if let Some(rest) = worker.rest()? {
                answer.rests_until = Some(rest.until);
                if rested != answer.rests_until {
                    context.note(rest);
                }
                break;
            }
            let run = match is_due {
                true => jobs.run(worker.extractor(), now)?,
                false => jobs.run_early(worker.extractor(), early)?,
            };
            let Some(run) = run else { break };
            if args.watch {
                context.note(line(&run));
            }
            answer.count(&run);
        }
        if !args.watch || is_stopped() {
            break;
        }
        crate::anchor::send_due_head(&ledger);
        pause(&is_stopped);
    }
    context.answer(&answer, answer.to_text())?;
    context.finish(ledger)?;
    Ok(Exit::ok_if(answer.dead == 0 && answer.retrying == 0))
}

/// Waits until it is time to look again, and no longer once it is stopped.
fn pause(is_stopped: &dyn Fn() -> bool) {
    for _ in 0..PAUSE.0 {
        if is_stopped() {
            return;
        }
        #[expect(clippy::disallowed_methods, reason = "nothing tells it of a job")]
        std::thread::sleep(PAUSE.1);
    }
}

/// Tells in words what became of one job.
fn line(run: &JobRun) -> String {
    let session = plain(&run.session, 40);
    match &run.end {
        JobEnd::Applied(applied) => {
            let taught = applied.memories.saturating_add(applied.procedures);
            format!("session {session} taught {taught}, left out {}", applied.dropped)
        }
        JobEnd::Retrying { reason, at } => {
            format!("session {session}: {}; again at {at}", plain(reason, 200))
        }
        JobEnd::Dead { reason } => {
            format!("session {session}: {}; never again by itself", plain(reason, 200))
        }
    }
}

/// Returns the extractor for the sessions of the ledger in `dir` where nobody waits: what its
/// person chose, else the rules. `None` while that may not be called.
pub fn background(dir: &Path) -> Option<Box<dyn Extractor>> {
    #[cfg(feature = "chat")]
    match chosen(dir) {
        Ok(None) => {}
        Ok(Some(model)) => {
            let is_resting = model.is_resting();
            return (!is_resting).then_some(Box::new(model));
        }
        Err(error) => {
            // Nobody waits for what this prints: `memlith doctor` tells it.
            use memlith::storage::Clock as _;
            if let Some(state) = crate::environment::hook_state() {
                memlith_agents::StateFolder::new(state).note_failure(&memlith_agents::Failure {
                    at: memlith::storage::SystemClock::new().now(),
                    client: "jobs".to_owned(),
                    ledger: Some(dir.to_owned()),
                    what: format!("the rules look at what sessions taught: {error:#}"),
                });
            }
        }
    }
    #[cfg(not(feature = "chat"))]
    let _ = dir;
    Some(Box::new(Rules))
}

impl Answer {
    fn count(&mut self, run: &JobRun) {
        self.jobs += 1;
        match &run.end {
            JobEnd::Applied(applied) => {
                self.memories += u64::from(applied.memories);
                self.procedures += u64::from(applied.procedures);
                self.outcomes += u64::from(applied.outcome);
                self.dropped += u64::from(applied.dropped);
                return;
            }
            JobEnd::Retrying { .. } => self.retrying += 1,
            JobEnd::Dead { .. } => self.dead += 1,
        }
        self.failures.push(line(run));
    }

    fn to_text(&self) -> String {
        if self.jobs == 0 && self.rests_until.is_some() {
            return "no job was taken: those that are due wait\n".to_owned();
        }
        if self.jobs == 0 {
            return "no job is due: `memlith jobs list` shows what waits and when it is tried again\n"
                .to_owned();
        }
        let mut text = format!(
            "{} jobs done: {} memories, {} procedures, {} outcomes; {} items left out\n",
            self.jobs - self.retrying - self.dead,
            self.memories,
            self.procedures,
            self.outcomes,
            self.dropped
        );
        for failure in &self.failures {
            text.push_str(failure);
            text.push('\n');
        }
        text
    }
}
