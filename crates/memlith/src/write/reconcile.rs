//! Writes that are compared with what means much the same: what is found outside of the
//! pure decision, and when an arbiter is asked.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use memlith_checkout::Bodies;
use memlith_claims::{Guard, Instruction, Statement};
use memlith_event::{
    Arbitration, Body, Difference, Event, MemoryEvent, Near, Origin, Outcome, Rank, ReconcileEvent,
    Remembered, Reply, WritePolicy,
};
use memlith_log::{Appended, RecordId, Timestamp, Writer};
use memlith_memory::{Authority, Command, Door, Item, Likeness, Rejection, Remember};
use memlith_recall::Wording;
use memlith_redact::Rule;
use memlith_text::{as_said, exact_values, is_of_its_day, normalised};

use crate::caller::{Caller, Moment};
use crate::error::Error;
use crate::fold::state::State;
use crate::ledger::Ledger;
use crate::read::bodies::LogBodies;
use crate::write::append::Urgency;
use crate::write::arbiter::{Arbiter, Contender, Question};
use crate::write::command::{Written, written};
use crate::write::comparer::Comparer;
use crate::write::near::Understood;
use crate::write::novelty::Adding;
use crate::write::reconciler::Reconciler;
use crate::write::slot::note_grammar;

/// Maximum number of rows compared with one write: those that share most of its rarest terms.
const COMPARED_MAX: usize = 24;

/// Maximum number of times an arbiter is asked for one write: what it was shown may change
/// meanwhile.
const ASKED_MAX: usize = 3;

/// A write on its way in.
pub(crate) struct Write<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) remember: &'a Remember,
    pub(crate) redacted: &'a BTreeMap<Rule, u64>,
    /// Whether it is left out where it adds nothing.
    pub(crate) only_new: bool,
}

/// Result of one attempt under the lock.
enum Attempt {
    Written(Written),
    /// Nothing was appended: this is to be asked first.
    Ask(Question),
}

/// The model, and the words of a write that are compared.
struct Scales<'a> {
    reconciler: &'a Reconciler,
    comparer: &'a dyn Comparer,
    /// The write's own words, taken apart once.
    statement: Statement,
    wording: Wording,
}

/// Likeness of a write to rows, and the words of the rows.
struct Weighed {
    likeness: Likeness,
    texts: BTreeMap<RecordId, String>,
}

impl Ledger {
    /// Writes an assertion, compared in all ways that this handle was given.
    ///
    /// An arbiter is asked between two turns under the lock: the second time everything is
    /// found anew, and what was said counts if it was said of the same.
    pub(crate) fn reconcile(&self, write: &Write<'_>) -> Result<Written, Error> {
        Caller::check_scope(&write.caller.scope)?;
        refuse_instruction(&write.remember.text)?;
        let scales = self.scales(write);
        let arbiter = scales.as_ref().and_then(|scales| scales.reconciler.arbiter.as_deref());
        let mut turn = Turn { arbiter, left: arbiter.map(Arbiter::patience), said: None, asked: 0 };
        self.expect_comparison()?;
        loop {
            let attempt = self.locked(|writer, state, moment| {
                self.attempt(write, scales.as_ref(), &turn, (writer, state, moment))
            })?;
            match attempt {
                Attempt::Written(written) => return Ok(written),
                Attempt::Ask(question) => turn.ask(question),
            }
        }
    }

