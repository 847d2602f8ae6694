use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use memlith_event::{Body, Origin};
use memlith_log::{RecordId, Seq};
use memlith_memory::Change;
use proptest::prelude::*;

use super::*;
use crate::tests::ledger::Ledger;
use crate::{Pack, QuarterBytes, Request, View, checkout};

/// The bodies of a ledger, also for a second thread, which is done before the walk begins.
struct Twice<'a> {
    ledger: &'a Ledger,
    /// What the second thread can't read.
    hidden: BTreeSet<Seq>,
    /// What the walk read itself.
    read: Mutex<Vec<RecordId>>,
    /// What the second thread asked for.
    read_ahead: Arc<Mutex<Vec<RecordId>>>,
    ended: (Mutex<Option<Sender<()>>>, Mutex<Receiver<()>>),
}

/// What the second thread has of it.
struct Apart {
    ledger: Ledger,
    hidden: BTreeSet<Seq>,
    read: Arc<Mutex<Vec<RecordId>>>,
    /// Gone with the thread.
    _ends: Option<Sender<()>>,
}

impl<'a> Twice<'a> {
    fn of(ledger: &'a Ledger, hidden: &[Seq]) -> Twice<'a> {
        let (sender, receiver) = channel();
        Twice {
            ledger,
            hidden: hidden.iter().copied().collect(),
            read: Mutex::default(),
            read_ahead: Arc::default(),
            ended: (Mutex::new(Some(sender)), Mutex::new(receiver)),
        }
    }
}

impl Bodies for Twice<'_> {
    fn body(&self, id: RecordId, read: &mut dyn FnMut(&Body<'_>)) {
        self.read.lock().unwrap().push(id);
        self.ledger.body(id, read);
    }

    fn will_need(&self, _ids: &mut dyn Iterator<Item = RecordId>) {
        // Waits until the thread has let go of its end, if it ever began.
        drop(self.ended.0.lock().unwrap().take());
        assert!(self.ended.1.lock().unwrap().recv().is_err());
    }

    fn apart(&self) -> Option<Box<dyn Bodies + Send>> {
        Some(Box::new(Apart {
            ledger: self.ledger.clone(),
            hidden: self.hidden.clone(),
            read: self.read_ahead.clone(),
            _ends: self.ended.0.lock().unwrap().take(),
        }))
    }
}

impl Bodies for Apart {
    fn body(&self, id: RecordId, read: &mut dyn FnMut(&Body<'_>)) {
        self.read.lock().unwrap().push(id);
        if !self.hidden.contains(&id.seq) {
            self.ledger.body(id, read);
        }
    }
}

fn request(ledger: &Ledger, budget_tokens: u32) -> Request<'_> {
    ledger.request("tea kettle", budget_tokens)
}

fn pack(ledger: &Ledger, bodies: &dyn Bodies, budget_tokens: u32) -> Pack {
    let view = View { bodies, ..ledger.view() };
    checkout(&view, &request(ledger, budget_tokens)).unwrap()
}

/// So many records on tea, each longer than an excerpt.
fn long_records(count: usize) -> Ledger {
    let mut ledger = Ledger::new();
    for at in 0..count {
        let told = format!("Number {at} drinks tea. ");
        ledger.say(Origin::User, &told.repeat(30));
    }
    ledger
}

/// What a record says: some words of the query, of some length, in some sentences.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(&["tea", "kettle", "Ana", "never", "7", "of", "mill"][..]);
    let sentence = prop::collection::vec(word, 1..24);
    let all =
        prop::collection::vec((sentence, prop::sample::select(&[". ", "? ", "\n"][..])), 1..7);
    all.prop_map(|all| {
        let each = all.into_iter().map(|(words, end)| words.join(" ") + end);
        format!("tea {}", each.collect::<String>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 200 }))]

    #[test]
    fn a_pack_is_the_same_whatever_was_made_ahead(
        texts in prop::collection::vec((text(), 0_u8..8, any::<bool>()), 1..50),
        budget in 20_u32..3_000,
        pinned in 0_usize..8,
    ) {
        let mut ledger = Ledger::new();
        let origins = [Origin::User, Origin::Assistant, Origin::Tool, Origin::Web];
        let (mut hidden, mut remembered) = (Vec::new(), Vec::new());
        for (at, (text, kind, hides)) in texts.iter().enumerate() {
            let id = match origins.get(usize::from(*kind)) {
                Some(origin) => ledger.say(*origin, text),
                None => ledger.remember(memlith_event::Rank::User, &format!("{text} {at}")),
            };
            if *kind >= 4 {
                remembered.push(id);
            }
            hidden.extend(hides.then_some(id.seq));
            if *kind == 1 && *hides {
                ledger.erased.push(id.seq);
            }
        }
        for id in remembered.iter().take(pinned) {
            ledger.change(memlith_event::Rank::Owner, Change::Pin, *id);
        }
        let alone = pack(&ledger, &ledger, budget);
        for hidden in [&[][..], &hidden] {
            let bodies = Twice::of(&ledger, hidden);
            prop_assert_eq!(&pack(&ledger, &bodies, budget), &alone);
        }
    }
}

