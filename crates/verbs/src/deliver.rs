#[cfg(feature = "falkordb")]
mod bootstrap;
mod metrics;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::Ledger;
use memlith_delivery::{
    Alert, Delivery, DeliveryRun, Destination, Latency, Occasion, Routed, Routes, Service,
    SinkStanding,
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::plain::plain;
use crate::verb::Verb;

/// Name of the action in an agent that budgets its heartbeat.
///
/// Source: Feature 007 of Dionysus.
const ACTION: &str = "CONSOLIDATE_MEMORY";

/// Cost of the action to a heartbeat.
const COST: u32 = 2;

/// Send what is due now, in batches.
///
/// A batch is claimed in the log before it is sent, and sent again under the same name until its
/// sink has it: nothing is lost or applied twice, whatever is killed in between.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith deliver run                 # what is due
  memlith deliver run --all           # all that waits
  memlith deliver run --watch         # goes on until it is stopped")]
pub struct DeliverArgs {
    #[command(flatten)]
    to: ToArgs,

    /// All that waits, whether or not it is due.
    #[arg(long)]
    all: bool,

    /// The caller's cycle: every 100th sends all that waits.
    #[arg(long, value_name = "N")]
    cycle: Option<u64>,

    /// Go on, and look each second. SIGTERM and SIGINT end it behind the batch that it is at.
    #[arg(long)]
    watch: bool,
}

/// Say how sinks stand.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith deliver status --json")]
pub struct DeliverStatusArgs {
    #[command(flatten)]
    to: ToArgs,
}

/// The sinks that are meant, and a file for how they stand.
#[derive(Args, Debug, Default)]
struct ToArgs {
    /// Only the sink of this name.
    #[arg(long, value_name = "NAME")]
    sink: Option<String>,

    /// Also write how sinks stand to a file that node_exporter's textfile collector reads.
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
}

/// A sink, and why something is done to it.
#[derive(Args, Debug)]
struct SwitchArgs {
    /// The sink.
    name: String,

    /// The reason, for the log.
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

/// Makes a verb that switches a sink.
macro_rules! switches {
    ($($(#[$about:meta])* $args:ident to $service:ident;)*) => {
        $(#[derive(Args, Debug)]
        $(#[$about])*
        pub struct $args {
            #[command(flatten)]
            switch: SwitchArgs,
        }

        impl Verb for $args {
            fn run(self, context: &mut Context) -> Result<Exit> {
                self.switch.switch(Service::$service, context)
            }
        })*
    };
}

switches! {
    /// Pause a sink.
    #[command(after_help = "Examples:\n  memlith deliver pause graph --reason 'a look at the graph'")]
    PauseArgs to Paused;
    /// Resume a paused sink.
    #[command(after_help = "Examples:\n  memlith deliver resume graph")]
    ResumeArgs to Resumed;
    /// Try again what is dead of a sink.
    #[command(after_help = "Examples:\n  memlith deliver retry graph")]
    RetryArgs to Retried;
    /// Send everything anew to a sink whose store was lost.
    #[command(after_help = "Examples:\n  memlith deliver restart graph")]
    RestartArgs to Restarted;
}

/// Read the graph that a sink is back into the empty ledger.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith deliver bootstrap graph          # what the graph could give back
  memlith deliver bootstrap graph --yes")]
pub struct BootstrapArgs {
    /// The sink.
    name: String,

    /// Write it; else only say what the graph holds.
    #[arg(long)]
    yes: bool,
}

/// How long a watcher rests between two looks.
const REST: Duration = Duration::from_secs(1);

/// How often a watcher looks for sessions that ended, in microseconds: a pass over the log.
const SUMMARISE_EVERY_US: i64 = 60_000_000;

#[derive(Serialize)]
struct Answer {
    #[serde(rename = "type")]
    what: &'static str,
    cost: u32,
    batch_size: usize,
    sinks: Vec<SinkLine>,
}

#[derive(Default, Serialize)]
pub(super) struct SinkLine {
    name: String,
    batches: u64,
    sent: u64,
    failed: u64,
    nodes_created: u64,
    edges_created: u64,
    pending: usize,
    tombstones: usize,
    unsettled: usize,
    retrying: usize,
    dead: usize,
    applied: u64,
    attempts: u64,
    failures: u64,
    failure_rate: f64,
    latency_ms: Option<Latency>,
    paused: bool,
    rests_until: Option<String>,
    last: Option<String>,
    reasons: Vec<String>,
}

impl Verb for DeliverArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let (routed, alert) = self.to.load(context)?;
        let ledger = context.open()?;
        let mut lines: Vec<SinkLine> = routed.iter().map(SinkLine::of).collect();
        self.send(context, &ledger, (&routed, alert.as_ref()), &mut lines)?;
        let exit = answer(lines, &routed, (&ledger, self.to.metrics.as_deref()), context)?;
        context.finish(ledger)?;
        Ok(exit)
    }
}

impl Verb for DeliverStatusArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let (routed, _) = self.to.load(context)?;
        let ledger = context.open_to_read()?;
        let lines = routed.iter().map(SinkLine::of).collect();
        answer(lines, &routed, (&ledger, self.to.metrics.as_deref()), context)
    }
}

impl Verb for BootstrapArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        #[cfg(feature = "falkordb")]
        return bootstrap::run(&self.name, self.yes, context);
        #[cfg(not(feature = "falkordb"))]
        let _ = (self.name, self.yes, context);
        #[cfg(not(feature = "falkordb"))]
        Err(exit::without("falkordb"))
    }
}