    fn attempt(
        &self,
        write: &Write<'_>,
        scales: Option<&Scales<'_>>,
        turn: &Turn<'_>,
        (writer, state, moment): (&mut Writer<'_>, &State, Moment),
    ) -> Result<Attempt, Error> {
        let Write { caller, remember, redacted, only_new } = *write;
        let mut command = Command::Remember(remember.clone());
        if let Some(known) = self.already_written(caller, state, &command, redacted)? {
            return Ok(Attempt::Written(known));
        }
        let door = caller.door(moment, None)?;
        let mut bodies = self.decided_exactly(state, remember, &door)?;
        // What the same words decide needs no slot.
        let policy = state.memory.write_policy().0;
        let grammar = self.options.grammar && policy.grammar;
        let asked = grammar && !is_the_engines(caller) && is_added(&bodies);
        let Understood { claimed, bodies: understood, near } =
            if asked { self.understood(state, remember, &door)? } else { Understood::default() };
        let is_understood = understood.is_some();
        let claimed = claimed.filter(|_| is_understood);
        bodies = understood.unwrap_or(bodies);
        let remember = claimed.as_ref().unwrap_or(remember);
        if claimed.is_some() {
            command = Command::Remember(remember.clone());
        }
        let by_policy = self.reconciler_of(policy);
        let scales_of_policy = by_policy.as_ref().and_then(|one| scales_of(one, write));
        let scales = scales.or(scales_of_policy.as_ref());
        let only_new = only_new || policy.only_new;
        let adding = match only_new && !is_the_engines(caller) {
            true => self.adding(state, write, &bodies, moment)?,
            false => Adding::default(),
        };
        if adding.left_out.is_some() {
            bodies.clear();
        } else if let Some(scales) = scales.filter(|_| is_added(&bodies)) {
            let mut weighed = self.likeness_of(state, remember, scales, &door)?;
            if let (true, Some(arbiter)) = (weighed.likeness.is_open(), turn.arbiter) {
                let question = weighed.question(&remember.text);
                let Some(reply) = turn.reply_to(&question) else {
                    return Ok(Attempt::Ask(question));
                };
                let by = arbiter.name().to_owned().into();
                weighed.likeness.arbitration = Some(Arbitration { by, reply });
            }
            bodies = state.memory.decide_by_likeness(remember, &weighed.likeness, &door)?;
        }
        if is_understood {
            note_grammar(&mut bodies);
        }
        bodies.extend(adding.reinforced);
        let ordinary = Urgency::Ordinary(self.options.durability);
        let appended = match bodies.is_empty() {
            true => Vec::new(),
            false => self.append(writer, state, moment.tick, &bodies, ordinary)?,
        };
        let Some(item) = adding.left_out else {
            let redacted = redacted.clone();
            let written = written(state, &command, &bodies, &appended, redacted);
            return Ok(Attempt::Written(Written { near, ..written }));
        };
        Ok(Attempt::Written(redundant(&item, &appended, redacted.clone())))
    }

    /// Decides a write by its words and its slot, where a row of its normal form says the same only
    /// if its values are the same letter for letter.
    pub(crate) fn decided_exactly(
        &self,
        state: &State,
        remember: &Remember,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Error> {
        let mut bodies = state.memory.decide(&Command::Remember(remember.clone()), door)?;
        let exact = exact_values(&remember.text);
        let of_its_day = is_of_its_day(&remember.text);
        // What was written by a clock ahead holds later; what is said now holds now.
        let holds_later = |id: RecordId| {
            remember.validity.from.is_none()
                && state.memory.authority(id.seq, self.now()) == Some(Authority::Future)
        };
        let mut apart = Vec::new();
        while let Some(id) = restated(&bodies).filter(|id| !apart.contains(id)) {
            let mut differs = holds_later(id);
            let said = LogBodies::of(self);
            said.body(id, &mut |body| {
                if let Event::Memory(MemoryEvent::Remembered(row)) = &body.event {
                    let alike = normalised(&row.text) == normalised(&remember.text);
                    let days = [body.envelope.occurred_at, door.occurred_at].map(day_of);
                    let another_day = of_its_day && days.first() != days.last();
                    differs |= alike && (another_day || exact_values(&row.text) != exact)
                        || have_unlike_values(row, remember);
                }
            });
            said.finish()?;
            if !differs {
                break;
            }
            apart.push(id);
            bodies = state.memory.decide_apart(remember, &apart, door)?;
        }
        Ok(bodies)
    }

    /// The comparer of this handle with the words of the write; none where it can't compare, or
    /// where nobody asked.
    fn scales(&self, write: &Write<'_>) -> Option<Scales<'_>> {
        scales_of(self.options.reconciler.as_deref()?, write)
    }

    /// Returns the comparer that the ledger's policy asks for, where this handle was given none.
    pub(crate) fn reconciler_of(&self, policy: WritePolicy) -> Option<Reconciler> {
        let asked = policy.likeness && self.options.reconciler.is_none();
        let thresholds = policy.thresholds;
        asked.then(|| Reconciler { thresholds, ..Reconciler::built_in() })
    }

    /// Returns what a memory that waits is like, where this handle compares writes.
    pub(crate) fn likeness_of_waiting(
        &self,
        state: &State,
        caller: &Caller,
        said: &Remember,
        door: &Door,
    ) -> Result<Option<Likeness>, Error> {
        let redacted = BTreeMap::new();
        let write = Write { caller, remember: said, redacted: &redacted, only_new: false };
        let by_policy = self.reconciler_of(state.memory.write_policy().0);
        let scales = self.scales(&write);
        let scales = scales.or_else(|| scales_of(by_policy.as_ref()?, &write));
        let Some(scales) = scales else { return Ok(None) };
        Ok(Some(self.likeness_of(state, said, &scales, door)?.likeness))
    }

    /// Finds the rows that a write is like, by the index and the words of a few rows.
    ///
    /// Cost: bounded, however long the log: [`memlith_recall::Recall::sharing`], and the
    /// bodies and vectors of [`COMPARED_MAX`] rows.
    fn likeness_of(
        &self,
        state: &State,
        remember: &Remember,
        scales: &Scales<'_>,
        door: &Door,
    ) -> Result<Weighed, Error> {
        let comparable = state.memory.comparable(remember, door)?;
        let rows: Vec<Item> =
            state
                .recall
                .sharing(&scales.wording, &door.scope, COMPARED_MAX, &mut |seq| comparable(seq));
        let bodies = LogBodies::of(self);
        bodies.will_need(&mut rows.iter().map(|row| row.id));
        let mut texts = BTreeMap::new();
        for row in rows {
            bodies.body(row.id, &mut |body| {
                if let Event::Memory(MemoryEvent::Remembered(said)) = &body.event {
                    texts.insert(row.id, said.text.to_string());
                }
            });
        }
        bodies.finish()?;
        let near = scales.compare(&remember.text, &texts);
        let likeness = Likeness {
            model: scales.comparer.model().to_owned(),
            thresholds: scales.reconciler.thresholds(),
            near,
            arbitration: None,
        };
        Ok(Weighed { likeness, texts })
    }
}

/// Returns the result of a write of which no row was appended, because `item` says it already.
fn redundant(item: &Item, appended: &[Appended], redacted: BTreeMap<Rule, u64>) -> Written {
    let seq = appended.last().map_or(item.id.seq, |appended| appended.seq);
    Written {
        id: item.id,
        seq,
        outcome: crate::WriteOutcome::Redundant,
        redacted,
        waits: false,
        near: Vec::new(),
    }
}

/// The comparer of `reconciler` with the words of the write.
fn scales_of<'a>(reconciler: &'a Reconciler, write: &Write<'_>) -> Option<Scales<'a>> {
    let comparer = reconciler.comparer.as_deref()?;
    if is_the_engines(write.caller) {
        return None;
    }
    let text = &write.remember.text;
    let (wording, statement) = (Wording::of(text)?, Statement::of(text));
    Some(Scales { reconciler, comparer, statement, wording })
}

impl Scales<'_> {
    /// The rows that have a cosine, the nearest first, of equal ones the older.
    fn compare(&self, text: &str, rows: &BTreeMap<RecordId, String>) -> Vec<Near> {
        let others: Vec<&str> = rows.values().map(String::as_str).collect();
        let cosines = self.comparer.cosines(text, &others);
        let mut near: Vec<Near> = Vec::new();
        for (id, cosine) in rows.keys().zip(cosines) {
            near.extend(cosine.map(|cosine| Near { id: *id, cosine, differs: None }));
        }
        near.sort_unstable_by_key(|one| (std::cmp::Reverse(one.cosine), one.id));
        let add = self.reconciler.thresholds().add;
        for (at, one) in near.iter_mut().enumerate() {
            // What is less near decides nothing and is not written down.
            if at < Likeness::SHOWN_MIN || one.cosine >= add {
                let row =
                    rows.get(&one.id).map_or_else(|| Statement::of(""), |row| Statement::of(row));
                one.differs = row.veto(&self.statement).map(difference);
            }
        }
        near
    }
}

impl Weighed {
    fn question(&self, write: &str) -> Question {
        let add = self.likeness.thresholds.add;
        let near = self.likeness.near.iter().filter(|one| one.cosine >= add);
        let contender = |one: &Near| Contender {
            id: one.id,
            text: self.texts.get(&one.id).cloned().unwrap_or_default(),
            cosine: one.cosine,
            differs: one.differs,
        };
        let candidates = near.take(Question::CANDIDATES_MAX).map(contender).collect();
        Question { write: write.to_owned(), candidates }
    }
}

/// The arbiter's turn: what it was asked for one write, and what it said.
struct Turn<'a> {
    arbiter: Option<&'a dyn Arbiter>,
    /// How much of its time is left.
    left: Option<Duration>,
    said: Option<(Question, Reply)>,
    asked: usize,
}

impl Turn<'_> {
    /// Returns the reply to this very question, or that the arbiter is asked no more.
    fn reply_to(&self, question: &Question) -> Option<Reply> {
        match &self.said {
            Some((asked, reply)) if asked == question => Some(*reply),
            Some(_) if self.asked >= ASKED_MAX || self.left == Some(Duration::ZERO) => {
                Some(Reply::Outrun)
            }
            Some(_) | None => None,
        }
    }

