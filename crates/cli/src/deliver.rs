mod bootstrap;
mod metrics;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::Ledger;
use memlith_delivery::{Alert, Routed, Routes};
use memlith_delivery::{Delivery, DeliveryRun, Destination, Occasion, Service, SinkStanding};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::plain::plain;

/// Name of the action in an agent that budgets its heartbeat.
///
/// Source: Feature 007 of Dionysus.
const ACTION: &str = "CONSOLIDATE_MEMORY";

/// Cost of the action to a heartbeat.
const COST: u32 = 2;

/// Deliver what is noted to other stores: what is due now, in batches.
///
/// Where it goes is said in deliver.toml, in the ledger's folder. A batch is claimed in the log
/// before it is sent, and sent again under the same name until its sink has it: nothing is lost
/// or applied twice, whatever is killed in between.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith deliver                 # what is due
  memlith deliver --all           # all that waits
  memlith deliver --watch         # goes on until it is stopped
  memlith deliver --status
  memlith deliver --pause graph --reason 'a look at the graph'
  memlith deliver --bootstrap graph    # a ledger was lost: what the graph could give back")]
pub(crate) struct DeliverArgs {
    /// Only to the sink of this name.
    #[arg(long, value_name = "NAME")]
    sink: Option<String>,

    /// All that waits, whether or not it is due.
    #[arg(long)]
    all: bool,

    /// The caller's cycle: every 100th sends all that waits.
    #[arg(long, value_name = "N")]
    cycle: Option<u64>,

    /// Go on, and look each second. SIGTERM and SIGINT end it behind the batch that it is at.
    #[arg(long)]
    watch: bool,

    /// Send nothing; say how sinks stand.
    #[arg(long, conflicts_with_all = ["all", "cycle", "watch"])]
    status: bool,

    /// Pause a sink.
    #[arg(long, value_name = "NAME", group = "switch")]
    pause: Option<String>,

    /// Resume a paused sink.
    #[arg(long, value_name = "NAME", group = "switch")]
    resume: Option<String>,

    /// Try again what is dead of a sink.
    #[arg(long, value_name = "NAME", group = "switch")]
    retry: Option<String>,

    /// Send everything anew to a sink whose store was lost.
    #[arg(long, value_name = "NAME", group = "switch")]
    restart: Option<String>,

    /// Read the graph that this sink is back into the empty ledger; without --yes only say what
    /// it holds.
    #[arg(long, value_name = "NAME", group = "switch")]
    bootstrap: Option<String>,

    /// Write it.
    #[arg(long, requires = "bootstrap")]
    yes: bool,

    /// Why.
    #[arg(long, value_name = "TEXT", requires = "switch", default_value = "")]
    reason: String,

    /// Also write how sinks stand to a file that node_exporter's textfile collector reads.
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
}

/// How long a watcher rests between two looks.
const REST: Duration = Duration::from_secs(1);

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
    paused: bool,
    rests_until: Option<String>,
    last: Option<String>,
    reasons: Vec<String>,
}

pub(crate) fn run(args: &DeliverArgs, context: &mut Context) -> Result<Exit> {
    if let Some(name) = &args.bootstrap {
        return bootstrap::run(name, args.yes, context);
    }
    let dir = context.ledger_dir()?;
    let loaded = Routes::load(&dir, &crate::environment::secret);
    let (mut routed, alert) = loaded.map_err(|error| exit::unusable(error.to_string()))?;
    if let Some(name) = &args.sink {
        routed.retain(|one| one.route.name == *name);
        if routed.is_empty() {
            return Err(exit::refused(format!("no sink is called {name:?}")));
        }
    }
    let ledger = if args.status { context.open_to_read()? } else { context.open()? };
    args.switch(&ledger, &routed)?;
    let mut lines: Vec<SinkLine> = routed.iter().map(SinkLine::of).collect();
    if !args.status && !args.is_switch() {
        args.send(context, &ledger, (&routed, alert.as_ref()), &mut lines)?;
    }
    for (line, one) in lines.iter_mut().zip(&routed) {
        line.stands(Delivery::of(&ledger).sink(&one.route)?);
    }
    if let Some(file) = &args.metrics {
        metrics::write(file, &lines)?;
    }
    let batch_size = routed.first().map_or(0, |one| one.route.terms.batch_size);
    let answer = Answer { what: ACTION, cost: COST, batch_size, sinks: lines };
    context.answer(&answer, answer.to_text())?;
    if !args.status {
        context.finish(ledger)?;
    }
    let is_well = |line: &SinkLine| line.failed == 0 && line.dead == 0 && line.reasons.is_empty();
    Ok(Exit::ok_if(answer.sinks.iter().all(is_well)))
}

impl DeliverArgs {
    fn is_switch(&self) -> bool {
        [&self.pause, &self.resume, &self.retry, &self.restart].iter().any(|name| name.is_some())
    }

    fn switch(&self, ledger: &Ledger, routed: &[Routed]) -> Result<()> {
        let switches = [
            (&self.pause, Service::Paused),
            (&self.resume, Service::Resumed),
            (&self.retry, Service::Retried),
            (&self.restart, Service::Restarted),
        ];
        for (name, to) in switches {
            let Some(name) = name else { continue };
            let is_known = routed.iter().any(|one| one.route.name == *name);
            if !is_known {
                return Err(exit::refused(format!("no sink is called {name:?}")));
            }
            Delivery::of(&ledger).switch(name, to, &self.reason)?;
        }
        Ok(())
    }

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
        let mut is_first = true;
        let mut occasion = Occasion { cycle: self.cycle, is_start: self.all || self.watch };
        loop {
            let caller = context.caller();
            let now = caller.now.unwrap_or_else(|| ledger.now());
            let done = match is_first {
                true => Delivery::of(&ledger).cycle(&caller, &to, occasion, now)?,
                false => Delivery::of(&ledger).serve(&to, occasion, now)?,
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
            is_first = false;
            occasion.is_start = false;
            if !self.watch || stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            if let Some(file) = &self.metrics {
                for (line, one) in lines.iter_mut().zip(routed) {
                    line.stands(Delivery::of(&ledger).sink(&one.route)?);
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
            let rests = line.sent > 0 || line.rests_until.is_some() || waiting == 0;
            let state = match line.paused {
                true => ", paused",
                false if rests => "",
                false => "; not due yet, --all sends it now",
            };
            // Writing to a string can't fail.
            let _ = writeln!(
                text,
                "{}: {} sent, {} not applied; {} wait, {} are tried again, {} dead{state}",
                line.name, line.sent, line.failed, waiting, line.retrying, line.dead,
            );
            for reason in &line.reasons {
                let _ = writeln!(text, "  {}", plain(reason, 200));
            }
        }
        text
    }
}
