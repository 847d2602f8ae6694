use memlith_event::Projection;
use memlith_event::{
    Actor, Body, CheckoutId, Content, Envelope, Event, MemoryEvent, Origin, Purpose, Rank, Said,
    Scope, Slot, Stored, Surfaced, TurnEvent, Via,
};
use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};
use memlith_memory::{Change, Command, Door, Memory, Rejection, Remember};
use memlith_recall::Recall;
use memlith_salience::Salience;

use crate::*;

pub(crate) const DAY: i64 = Timestamp::DAY_US;

/// It numbers events, keeps their bodies and folds them.
#[derive(Clone)]
pub(crate) struct Ledger {
    pub(crate) memory: Memory,
    pub(crate) salience: Salience,
    pub(crate) recall: Recall,
    pub(crate) events: Vec<(RecordId, Timestamp, Body<'static>)>,
    pub(crate) erased: Vec<Seq>,
    pub(crate) now: Timestamp,
    pub(crate) scope: Scope<'static>,
}

impl Bodies for Ledger {
    fn body(&self, id: RecordId, read: &mut dyn FnMut(&Body<'_>)) {
        let found = self.events.iter().find(|(known, ..)| *known == id);
        if let Some((_, _, body)) = found.filter(|_| !self.erased.contains(&id.seq)) {
            read(body);
        }
    }
}

impl Ledger {
    pub(crate) fn new() -> Ledger {
        Ledger {
            memory: Memory::default(),
            salience: Salience::default(),
            recall: Recall::default(),
            events: Vec::new(),
            erased: Vec::new(),
            now: Timestamp(1_000 * DAY),
            scope: Scope::tenant("t"),
        }
    }

    fn next(&self) -> Seq {
        Seq(1 + self.events.len() as u64)
    }

    pub(crate) fn door(&self, rank: Rank) -> Door {
        let envelope =
            Envelope::new(self.scope.clone(), Actor::new(format!("{rank:?}"), rank), self.now);
        Door {
            sources: None,
            scope: envelope.scope,
            actor: envelope.actor,
            origin: envelope.origin,
            via: Via::Live,
            tier_cap: None,
            occurred_at: self.now,
            now: self.now,
            key: None,
            copied_from: None,
            next: self.next(),
        }
    }

    /// Decides and folds; gives the ids of the events.
    pub(crate) fn run(
        &mut self,
        rank: Rank,
        command: &Command,
    ) -> Result<Vec<RecordId>, Rejection> {
        let bodies = self.memory.decide(command, &self.door(rank))?;
        Ok(bodies.into_iter().map(|body| self.append(body)).collect())
    }

    pub(crate) fn append(&mut self, body: Body<'static>) -> RecordId {
        let seq = self.next();
        let id = RecordId { seq, hash: [u8::try_from(seq.0 % 251).unwrap(); 6] };
        self.events.push((id, self.now, body.clone()));
        self.fold(id, self.now, Content::Event(Box::new(body)));
        id
    }

    fn fold(&mut self, id: RecordId, recorded_at: Timestamp, content: Content<'_>) {
        let stored = Stored { id, recorded_at, content };
        let before = self.memory.clone();
        self.salience.apply(&stored, &before);
        self.recall.apply(&stored, &before);
        self.memory.apply(&stored, &before);
    }

    /// Builds a ledger with this log, the bodies of `erased` gone.
    pub(crate) fn without(&self, erased: &[Seq]) -> Ledger {
        let mut ledger = Ledger { erased: erased.to_vec(), ..Ledger::new() };
        (ledger.now, ledger.scope) = (self.now, self.scope.clone());
        for (id, recorded_at, body) in &self.events {
            let content = if erased.contains(&id.seq) {
                Content::Erased(body.event.kind())
            } else {
                Content::Event(Box::new(body.clone()))
            };
            ledger.fold(*id, *recorded_at, content);
        }
        ledger.events.clone_from(&self.events);
        ledger
    }

