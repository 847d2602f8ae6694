use memlith_event::{
    Actor, Body, Content, Envelope, Event, Facts, ItemFacts, MemoryEvent, Origin, Projection, Rank,
    Remembered, Said, Scope, Slot, Stored, ToolRan, TurnEvent,
};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_recall::{Hit, Query, Recall, search};
use proptest::prelude::*;

/// An index that is written line by line.
#[derive(Clone, Default)]
pub(crate) struct Ledger {
    pub(crate) recall: Recall,
    pub(crate) next: u64,
}

/// One record to be.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) scope: Scope<'static>,
    pub(crate) actor: &'static str,
    pub(crate) derived: bool,
    pub(crate) day: i64,
    pub(crate) event: Event<'static>,
}

pub(crate) fn home() -> Scope<'static> {
    Scope::tenant("home")
}

pub(crate) fn in_session(session: &'static str) -> Scope<'static> {
    Scope { session: Some(session.into()), ..home() }
}

pub(crate) fn said(text: impl Into<String>) -> Event<'static> {
    let said = Said { text: text.into().into(), ..Said::default() };
    Event::Turn(TurnEvent::Said(said))
}

pub(crate) fn ran(
    tool: &'static str,
    arguments: &'static str,
    output: &'static str,
) -> Event<'static> {
    let (tool, arguments, output) = (tool.into(), arguments.into(), output.into());
    Event::Turn(TurnEvent::ToolRan(ToolRan { tool, arguments, output, ..ToolRan::default() }))
}

pub(crate) fn remembered(text: &'static str, entity: &'static str) -> Event<'static> {
    let slot = Slot { entity: entity.into(), ..Slot::default() };
    let memory = Remembered { slot: Some(slot), ..Remembered::text(text) };
    Event::Memory(MemoryEvent::Remembered(memory))
}

impl Line {
    pub(crate) fn new(scope: Scope<'static>, event: Event<'static>) -> Line {
        Line { scope, actor: "ana", derived: false, day: 0, event }
    }

    fn content(&self) -> Content<'static> {
        let actor = Actor::new(self.actor, Rank::User);
        let occurred_at = Timestamp(self.day * Timestamp::DAY_US);
        let mut envelope = Envelope::new(self.scope.clone(), actor, occurred_at);
        if self.derived {
            envelope.origin = Origin::Derived;
        }
        Content::Event(Box::new(Body { envelope, event: self.event.clone() }))
    }
}

impl Ledger {
    pub(crate) fn of<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Ledger {
        let mut ledger = Ledger::default();
        lines.into_iter().for_each(|line| ledger.write(line));
        ledger
    }

    pub(crate) fn write(&mut self, line: &Line) {
        self.fold(line.content());
    }

    pub(crate) fn fold(&mut self, content: Content<'_>) {
        let id = RecordId { seq: Seq(self.next), hash: [0; 6] };
        let stored = Stored { id, recorded_at: Timestamp(0), content };
        self.recall.apply(&stored, &NoFacts);
        self.next += 1;
    }

    pub(crate) fn ask(&self, scope: &Scope<'_>, text: &str) -> Vec<Hit> {
        self.ask_of(scope, text, &|_| true)
    }

    pub(crate) fn ask_of(
        &self,
        scope: &Scope<'_>,
        text: &str,
        eligible: &dyn Fn(Seq) -> bool,
    ) -> Vec<Hit> {
        search(&self.recall, &Query { text, scope, now: Timestamp(0), limit: 1_000, eligible })
    }

    pub(crate) fn seqs(&self, scope: &Scope<'_>, text: &str) -> Vec<u64> {
        self.ask(scope, text).into_iter().map(|hit| hit.seq.0).collect()
    }
}

struct NoFacts;

impl Facts for NoFacts {
    fn item(&self, _: Seq) -> Option<ItemFacts> {
        None
    }
}

/// A few words, so that they meet often.
pub(crate) fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "retry",
        "checkout",
        "ledger",
        "yesterday",
        "Ana",
        "bob",
        "my",
        "three",
        "the",
        "run?",
        "src/main.rs",
        "2024-05-03",
        "checkout::retry",
    ]);
    prop::collection::vec(word, 1..7).prop_map(|words| words.join(" "))
}

/// Lines of the given tenants; one in eight is derived, one in eight session-only.
pub(crate) fn lines(tenant: &'static str, count: usize) -> impl Strategy<Value = Vec<Line>> {
    let line = (words(), 0_u8..3, 0_u8..3, 0_u8..8, 0_i64..30).prop_map(
        move |(text, session, subject, sort, day)| Line {
            scope: Scope {
                subject: [None, Some("x"), Some("y")][usize::from(subject)].map(Into::into),
                session: [None, Some("s1"), Some("s2")][usize::from(session)].map(Into::into),
                session_only: sort == 1 && session > 0,
                ..Scope::tenant(tenant)
            },
            actor: ["ana", "bob"][usize::from(sort % 2)],
            derived: sort == 0,
            day,
            event: said(text),
        },
    );
    prop::collection::vec(line, 1..count)
}