#[test]
#[cfg(not(miri))]
fn nothing_is_read_ahead_that_the_walk_would_not_have_read() {
    let ledger = long_records(90);
    for budget in [20, 700, 720, 721, 1_000, 2_000, 9_000] {
        let alone = Twice::of(&ledger, &[]);
        let view = View { bodies: &alone, ..ledger.view() };
        let counted = Request { counter: &Counter, ..request(&ledger, budget) };
        let expected = checkout(&view, &counted).unwrap();
        assert!(alone.read_ahead.lock().unwrap().is_empty(), "the counter is one thread's alone");
        let walked: BTreeSet<_> = alone.read.lock().unwrap().iter().copied().collect();

        let both = Twice::of(&ledger, &[]);
        assert_eq!(pack(&ledger, &both, budget).items, expected.items);
        let ahead: BTreeSet<_> = both.read_ahead.lock().unwrap().iter().copied().collect();
        assert!(ahead.is_subset(&walked), "{budget}");
        assert_eq!(ahead.len() >= PAYS, walked.len() >= PAYS, "{budget}: {}", walked.len());
        // All of them but the last few, which only a shorter excerpt left room for.
        let own: BTreeSet<_> = both.read.lock().unwrap().iter().copied().collect();
        assert!(ahead.is_disjoint(&own) && own.len() + ahead.len() == walked.len(), "{budget}");
    }
}

/// What the second thread can't read is read by the walk, so that what is wrong with it is
/// said once and whatever the threads do.
#[test]
#[cfg(not(miri))]
fn what_could_not_be_read_ahead_is_read_by_the_walk() {
    let ledger = long_records(40);
    let bodies = Twice::of(&ledger, &[Seq(20), Seq(30)]);
    pack(&ledger, &bodies, 20_000);
    let read = bodies.read.lock().unwrap().iter().map(|id| id.seq).collect::<BTreeSet<_>>();
    assert_eq!(read, BTreeSet::from([Seq(20), Seq(30)]));
}

/// A counter that is one thread's alone.
struct Counter;

impl TokenCounter for Counter {
    fn name(&self) -> &str {
        QuarterBytes.name()
    }

    fn count(&self, text: &str) -> u32 {
        QuarterBytes.count(text)
    }
}

#[test]
fn so_many_are_read_however_long_they_are() {
    for (room, expected) in [(0, 1), (135, 1), (136, 2), (815, 6), (816, 7), (854, 8), (2_000, 38)]
    {
        assert_eq!(surely_read(room), expected, "{room}");
    }
    assert!(surely_read(u32::MAX) > 100_000_000);
}
