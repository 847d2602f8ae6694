use memlith_checkout::{
    Ask, Bodies, Cited, Head, Pack, QuarterBytes, Request, View, checkout, recall,
};
use memlith_event::{
    Actor, Body, CheckoutId, Content, Envelope, Event, MemoryEvent, Origin, Projection, Purpose,
    Rank, Said, Scope, Stored, Surfaced, TurnEvent, Via,
};
use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};
use memlith_memory::{Command, Door, Memory, Rejection};
use memlith_recall::Recall;
use memlith_salience::Salience;

/// A ledger without a log: it numbers events, keeps them and folds them.
#[derive(Clone, Debug)]
pub(super) struct Bench {
    pub(super) memory: Memory,
    pub(super) salience: Salience,
    recall: Recall,
    pub(super) events: Vec<(RecordId, Timestamp, Body<'static>)>,
    pub(super) now: Timestamp,
    pub(super) scope: Scope<'static>,
}

impl Bodies for Bench {
    fn body(&self, id: RecordId, read: &mut dyn FnMut(&Body<'_>)) {
        if let Some((_, _, body)) = self.event(id) {
            read(body);
        }
    }
}

impl Bench {
    pub(super) fn new() -> Bench {
        Bench {
            memory: Memory::default(),
            salience: Salience::default(),
            recall: Recall::default(),
            events: Vec::new(),
            now: Timestamp(1_000 * Timestamp::DAY_US),
            scope: Scope::tenant("t"),
        }
    }

    /// The record hash of the event at `seq`.
    pub(super) fn hash(seq: Seq) -> Digest {
        Digest(*blake3::hash(&seq.0.to_le_bytes()).as_bytes())
    }

    pub(super) fn last(&self) -> Seq {
        Seq(u64::try_from(self.events.len()).unwrap_or(u64::MAX))
    }

    /// The event called `id`: they are numbered from 1.
    pub(super) fn event(&self, id: RecordId) -> Option<&(RecordId, Timestamp, Body<'static>)> {
        let at = usize::try_from(id.seq.0).ok()?.checked_sub(1)?;
        self.events.get(at).filter(|(known, ..)| *known == id)
    }

    /// When what an event tells of happened, as it says itself.
    pub(super) fn born(&self, id: RecordId) -> Timestamp {
        self.event(id).map_or(Timestamp(0), |(_, _, body)| body.envelope.occurred_at)
    }

    /// The events of a command; nothing is folded.
    pub(super) fn decide(
        &self,
        rank: Rank,
        command: &Command,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let origin = match rank {
            Rank::Engine => Origin::Derived,
            Rank::Web => Origin::Web,
            Rank::Tool => Origin::Tool,
            Rank::Assistant => Origin::Assistant,
            Rank::User | Rank::Reviewer | Rank::Owner => Origin::User,
        };
        let door = Door {
            sources: None,
            scope: self.scope.clone(),
            actor: actor(rank),
            origin,
            via: Via::Live,
            tier_cap: None,
            occurred_at: self.now,
            now: self.now,
            key: None,
            copied_from: None,
            next: self.last().next(),
        };
        self.memory.decide(command, &door)
    }

    /// Folds the next event in; it is recorded now.
    pub(super) fn append(&mut self, body: Body<'static>) -> RecordId {
        let id = RecordId::new(self.last().next(), &Bench::hash(self.last().next()));
        self.fold(id, self.now, body.clone());
        self.events.push((id, self.now, body));
        id
    }

    fn fold(&mut self, id: RecordId, recorded_at: Timestamp, body: Body<'static>) {
        let stored = Stored { id, recorded_at, content: Content::Event(Box::new(body)) };
        self.salience.apply(&stored, &self.memory);
        self.recall.apply(&stored, &self.memory);
        let before = Memory::default();
        self.memory.apply(&stored, &before);
    }

    /// Returns a bench with these events, recorded later by `by_us` microseconds.
    pub(super) fn recorded_later(&self, by_us: i64) -> Bench {
        let mut later = Bench { now: self.now, scope: self.scope.clone(), ..Bench::new() };
        for (id, recorded_at, body) in &self.events {
            later.fold(*id, recorded_at.plus_us(by_us), body.clone());
        }
        later.events.clone_from(&self.events);
        later
    }

    /// Returns a record of a text that somebody of this origin said.
    pub(super) fn said(&self, origin: Origin, text: String) -> Body<'static> {
        let rank = match origin {
            Origin::User => Rank::User,
            Origin::Assistant => Rank::Assistant,
            Origin::Tool | Origin::File => Rank::Tool,
            Origin::Web => Rank::Web,
            Origin::Derived => Rank::Engine,
        };
        let mut envelope = Envelope::new(self.scope.clone(), actor(rank), self.now);
        envelope.origin = origin;
        let said = Said { text: text.into(), ..Said::default() };
        Body { envelope, event: Event::Turn(TurnEvent::Said(said)) }
    }

    /// Returns an event that shows these items, sorted and each once.
    pub(super) fn shown(&self, mut targets: Vec<RecordId>) -> Body<'static> {
        targets.sort_unstable();
        targets.dedup();
        let envelope = Envelope::new(self.scope.clone(), actor(Rank::Engine), self.now);
        let surfaced = Surfaced { targets, weight: None, receipt: None, beside: Vec::new() };
        Body { envelope, event: Event::Memory(MemoryEvent::Surfaced(surfaced)) }
    }

    fn view(&self) -> View<'_> {
        let head = Head {
            ledger: LedgerId([7; 16]),
            seq: self.last(),
            chain: Bench::hash(self.last()),
            fold: 1,
        };
        View {
            head,
            memory: &self.memory,
            salience: &self.salience,
            recall: &self.recall,
            bodies: self,
        }
    }

    /// A checkout of a query that is never empty.
    pub(super) fn checkout(&self, query: &str, budget_tokens: u32) -> Pack {
        let request = Request {
            checkout: CheckoutId([9; 16]),
            ask: self.ask(query),
            purpose: Purpose::General,
            hints: None,
            budget_tokens,
            min_items: 0,
            as_of: None,
            counter: &QuarterBytes,
        };
        checkout(&self.view(), &request).expect("a query of a few words, and a budget")
    }

    /// Everything that a checkout of any budget could show.
    pub(super) fn all(&self, query: &str) -> Pack {
        self.checkout(query, u32::MAX)
    }

    pub(super) fn recall(&self, query: &str) -> Vec<Cited> {
        recall(&self.view(), &self.ask(query), usize::MAX >> 1, &QuarterBytes)
            .expect("a query of a few words")
    }

    fn ask<'a>(&'a self, query: &'a str) -> Ask<'a> {
        Ask { query, asker: "", scope: &self.scope, now: self.now, vector: None }
    }
}

/// The one actor of a rank.
pub(super) fn actor(rank: Rank) -> Actor<'static> {
    Actor::new(format!("{rank:?}"), rank)
}
