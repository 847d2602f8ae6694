use std::collections::{BTreeMap, BTreeSet};

use memlith::compaction::Rules;
use memlith::{
    AsOf, Caller, Change, Checkout, CheckoutRequest, Error, ErrorKind, Judgement, Ledger, Question,
    Rank, RecordId, Remember, Written,
    compaction::CompactOptions,
    prove::{Level, Replay, verify_in},
    read::OwnStatus,
    read::Verdict as Reproduction,
    write::{SaliencePolicy, TaskReport, TaskResult},
};
use memlith_testkit::sim::{At, Fault, FaultKind};

use super::boundary::Timeline;
use super::effect::{Attempt, Effect};
use super::naive::{Who, Word, word_of};
use super::notes::viewer;
use super::pins;
use super::ranked;
use super::session::Session;
use super::step::Step;
use super::summaries;
use super::verdict::Verdict;
use super::world::World;

/// Counts of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Steps that were done.
    pub steps: u64,
    /// How many of each kind; one that found nothing to be about doesn't count.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Writes that were acknowledged.
    pub writes: u64,
    /// Commands that the state refused.
    pub rejections: u64,
    /// How many of them for a tombstone.
    pub barred: u64,
    /// Steps that ended in an error of the machine.
    pub errors: u64,
    /// Kills and power cuts.
    pub crashes: u64,
    /// Answers that were compared with the oracle's.
    pub answers: u64,
}

/// Spans of a few items, soon closed.
const SMALL: Rules = Rules {
    span_items: 3,
    tail_events: 1,
    sources_min: 2,
    sources_per_exemplar: 2,
    excerpt_tokens: 32,
};

/// The texts of a session.
pub(super) const TEXTS: usize = 12;

/// The first of the texts that are to correct others.
const CORRECTING: usize = 600;

/// The name of the tool.
const TOOL: &str = "scan";

/// Findings that a crash may leave, and the next writer puts right.
const RECOVERED: [&str; 8] = [
    "pending",
    "retired",
    "not finished",
    "slot of the mark is damaged",
    "mark is missing",
    "unacknowledged bytes",
    "not sealed",
    "prepared segment",
];

/// A second in microseconds: so much passes from step to step.
const SECOND_US: i64 = 1_000_000;

/// Does the steps of a session, and compares.
///
/// # Errors
/// What the ledger lost, invented, or refused for no reason; after which step.
pub fn play(session: &Session) -> Result<Played, String> {
    let world = World::new(session).map_err(|error| format!("refused: init: {error}"))?;
    let mut play = Play {
        world,
        timeline: Timeline::new(RecordId::default()),
        played: Played::default(),
        said: Said::default(),
        has_faults: false,
    };
    for (at, step) in session.steps.iter().enumerate() {
        play.world.pass(SECOND_US);
        play.world.latest = play.world.latest.max(play.world.time().0);
        let asked = play.world.asked;
        let done = play.step(*step).and_then(|()| play.keep(at));
        done.map_err(|what| format!("step {at}, {step:?}: {what}"))?;
        play.played.steps += 1;
        if play.world.asked > asked || !step.needs_a_ledger() {
            *play.played.kinds.entry(step.kind().1).or_default() += 1;
        }
    }
    play.end().map_err(|what| format!("at the end: {what}"))?;
    Ok(play.played)
}

pub(super) struct Play {
    pub(super) world: World,
    pub(super) timeline: Timeline,
    pub(super) played: Played,
    said: Said,
    /// Whether anything was to go wrong.
    has_faults: bool,
}

/// The words of texts that are, or may be, on the disk by themselves, whatever is erased.
#[derive(Default)]
struct Said {
    /// Of questions that were observed.
    asked: BTreeSet<String>,
    /// Of texts that were written since the last erasure of anything.
    since_erasure: BTreeSet<String>,
}

pub(super) type Judged = Result<(), String>;

