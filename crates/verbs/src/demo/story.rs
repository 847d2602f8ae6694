use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use memlith::{
    Caller, Change, CheckoutRequest, Ledger, Options, RecordId, Remember, Seq, Slot, Timestamp,
    copy::{Format, ImportOptions},
    log::decode,
    prove::{Checkpointed, Level},
};

use crate::demo::command::CommandLine;
use crate::demo::step::{Answer, Step, Told};
use crate::wall::Stopwatch;

/// The demo while it is played.
pub(crate) struct Story {
    dir: PathBuf,
    kept: bool,
    end: Timestamp,
    steps: Vec<Step>,
}

/// A fact that a person tells: the words, and the value of the slot that all of them fill.
struct Fact {
    text: &'static str,
    value: &'static str,
}

const CAUSE: &str = "What caused the flaky test?";
const SANDBOX: &str = "Where is the payment sandbox now?";
const RULE: &str = "How do we fix a flaky test?";

const OLD: Fact = Fact { text: "We fix a flaky test by running it serially.", value: "serial" };
const NEW: Fact =
    Fact { text: "We fix a flaky test by giving it a clock of its own.", value: "own clock" };
const ENTITY: &str = "flaky test";
const PREDICATE: &str = "fixed by";

/// Small enough that an answer is a few lines.
const BUDGET_TOKENS: u32 = 120;

/// When things happen, after the session's end.
const MINUTE_US: i64 = 60_000_000;
const TOLD_OLD: i64 = MINUTE_US;
const TOLD_NEW: i64 = 2 * MINUTE_US;
const ASKED: i64 = 60 * MINUTE_US;
const INVALIDATED: i64 = 90 * MINUTE_US;
const ASKED_AGAIN: i64 = 120 * MINUTE_US;

impl Story {
    /// A story in a folder that holds no ledger yet.
    pub(crate) fn new(dir: &Path, kept: bool) -> Story {
        Story { dir: dir.to_owned(), kept, end: Timestamp::default(), steps: Vec::new() }
    }

    /// Plays it on a session that stands in the file `name`.
    pub(crate) fn tell(mut self, session: impl BufRead, name: &str) -> Result<Told> {
        let ledger = self.init()?;
        self.import(&ledger, session, name)?;
        let cause = self.ask(&ledger, CAUSE)?.items.first().map(|item| item.id);
        self.ask(&ledger, SANDBOX)?;
        let old = self.remember(&ledger, &OLD, TOLD_OLD, None)?;
        let new = self.remember(&ledger, &NEW, TOLD_NEW, cause)?;
        let third = self.ask(&ledger, RULE)?;
        self.invalidate(&ledger, new)?;
        let again = self.ask_again(&ledger)?;
        self.checkpoint(&ledger)?;
        ledger.close()?;
        let sound = self.verify()?;
        let same = self.restart(&again)?;
        // What was superseded stays out, and so does what was invalidated.
        let took_place = third.withholds(old) && again.withholds(new);
        Ok(Told {
            ledger: self.dir.display().to_string(),
            kept: self.kept,
            session_end: self.end,
            ok: sound && same && took_place,
            steps: self.steps,
        })
    }

    fn init(&mut self) -> Result<Ledger> {
        let watch = Stopwatch::start();
        let ledger = Ledger::create(&self.dir, Options::default())?;
        let command = self.command(["init"]);
        self.told("init", format!("ledger {}", ledger.id()), watch.elapsed(), command);
        Ok(ledger)
    }

    fn import(&mut self, ledger: &Ledger, session: impl BufRead, name: &str) -> Result<()> {
        let watch = Stopwatch::start();
        let report = ledger.import(Format::ClaudeCode, session, ImportOptions::default());
        let report = report.with_context(|| format!("import {name}"))?;
        let took = watch.elapsed();
        self.end = last_moment(ledger)?;
        let counted: u64 = report.redacted.values().sum();
        let secrets = if counted == 1 { "1 secret" } else { &format!("{counted} secrets") };
        let outcome = format!(
            "{} events of a session that ended {}, {secrets} taken out",
            report.added, self.end
        );
        let command = self.command(["import", "claude-code", name]);
        self.told("import", outcome, took, command);
        Ok(())
    }

    /// Asks, and lets the ledger learn from what it showed.
    fn ask(&mut self, ledger: &Ledger, question: &str) -> Result<Answer> {
        let caller = self.caller(ASKED);
        let watch = Stopwatch::start();
        let request =
            CheckoutRequest { budget_tokens: BUDGET_TOKENS, ..CheckoutRequest::new(question) };
        let checkout = ledger.checkout(&caller, &request)?;
        let took = watch.elapsed();
        let answer = Answer::of(question, self.at(ASKED), &checkout.pack);
        let command = self.asking(question, ASKED).with("--as-of", checkout.pack.receipt.view);
        self.answered("ask", took, command, &answer);
        Ok(answer)
    }

    /// Tells a fact, at a time after the session's end.
    fn remember(
        &mut self,
        ledger: &Ledger,
        fact: &Fact,
        at: i64,
        rests_on: Option<RecordId>,
    ) -> Result<RecordId> {
        let remember = Remember {
            text: fact.text.to_owned(),
            slot: Some(Slot {
                entity: ENTITY.into(),
                predicate: PREDICATE.into(),
                value: fact.value.into(),
                single: true,
            }),
            rests_on: rests_on.into_iter().collect(),
            ..Remember::default()
        };
        let watch = Stopwatch::start();
        let written = ledger.remember(&self.caller(at), remember)?;
        let took = watch.elapsed();
        let mut command = self
            .command(["remember", fact.text])
            .with("--entity", ENTITY)
            .with("--predicate", PREDICATE)
            .with("--value", fact.value)
            .and("--single")
            .with("--now", self.at(at));
        if let Some(id) = rests_on {
            command = command.with("--rests-on", id);
        }
        let outcome = format!("{}: {}", written.outcome.label(), written.id);
        self.told("remember", outcome, took, command);
        Ok(written.id)
    }

