//! Procedures: mined from what sessions did, proposed for review, told as skills.

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{
    Content, Event, JobEvent, Key, Mined, Origin, OwnStatus, ProcedureEvent, Rank, Scope, Taught,
    TurnEvent,
};
use memlith_log::{RecordId, Seq, Tick};
use memlith_memory::{Authority, Command, Item, ProposedProcedure, Rejection, Sight};
use memlith_procedure_mining::{
    Candidate, Extractor, Miner, Options as MiningOptions, Sessions, Skill,
};
use memlith_queues::Practice;

use crate::caller::{Caller, Moment};
use crate::copy::import::redact_body;
use crate::error::Error;
use crate::fold::state::{State, body_of, stored};
use crate::ledger::Ledger;
use crate::write::append::Urgency;

/// Result of mining a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MinedLedger {
    /// The last record that was read.
    pub view: Seq,
    /// Number of sessions.
    pub sessions: usize,
    /// Number of their steps.
    pub steps: usize,
    /// The procedures that were found, best supported by evidence first.
    pub procedures: Vec<MinedProcedure>,
}

/// A procedure that was mined, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MinedProcedure {
    /// The steps, and the evidence for them.
    pub mined: Mined<'static>,
    /// The records of runs that it cites, ascending.
    pub rests_on: Vec<RecordId>,
    /// The result for this procedure.
    pub standing: MinedStanding,
}

/// Result for a procedure that was mined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MinedStanding {
    /// It would be proposed; nothing was written.
    New,
    /// It was proposed, and waits for review.
    Proposed(RecordId),
    /// An equal procedure was proposed before, and not much more speaks for it now.
    Known {
        /// The item.
        id: RecordId,
        /// Its authority.
        authority: Authority,
    },
    /// It can't be proposed: what it rests on went away meanwhile, or is of too few sessions.
    Refused(Rejection),
}

/// Name of the actor that proposes what is mined.
const MINER: &str = "memlith";

impl Ledger {
    /// Mines the sessions that the caller's scope sees, and proposes what is new where
    /// `propose` holds.
    ///
    /// Each proposal waits for review, as one of the engine's. What was proposed before is
    /// not proposed again, unless much more speaks for it. The same records give the same
    /// procedures.
    ///
    /// Cost: a pass over the log and some seconds for a million steps, under no lock; some 30
    /// bytes of memory a step. Each proposal takes the lock for itself.
    ///
    /// # Errors
    /// [`Error::Mining`] of more sessions or steps than are mined at once, and the log's.
    pub fn mine(
        &self,
        caller: &Caller,
        options: MiningOptions,
        propose: bool,
    ) -> Result<MinedLedger, Error> {
        Caller::check_scope(&caller.scope)?;
        let options = options.bounded();
        let (view, sessions) = self.read(|state| {
            Ok((state.next.previous().unwrap_or_default(), self.sessions(caller, state)?))
        })?;
        let candidates = Miner::new(options).mine(&sessions);
        let (sessions, steps) = (sessions.len(), sessions.steps_len());
        let proposals: Vec<ProposedProcedure> = self.read(|state| {
            Ok(candidates.iter().map(|one| proposal(one, options, state)).collect())
        })?;
        let miner = miner(caller);
        let mut procedures = Vec::new();
        for proposed in proposals {
            let standing =
                if propose { self.put(&miner, &proposed)? } else { self.weigh(&miner, &proposed)? };
            let ProposedProcedure { mined, rests_on } = proposed;
            procedures.push(MinedProcedure { mined, rests_on, standing });
        }
        Ok(MinedLedger { view, sessions, steps, procedures })
    }

    /// Proposes a procedure that was mined elsewhere, as the engine's.
    ///
    /// # Errors
    /// The log's; that it is known or refused is an answer.
    pub fn propose_procedure(
        &self,
        caller: &Caller,
        proposed: &ProposedProcedure,
    ) -> Result<MinedStanding, Error> {
        Caller::check_scope(&caller.scope)?;
        self.put(&miner(caller), proposed)
    }

    /// An accepted procedure as a file that agents read.
    ///
    /// # Errors
    /// [`Error::NoRecord`], [`Error::NotAProcedure`], [`Error::NotAccepted`] of one that
    /// doesn't stand, and the log's.
    pub fn skill(&self, caller: &Caller, id: RecordId) -> Result<Skill, Error> {
        let shown = self.show(caller, id)?;
        let body =
            body_of(&shown.record).map_err(|source| Error::Decode { seq: id.seq, source })?;
        let (scope, event) = body.map(|body| (body.envelope.scope, body.event)).unzip();
        let is_procedure = matches!(event, Some(Event::Procedure(_)));
        if !is_procedure && event.is_some() {
            return Err(Error::NotAProcedure { id });
        }
        let Some(Event::Procedure(ProcedureEvent::Mined(mined))) =
            event.filter(|_| shown.authority == Authority::Active)
        else {
            return Err(Error::NotAccepted { id, authority: shown.authority });
        };
        let own = shown.rests_on.iter().find(|(given_by, _)| *given_by == id);
        let members = own.map_or(&[][..], |(_, members)| members.as_slice());
        let scope = scope.unwrap_or_default();
        let (sources, told) =
            self.read(|state| Ok((firsts(members, state), self.told_of(state, &scope, &mined)?)))?;
        Ok(Skill::of(&mined, told.as_ref(), &sources, &|id| Some(self.cite(id).to_string())))
    }