impl Play {
    fn step(&mut self, step: Step) -> Judged {
        match step {
            Step::Remember { text, assistant } => {
                self.write_text(text_of(usize::from(text) % TEXTS), who(assistant), None)
            }
            Step::Keyed { key, assistant } => self.write_keyed(key, who(assistant)),
            Step::Conclude { item } => self.conclude(item),
            Step::Confirm { item, assistant } => self.confirm(item, who(assistant)),
            Step::Report { item, failed, verified, assistant } => {
                self.report(item, failed, Word { who: who(assistant), verified })
            }
            Step::Choose { policy } => self.choose(policy),
            Step::RollBack { item, assistant } => self.roll_back(item, who(assistant)),
            Step::Trust { policy } => self.trust(policy),
            Step::Pin { item, assistant } => self.pin(item, who(assistant)),
            Step::Unpin { item, assistant } => self.unpin(item, who(assistant)),
            Step::Hint { item, hint } => self.hint(item, hint),
            Step::Reword { text, by } => self.reword(text, by),
            Step::Liken { text, by, says } => self.liken(text, by, says),
            Step::Embed { item, vector, assistant } => self.embed(item, vector, who(assistant)),
            Step::Near { item, vector, observe } => self.near(item, vector, observe),
            Step::Note { text, worker, drops } => self.note(text, worker, drops),
            Step::Offer { note, stranger } => self.offer(note, stranger),
            Step::Taint { item, invalidate } => self.taint(item, invalidate),
            Step::Run => self.run(),
            Step::Withdraw { run, assistant } => self.withdraw(run, assistant),
            Step::Mine { which, required } => self.mine(which, required),
            Step::Propose { item, corrects } => self.propose(item, corrects),
            Step::Review { item, judgement, reviewer } => self.review(item, judgement, reviewer),
            Step::Compact => self.compact(),
            Step::Promote { item } => self.promote(item),
            Step::Invalidate { item, assistant } => self.invalidate(item, who(assistant)),
            Step::Reconfirm { item } => self.reconfirm(item),
            Step::Erase { item } => self.erase(item),
            Step::Lift { item, how } => self.lift(item, how),
            Step::EraseRun { run } => self.erase_run(run),
            Step::RunAgain { session } => self.run_again(session),
            Step::Date { ago, begins, lasts } => self.date(ago, begins, lasts),
            Step::Second { item, how } => self.second(item, how),
            Step::Due => self.due(),
            Step::Checkout { item, observe } => self.checkout(item, observe),
            Step::AsOf { back, item } => self.as_of(back, item),
            Step::Explain { item } => self.explain(item),
            Step::Checkpoint => self.checkpoint(),
            Step::Reopen { from_checkpoint } => self.reopen(from_checkpoint),
            Step::Switch { process } => {
                self.world.switch(usize::from(process));
                Ok(())
            }
            Step::Clock { hours } => {
                self.world.pass(i64::from(hours) * 3_600 * SECOND_US);
                Ok(())
            }
            Step::Kill => {
                self.world.kill();
                self.crashed(self.timeline.boundaries.len() - 1)
            }
            Step::Cut { how, seed } => self.cut(how, seed),
            Step::Fault { kind, after } => {
                self.plan(kind, after);
                Ok(())
            }
            Step::Verify => self.verify(false),
        }
    }

    fn cut(&mut self, how: u8, seed: u16) -> Judged {
        self.world.cut(how, seed);
        self.crashed(self.timeline.synced)?;
        // What a cut left is on the disk.
        self.timeline.synced = self.timeline.boundaries.len() - 1;
        Ok(())
    }

    /// The item that a step names, among those that everybody sees.
    pub(super) fn item(&self, number: u8) -> Option<usize> {
        let now = self.timeline.now();
        let for_all: Vec<usize> = (0..now.items.len()).filter(|at| now.is_for_all(*at)).collect();
        for_all.get(usize::from(number).checked_rem(for_all.len())?).copied()
    }

    pub(super) fn id(&self, at: usize) -> RecordId {
        self.timeline.now().items.get(at).map(|item| item.id).unwrap_or_default()
    }

    fn conclude(&mut self, item: u8) -> Judged {
        let Some(on) = self.item(item) else { return Ok(()) };
        if !self.timeline.now().is_eligible(on, self.world.time().0) {
            return Ok(());
        }
        let number = self.timeline.now().items.len();
        self.write_text(text_of(TEXTS + number), Who::User, Some(on))
    }