    fn ask(&mut self, question: Question) {
        let within = self.left.unwrap_or_default();
        #[expect(clippy::disallowed_methods, reason = "how much of its time the arbiter took")]
        let from = Instant::now();
        let reply = self.arbiter.map_or(Reply::Unavailable, |one| one.judge(&question, within));
        self.left = Some(within.saturating_sub(from.elapsed()));
        self.asked += 1;
        self.said = Some((question.clone(), question.checked(reply)));
    }
}

/// Decides whether a write is derived or the engine's own, which is compared by its words alone.
fn is_the_engines(caller: &Caller) -> bool {
    caller.origin() == Origin::Derived || caller.rank == Rank::Engine
}

/// Refuses words that ask something of the memory itself.
fn refuse_instruction(text: &str) -> Result<(), Rejection> {
    let advice = Instruction::of(text).map(Instruction::advice);
    advice.map_or(Ok(()), |advice| Err(Rejection::Instruction { advice }))
}

/// Whether two that have one slot with one value write the thing or the value as two numbers that
/// are none of an amount: `00123` and `123`, `3.10` and `3.1`.
fn have_unlike_values(row: &Remembered<'_>, new: &Remember) -> bool {
    let slots = row.slot.as_ref().zip(new.slot.as_ref());
    let one = slots.filter(|(old, new)| old.value == new.value && old.entity == new.entity);
    one.is_some_and(|(slot, _)| {
        // "1500 ms" is "1.5 seconds".
        let is_amount =
            slot.value.starts_with(|c: char| c.is_ascii_digit()) && slot.value.contains(' ');
        let value = (!is_amount).then_some(&slot.value);
        value.into_iter().chain([&slot.entity]).any(|part| {
            let said = as_said(&row.text, part).zip(as_said(&new.text, part));
            said.is_some_and(|(one, other)| letters(one) != letters(other))
        })
    })
}

