#[cfg(feature = "deliver")]
mod sinks;

use std::fmt::Write as _;

use anyhow::Result;
use clap::{Args, ValueEnum};
use memlith::{Ledger, Seq};
#[cfg(feature = "chat")]
use memlith_models::Spent;
use memlith_writeback::{JobQueue, JobStatus, ListedJob};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::plain::plain;
use crate::verb::Verb;

/// Show what waits, what is dead, and how the sinks of deliveries stand; or what was learned.
///
/// A job is the turns that a session gained. It is done by itself (`jobs run` does it now); one
/// that failed four times is dead until `jobs retry`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith jobs list
  memlith jobs list sessions     # what each session taught; 0 is a hole
  memlith jobs list practices    # what is done here again and again, and how it goes")]
pub struct ListJobsArgs {
    /// A list to show beside the jobs.
    what: Option<Beside>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Beside {
    /// Each session that had a job, and what it taught.
    Sessions,
    /// The ways of doing something that jobs told of, those worth most first.
    Practices,
}

/// Queue dead jobs again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith jobs retry 41      # give a dead job another life
  memlith jobs retry all")]
pub struct RetryJobsArgs {
    /// The number of a dead job, or all of them.
    #[arg(value_name = "JOB|all")]
    which: String,
}

/// Maximum number of lines printed; --json has all.
const LINES: usize = 40;

#[derive(Serialize)]
struct Answer {
    waiting: usize,
    dead: usize,
    retried: usize,
    jobs: Vec<JobLine>,
    sessions: Vec<SessionLine>,
    practices: Vec<PracticeLine>,
    #[cfg(feature = "chat")]
    today: SpentToday,
    #[cfg(feature = "deliver")]
    sinks: Vec<sinks::SinkLine>,
}

/// Calls and tokens that models took since midnight (UTC).
#[cfg(feature = "chat")]
#[derive(Serialize)]
struct SpentToday {
    calls: u64,
    tokens: u64,
    /// Absent where a provider didn't say it.
    cost_usd: Option<f64>,
}

#[derive(Serialize)]
struct PracticeLine {
    title: String,
    subject: Option<String>,
    steps: Vec<String>,
    seen: u32,
    succeeded: u32,
    failed: u32,
    /// From 0 to 1.
    strength: f64,
    last: Seq,
}

#[derive(Serialize)]
struct JobLine {
    job: Seq,
    session: String,
    subject: Option<String>,
    status: JobStatus,
    first: Seq,
    last: Seq,
    at: String,
    attempts: u8,
}

#[derive(Serialize)]
struct SessionLine {
    session: String,
    jobs: u32,
    taught: u32,
    left_out: u32,
}

impl Verb for ListJobsArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ledger = context.open_to_read()?;
        list(self.what, 0, &ledger, context)
    }
}

impl Verb for RetryJobsArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ledger = context.open()?;
        let now = context.caller().now.unwrap_or_else(|| ledger.now());
        let (which, number) = (&self.which, self.which.parse::<u64>().ok());
        if number.is_none() && which != "all" {
            let what = format!("{which:?} is neither the number of a job nor \"all\"");
            return Err(exit::usage(what));
        }
        let (jobs, mut retried) = (JobQueue::of(&ledger), 0);
        for listed in jobs.list()? {
            if number.is_none_or(|number| listed.job.id.0 == number)
                && jobs.retry(&listed.job, now)?
            {
                retried += 1;
            }
        }
        if let (0, Some(number)) = (retried, number) {
            return Err(exit::refused(format!(
                "no dead job {number}: memlith jobs list shows them"
            )));
        }
        let exit = list(None, retried, &ledger, context)?;
        context.finish(ledger)?;
        Ok(exit)
    }
}