    /// Returns the last telling of a procedure that was proposed from what jobs told.
    fn told_of(
        &self,
        state: &State,
        scope: &Scope<'_>,
        mined: &Mined<'_>,
    ) -> Result<Option<Taught<'static>>, Error> {
        if mined.method.as_str() != Practice::METHOD {
            return Ok(None);
        }
        let steps: Vec<_> = mined.steps.iter().map(|step| step.verb.clone()).collect();
        let named = Taught { name: mined.title.clone(), steps, ..Taught::default() };
        let unnamed = Taught { name: "".into(), ..named.clone() };
        let practice = [named, unnamed]
            .iter()
            .find_map(|taught| state.jobs.practice(Practice::identity(scope.cell(), taught)));
        let Some(practice) = practice else { return Ok(None) };
        Ok(self.taught_at(practice.last)?.map(|(_, taught)| taught))
    }

    fn taught_at(&self, seq: Seq) -> Result<Option<(Scope<'static>, Taught<'static>)>, Error> {
        let record = self.log.read(seq)?;
        let body = body_of(&record).ok().flatten();
        Ok(body.and_then(|body| {
            let Event::Job(JobEvent::Taught(taught)) = body.event else { return None };
            Some((body.envelope.scope.into_owned(), taught.into_owned()))
        }))
    }

    /// The sessions up to the end of the state, without what was withdrawn.
    fn sessions(&self, caller: &Caller, state: &State) -> Result<Sessions, Error> {
        let sight = Sight::of(&caller.scope);
        let mut extractor = Extractor::new(&caller.scope);
        let last = state.next.previous().unwrap_or_default();
        for record in self.log.scan(Seq::GENESIS, last) {
            let record = record?;
            let stored = stored(&record);
            let Content::Event(body) = &stored.content else { continue };
            let stands = match &body.event {
                Event::Turn(TurnEvent::ToolRan(_)) => state
                    .memory
                    .item(record.seq)
                    .is_some_and(|item| item.own == OwnStatus::Active && sight.has(&item)),
                Event::Session(_) | Event::Outcome(_) => {
                    crate::read::show::sees_event(&caller.scope, &body.envelope.scope)
                }
                Event::Turn(TurnEvent::Said(_))
                | Event::Memory(_)
                | Event::Reconcile(_)
                | Event::Review(_)
                | Event::Policy(_)
                | Event::Procedure(_)
                | Event::Compaction(_)
                | Event::Job(_)
                | Event::Delivery(_)
                | Event::Tombstone(_)
                | Event::Foreign(_) => false,
            };
            if stands {
                extractor.push(&stored)?;
            }
        }
        Ok(extractor.finish()?)
    }

    /// Proposes a procedure.
    fn put(&self, miner: &Caller, proposed: &ProposedProcedure) -> Result<MinedStanding, Error> {
        let command = Command::Mine(proposed.clone());
        self.locked(|writer, state, moment| {
            let mut bodies = match state.memory.decide(&command, &miner.door(moment, None)?) {
                Ok(bodies) => bodies,
                Err(rejection) => return Ok(refused(rejection)),
            };
            bodies.iter_mut().for_each(|body| redact_body(body, &mut BTreeMap::new()));
            let urgency = Urgency::Ordinary(self.options.durability);
            let appended = self.append(writer, state, moment.tick, &bodies, urgency)?;
            Ok(MinedStanding::Proposed(appended.last().map(|one| one.id).unwrap_or_default()))
        })
    }

    /// Says what would become of a procedure.
    fn weigh(&self, miner: &Caller, proposed: &ProposedProcedure) -> Result<MinedStanding, Error> {
        let command = Command::Mine(proposed.clone());
        let now = self.now();
        let tick = Tick { raw: now, recorded_at: now, clamped: false };
        self.read(|state| {
            let door = miner.door_of_a_read(Moment { tick, next: state.next }, None);
            let decided = state.memory.decide(&command, &door);
            Ok(decided.map_or_else(refused, |_| MinedStanding::New))
        })
    }
}

fn refused(rejection: Rejection) -> MinedStanding {
    if let Rejection::KnownProcedure { id, authority } = rejection {
        return MinedStanding::Known { id, authority };
    }
    MinedStanding::Refused(rejection)
}

/// The engine, for all who see what the caller sees: a procedure is of no session.
fn miner(caller: &Caller) -> Caller {
    let scope = Scope { session: None, session_only: false, ..caller.scope.clone() };
    Caller {
        scope,
        name: MINER.to_owned(),
        rank: Rank::Engine,
        origin: Some(Origin::Derived),
        key: None,
        ..caller.clone()
    }
}

fn proposal(candidate: &Candidate, options: MiningOptions, state: &State) -> ProposedProcedure {
    let item = |seq: Seq| state.memory.item(seq);
    let cited = candidate.cited(ProposedProcedure::SOURCES_MAX);
    let cited: Vec<Item> = cited.into_iter().filter_map(item).collect();
    let sessions: BTreeSet<Key> = cited.iter().map(|item| item.session).collect();
    let mut mined = candidate.mined(options.support_min, &|seq| Some(item(seq)?.id));
    // Where fewer are cited than were asked for, it stands on all of them.
    mined.required = mined.required.min(u32::try_from(sessions.len()).unwrap_or(u32::MAX));
    ProposedProcedure { mined, rests_on: cited.into_iter().map(|item| item.id).collect() }
}

/// The first of these records in each session of which all of them stand.
fn firsts(members: &[RecordId], state: &State) -> Vec<RecordId> {
    let items: Vec<Item> = members.iter().filter_map(|id| state.memory.item(id.seq)).collect();
    let gone = items.iter().filter(|item| item.own != OwnStatus::Active);
    // A session is told of once; one that lost a record not at all.
    let mut told: BTreeSet<Key> = gone.map(|item| item.session).collect();
    items.iter().filter(|item| told.insert(item.session)).map(|item| item.id).collect()
}