/// The values of what is said that are compared letter for letter. "8,080" and "8080" are one
/// number; what else has a digit or a sign is none.
fn letters(said: &str) -> Vec<&str> {
    let is_number = |value: &str| {
        !value.starts_with('0') && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
    };
    exact_values(said).into_iter().filter(|value| !is_number(value)).collect()
}

/// The day of an instant in UTC, by number.
fn day_of(at: Timestamp) -> i64 {
    at.0.div_euclid(Timestamp::DAY_US)
}

/// The row that a decision says says the same.
fn restated(bodies: &[Body<'_>]) -> Option<RecordId> {
    bodies.iter().find_map(|body| {
        let Event::Reconcile(ReconcileEvent::Decided(decided)) = &body.event else { return None };
        match decided.outcome {
            Outcome::Restated(id) | Outcome::Revived(id) => Some(id),
            Outcome::Added
            | Outcome::Superseded(_)
            | Outcome::Corrected(_)
            | Outcome::Proposed(_)
            | Outcome::Disputed(_)
            | Outcome::Reopened(_)
            | Outcome::Settled(_)
            | Outcome::Skipped => None,
        }
    })
}

/// Whether a write met nothing, neither the same words nor its slot; it may wait all the same.
pub(crate) fn is_added(bodies: &[Body<'_>]) -> bool {
    bodies.iter().any(|body| match &body.event {
        Event::Reconcile(ReconcileEvent::Decided(decided)) => decided.outcome == Outcome::Added,
        Event::Memory(_)
        | Event::Session(_)
        | Event::Turn(_)
        | Event::Outcome(_)
        | Event::Review(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_)
        | Event::Procedure(_)
        | Event::Foreign(_) => false,
    })
}

fn difference(guard: Guard) -> Difference {
    match guard {
        Guard::Negation => Difference::Negation,
        Guard::Number => Difference::Number,
        Guard::Unit => Difference::Unit,
        Guard::Date => Difference::Date,
        Guard::Name => Difference::Name,
        Guard::Direction => Difference::Direction,
        Guard::Word => Difference::Value,
    }
}
