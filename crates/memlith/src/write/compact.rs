//! Compaction: planned over a snapshot, written through the door.

use std::borrow::Cow;
use std::collections::BTreeSet;

use memlith_checkout::Bodies as _;
use memlith_compaction::{
    Bodies, Item as Planned, Plan, Rules, SessionEnd, Sort, Summary, SummaryId, View, Words, plan,
};
use memlith_event::{Body, CompactionEvent, Event, MemoryEvent, Origin, Rank, Scope, SessionEvent};
use memlith_log::{Digest, Record, RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Command, Item, ItemFlags, Memory, Rejection, Sight, Summarise};
use memlith_salience::Salience;

use crate::caller::{Caller, Moment};
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::read::bodies::LogBodies;
use crate::write::append::Urgency;

/// Options of a compaction: how spans are cut, whose, and whether anything is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactOptions {
    /// How spans are cut; a ledger keeps to one set of rules.
    pub rules: Rules,
    /// Whether every scope is summarised, and not what the caller sees alone: the owner's.
    pub everywhere: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// Result of a compaction.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Compacted {
    /// The summaries that were planned.
    pub plan: Plan,
    /// The summaries that were written, in the order of the log.
    pub written: Vec<RecordId>,
    /// Summaries that the state refused, because what they rest on changed meanwhile.
    pub refused: Vec<(SummaryId, Rejection)>,
}

/// Number of summaries written under one taking of the lock: some milliseconds.
const BATCH_SUMMARIES: usize = 16;

/// A summary on its way in.
struct Draft {
    scope: Scope<'static>,
    occurred_at: Timestamp,
    id: SummaryId,
    summarise: Box<Summarise>,
}

/// Result of one batch of drafts: the summaries written, and those refused.
#[derive(Default)]
struct Batch {
    written: Vec<RecordId>,
    refused: Vec<(SummaryId, Rejection)>,
}

impl Ledger {
    /// Writes the summaries of closed spans that are missing, of what the caller sees.
    ///
    /// Planned over a snapshot, under no lock; then each is judged against the state as it
    /// is, and written in short batches. A summary whose sources changed meanwhile is refused
    /// and counted: the next compaction plans another. Nothing of the log is removed. What is
    /// said is as old as the newest of its sources. Durable as the ledger's options say.
    ///
    /// Cost: a pass over the log, and the planner's: see [`compaction::plan`](crate::compaction::plan).
    ///
    /// # Errors
    /// [`Error::Compaction`] for rules that can't be, [`Error::Rejected`] where every scope is
    /// asked for and the caller isn't the owner, and the log's.
    pub fn compact(&self, caller: &Caller, options: &CompactOptions) -> Result<Compacted, Error> {
        Caller::check_scope(&caller.scope)?;
        if options.everywhere && caller.rank < Rank::Owner {
            return Err(Rejection::EverywhereRank { found: caller.rank }.into());
        }
        let (plan, drafts) = self.read(|state| {
            let sight = (!options.everywhere).then(|| Sight::of(&caller.scope));
            let bodies = LogBodies::of(self);
            let subject = Subject::of(self, state, sight.as_ref())?;
            let planned = plan(&subject.view(), &Spoken(&bodies), &options.rules)?;
            let drafts: Vec<Draft> =
                planned.summaries.iter().filter_map(|one| draft(one, state, &bodies)).collect();
            bodies.finish()?;
            Ok((planned, drafts))
        })?;
        let mut compacted = Compacted { plan, ..Compacted::default() };
        if !options.dry_run {
            for drafts in drafts.chunks(BATCH_SUMMARIES) {
                let mut batch = self.write_summaries(caller, drafts)?;
                compacted.written.append(&mut batch.written);
                compacted.refused.append(&mut batch.refused);
            }
        }
        Ok(compacted)
    }

    fn write_summaries(&self, caller: &Caller, drafts: &[Draft]) -> Result<Batch, Error> {
        self.locked(|writer, state, moment| {
            let (mut bodies, mut batch) = (Vec::new(), Batch::default());
            for draft in drafts {
                match decide(draft, caller, state, moment) {
                    Ok(decided) => bodies.extend(decided),
                    Err(rejection) => batch.refused.push((draft.id, rejection)),
                }
            }
            if bodies.is_empty() {
                return Ok(batch);
            }
            let urgency = Urgency::Ordinary(self.options.durability);
            let appended = self.append(writer, state, moment.tick, &bodies, urgency)?;
            batch.written.extend(appended.iter().map(|one| one.id));
            Ok(batch)
        })
    }
}

