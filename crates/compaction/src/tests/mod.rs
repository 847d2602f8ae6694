//! The ledger from which the tests of this crate plan.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{Key, OwnStatus, Tier};
use memlith_log::{Digest, RecordId, Seq};
use memlith_memory::Authority;
use memlith_salience::Log2;
use proptest::prelude::*;

use crate::{Bodies, Item, Plan, Rules, SessionEnd, Sort, SummaryId, View, Words, plan};

/// A ledger as far as a plan sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) items: Vec<Item>,
    pub(crate) ends: Vec<SessionEnd>,
    pub(crate) written: BTreeSet<SummaryId>,
    pub(crate) texts: BTreeMap<RecordId, (String, Option<String>)>,
    pub(crate) head: u64,
}

/// Small spans, so that short histories have many.
pub(crate) const SMALL: Rules = Rules {
    span_items: 6,
    tail_events: 4,
    sources_min: 2,
    sources_per_exemplar: 3,
    excerpt_tokens: 16,
};

pub(crate) fn cell(number: u8) -> Key {
    Key::of("cell", &[&[number]])
}

pub(crate) fn session(cell: u8, number: u8) -> Key {
    Key::of("session", &[&[cell, number]])
}

impl Ledger {
    /// A shared, active record that says `text`, as the next event; changed by `with`.
    pub(crate) fn says(&mut self, text: &str, with: impl FnOnce(&mut Item)) -> Seq {
        self.head += 1;
        let seq = Seq(self.head);
        let hash = Digest(*blake3::hash(&self.head.to_le_bytes()).as_bytes());
        let mut item = Item {
            seq,
            hash,
            sort: Sort::Record,
            cell: cell(0),
            session: None,
            session_only: false,
            own: OwnStatus::Active,
            label: Authority::Active,
            derived: false,
            tier: Tier(4),
            level: Log2::ZERO,
        };
        with(&mut item);
        self.texts.insert(item.id(), (text.to_owned(), None));
        self.items.push(item);
        seq
    }

    /// Ends the session, as the next event.
    pub(crate) fn ends(&mut self, session: Key) {
        self.head += 1;
        self.ends.push(SessionEnd { session, at: Seq(self.head) });
    }

    /// Appends this number of events that are no items.
    pub(crate) fn pass(&mut self, events: u64) {
        self.head += events;
    }

    pub(crate) fn view(&self) -> View<'_> {
        View { seq: Seq(self.head), items: &self.items, ends: &self.ends, written: &self.written }
    }

    pub(crate) fn plan(&self, rules: &Rules) -> Plan {
        plan(&self.view(), self, rules).unwrap()
    }

    pub(crate) fn item(&mut self, seq: Seq) -> &mut Item {
        self.items.iter_mut().find(|item| item.seq == seq).unwrap()
    }

    /// The ledger as it was at `head`, its items as they are now.
    pub(crate) fn until(&self, head: u64) -> Ledger {
        let mut earlier = self.clone();
        earlier.items.retain(|item| item.seq.0 <= head);
        earlier.ends.retain(|end| end.at.0 <= head);
        earlier.head = head;
        earlier
    }
}

impl Bodies for Ledger {
    fn read(&self, id: RecordId) -> Option<Words<'_>> {
        let (text, entity) = self.texts.get(&id)?;
        Some(Words { text: Cow::Borrowed(text), entity: entity.as_deref().map(Cow::Borrowed) })
    }
}

/// A random ledger of every sort of item, most of them active.
pub(crate) fn ledgers(events: usize) -> impl Strategy<Value = Ledger> {
    proptest::collection::vec(event(), 0..events).prop_map(|events| {
        let mut ledger = Ledger::default();
        for event in events {
            event.append(&mut ledger);
        }
        ledger
    })
}

#[derive(Clone, Debug)]
pub(crate) struct Event {
    place: (u8, u8, bool),
    kind: u8,
    own: OwnStatus,
    label: Authority,
    tier: u8,
    level: i64,
    text: String,
    entity: Option<String>,
}

impl Event {
    pub(crate) fn append(&self, ledger: &mut Ledger) {
        let (in_cell, in_session, session_only) = self.place;
        let in_session = (in_session > 0).then(|| session(in_cell, in_session));
        match (self.kind, in_session) {
            (0, _) => ledger.pass(1),
            (1, Some(session)) => ledger.ends(session),
            _ => {
                let seq = ledger.says(&self.text, |item| {
                    item.cell = cell(in_cell);
                    item.session = in_session;
                    item.session_only = session_only;
                    item.sort = match self.kind {
                        2 => Sort::Bookkeeping,
                        3..=6 => Sort::Memory,
                        _ => Sort::Record,
                    };
                    item.derived = self.kind == 3;
                    item.own = self.own;
                    item.label = self.label;
                    item.tier = Tier(self.tier);
                    item.level = Log2(self.level);
                });
                let id = ledger.item(seq).id();
                if self.kind == 4 {
                    ledger.texts.remove(&id);
                } else {
                    ledger.texts.get_mut(&id).unwrap().1.clone_from(&self.entity);
                }
            }
        }
    }
}

pub(crate) fn event() -> impl Strategy<Value = Event> {
    let own = prop_oneof![
        12 => Just(OwnStatus::Active),
        1 => (0..6_u8).prop_map(OwnStatus::from_code),
    ];
    let label = prop_oneof![
        12 => Just(Authority::Active),
        1 => proptest::sample::select(&LABELS[..]),
    ];
    let level = prop_oneof![Just(0), (-40..9_i64).prop_map(|level| level * Log2::ONE.0 / 3)];
    let place = (0..2_u8, 0..3_u8, proptest::bool::weighted(0.1));
    let entity = proptest::option::weighted(0.2, "[AB]na");
    (place, 0..20_u8, own, label, 1..5_u8, level, text(), entity).prop_map(
        |(place, kind, own, label, tier, level, text, entity)| Event {
            place,
            kind,
            own,
            label,
            tier,
            level,
            text,
            entity,
        },
    )
}

pub(crate) fn text() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(&WORDS[..]);
    proptest::collection::vec(word, 0..14).prop_map(|words| words.join(" "))
}

const WORDS: [&str; 16] = [
    "deploy",
    "Ana",
    "src/main.rs",
    "retry_budget",
    "is",
    "the",
    "green",
    "build.",
    "failed",
    "#42",
    "again",
    "\u{6771}\u{4eac}",
    "memlith://x",
    "\n",
    "Pune",
    "then",
];

pub(crate) const LABELS: [Authority; 11] = [
    Authority::Erased,
    Authority::Invalidated,
    Authority::Rejected,
    Authority::Retracted,
    Authority::Pending,
    Authority::Stale,
    Authority::Superseded,
    Authority::Expired,
    Authority::Future,
    Authority::Outdated,
    Authority::Contested,
];
