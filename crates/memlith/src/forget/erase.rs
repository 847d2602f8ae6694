use std::collections::BTreeSet;

use memlith_event::{
    Body, Elsewhere, Event, JobEvent, Kind, LinkKind, MemoryEvent, Outcome, OutcomeEvent, Rank,
    ReconcileEvent, ReviewEvent, SaidElsewhere, Scope,
};
use memlith_log::{
    FIRST_EVENT_KIND, Log, LogEvent, MAX_ERASURE_TARGETS, Payload, RecordId, Seq, Tick, Timestamp,
    Writer,
};
use memlith_memory::Rejection;
use memlith_recall::is_stop_word;
use memlith_text::{normalised, snowball};

use crate::caller::{Caller, Moment};
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::forget::tombstones::plain_words;
use crate::ledger::Ledger;
use crate::write::append::Urgency;

/// The reason that an owner's erasure states in the log.
const OWNERS_WISH: u16 = 1;

/// Result of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Erased {
    /// The record of the erasure; of several the last.
    pub erasure: RecordId,
    /// Every record whose body it took: the targets, what rested on them, and the
    /// decisions that repeated their words; ascending. None where all were gone already.
    pub records: Vec<RecordId>,
}

/// Which records an erasure is to take: those that fit all that is given.
///
/// Taken are items, the beginnings and ends of sessions, which have a folder, a title and a
/// name, and observations of checkouts, which have what was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErasureFilter {
    /// Of this tenant, and where they are given of this agent, subject and session; of every
    /// tenant without it.
    pub scope: Option<Scope<'static>>,
    /// Of the session of this name.
    pub session: Option<String>,
    /// Memories whose slot is about this entity, up to case and white space.
    pub entity: Option<String>,
    /// Texts with all of these words in them, one behind the other, up to case and punctuation.
    pub mentions: Option<String>,
    /// Records of something that happened before this instant.
    pub before: Option<Timestamp>,
}

/// Fewer words are said by chance.
const ECHO_WORDS_MIN: usize = 5;

impl ErasureFilter {
    /// Refuses words that are none.
    fn check(&self) -> Result<(), Error> {
        let parts = [("mentions", &self.mentions), ("entity", &self.entity)];
        let is_empty = |words: &String| plain_words(words).is_empty();
        let empty = parts.into_iter().find(|(_, words)| words.as_ref().is_some_and(is_empty));
        empty.map_or(Ok(()), |(part, _)| Err(Error::EmptyFilter { part }))
    }

    fn takes(&self, body: &Body<'_>) -> bool {
        let ErasureFilter { scope: wanted, session, entity, mentions, before } = self;
        let envelope = &body.envelope;
        is_erasable(&body.event)
            && wanted.as_ref().is_none_or(|wanted| is_within(&envelope.scope, wanted))
            && session.as_ref().is_none_or(|name| envelope.scope.session.as_deref() == Some(name))
            && before.is_none_or(|before| envelope.occurred_at < before)
            && entity.as_ref().is_none_or(|entity| is_about(&body.event, entity))
            && mentions.as_ref().is_none_or(|words| mentions_words(body, words))
    }
}

/// Whether an event changes nothing that stands, so that it may go by itself: an item, the
/// beginning or the end of a session, what was shown, what an extractor replied, what a job saw.
fn is_erasable(event: &Event<'_>) -> bool {
    let aside = matches!(
        event,
        Event::Session(_)
            | Event::Memory(MemoryEvent::Surfaced(_))
            | Event::Job(JobEvent::Replied(_) | JobEvent::Taught(_))
    );
    event.is_item() || aside
}

/// Whether a scope has all parts that another one names.
fn is_within(scope: &Scope<'_>, wanted: &Scope<'_>) -> bool {
    let parts = [
        (&wanted.agent, &scope.agent),
        (&wanted.subject, &scope.subject),
        (&wanted.session, &scope.session),
    ];
    scope.tenant == wanted.tenant
        && parts.into_iter().all(|(wanted, found)| wanted.is_none() || wanted == found)
}

/// Whether any string of the event has these words, one behind the other.
fn mentions_words(body: &Body<'_>, words: &str) -> bool {
    let wanted = format!(" {} ", plain_words(words));
    let mut found = false;
    body.clone().each_text_mut(&mut |text| {
        found |= format!(" {} ", plain_words(text)).contains(&wanted);
    });
    found
}

/// The stems of a text's content words.
fn stems(text: &str) -> BTreeSet<String> {
    let words = plain_words(text);
    let content = words.split(' ').filter(|word| !word.is_empty() && !is_stop_word(word));
    content.map(snowball).collect()
}