impl ToArgs {
    /// The sinks that are meant, and where alerts go.
    fn load(&self, context: &Context) -> Result<(Vec<Routed>, Option<Alert>)> {
        let loaded = Routes::load(&context.ledger_dir()?, &crate::environment::secret);
        let (mut routed, alert) = loaded.map_err(|error| exit::unusable(error.to_string()))?;
        if let Some(name) = &self.sink {
            routed.retain(|one| one.route.name == *name);
            if routed.is_empty() {
                return Err(exit::refused(format!("no sink is called {name:?}")));
            }
        }
        Ok((routed, alert))
    }
}

impl SwitchArgs {
    fn switch(&self, to: Service, context: &mut Context) -> Result<Exit> {
        let (routed, _) = ToArgs::default().load(context)?;
        if !routed.iter().any(|one| one.route.name == self.name) {
            return Err(exit::refused(format!("no sink is called {:?}", self.name)));
        }
        let ledger = context.open()?;
        Delivery::of(&ledger).switch(&self.name, to, &self.reason)?;
        let lines = routed.iter().map(SinkLine::of).collect();
        let exit = answer(lines, &routed, (&ledger, None), context)?;
        context.finish(ledger)?;
        Ok(exit)
    }
}

/// Says how the sinks stand, and what was sent to them.
fn answer(
    mut lines: Vec<SinkLine>,
    routed: &[Routed],
    (ledger, metrics): (&Ledger, Option<&Path>),
    context: &mut Context,
) -> Result<Exit> {
    for (line, one) in lines.iter_mut().zip(routed) {
        line.stands(Delivery::of(ledger).sink(&one.route)?);
    }
    if let Some(file) = metrics {
        metrics::write(file, &lines)?;
    }
    let batch_size = routed.first().map_or(0, |one| one.route.terms.batch_size);
    let answer = Answer { what: ACTION, cost: COST, batch_size, sinks: lines };
    context.answer(&answer, answer.to_text())?;
    let is_well = |line: &SinkLine| {
        line.failed == 0 && line.retrying == 0 && line.dead == 0 && line.reasons.is_empty()
    };
    Ok(Exit::ok_if(answer.sinks.iter().all(is_well)))
}