/// The events of a summary, by the engine and of the instant of its newest source.
fn decide(
    draft: &Draft,
    caller: &Caller,
    state: &State,
    moment: Moment,
) -> Result<Vec<Body<'static>>, Rejection> {
    let engine = Caller {
        scope: draft.scope.clone(),
        rank: Rank::Engine,
        origin: Some(Origin::Derived),
        now: Some(moment.tick.recorded_at),
        tier_cap: None,
        key: None,
        ..caller.clone()
    };
    let mut door = engine.door_of_a_read(moment, None);
    door.occurred_at = draft.occurred_at.min(moment.tick.recorded_at);
    state.memory.decide(&Command::Summarise(draft.summarise.clone()), &door)
}

/// A summary with the scope of its sources; `None` where that can't be read.
fn draft(summary: &Summary, state: &State, bodies: &LogBodies<'_>) -> Option<Draft> {
    let sources: Vec<RecordId> = summary.sources.iter().map(|source| source.id()).collect();
    let mut scope = None;
    bodies.body(*sources.first()?, &mut |body| {
        scope = Some(body.envelope.scope.clone().into_owned());
    });
    let items = sources.iter().filter_map(|id| state.memory.item(id.seq));
    let occurred_at = items.map(|item| item.occurred_at).max()?;
    let summarise = Box::new(Summarise { summary: summary.body().event(), sources });
    Some(Draft { scope: scope?, occurred_at, id: summary.id, summarise })
}

/// The items of a snapshot as a planner sees them.
struct Subject {
    seq: Seq,
    items: Vec<Planned>,
    ends: Vec<SessionEnd>,
    written: BTreeSet<SummaryId>,
}

impl Subject {
    /// Returns the part of the state that `sight` sees; all of it where there is none.
    fn of(ledger: &Ledger, state: &State, sight: Option<&Sight>) -> Result<Subject, Error> {
        let seq = state.next.previous().unwrap_or_default();
        let mut subject =
            Subject { seq, items: Vec::new(), ends: Vec::new(), written: BTreeSet::new() };
        // What the ledger has just learned is no future, where the clock was set back.
        let now = ledger.now().max(ledger.log.read(seq)?.recorded_at);
        for record in ledger.log.scan(Seq::GENESIS, seq) {
            let record = record?;
            subject.take(&record, state, sight, now);
        }
        Ok(subject)
    }

    fn take(&mut self, record: &Record, state: &State, sight: Option<&Sight>, now: Timestamp) {
        let body = body_of(record).ok().flatten();
        match body.map(|body| (body.envelope, body.event)) {
            Some((envelope, Event::Session(SessionEvent::Ended))) => {
                let session = envelope.scope.session_key();
                self.ends.extend(session.map(|session| SessionEnd { session, at: record.seq }));
            }
            Some((_, Event::Compaction(CompactionEvent::Summarised(summary))))
                if state.memory.bars_summary(record.seq) =>
            {
                self.written.insert(SummaryId(summary.id));
            }
            Some(_) | None => {}
        }
        let item = state.memory.item(record.seq);
        if let Some(item) = item.filter(|item| sight.is_none_or(|sight| sight.has(item))) {
            let hash = record.record_hash;
            self.items.push(planned(&state.memory, &state.salience, &item, hash, now));
        }
    }

    fn view(&self) -> View<'_> {
        View { seq: self.seq, items: &self.items, ends: &self.ends, written: &self.written }
    }
}

/// An item as a planner sees it.
pub(crate) fn planned(
    memory: &Memory,
    salience: &Salience,
    item: &Item,
    hash: Digest,
    now: Timestamp,
) -> Planned {
    let seq = item.id.seq;
    let session = item.session;
    Planned {
        seq,
        hash,
        sort: if item.is_record() { Sort::Record } else { Sort::Memory },
        cell: item.cell,
        session: (session != memlith_event::Key::default()).then_some(session),
        session_only: item.flags.has(ItemFlags::SESSION_ONLY),
        own: item.own,
        label: memory.authority(seq, now).unwrap_or(Authority::Erased),
        derived: item.is_derived(),
        tier: item.tier,
        level: salience.level(seq, item.occurred_at, now),
    }
}

/// The words of items for a planner.
pub(crate) struct Spoken<'a>(pub(crate) &'a LogBodies<'a>);

impl Bodies for Spoken<'_> {
    fn read(&self, id: RecordId) -> Option<Words<'_>> {
        let mut words = None;
        self.0.body(id, &mut |body| {
            let text = body.event.item_text().map(Cow::into_owned);
            let mut entity = None;
            if let Event::Memory(MemoryEvent::Remembered(memory)) = &body.event {
                entity = memory.slot.as_ref().map(|slot| Cow::Owned(slot.entity.to_string()));
            }
            words = text.map(|text| Words { text: Cow::Owned(text), entity });
        });
        words
    }
}