    fn reconfirm(&mut self, item: u8) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        let verdict = self.timeline.now().judge_reconfirm(at);
        let change = Change::Reconfirm { reason: None };
        self.change(at, Who::User, change, verdict, Effect::Reconfirm { at })
    }

    fn write_text(&mut self, text: String, who: Who, on: Option<usize>) -> Judged {
        let time = self.world.time().0;
        let verdict = self.timeline.now().judge_text(&text, who, time);
        let rests_on = on.map(|at| self.id(at)).into_iter().collect();
        let remember = Remember { text: text.clone(), rests_on, ..Remember::default() };
        let effect = Effect::Text { text, who, on, verdict };
        self.command(verdict, Attempt { effect, time }, |ledger| {
            ledger.remember(&caller(who), remember)
        })
    }

    pub(super) fn confirm(&mut self, item: u8, who: Who) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        let by = Word { who, verified: false };
        let verdict = self.timeline.now().judge_confirm(at, by, self.world.time().0);
        let change = Change::Confirm { weight: None, verified: false };
        self.change(at, who, change, verdict, Effect::Attest { at, who })
    }

    pub(super) fn report(&mut self, item: u8, failed: bool, by: Word) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        let (id, time) = (self.id(at), self.world.time().0);
        let verdict = self.timeline.now().judge_confirm(at, by, time);
        let effect = if failed { Effect::Doubt { at, by } } else { Effect::Confirm { at, by } };
        let report = TaskReport {
            targets: vec![id],
            result: if failed { TaskResult::Failure } else { TaskResult::Success },
            verified: by.verified,
            ..TaskReport::default()
        };
        self.command(verdict, Attempt { effect, time }, |ledger| {
            ledger.report(&caller(by.who), report)
        })
    }

    fn choose(&mut self, number: u8) -> Judged {
        let all = SaliencePolicy::ALL;
        let policy = all.get(usize::from(number) % all.len()).copied().unwrap_or_default();
        let verdict = match self.timeline.now().policy == policy {
            true => Verdict::Refused,
            false => Verdict::Changed(0),
        };
        let attempt = Attempt { effect: Effect::Choose { policy }, time: self.world.time().0 };
        self.command(verdict, attempt, |ledger| ledger.policy().choose_salience(&owner(), policy))
    }

    fn propose(&mut self, item: u8, corrects: bool) -> Judged {
        if !corrects {
            return self.write_text(text_of(usize::from(item) % TEXTS), Who::Tool, None);
        }
        self.correct(item, Who::Tool)
    }

    pub(super) fn correct(&mut self, item: u8, who: Who) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        let text = text_of(CORRECTING + self.timeline.now().items.len());
        let (id, time) = (self.id(at), self.world.time().0);
        let at = self.timeline.now().latest(at, time);
        let verdict = self.timeline.now().judge_correct(at, who, time);
        let is_now = verdict == Verdict::Corrected;
        let effect = Effect::Correct { text: text.clone(), who, at, is_now };
        let remember = Remember { text, ..Remember::default() };
        self.command(verdict, Attempt { effect, time }, |ledger| {
            ledger.correct(&caller(who), id, remember)
        })
    }

    fn roll_back(&mut self, item: u8, who: Who) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        let (id, time) = (self.id(at), self.world.time().0);
        let verdict = self.timeline.now().judge_rollback(at, who, time);
        let attempt = Attempt { effect: Effect::RollBack { at, who }, time };
        self.command(verdict, attempt, |ledger| ledger.roll_back(&caller(who), id, None))
    }

    fn promote(&mut self, item: u8) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        let verdict = self.timeline.now().judge_promote(at, self.world.time().0);
        let change = Change::Promote { weight: None };
        self.change(at, Who::User, change, verdict, Effect::Promote { at })
    }

    fn review(&mut self, item: u8, judgement: u8, reviewer: u8) -> Judged {
        let now = self.timeline.now();
        let waiting = now.waiting();
        let chosen = usize::from(item).checked_rem(waiting.len());
        let chosen = chosen.and_then(|chosen| waiting.get(chosen).copied());
        let Some(at) = chosen.or_else(|| self.item(item)) else { return Ok(()) };
        let judgement = match judgement % 8 {
            0 | 1 => Judgement::Reject,
            2 => Judgement::Defer,
            _ => Judgement::Accept,
        };
        let (reviewer, may) = match reviewer % 8 {
            0 => (caller(Who::Assistant), false),
            // The tool comes back with a person's rank, and its own name.
            1 => {
                let author = now.items.get(at).map(|item| item.author);
                (Caller::user("default", TOOL), author != Some(Who::Tool))
            }
            _ => (caller(Who::User), true),
        };
        let (id, time) = (self.id(at), self.world.time().0);
        let verdict = match may {
            true => now.judge_review(at, judgement, time),
            false => Verdict::Refused,
        };
        let attempt = Attempt { effect: Effect::Review { at, judgement }, time };
        self.command(verdict, attempt, |ledger| {
            ledger.review().judge(&reviewer, judgement, [id], None)
        })
    }

    pub(super) fn invalidate(&mut self, item: u8, who: Who) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        let verdict = self.timeline.now().judge_invalidate(at, who);
        let effect = match verdict == Verdict::Disputed {
            true => Effect::Dispute,
            false => Effect::Invalidate { at, who },
        };
        let change = Change::Invalidate { weight: None, reason: None };
        self.change(at, who, change, verdict, effect)
    }

    pub(super) fn change(
        &mut self,
        at: usize,
        who: Who,
        change: Change,
        verdict: Verdict,
        effect: Effect,
    ) -> Judged {
        let (id, time) = (self.id(at), self.world.time().0);
        self.command(verdict, Attempt { effect, time }, |ledger| {
            ledger.change(&caller(who), change, [id])
        })
    }

    /// Does a command whose outcome the oracle has foretold.
    pub(super) fn command(
        &mut self,
        verdict: Verdict,
        attempt: Attempt,
        command: impl FnOnce(&Ledger) -> Result<Written, Error>,
    ) -> Judged {
        let text = attempt.effect.text().unwrap_or_default();
        let verdict = self.timeline.now().unless_buried(text, verdict);
        if !verdict.is_refused() {
            self.said.since_erasure.insert(word_of(text).to_owned());
        }
        let outcome = self.world.ledger(true).and_then(command);
        match outcome {
            Err(Error::Rejected(rejection)) => {
                self.played.rejections += 1;
                self.played.barred += u64::from(verdict == Verdict::Barred);
                match self.timeline.now().is_refusal(verdict, text, &rejection) {
                    true => self.nothing_new(),
                    false => Err(format!("wrong: {verdict:?} was due, not refused: {rejection}")),
                }
            }
            Err(error) if verdict.is_refused() => self.failed(&error, nothing()),
            Err(error) => self.failed(&error, attempt),
            Ok(written) if !verdict.agrees(&written.outcome) => {
                Err(format!("wrong: {verdict:?} was due, and it was {:?}", written.outcome))
            }
            Ok(_) if verdict.leaves_nothing() => self.nothing_new(),
            Ok(_) => self.acknowledged(&attempt, self.world.is_immediate()),
        }
    }

    fn compact(&mut self) -> Judged {
        let attempt = Attempt { effect: Effect::Compact, time: self.world.time().0 };
        let before = self.timeline.now().clone();
        let options = CompactOptions { rules: SMALL, ..CompactOptions::default() };
        let done =
            self.world.ledger(true).and_then(|ledger| ledger.compact(&caller(Who::User), &options));
        match done {
            Ok(done) if !done.refused.is_empty() => {
                Err(format!("wrong: refused {:?}", done.refused))
            }
            Ok(done) => {
                match done.written.is_empty() {
                    true => self.nothing_new()?,
                    false => self.acknowledged(&attempt, self.world.is_immediate())?,
                }
                let now = self.timeline.now();
                summaries::check_new(&before, now, &done.written)?;
                summaries::check_first_span(
                    now,
                    [attempt.time, self.world.latest],
                    SMALL.span_items,
                )
            }
            Err(error) => self.failed(&error, attempt),
        }
    }

    fn checkout(&mut self, item: u8, observe: bool) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        let Some(text) = self.timeline.now().items.get(at).map(|item| item.text.clone()) else {
            return Ok(());
        };
        if observe {
            self.said_asked(word_of(&text));
        }
        let mut request = CheckoutRequest::new(text);
        (request.budget_tokens, request.observe) = (100_000, observe);
        let time = self.world.time().0;
        let asked = self
            .world
            .ledger(true)
            .and_then(|ledger| ledger.checkout(&caller(Who::User), &request));
        let answer = match asked {
            Ok(answer) => answer,
            Err(error) => {
                let attempt = Attempt { effect: Effect::Dispute, time };
                return self.failed(&error, attempt);
            }
        };
        self.played.answers += 1;
        let shown: Vec<RecordId> = answer.pack.items.iter().map(|item| item.id).collect();
        summaries::compare(self.timeline.now(), self.world.time().0, &shown, at)?;
        pins::check(self.timeline.now(), self.world.time().0, &answer.pack)?;
        ranked::check(self.timeline.now(), self.world.time().0, &answer.pack)?;
        self.observed(answer, observe)
    }

    /// Learns from the shown items, if that was asked for.
    pub(super) fn observed(&mut self, answer: Checkout, observe: bool) -> Judged {
        let (time, nothing_shown) = (self.world.time().0, answer.pack.items.is_empty());
        // What is there for a pin alone was not used.
        let found = answer.pack.items.iter().filter(|item| item.why.relevance > 0);
        let found = found.map(|item| item.id).collect();
        let attempt = Attempt { effect: Effect::Surface { shown: found }, time };
        match answer.observed {
            Ok(_) => self.acknowledged(&attempt, false),
            Err(_) if !observe => self.nothing_new(),
            // A pack that shows nothing teaches nothing.
            Err(_) if nothing_shown && self.nothing_new().is_ok() => Ok(()),
            Err(why) => self.recovered(why, attempt),
        }
    }

    fn as_of(&mut self, back: u8, item: u8) -> Judged {
        let states = self.timeline.boundaries.len();
        let state = states - 1 - usize::from(back) % states;
        let Some(boundary) = self.timeline.boundaries.get(state) else { return Ok(()) };
        // A batch is a moment: who asks within it is told of all of it.
        let within = item.is_multiple_of(2);
        let seq = if within { boundary.first } else { boundary.last.seq };
        let Some(at) = usize::from(item).checked_rem(boundary.naive.items.len()) else {
            return Ok(());
        };
        let was = boundary.naive.clone();
        let Some(asked) = was.items.get(at).filter(|_| was.is_for_all(at)) else {
            return Ok(());
        };
        let question = Question { query: asked.text.clone(), as_of: Some(AsOf::Seq(seq)) };
        let answer = self
            .world
            .ledger(true)
            .and_then(|ledger| ledger.recall(&caller(Who::User), &question, 1_000));
        let results = match answer {
            Ok(results) => results,
            Err(error) => return self.failed(&error, nothing()),
        };
        self.played.answers += 1;
        let (now, time) = (self.timeline.now(), self.world.time().0);
        let stands = |at: usize| {
            let is_erased = now.items.get(at).is_none_or(|item| item.own == OwnStatus::Erased);
            (was.is_shown(at, time) || was.is_run_shown(at)) && !is_erased
        };
        for result in &results {
            let found = was.items.iter().position(|item| item.id == result.id);
            // Of the past, as of now: an erasure takes the words of every state.
            let quoted = summaries::eligible(&was, result.id, time)
                && now.summaries.iter().enumerate().any(|(at, summary)| {
                    summary.id == result.id && now.standing(at) != memlith::Authority::Erased
                });
            if !found.is_some_and(stands) && !quoted {
                return Err(format!("wrong: {} is recalled as of {seq}", result.id));
            }
        }
        let is_there = results.iter().any(|result| result.id == asked.id);
        match stands(at) && !is_there {
            true => Err(format!("wrong: {} is not recalled as of {seq}", asked.id)),
            false => Ok(()),
        }
    }

    fn explain(&mut self, item: u8) -> Judged {
        let Some(at) = self.item(item) else { return Ok(()) };
        if self.timeline.now().items.get(at).is_some_and(|item| item.own == OwnStatus::Erased) {
            return Ok(());
        }
        let (id, time) = (self.id(at), self.world.time().0);
        let explained =
            self.world.ledger(true).and_then(|ledger| ledger.explain(&caller(Who::User), id));
        let explained = match explained {
            Ok(explained) => explained,
            Err(error) => return self.failed(&error, nothing()),
        };
        self.played.answers += 1;
        let found: f64 = explained.explanation.salience.to_string().parse().unwrap_or(f64::NAN);
        let expected = self.timeline.now().salience(at, time);
        if ((found - expected) / expected).abs() < 1e-9 {
            return Ok(());
        }
        Err(format!("wrong: the salience of {id} is {expected}, explained as {found}"))
    }

    fn reopen(&mut self, from_checkpoint: bool) -> Judged {
        let closed = self.world.close();
        match closed.and_then(|()| self.world.ledger(from_checkpoint).map(drop)) {
            Ok(()) => self.nothing_new(),
            Err(error) => self.failed(&error, nothing()),
        }
    }

    fn plan(&mut self, kind: u8, after: u8) {
        let operation = At::Operation(self.world.disk.operations() + u64::from(after));
        let read = At::Read(self.world.disk.reads() + u64::from(after));
        let (at, kind) = match kind % 6 {
            0 => (operation, FaultKind::Fail(std::io::ErrorKind::Other)),
            1 => (operation, FaultKind::Fail(std::io::ErrorKind::StorageFull)),
            2 => (operation, FaultKind::Short),
            3 => (operation, FaultKind::Die),
            4 => (read, FaultKind::Fail(std::io::ErrorKind::Other)),
            _ => (read, FaultKind::Flip),
        };
        self.has_faults = true;
        self.world.disk.plan(Fault { at, kind });
    }

    /// A write was acknowledged: its events are there.
    pub(super) fn acknowledged(&mut self, attempt: &Attempt, is_synced: bool) -> Judged {
        self.played.writes += 1;
        let after = self.timeline.last().seq;
        let seen = match self.world.seen(after) {
            Ok(seen) => seen,
            // A fault strikes while the log is read; the write stands all the same.
            Err(error) => {
                let floor = self.timeline.boundaries.len();
                self.failed(&error, attempt.clone())?;
                return match self.timeline.boundaries.len() > floor {
                    true => Ok(()),
                    false => Err("lost: an acknowledged write".to_owned()),
                };
            }
        };
        if seen.is_empty() {
            return Err("wrong: it was acknowledged, and nothing was written".to_owned());
        }
        self.timeline.advance(attempt, &seen);
        if is_synced {
            self.timeline.synced = self.timeline.boundaries.len() - 1;
        }
        Ok(())
    }

    pub(super) fn nothing_new(&mut self) -> Judged {
        let after = self.timeline.last().seq;
        match self.world.seen(after) {
            Ok(seen) if seen.is_empty() => Ok(()),
            Ok(seen) => Err(format!("wrong: {} records that nobody wrote", seen.len())),
            Err(error) => self.failed(&error, nothing()),
        }
    }

    /// Forgets the texts written before an erasure: none is on the disk, unless it was said anew.
    pub(super) fn nothing_said_stays(&mut self) {
        self.said.since_erasure.clear();
    }

    /// A word that may be on the disk from now on.
    pub(super) fn said_now(&mut self, word: &str) {
        self.said.since_erasure.insert(word.to_owned());
    }

    /// A word that a question on the disk has.
    pub(super) fn said_asked(&mut self, word: &str) {
        self.said.asked.insert(word.to_owned());
    }

    /// An error of the machine: what was attempted may be done or not.
    pub(super) fn failed(&mut self, error: &Error, attempt: Attempt) -> Judged {
        let is_the_machine_s = matches!(error.kind(), ErrorKind::Integrity | ErrorKind::Io);
        if !is_the_machine_s || !self.has_faults {
            return Err(format!("wrong: {}", full(error)));
        }
        self.recovered(error.to_string(), attempt)
    }

    /// The process gives up, and another looks at what is there.
    fn recovered(&mut self, _why: String, attempt: Attempt) -> Judged {
        self.played.errors += 1;
        self.world.disk.mend();
        self.world.abandon();
        self.timeline.attempt = Some(attempt);
        // A failed sync may have taken back what had been buffered.
        let floor = self.timeline.synced;
        self.settle(floor)
    }

    fn crashed(&mut self, floor: usize) -> Judged {
        self.played.crashes += 1;
        self.settle(floor)
    }

    fn settle(&mut self, floor: usize) -> Judged {
        let after = memlith::Seq::GENESIS;
        let seen = self.world.seen(after).map_err(|error| format!("refused: {}", full(&error)))?;
        self.timeline.settle(floor, &seen)
    }

    /// Verifies every byte; what recovery puts right may be found before it.
    fn verify(&mut self, is_recovered: bool) -> Judged {
        for last in [false, true] {
            let bad = match verify_in(&self.world.reader(), Level::Full) {
                Ok(report) => report.findings.into_iter().find(|finding| {
                    is_recovered || !RECOVERED.iter().any(|what| finding.what.contains(what))
                }),
                Err(error) => return self.failed(&error, nothing()),
            };
            match bad {
                None => return Ok(()),
                Some(finding) if last => {
                    return Err(format!("wrong: verification found {finding}"));
                }
                // A bit that flips while it is read is found, and is not there.
                Some(_) => self.world.disk.mend(),
            }
        }
        Ok(())
    }

    /// Everything once more, with nothing going wrong.
    fn end(&mut self) -> Judged {
        self.world.disk.mend();
        let told = |error: Error| format!("refused: {}", full(&error));
        self.world.kill();
        self.crashed(self.timeline.boundaries.len() - 1)?;
        let naive = self.timeline.now().clone();
        let time = self.world.time().0;
        let ledger = self.world.ledger(true).map_err(told)?;
        ledger.checkpoints().write().map_err(told)?;
        for (at, item) in naive.items.iter().enumerate() {
            let shown = ledger.show(&viewer(item), item.id).map_err(told)?;
            if shown.item.own != item.own {
                return Err(format!(
                    "wrong: {} is {:?}, not {:?}",
                    item.id, shown.item.own, item.own
                ));
            }
            let is_stale = shown.authority == memlith::Authority::Stale;
            if item.own == OwnStatus::Active && is_stale != naive.stale(at).is_some() {
                return Err(format!("wrong: {} is {:?}", item.id, shown.authority));
            }
            if !naive.agrees_on_contest(at, time, shown.authority)
                || shown.authority != naive.label(at, time)
            {
                return Err(format!("wrong: {} is {:?}", item.id, shown.authority));
            }
        }
        summaries::check(&naive, ledger)?;
        let live = ledger.audit().digest().map_err(told)?;
        let replayed = ledger.audit().replay(&Replay::default()).map_err(told)?;
        if live.digest != replayed.digest {
            return Err("wrong: the state is not the fold".to_owned());
        }
        for audit in ledger.audit().receipts().map_err(told)? {
            if !matches!(audit.verdict, Reproduction::Reproduced | Reproduction::Affected { .. }) {
                return Err(format!("wrong: receipt {}: {:?}", audit.id, audit.verdict));
            }
        }
        for audit in ledger.audit().state().map_err(told)? {
            audit.verdict.map_err(|why| format!("wrong: {}: {why}", audit.file))?;
        }
        for (at, item) in
            naive.items.iter().enumerate().filter(|(_, item)| item.own != OwnStatus::Erased)
        {
            let explained = ledger.explain(&viewer(item), item.id).map_err(told)?;
            let found: f64 = explained.explanation.salience.to_string().parse().unwrap_or(f64::NAN);
            let expected = naive.salience(at, time);
            if ((found - expected) / expected).abs() >= 1e-9 {
                return Err(format!(
                    "wrong: the salience of {} is {expected}, not {found}",
                    item.id
                ));
            }
        }
        self.verify(true)?;
        self.nothing_erased_is_left()
    }

    /// No file holds a word of a text that was erased, and not said again since.
    fn nothing_erased_is_left(&self) -> Judged {
        let naive = self.timeline.now();
        let words = naive.items.iter().flat_map(|item| item.words().map(move |word| (item, word)));
        for (item, word) in words.filter(|(_, word)| naive.is_erased(word)) {
            let is_said = self.said.asked.contains(word) || self.said.since_erasure.contains(word);
            if is_said || word.is_empty() {
                continue;
            }
            let holds = |name: &String| {
                let bytes = self.world.disk.bytes(name).unwrap_or_default();
                bytes.windows(word.len()).any(|window| window == word.as_bytes())
            };
            if let Some(name) = self.world.disk.names().iter().find(|name| holds(name)) {
                return Err(format!("wrong: {name} holds the erased text of {}", item.id));
            }
        }
        Ok(())
    }
}

/// A look: whatever becomes of it, nothing is written.
pub(super) fn nothing() -> Attempt {
    Attempt { effect: Effect::Nothing, time: 0 }
}

pub(super) fn who(assistant: bool) -> Who {
    if assistant { Who::Assistant } else { Who::User }
}

pub(super) fn caller(who: Who) -> Caller {
    match who {
        Who::Miner => Caller::new("default", "memlith", Rank::Engine),
        Who::Tool => Caller::new("default", TOOL, Rank::Tool),
        Who::Assistant => Caller::new("default", "helper", Rank::Assistant),
        Who::User => Caller::user("default", "ana"),
        Who::Friend => Caller::user("default", "anb"),
        Who::Owner => owner(),
    }
}

pub(super) fn owner() -> Caller {
    Caller::new("default", "olga", Rank::Owner)
}

/// A text with a word of its own, and some that others have too.
pub(super) fn text_of(number: usize) -> String {
    let padding = "as everybody in the house knows ".repeat(number % 7);
    format!("The animal zq{number}x lives in room {number}, {padding}and sleeps a lot.")
}

fn full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