/// Shows the jobs as they are now.
fn list(
    what: Option<Beside>,
    retried: usize,
    ledger: &Ledger,
    context: &mut Context,
) -> Result<Exit> {
    let jobs: Vec<JobLine> = JobQueue::of(ledger).list()?.iter().map(job_line).collect();
    let dead = jobs.iter().filter(|job| job.status == JobStatus::Dead).count();
    let sessions =
        if what == Some(Beside::Sessions) { JobQueue::of(ledger).sessions()? } else { Vec::new() };
    let sessions = sessions.into_iter().map(|(known, scope)| SessionLine {
        session: scope.session.as_deref().unwrap_or_default().to_owned(),
        jobs: known.applied,
        taught: known.taught,
        left_out: known.dropped,
    });
    let sessions = sessions.collect();
    let practices =
        if what == Some(Beside::Practices) { practices(ledger, context)? } else { Vec::new() };
    let answer = Answer {
        waiting: jobs.len() - dead,
        dead,
        retried,
        jobs,
        sessions,
        practices,
        #[cfg(feature = "chat")]
        today: spent_today(context, ledger)?,
        #[cfg(feature = "deliver")]
        sinks: sinks::lines(ledger, context)?,
    };
    let text = answer.to_text(what == Some(Beside::Sessions));
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

#[cfg(feature = "chat")]
fn spent_today(context: &Context, ledger: &Ledger) -> Result<SpentToday> {
    let now = context.caller().now.unwrap_or_else(|| ledger.now());
    let spent = memlith_models::spent(&context.ledger_dir()?, now);
    #[expect(clippy::cast_precision_loss, reason = "a day's cost has fewer digits")]
    let dollars = |micros: u64| micros as f64 / 1e6;
    let Spent { calls, tokens, cost_micros } = spent;
    Ok(SpentToday { calls, tokens, cost_usd: cost_micros.map(dollars) })
}

fn practices(ledger: &Ledger, context: &Context) -> Result<Vec<PracticeLine>> {
    let now = context.caller().now.unwrap_or_else(|| ledger.now());
    let told = JobQueue::of(ledger).practices(now)?.into_iter().map(|one| {
        let (practice, taught) = (one.practice, one.taught);
        let titles = [Some(&taught.name), Some(&taught.trigger), taught.steps.first()];
        let title = titles.into_iter().flatten().find(|title| !title.trim().is_empty());
        PracticeLine {
            title: title.map(ToString::to_string).unwrap_or_default(),
            subject: one.scope.subject.as_deref().map(str::to_owned),
            steps: taught.steps.iter().map(ToString::to_string).collect(),
            seen: practice.seen,
            succeeded: practice.succeeded,
            failed: practice.failed,
            strength: f64::from(practice.strength_at(now)) / 1e6,
            last: practice.last,
        }
    });
    Ok(told.collect())
}

fn job_line(listed: &ListedJob) -> JobLine {
    let ListedJob { job, scope, .. } = listed;
    JobLine {
        job: job.id,
        session: scope.session.as_deref().unwrap_or_default().to_owned(),
        subject: scope.subject.as_deref().map(str::to_owned),
        status: job.status,
        first: job.first,
        last: job.last,
        at: job.at.to_string(),
        attempts: job.attempts,
    }
}

impl Answer {
    fn to_text(&self, taught: bool) -> String {
        let mut text = String::new();
        // Writing to a string can't fail.
        if self.retried > 0 {
            let _ = writeln!(text, "{} jobs queued again", self.retried);
        }
        let _ = writeln!(text, "{} jobs wait, {} are dead", self.waiting, self.dead);
        for job in self.jobs.iter().take(LINES) {
            let session = plain(&job.session, 40);
            let when = match job.status {
                JobStatus::Queued => format!("due {}", job.at),
                JobStatus::Claimed => format!("taken until {}", job.at),
                JobStatus::Retrying => format!("again at {}", job.at),
                JobStatus::Dead => "dead".to_owned(),
            };
            let (id, first, last) = (job.job, job.first, job.last);
            let _ =
                writeln!(text, "job {id}: session {session}, records {first} to {last}, {when}");
        }
        #[cfg(feature = "chat")]
        if self.today.calls > 0 {
            let SpentToday { calls, tokens, cost_usd } = &self.today;
            let cost = cost_usd.map(|usd| format!("{usd:.4} US dollars"));
            let cost = cost.as_deref().unwrap_or("unknown");
            let _ = writeln!(text, "models today: {calls} calls, {tokens} tokens, cost {cost}");
        }
        #[cfg(feature = "deliver")]
        self.sinks.iter().for_each(|line| text.push_str(&line.to_text()));
        for one in self.sessions.iter().take(LINES) {
            let session = plain(&one.session, 40);
            let (jobs, taught, left_out) = (one.jobs, one.taught, one.left_out);
            let _ = writeln!(
                text,
                "session {session}: {taught} taught, {left_out} left out, {jobs} jobs"
            );
        }
        for one in self.practices.iter().take(LINES) {
            let (title, steps) = (plain(&one.title, 60), one.steps.len());
            let (seen, well, failed) = (one.seen, one.succeeded, one.failed);
            let _ = writeln!(
                text,
                "practice {title}: {steps} steps, seen {seen} times, went well {well}, failed \
                 {failed}, strength {:.2}",
                one.strength
            );
        }
        let lists = [self.jobs.len(), self.sessions.len(), self.practices.len()];
        let hidden = lists.into_iter().max().unwrap_or(0).saturating_sub(LINES);
        if hidden > 0 {
            let _ = writeln!(text, "and {hidden} more: --json has all");
        }
        if taught && self.sessions.is_empty() {
            text.push_str("no session has had a job yet\n");
        }
        text
    }
}