/// Whether the event has two thirds of the content words, by their stems.
fn has_most_of(body: &Body<'_>, words: &str) -> bool {
    let (wanted, mut had) = (stems(words), BTreeSet::new());
    body.clone().each_text_mut(&mut |text| had.extend(stems(text)));
    !wanted.is_empty() && wanted.intersection(&had).count() * 3 >= wanted.len() * 2
}

/// Whether an event says something of these records alone, so that nothing else changes
/// without it.
fn speaks_of(event: &Event<'_>, reached: &BTreeSet<Seq>) -> bool {
    let within = |targets: &[RecordId]| targets.iter().all(|id| reached.contains(&id.seq));
    match event {
        // It is made of the words of all that it rests on.
        Event::Job(JobEvent::Taught(_)) => true,
        Event::Memory(MemoryEvent::Surfaced(said)) => within(&said.targets),
        Event::Memory(MemoryEvent::Invalidated(said)) => within(&said.targets),
        Event::Memory(MemoryEvent::Reconfirmed(said)) => within(&said.targets),
        Event::Outcome(OutcomeEvent::Reported(said)) => within(&said.targets),
        Event::Review(
            ReviewEvent::Accepted(said) | ReviewEvent::Rejected(said) | ReviewEvent::Deferred(said),
        ) => within(&said.targets),
        Event::Reconcile(ReconcileEvent::Decided(decided)) => {
            // Ends and contradictions that it wrote down hold on.
            let plain = decided.closings.is_empty() && decided.settled.is_empty();
            decided.outcome == Outcome::Added && plain && decided.contests().is_empty()
        }
        Event::Memory(
            MemoryEvent::Confirmed(_)
            | MemoryEvent::Promoted(_)
            | MemoryEvent::Pinned(_)
            | MemoryEvent::Unpinned(_)
            | MemoryEvent::Elsewhere(_)
            | MemoryEvent::Embedded(_)
            | MemoryEvent::Remembered(_),
        )
        | Event::Review(ReviewEvent::RolledBack(_))
        | Event::Session(_)
        | Event::Turn(_)
        | Event::Policy(_)
        | Event::Compaction(_)
        | Event::Procedure(_)
        | Event::Foreign(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_) => false,
    }
}

/// The stems of what was asked where this ledger had no answer and others were read with it.
fn asked_elsewhere(event: &Event<'_>) -> Option<BTreeSet<String>> {
    let Event::Memory(MemoryEvent::Surfaced(said)) = event else { return None };
    let receipt = said.receipt.as_ref().filter(|receipt| receipt.items.is_empty())?;
    (!said.beside.is_empty()).then(|| stems(&receipt.query))
}

/// Whether two thirds of what was asked, and two words, are of a text.
fn asks_for(asked: &BTreeSet<String>, text: &BTreeSet<String>) -> bool {
    let both = asked.intersection(text).count();
    both >= 2 && both * 3 >= asked.len() * 2
}

fn is_about(event: &Event<'_>, entity: &str) -> bool {
    let Event::Memory(MemoryEvent::Remembered(memory)) = event else { return false };
    let slot = memory.slot.as_ref();
    slot.is_some_and(|slot| normalised(&slot.entity) == normalised(entity))
}

impl Ledger {
    fn ids_of(&self, seqs: &[Seq]) -> Result<Vec<RecordId>, Error> {
        seqs.iter().map(|seq| Ok(self.log.read(*seq)?.id())).collect()
    }

    /// The records that a filter takes, and all that goes with them.
    fn seqs_matching(
        &self,
        state: &State,
        caller: &Caller,
        moment: Moment,
        filter: &ErasureFilter,
    ) -> Result<Vec<Seq>, Error> {
        filter.check()?;
        let mut own = BTreeSet::new();
        for record in self.log.scan(Seq::GENESIS, self.head().seq) {
            let record = record?;
            if !matches!(record.payload, Payload::Present { .. }) {
                continue;
            }
            // What this version can't read it can't tell to be what is meant.
            let body = body_of(&record).ok().flatten();
            if body.is_some_and(|body| filter.takes(&body)) {
                own.insert(record.seq);
            }
        }
        let reached = state.memory.decide_erasure_of(own, &caller.door(moment, None)?)?;
        self.with_words_about(state, reached)
    }

