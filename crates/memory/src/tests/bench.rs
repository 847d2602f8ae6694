use memlith_event::{
    Actor, Body, Content, Envelope, Event, MemoryEvent, Mined, MinedStep, Origin, Outcome, Rank,
    ReconcileEvent, Scope, Slot, Stored, ToolRan, TurnEvent, Validity, Via,
};
use memlith_log::{Digest, RecordId, Seq, Timestamp};

use crate::*;

pub(super) const DAY: i64 = Timestamp::DAY_US;

/// A ledger without a log: it numbers events and folds them.
#[derive(Clone)]
pub(super) struct Bench {
    pub(super) memory: Memory,
    pub(super) next: Seq,
    pub(super) now: Timestamp,
    pub(super) scope: Scope<'static>,
}

impl Bench {
    pub(super) fn new() -> Bench {
        let scope = Scope::tenant("t");
        Bench { memory: Memory::default(), next: Seq(1), now: Timestamp(100 * DAY), scope }
    }

    pub(super) fn door(&self, rank: Rank) -> Door {
        let origin = match rank {
            Rank::Engine => Origin::Derived,
            Rank::Web => Origin::Web,
            Rank::Tool => Origin::Tool,
            Rank::Assistant => Origin::Assistant,
            Rank::User | Rank::Reviewer | Rank::Owner => Origin::User,
        };
        Door {
            sources: None,
            scope: self.scope.clone(),
            actor: Actor::new(format!("{rank:?}"), rank),
            origin,
            via: Via::Live,
            tier_cap: None,
            occurred_at: self.now,
            now: self.now,
            key: None,
            copied_from: None,
            next: self.next,
        }
    }

    /// Decides and folds; gives the ids of the events. A minute passes.
    pub(super) fn run(
        &mut self,
        rank: Rank,
        command: &Command,
    ) -> Result<Vec<(RecordId, Body<'static>)>, Rejection> {
        let door = self.door(rank);
        let bodies = self.memory.decide(command, &door)?;
        Ok(bodies.into_iter().map(|body| (self.fold(body.clone()), body)).collect())
    }

    pub(super) fn fold(&mut self, body: Body<'static>) -> RecordId {
        let seq = self.next;
        let id = RecordId { seq, hash: [u8::try_from(seq.0 % 251).unwrap(); 6] };
        self.memory.fold(&Stored {
            id,
            recorded_at: self.now,
            content: Content::Event(Box::new(body)),
        });
        self.next = seq.next();
        self.now = self.now.plus_us(60_000_000);
        id
    }

    pub(super) fn remember(
        &mut self,
        rank: Rank,
        remember: Remember,
    ) -> Result<(RecordId, Outcome), Rejection> {
        let events = self.run(rank, &Command::Remember(remember))?;
        Ok(outcome_of(&events))
    }

    pub(super) fn correct(
        &mut self,
        rank: Rank,
        target: RecordId,
        with: Remember,
    ) -> Result<(RecordId, Outcome), Rejection> {
        let events = self.run(rank, &Command::Correct { target, with })?;
        Ok(outcome_of(&events))
    }

    pub(super) fn change(
        &mut self,
        rank: Rank,
        change: Change,
        target: RecordId,
    ) -> Result<(), Rejection> {
        self.run(rank, &Command::Change { change, targets: vec![target] }).map(|_| ())
    }

    /// A tool's record of a session.
    pub(super) fn ran(&mut self, session: &str) -> RecordId {
        let session = Some(session.to_owned().into());
        let scope = Scope { session, ..self.scope.clone() };
        let ran = ToolRan { tool: "bash".into(), ..ToolRan::default() };
        let envelope = Envelope::new(scope, Actor::new("bash", Rank::Tool), self.now);
        self.fold(Body { envelope, event: Event::Turn(TurnEvent::ToolRan(ran)) })
    }

    pub(super) fn authority(&self, id: RecordId) -> Authority {
        self.memory.authority(id.seq, self.now).unwrap()
    }
}

/// The row that a write is about, and the outcome.
fn outcome_of(events: &[(RecordId, Body<'static>)]) -> (RecordId, Outcome) {
    let decided = events.iter().find_map(|(_, body)| {
        let Event::Reconcile(ReconcileEvent::Decided(decided)) = &body.event else { return None };
        Some(decided.outcome.clone())
    });
    let row = events.iter().find_map(|(id, body)| {
        matches!(body.event, Event::Memory(MemoryEvent::Remembered(_))).then_some(*id)
    });
    let outcome = decided.unwrap();
    let id = match (&outcome, row) {
        (_, Some(row)) => row,
        (Outcome::Restated(id) | Outcome::Revived(id) | Outcome::Reopened(id), None) => *id,
        (other, None) => panic!("{other:?} without a row"),
    };
    (id, outcome)
}

pub(super) fn text(text: &str) -> Remember {
    Remember { text: text.into(), ..Remember::default() }
}

pub(super) fn lives_in(value: &str) -> Remember {
    let slot = Slot {
        entity: "ana".into(),
        predicate: "lives_in".into(),
        value: value.to_owned().into(),
        single: true,
    };
    Remember { slot: Some(slot), ..text(&format!("Ana lives in {value}")) }
}

pub(super) fn lives_in_since(value: &str, from: i64) -> Remember {
    let validity = Validity { from: Some(Timestamp(from)), until: None };
    Remember { validity, ..lives_in(value) }
}

pub(super) fn resting(what: &str, on: &[RecordId]) -> Remember {
    Remember { rests_on: on.to_vec(), ..text(what) }
}

/// A procedure of one step, followed in `support` sessions.
pub(super) fn procedure(what: u8, support: u32, required: u32, on: &[RecordId]) -> Command {
    let step = MinedStep { verb: format!("step {what}").into(), parameters: "".into() };
    let mined = Mined {
        title: format!("Procedure {what}").into(),
        identity: Digest([what; 32]),
        steps: vec![step],
        support,
        required,
        ..Mined::default()
    };
    Command::Mine(ProposedProcedure { mined, rests_on: on.to_vec() })
}

pub(super) fn invalidate() -> Change {
    Change::Invalidate { weight: None, reason: None }
}

pub(super) fn reconfirm() -> Change {
    Change::Reconfirm { reason: None }
}

pub(super) fn confirm() -> Change {
    Change::Confirm { weight: None, verified: false }
}