    fn invalidate(&mut self, ledger: &Ledger, id: RecordId) -> Result<()> {
        let watch = Stopwatch::start();
        let change = Change::Invalidate { weight: None, reason: None };
        let _ = ledger.change(&self.caller(INVALIDATED), change, [id])?;
        let took = watch.elapsed();
        let command =
            self.command(["forget".to_owned(), id.to_string()]).with("--now", self.at(INVALIDATED));
        self.told("forget", format!("{id} was wrong"), took, command);
        Ok(())
    }

    /// Asks the last question again, and changes nothing by it.
    fn ask_again(&mut self, ledger: &Ledger) -> Result<Answer> {
        let (answer, took) = self.look(ledger)?;
        let command = self.asking(RULE, ASKED_AGAIN).and("--no-observe");
        self.answered("ask again", took, command, &answer);
        Ok(answer)
    }

    fn verify(&mut self) -> Result<bool> {
        let watch = Stopwatch::start();
        let report = memlith::verify(&self.dir, Level::Full)?;
        let took = watch.elapsed();
        let outcome = match report.findings.first() {
            None => format!("{} records, every byte as it was written", report.records),
            Some(first) => format!("{} findings: {}", report.findings.len(), first.what),
        };
        let command = self.command(["verify", "--full"]);
        self.told("verify", outcome, took, command);
        Ok(report.is_ok())
    }

    fn checkpoint(&mut self, ledger: &Ledger) -> Result<()> {
        let watch = Stopwatch::start();
        let outcome = match ledger.checkpoints().write()? {
            Checkpointed::Sealed { seq, len, .. } => {
                format!("of everything up to record {seq}, {len} bytes")
            }
            Checkpointed::Unchanged { seq } => format!("that of record {seq} stands"),
            Checkpointed::Busy => "another process is writing one".to_owned(),
        };
        let command = self.command(["maintain", "checkpoint"]);
        self.told("checkpoint", outcome, watch.elapsed(), command);
        Ok(())
    }

    /// Opens the ledger again and asks what was asked last.
    fn restart(&mut self, before: &Answer) -> Result<bool> {
        let watch = Stopwatch::start();
        let ledger = Ledger::open(&self.dir, Options::default())?;
        let (answer, _) = self.look(&ledger)?;
        let took = watch.elapsed();
        let from = ledger.checkpoints().list()?.last().copied().unwrap_or_default();
        let tail = ledger.head().seq.0.saturating_sub(from.0);
        ledger.close()?;
        let same = answer == *before;
        let verdict = if same { "the same answer" } else { "ANOTHER ANSWER" };
        let outcome =
            format!("from the checkpoint of record {from} and {tail} after it: {verdict}");
        let command = self.asking(RULE, ASKED_AGAIN).and("--no-observe");
        self.told("restart", outcome, took, command);
        Ok(same)
    }

    fn look(&self, ledger: &Ledger) -> Result<(Answer, Duration)> {
        let watch = Stopwatch::start();
        let request = CheckoutRequest {
            budget_tokens: BUDGET_TOKENS,
            observe: false,
            ..CheckoutRequest::new(RULE)
        };
        let checkout = ledger.checkout(&self.caller(ASKED_AGAIN), &request)?;
        let answer = Answer::of(RULE, self.at(ASKED_AGAIN), &checkout.pack);
        Ok((answer, watch.elapsed()))
    }

    fn at(&self, after_us: i64) -> Timestamp {
        self.end.plus_us(after_us)
    }

    /// A person, in the scope that the command line has by default.
    fn caller(&self, after_us: i64) -> Caller {
        Caller { now: Some(self.at(after_us)), ..Caller::user("default", "user") }
    }

    fn asking(&self, question: &str, at: i64) -> CommandLine {
        self.command(["checkout", question])
            .with("--budget-tokens", BUDGET_TOKENS)
            .with("--now", self.at(at))
    }

    fn command<T: Into<String>>(&self, words: impl IntoIterator<Item = T>) -> CommandLine {
        let command = CommandLine::new(words);
        if self.kept { command.with("--ledger", self.dir.display()) } else { command }
    }

    fn told(&mut self, name: &'static str, outcome: String, took: Duration, command: CommandLine) {
        self.steps.push(Step { name, outcome, took, command, answer: None });
    }

    fn answered(
        &mut self,
        name: &'static str,
        took: Duration,
        command: CommandLine,
        answer: &Answer,
    ) {
        let outcome = answer.to_string();
        self.steps.push(Step { name, outcome, took, command, answer: Some(answer.clone()) });
    }
}

/// When the last event of the ledger happened.
fn last_moment(ledger: &Ledger) -> Result<Timestamp> {
    let mut last = None;
    for record in ledger.records(Seq::GENESIS, None)? {
        let record = record?;
        let happened = decode(&record)?.map(|body| body.envelope.occurred_at);
        last = last.max(happened);
    }
    last.context("the session holds no event")
}