    /// The records that `targets` name, and all that goes with them.
    fn seqs_of(
        &self,
        state: &State,
        targets: &[RecordId],
        (caller, moment): (&Caller, Moment),
    ) -> Result<Vec<Seq>, Error> {
        let door = caller.door(moment, None)?;
        let is_item = |id: &&RecordId| state.memory.item(id.seq).is_some();
        let (items, others): (Vec<&RecordId>, Vec<&RecordId>) = targets.iter().partition(is_item);
        let items: Vec<RecordId> = items.into_iter().copied().collect();
        let mut own = BTreeSet::new();
        for id in others {
            own.extend(self.erasable(*id)?);
        }
        let mut reached = Vec::new();
        if !items.is_empty() || targets.is_empty() {
            reached = state.memory.decide_erasure(&items, &door)?;
        }
        reached.extend(state.memory.decide_erasure_of(own, &door)?);
        self.with_words_about(state, reached)
    }

    /// The record, if it is there, has words still, and may go although it is no item.
    fn erasable(&self, id: RecordId) -> Result<Option<Seq>, Error> {
        let head = self.head().seq;
        let record = match id.seq <= head {
            true => Some(self.log.read(id.seq)?).filter(|record| record.id() == id),
            false => None,
        };
        let record = record.ok_or(Rejection::NotFound { id })?;
        let body = body_of(&record).map_err(|source| Error::Decode { seq: id.seq, source })?;
        match body {
            None if record.kind >= FIRST_EVENT_KIND => Ok(None),
            Some(body) if is_erasable(&body.event) => Ok(Some(id.seq)),
            Some(_) | None => Err(Error::NotErasable { id }),
        }
    }

    /// Records with what says something of them alone: why one was taken out, what came of it,
    /// what was asked where nothing else was shown, and the decision that did nothing but let
    /// it in. Those whose words are gone already are passed over.
    fn with_words_about(&self, state: &State, seqs: Vec<Seq>) -> Result<Vec<Seq>, Error> {
        let reached: BTreeSet<Seq> = seqs.into_iter().collect();
        let mut taken = BTreeSet::new();
        for seq in &reached {
            let record = self.log.read(*seq)?;
            if !matches!(record.payload, Payload::Present { .. }) {
                continue;
            }
            taken.insert(*seq);
            let decision = seq.previous().filter(|_| record.batch_pos > 0);
            for other in state.memory.touches(*seq).chain(decision) {
                let record = self.log.read(other)?;
                let body = body_of(&record).ok().flatten();
                if body.is_some_and(|body| speaks_of(&body.event, &reached)) {
                    taken.insert(other);
                }
            }
        }
        Ok(taken.into_iter().collect())
    }

    /// Lays the tombstones, then takes the bodies.
    fn erase_records(
        &self,
        writer: &mut Writer<'_>,
        state: &State,
        (caller, moment): (&Caller, Moment),
        seqs: &[Seq],
    ) -> Result<Erased, Error> {
        let records = self.ids_of(seqs)?;
        state.check()?;
        let stones = self.tombstones_of(state, (&self.log, seqs), (caller, moment))?;
        if !stones.is_empty() {
            self.append(writer, state, moment.tick, &stones, Urgency::Urgent)?;
        }
        let mut erasure = RecordId::default();
        for targets in seqs.chunks(MAX_ERASURE_TARGETS) {
            erasure = writer.erase(OWNERS_WISH, targets)?.id;
        }
        self.replace_shared(seqs)?;
        Ok(Erased { erasure, records })
    }

    /// The last erasure that took one of `targets`. Cost: a pass over the log.
    fn erasure_of(&self, targets: &[RecordId]) -> Result<RecordId, Error> {
        let mut found = None;
        for record in self.log.scan(Seq::GENESIS, self.head().seq) {
            let record = record?;
            let event = record.body().and_then(|body| LogEvent::decode(record.kind, body));
            let Some((LogEvent::Erasure { targets: taken, .. }, _)) = event else { continue };
            let names = |id: &RecordId| taken.iter().any(|(seq, _)| *seq == id.seq);
            if record.kind < FIRST_EVENT_KIND && targets.iter().any(names) {
                found = Some(record.id());
            }
        }
        // Without one, the bytes were lost and the loss accepted.
        let lost = || Rejection::NotFound { id: targets.first().copied().unwrap_or_default() };
        found.ok_or_else(|| lost().into())
    }
}

/// Erasure for good, and the tombstones that keep out what was erased.
#[derive(Clone, Copy, Debug)]
pub struct Erasure<'a> {
    pub(crate) ledger: &'a Ledger,
}

impl Ledger {
    /// Erasure for good, and the tombstones that keep out what was erased.
    #[must_use]
    pub fn erasure(&self) -> Erasure<'_> {
        Erasure { ledger: self }
    }
}

