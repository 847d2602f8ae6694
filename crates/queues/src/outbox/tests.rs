use memlith_event::{
    Actor, Attempt, Body, Envelope, Foreign, ItemFacts, Rank, Scope, Settled, Switched,
};
use memlith_log::RecordId;

use super::*;

struct NoFacts;

impl Facts for NoFacts {
    fn item(&self, _: Seq) -> Option<ItemFacts> {
        None
    }
}

const SINK: &str = "graph";

fn at(seconds: i64) -> Timestamp {
    Timestamp(seconds * 1_000_000)
}

fn wanted() -> Wanted {
    Wanted { sink: sink_key(SINK), kinds: Deliverable::ALL.to_vec() }
}

fn stored<'a>(seq: u64, seconds: i64, content: Content<'a>) -> Stored<'a> {
    Stored {
        id: RecordId { seq: Seq(seq), ..RecordId::default() },
        recorded_at: at(seconds),
        content,
    }
}

fn tell(outbox: &mut Outbox, seq: u64, event: Event<'static>) {
    let envelope = Envelope::new(Scope::tenant("t"), Actor::new("a", Rank::Engine), at(0));
    let content = Content::Event(Box::new(Body { envelope, event }));
    outbox.apply(&stored(seq, seq as i64, content), &NoFacts);
}

fn note(outbox: &mut Outbox, seq: u64) {
    let foreign = Foreign {
        format: NOTE_FORMAT.into(),
        kind: "basin.strengthened".into(),
        json: "{}".into(),
    };
    tell(outbox, seq, Event::Foreign(foreign));
}

fn attempt(outbox: &mut Outbox, seq: u64, parcel: &Parcel, until: i64) {
    let attempt = Attempt {
        sink: SINK.into(),
        items: parcel.items.iter().map(|(seq, _)| *seq).collect(),
        gone: parcel.gone.clone(),
        through: parcel.through,
        until: at(until),
    };
    tell(outbox, seq, Event::Delivery(DeliveryEvent::Attempted(attempt)));
}

fn settle(outbox: &mut Outbox, seq: u64, attempt: u64, failed: &[u64], retry_at: Option<i64>) {
    let settled = Settled {
        attempt: Seq(attempt),
        sink: SINK.into(),
        failed: failed.iter().copied().map(Seq).collect(),
        retry_at: retry_at.map(at),
        ..Settled::default()
    };
    tell(outbox, seq, Event::Delivery(DeliveryEvent::Settled(settled)));
}

fn seqs(parcel: &Parcel) -> Vec<u64> {
    parcel.items.iter().map(|(seq, _)| seq.0).collect()
}

fn pending(outbox: &Outbox) -> Vec<u64> {
    outbox.pending(&wanted()).map(|(seq, _)| seq.0).collect()
}

#[test]
fn a_batch_is_taken_once_and_is_open_until_it_is_settled() {
    let mut outbox = Outbox::default();
    (1..=5).for_each(|seq| note(&mut outbox, seq));
    let parcel = outbox.next(&wanted(), 3).unwrap();
    assert_eq!(seqs(&parcel), [1, 2, 3]);
    attempt(&mut outbox, 6, &parcel, 100);
    assert_eq!(pending(&outbox), [4, 5]);
    // Whoever has it may still be at work.
    assert_eq!(outbox.due_again(sink_key(SINK), at(99)), None);
    let again = outbox.due_again(sink_key(SINK), at(100)).unwrap();
    assert_eq!((seqs(&again), again.attempts), (vec![1, 2, 3], 1));
    settle(&mut outbox, 7, 6, &[], None);
    assert_eq!(outbox.open(sink_key(SINK)).count(), 0);
    assert_eq!(outbox.sink(sink_key(SINK)).applied, 3);
}