    pub(crate) fn say(&mut self, origin: Origin, text: &str) -> RecordId {
        let rank = match origin {
            Origin::User => Rank::User,
            Origin::Assistant => Rank::Assistant,
            Origin::Tool | Origin::File => Rank::Tool,
            Origin::Web => Rank::Web,
            Origin::Derived => Rank::Engine,
        };
        let actor = Actor::new(format!("{origin:?}"), rank);
        let mut envelope = Envelope::new(self.scope.clone(), actor, self.now);
        envelope.origin = origin;
        let said = Said { text: text.to_owned().into(), ..Said::default() };
        self.append(Body { envelope, event: Event::Turn(TurnEvent::Said(said)) })
    }

    pub(crate) fn write(&mut self, rank: Rank, remember: Remember) -> RecordId {
        *self.run(rank, &Command::Remember(remember)).unwrap().last().unwrap()
    }

    pub(crate) fn remember(&mut self, rank: Rank, text: &str) -> RecordId {
        self.write(rank, Remember { text: text.into(), ..Remember::default() })
    }

    pub(crate) fn change(&mut self, rank: Rank, change: Change, target: RecordId) {
        self.run(rank, &Command::Change { change, targets: vec![target] }).unwrap();
    }

    pub(crate) fn invalidate(&mut self, target: RecordId) {
        self.change(Rank::User, Change::Invalidate { weight: None, reason: None }, target);
    }

    /// Learns that `pack` was shown.
    pub(crate) fn surface(&mut self, pack: &Pack) {
        let mut targets: Vec<RecordId> = pack.items.iter().map(|item| item.id).collect();
        targets.sort_unstable();
        let receipt = Some(Box::new(pack.receipt.clone()));
        let envelope =
            Envelope::new(self.scope.clone(), Actor::new("engine", Rank::Engine), self.now);
        let surfaced = Surfaced { targets, weight: None, receipt, beside: Vec::new() };
        self.append(Body { envelope, event: Event::Memory(MemoryEvent::Surfaced(surfaced)) });
    }

    pub(crate) fn view(&self) -> View<'_> {
        let seq = self.next().previous().unwrap();
        let chain = Digest(*blake3::hash(&seq.0.to_le_bytes()).as_bytes());
        View {
            head: Head { ledger: LedgerId([7; 16]), seq, chain, fold: 1 },
            memory: &self.memory,
            salience: &self.salience,
            recall: &self.recall,
            bodies: self,
        }
    }

    pub(crate) fn ask<'a>(&'a self, query: &'a str) -> Ask<'a> {
        Ask { query, asker: "", scope: &self.scope, now: self.now, vector: None }
    }

    pub(crate) fn request<'a>(&'a self, query: &'a str, budget_tokens: u32) -> Request<'a> {
        Request {
            checkout: CheckoutId([9; 16]),
            ask: self.ask(query),
            purpose: Purpose::General,
            hints: None,
            budget_tokens,
            min_items: 0,
            as_of: None,
            counter: &QuarterBytes,
        }
    }

    /// Everything that a checkout for `purpose` could show.
    pub(crate) fn all_for(&self, query: &str, purpose: Purpose) -> Pack {
        let request = Request { purpose, ..self.request(query, u32::MAX) };
        checkout(&self.view(), &request).unwrap()
    }

    pub(crate) fn checkout(&self, query: &str, budget_tokens: u32) -> Pack {
        checkout(&self.view(), &self.request(query, budget_tokens)).unwrap()
    }

    /// Everything that a checkout of any budget could show.
    pub(crate) fn all(&self, query: &str) -> Pack {
        self.checkout(query, u32::MAX)
    }

    pub(crate) fn recall(&self, query: &str) -> Vec<Cited> {
        recall(&self.view(), &self.ask(query), usize::MAX >> 1, &QuarterBytes).unwrap()
    }
}

pub(crate) fn ids(items: &[Cited]) -> Vec<RecordId> {
    items.iter().map(|item| item.id).collect()
}

pub(crate) fn slot(entity: &str, value: &str) -> Slot<'static> {
    Slot {
        entity: entity.to_owned().into(),
        predicate: "lives_in".into(),
        value: value.to_owned().into(),
        single: true,
    }
}

pub(crate) fn lives_in(value: &str) -> Remember {
    Remember {
        text: format!("Ana lives in {value}"),
        slot: Some(slot("ana", value)),
        ..Remember::default()
    }
}

pub(crate) fn resting(text: &str, on: &[RecordId]) -> Remember {
    Remember { text: text.into(), rests_on: on.to_vec(), ..Remember::default() }
}