impl Erasure<'_> {
    /// Erases the bodies of items from the ledger's files, with everything that rests
    /// on them; sequence, time, kind, length and hash remain, and so does the chain.
    ///
    /// Checkpoints and quarantined bytes are removed with them, and the state is folded
    /// again from what is left. Tombstones keep what was erased from coming in again; see
    /// [`Erasure::lift`]. Copies elsewhere, snapshots and freed disk blocks are
    /// not reached. Returns when all of it is durable; if it is cut short, the next
    /// writer finishes it. What is erased already is passed over: where nothing else was
    /// asked for, the answer names the erasure that took it, and nothing is appended.
    ///
    /// # Errors
    /// [`Error::Rejected`] unless the caller is the owner, and the log's.
    pub fn erase(&self, caller: &Caller, targets: &[RecordId]) -> Result<Erased, Error> {
        self.ledger.locked(|writer, state, moment| {
            let seqs = self.ledger.seqs_of(state, targets, (caller, moment))?;
            if seqs.is_empty() {
                state.check()?;
                return Ok(Erased {
                    erasure: self.ledger.erasure_of(targets)?,
                    records: Vec::new(),
                });
            }
            self.ledger.erase_records(writer, state, (caller, moment), &seqs)
        })
    }

    /// [`Erasure::erase`] of all that a filter takes, whichever cells it lies in, as one or,
    /// above 16,384 records, several erasures.
    ///
    /// `None` where nothing fits. Cost: a pass over the log before it.
    ///
    /// # Errors
    /// [`Error::EmptyFilter`], and those of [`Erasure::erase`].
    pub fn erase_matching(
        &self,
        caller: &Caller,
        filter: &ErasureFilter,
    ) -> Result<Option<Erased>, Error> {
        self.ledger.locked(|writer, state, moment| {
            let seqs = self.ledger.seqs_matching(state, caller, moment, filter)?;
            if seqs.is_empty() {
                return Ok(None);
            }
            self.ledger.erase_records(writer, state, (caller, moment), &seqs).map(Some)
        })
    }

    /// Returns what [`Erasure::erase`] of these items would take, ascending; nothing is changed.
    ///
    /// # Errors
    /// Those of [`Erasure::erase`].
    pub fn would_erase(
        &self,
        caller: &Caller,
        targets: &[RecordId],
    ) -> Result<Vec<RecordId>, Error> {
        self.ledger.read(|state| {
            let seqs = self.ledger.seqs_of(state, targets, (caller, self.moment(state)))?;
            self.ledger.ids_of(&seqs)
        })
    }

    /// Returns what [`Erasure::erase_matching`] would take, ascending; nothing is changed.
    ///
    /// # Errors
    /// Those of [`Erasure::erase_matching`].
    pub fn would_erase_matching(
        &self,
        caller: &Caller,
        filter: &ErasureFilter,
    ) -> Result<Vec<RecordId>, Error> {
        self.ledger.read(|state| {
            let seqs = self.ledger.seqs_matching(state, caller, self.moment(state), filter)?;
            self.ledger.ids_of(&seqs)
        })
    }

    /// The instant of a decision that writes nothing.
    fn moment(&self, state: &State) -> Moment {
        let raw = self.ledger.now();
        Moment { tick: Tick { raw, recorded_at: raw, clamped: false }, next: state.next }
    }

    /// Asks the machine that writes `holder`, a copy beside this ledger, to erase these records:
    /// they are out of sight here at once, and that machine erases them when it takes this event
    /// in.
    ///
    /// # Errors
    /// [`Error::Rejected`] unless the caller is the owner, and the log's.
    pub fn ask_elsewhere(
        &self,
        caller: &Caller,
        (holder, ids): (&Ledger, &[RecordId]),
    ) -> Result<(), Error> {
        let rank = caller.actor().rank;
        if let Some(id) = ids.first().filter(|_| rank < Rank::Owner) {
            let (id, needed) = (*id, Rank::Owner.level());
            return Err(Rejection::Rank { id, needed, found: rank }.into());
        }
        let mut said = Vec::with_capacity(ids.len());
        for id in ids {
            let (ledger, record_hash) = (holder.id(), holder.log.read(id.seq)?.record_hash);
            let (id, reason) = (*id, None);
            said.push(Elsewhere { ledger, id, record_hash, said: SaidElsewhere::Erased, reason });
        }
        self.ledger.append_remarks(caller, None, &said).map(drop)
    }

    /// Erases the records that other machines' owners ask to be erased, as far as they may go, with what
    /// goes with them; gives their number.
    pub(crate) fn obey(&self, caller: &Caller, asked: BTreeSet<Seq>) -> Result<u64, Error> {
        let mut own = BTreeSet::new();
        for seq in asked {
            let record = self.ledger.log.read(seq)?;
            let body = body_of(&record).ok().flatten();
            own.extend(body.filter(|body| is_erasable(&body.event)).map(|_| seq));
        }
        self.erase_own(caller, &own)
    }

    /// Erases what was asked here of these records of `log`, another ledger, which are erased there.
    pub(crate) fn erase_questions(
        &self,
        caller: &Caller,
        (log, erased): (&Log, &[Seq]),
    ) -> Result<(), Error> {
        let mut words = Vec::new();
        for seq in erased {
            let record = log.read(*seq)?;
            let body = body_of(&record).ok().flatten();
            words.extend(body.and_then(|body| body.event.item_text().map(|text| stems(&text))));
        }
        if words.is_empty() {
            return Ok(());
        }
        let mut own = BTreeSet::new();
        for record in self.ledger.log.scan(Seq::GENESIS, self.ledger.refresh()?.seq) {
            let record = record?;
            if record.kind == Kind::SURFACED.number
                && let Some(body) = body_of(&record).ok().flatten()
                && let Some(asked) = asked_elsewhere(&body.event)
                && words.iter().any(|text| asks_for(&asked, text))
            {
                own.insert(record.seq);
            }
        }
        self.erase_own(caller, &own).map(drop)
    }

    /// Erases records as the owner, with what goes with them; gives their number.
    fn erase_own(&self, caller: &Caller, own: &BTreeSet<Seq>) -> Result<u64, Error> {
        if own.is_empty() {
            return Ok(0);
        }
        let caller = &Caller { rank: Rank::Owner, ..caller.clone() };
        let erased = self.ledger.locked(|writer, state, moment| {
            let door = caller.door(moment, None)?;
            let reached = state.memory.decide_erasure_of(own.clone(), &door)?;
            let seqs = self.ledger.with_words_about(state, reached)?;
            self.ledger.erase_records(writer, state, (caller, moment), &seqs)
        })?;
        Ok(erased.records.len() as u64)
    }

    /// Returns the records that repeat what these items say, ascending: the turns that one rests
    /// on and that have its words, or of what a model worded most of its content words; whatever
    /// has them where they are five or more; whatever cites its id; and questions with its words that
    /// only another ledger answered. All that rests on such a record leaves with it.
    ///
    /// The items are of `holder`: this ledger, or a copy beside it.
    ///
    /// Cost: a pass over the log.
    ///
    /// # Errors
    /// The log's.
    pub fn echoes(&self, holder: &Ledger, items: &[RecordId]) -> Result<Vec<RecordId>, Error> {
        let mut wanted: Vec<String> = items.iter().map(RecordId::to_string).collect();
        let (mut sources, mut texts): (Vec<(Seq, String)>, Vec<BTreeSet<String>>) =
            Default::default();
        for id in items.iter().filter(|id| id.seq <= holder.head().seq) {
            let record = holder.log.read(id.seq)?;
            let body = body_of(&record).ok().flatten().filter(|_| record.id() == *id);
            let Some(body) = body else { continue };
            let Some(words) = body.event.item_text().map(|text| plain_words(&text)) else {
                continue;
            };
            let links = body.envelope.links.iter();
            let links = links.filter(|link| link.kind == LinkKind::RestsOn);
            let links = links.filter(|_| holder.id() == self.ledger.id());
            sources.extend(links.map(|link| (link.target.seq, words.clone())));
            texts.push(stems(&words));
            wanted.extend(Some(words).filter(|words| words.split(' ').count() >= ECHO_WORDS_MIN));
        }
        let mut found = Vec::new();
        for record in self.ledger.log.scan(Seq::GENESIS, self.ledger.head().seq) {
            let record = record?;
            if !matches!(record.payload, Payload::Present { .. }) {
                continue;
            }
            let body = body_of(&record).ok().flatten();
            let of_source = sources.iter().filter(|(seq, _)| *seq == record.seq);
            let repeats = |body: &Body<'_>| {
                let mut sources = of_source.clone().map(|(_, words)| words);
                sources.any(|words| mentions_words(body, words) || has_most_of(body, words))
                    || wanted.iter().any(|words| mentions_words(body, words))
                    || asked_elsewhere(&body.event)
                        .is_some_and(|asked| texts.iter().any(|text| asks_for(&asked, text)))
            };
            if body.is_some_and(|body| is_erasable(&body.event) && repeats(&body)) {
                found.push(record.id());
            }
        }
        Ok(found)
    }
}