#[test]
fn only_what_failed_is_sent_again_and_holds_nothing_up() {
    let mut outbox = Outbox::default();
    (1..=4).for_each(|seq| note(&mut outbox, seq));
    let parcel = outbox.next(&wanted(), 3).unwrap();
    attempt(&mut outbox, 5, &parcel, 100);
    settle(&mut outbox, 6, 5, &[2], Some(20));
    assert_eq!(seqs(&outbox.next(&wanted(), 50).unwrap()), [4]);
    assert_eq!(outbox.due_again(sink_key(SINK), at(19)), None);
    assert_eq!(seqs(&outbox.due_again(sink_key(SINK), at(20)).unwrap()), [2]);
    let again = outbox.due_again(sink_key(SINK), at(20)).unwrap();
    attempt(&mut outbox, 7, &again, 200);
    settle(&mut outbox, 8, 7, &[2], None);
    assert_eq!(outbox.due_again(sink_key(SINK), at(9_999)), None);
    let dead: Vec<Open> = outbox.open(sink_key(SINK)).collect();
    assert_eq!((dead.len(), dead[0].state, dead[0].attempts), (1, OpenState::Dead, 2));
    let switched = Switched { sink: SINK.into(), to: Service::Retried, ..Switched::default() };
    tell(&mut outbox, 9, Event::Delivery(DeliveryEvent::Switched(switched)));
    assert_eq!(seqs(&outbox.due_again(sink_key(SINK), at(9)).unwrap()), [2]);
}

#[test]
fn what_is_erased_is_not_sent_and_whoever_has_it_is_told() {
    let erased = |outbox: &mut Outbox, seq| {
        outbox.apply(&stored(seq, 0, Content::Erased(Kind::FOREIGN)), &NoFacts);
    };
    // As the log is folded after an erasure: the erased records come first.
    let mut outbox = Outbox::default();
    erased(&mut outbox, 1);
    note(&mut outbox, 2);
    erased(&mut outbox, 3);
    let sent = Parcel {
        items: vec![(Seq(1), Deliverable::Memory), (Seq(2), Deliverable::Memory)],
        through: Seq(2),
        ..Parcel::default()
    };
    attempt(&mut outbox, 4, &sent, 100);
    settle(&mut outbox, 5, 4, &[], None);
    // The third was never sent, and nobody has to hear of it.
    let next = outbox.next(&wanted(), 50).unwrap();
    assert_eq!((seqs(&next), next.gone.clone()), (vec![], vec![Seq(1)]));
    attempt(&mut outbox, 6, &next, 100);
    assert_eq!(outbox.next(&wanted(), 50), None);
    settle(&mut outbox, 7, 6, &[], None);
    assert_eq!(outbox.next(&wanted(), 50), None);
    assert_eq!(outbox.due_again(sink_key(SINK), at(9_999)), None);
}

#[test]
fn what_was_erased_while_it_waited_is_told_instead_of_sent() {
    let mut outbox = Outbox::default();
    outbox.apply(&stored(1, 0, Content::Erased(Kind::FOREIGN)), &NoFacts);
    let sent =
        Parcel { items: vec![(Seq(1), Deliverable::Memory)], through: Seq(1), ..Parcel::default() };
    attempt(&mut outbox, 2, &sent, 100);
    let again = outbox.due_again(sink_key(SINK), at(100)).unwrap();
    assert_eq!((seqs(&again), again.gone.clone()), (vec![], vec![Seq(1)]));
    attempt(&mut outbox, 3, &again, 200);
    settle(&mut outbox, 4, 3, &[], None);
    assert_eq!(outbox.open(sink_key(SINK)).count(), 0);
    assert_eq!(outbox.next(&wanted(), 50), None);
}

#[test]
fn a_restarted_sink_gets_everything_anew() {
    let mut outbox = Outbox::default();
    (1..=3).for_each(|seq| note(&mut outbox, seq));
    let parcel = outbox.next(&wanted(), 50).unwrap();
    attempt(&mut outbox, 4, &parcel, 100);
    settle(&mut outbox, 5, 4, &[3], None);
    let switched = Switched { sink: SINK.into(), to: Service::Restarted, ..Switched::default() };
    tell(&mut outbox, 6, Event::Delivery(DeliveryEvent::Switched(switched)));
    assert_eq!(pending(&outbox), [1, 2, 3]);
    assert_eq!(outbox.open(sink_key(SINK)).count(), 0);
}