impl DeliverArgs {
    fn send(
        &self,
        context: &mut Context,
        ledger: &Ledger,
        (routed, alert): (&[Routed], Option<&Alert>),
        lines: &mut [SinkLine],
    ) -> Result<()> {
        let stopped = Arc::new(AtomicBool::new(false));
        if self.watch {
            for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
                let registered = signal_hook::flag::register(signal, stopped.clone());
                registered.with_context(|| format!("signal {signal} can't be listened for"))?;
            }
        }
        let to = routed.iter().map(|one| Destination { route: &one.route, sink: &*one.sink });
        let to: Vec<Destination<'_>> = to.collect();
        let mut occasion = Occasion { cycle: self.cycle, is_start: self.all || self.watch };
        let mut summarised: Option<(memlith::Seq, memlith::Timestamp)> = None;
        loop {
            let now = context.caller().now.unwrap_or_else(|| ledger.now());
            let head = ledger.head().seq;
            // Sessions end meanwhile, in any project.
            let is_due = summarised.is_none_or(|(seen, at)| {
                seen != head && now.0.saturating_sub(at.0) >= SUMMARISE_EVERY_US
            });
            let done = if is_due {
                summarised = Some((head, now));
                Delivery::of(ledger).cycle(&to, occasion, now)?
            } else {
                Delivery::of(ledger).serve(&to, occasion, now)?
            };
            if let Some(reason) = &done.halted {
                let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
                tell(context, alert, &names.join(", "), reason);
                lines.iter_mut().for_each(|line| line.reason(reason));
            }
            for (runs, line) in done.runs.iter().zip(lines.iter_mut()) {
                for run in runs {
                    if run.is_alarming {
                        let reason = plain(&run.reason, 200);
                        let told = format!("{} items were not applied: {reason}", run.failed);
                        tell(context, alert, &line.name, &told);
                    }
                    line.count(run);
                }
            }
            occasion.is_start = false;
            if !self.watch || stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            if let Some(file) = &self.to.metrics {
                for (line, one) in lines.iter_mut().zip(routed) {
                    line.stands(Delivery::of(ledger).sink(&one.route)?);
                }
                metrics::write(file, lines)?;
            }
            #[expect(clippy::disallowed_methods, reason = "nothing tells it of a note")]
            std::thread::sleep(REST);
            ledger.refresh()?;
        }
    }
}

/// Tells a person what needs one.
fn tell(context: &mut Context, alert: Option<&Alert>, sink: &str, reason: &str) {
    context.note(format_args!("{sink}: {reason}"));
    if let Some(alert) = alert
        && !alert.send(sink, reason)
    {
        context.note("alert_url did not take the alert");
    }
}

impl SinkLine {
    fn of(one: &Routed) -> SinkLine {
        SinkLine { name: one.route.name.clone(), ..SinkLine::default() }
    }

    fn count(&mut self, run: &DeliveryRun) {
        self.batches += 1;
        self.sent += run.sent as u64;
        self.failed += run.failed as u64;
        self.nodes_created += run.nodes;
        self.edges_created += run.edges;
        self.reason(&run.reason);
    }

    fn reason(&mut self, reason: &str) {
        let is_new = !self.reasons.iter().any(|told| told == reason);
        if !reason.is_empty() && is_new && self.reasons.len() < 5 {
            self.reasons.push(reason.to_owned());
        }
    }

    fn stands(&mut self, standing: SinkStanding) {
        self.failure_rate = standing.failure_rate();
        self.latency_ms = standing.latency;
        self.pending = standing.pending;
        self.tombstones = standing.untold;
        self.unsettled = standing.sent;
        self.retrying = standing.retrying;
        self.dead = standing.dead;
        self.applied = standing.applied;
        self.attempts = standing.attempts;
        self.failures = standing.failures;
        self.paused = standing.paused;
        self.rests_until = standing.not_before.map(|at| at.to_string());
        self.last = standing.last.map(|at| at.to_string());
    }
}

impl Answer {
    fn to_text(&self) -> String {
        let mut text = String::new();
        for line in &self.sinks {
            let waiting = line.pending + line.tombstones;
            let rests = line.sent > 0 || waiting == 0;
            let state = match (line.paused, &line.rests_until) {
                (true, _) => ", paused".to_owned(),
                (false, Some(until)) => format!("; not reached, nothing is sent before {until}"),
                (false, None) if rests => String::new(),
                (false, None) => "; not due yet, --all sends it now".to_owned(),
            };
            // Writing to a string can't fail.
            let _ = writeln!(
                text,
                "{}: {} sent now, {} not applied; in all {} applied, with those that ended before \
                 they were sent; {} wait, {} are claimed, {} are tried again, {} dead{state}",
                line.name,
                line.sent,
                line.failed,
                line.applied,
                waiting,
                line.unsettled,
                line.retrying,
                line.dead,
            );
            for reason in &line.reasons {
                let _ = writeln!(text, "  {}", plain(reason, 200));
            }
        }
        text
    }
}
