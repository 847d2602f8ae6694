//! Vectors that callers hand in, as the index folds and compares them.

use memlith_event::{Embedded, Embedding, Event, MemoryEvent, Projection, Scope};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_recall::{Hit, ModelId, ModelVector, Search};

use crate::ledger::{Ledger, Line, home, said};

fn model(name: &str) -> ModelId {
    ModelId::new(name).unwrap()
}

fn vector(name: &str, numbers: &[f32]) -> ModelVector {
    ModelVector::of_floats(model(name), numbers).unwrap()
}

fn embedded(seq: u64, vector: Embedding<'static>) -> Event<'static> {
    let target = RecordId { seq: Seq(seq), hash: [0; 6] };
    Event::Memory(MemoryEvent::Embedded(Embedded { target, vector }))
}

impl Ledger {
    fn embed(&mut self, seq: u64, name: &str, numbers: &[f32]) {
        let event = embedded(seq, vector(name, numbers).embedding());
        self.write(&Line::new(home(), event));
    }

    fn near(&self, scope: &Scope<'_>, text: &str, vector: &ModelVector) -> Vec<Hit> {
        let search = Search::of(&self.recall, text, scope, Timestamp(0));
        search.with_vector(vector).hits(1_000, &|_| true, &|_| {})
    }
}

fn found(hits: &[Hit]) -> Vec<(u64, i64)> {
    hits.iter().map(|hit| (hit.seq.0, hit.signals.vector)).collect()
}

/// A ledger that says three things, each with a vector of the model `m`.
fn three() -> Ledger {
    let texts = ["the harbour is closed", "a ship came in", "lunch is at noon"];
    let mut ledger = Ledger::default();
    texts.into_iter().for_each(|text| ledger.write(&Line::new(home(), said(text))));
    ledger.embed(0, "m", &[1.0, 0.0, 0.0]);
    ledger.embed(1, "m", &[0.8, 0.6, 0.0]);
    ledger.embed(2, "m", &[0.0, 0.0, -1.0]);
    ledger
}

#[test]
fn what_shares_no_word_is_found_by_its_vector() {
    let ledger = three();
    let query = vector("m", &[2.0, 0.0, 0.0]);
    let near = ledger.near(&home(), "quay", &query);
    assert_eq!(found(&near), [(0, 1_000_000), (1, 800_757)]);
    assert_eq!(near[0].signals.context, 0);
    assert!(ledger.ask(&home(), "quay").is_empty());
    // What points away is not found by that, and counts for nothing.
    let away = vector("m", &[0.0, 0.0, 1.0]);
    assert_eq!(found(&ledger.near(&home(), "quay", &away)), []);
    assert_eq!(found(&ledger.near(&home(), "lunch", &away)), [(2, 0)]);
}

#[test]
fn a_vector_moves_what_the_words_find() {
    let mut ledger = Ledger::default();
    for _ in 0..2 {
        ledger.write(&Line::new(home(), said("the harbour is closed")));
    }
    let plain = ledger.ask(&home(), "harbour");
    let query = vector("m", &[0.0, 1.0]);
    // Without vectors of its model it moves nothing.
    assert_eq!(ledger.near(&home(), "harbour", &query), plain);
    ledger.embed(1, "m", &[0.0, 1.0]);
    assert_eq!(found(&ledger.near(&home(), "harbour", &query)), [(1, 1_000_000), (0, 0)]);
    assert_eq!(ledger.ask(&home(), "harbour"), plain);
}

#[test]
fn vectors_of_two_models_and_of_two_widths_are_never_compared() {
    let mut ledger = three();
    let other = vector("n", &[1.0, 0.0, 0.0]);
    assert_eq!(found(&ledger.near(&home(), "quay", &other)), []);
    let wide = vector("m", &[1.0, 0.0, 0.0, 0.0]);
    assert_eq!(found(&ledger.near(&home(), "quay", &wide)), []);
    // One of another width is not folded, whatever a log says.
    let before = ledger.near(&home(), "quay", &vector("m", &[1.0, 0.0, 0.0]));
    ledger.embed(0, "m", &[0.0, 1.0]);
    assert_eq!(ledger.near(&home(), "quay", &vector("m", &[1.0, 0.0, 0.0])), before);
    assert_eq!(ledger.recall.dimensions("home", &model("m")), Some(3));
    assert_eq!(ledger.recall.dimensions("home", &model("n")), None);
    assert_eq!(ledger.recall.dimensions("elsewhere", &model("m")), None);
}

#[test]
fn the_newest_vector_of_an_item_counts() {
    let mut ledger = three();
    ledger.embed(0, "m", &[0.0, 1.0, 0.0]);
    let query = vector("m", &[0.0, 1.0, 0.0]);
    assert_eq!(found(&ledger.near(&home(), "quay", &query)), [(0, 1_000_000), (1, 598_991)]);
    assert_eq!(ledger.recall.embedded("home", &model("m")), 3);
}

#[test]
fn what_is_no_vector_or_of_no_item_is_not_folded() {
    let mut ledger = three();
    for (seq, components) in
        [(0, vec![]), (0, vec![0, 0, 0]), (0, vec![1, 1, 1]), (99, vec![127, 0, 0])]
    {
        let event = embedded(seq, Embedding { model: "m".into(), components });
        ledger.write(&Line::new(home(), event));
    }
    let nameless = Embedding { model: "".into(), components: vec![127] };
    ledger.write(&Line::new(home(), embedded(0, nameless)));
    assert_eq!(ledger.recall.embedded("home", &model("m")), 3);
    let query = vector("m", &[1.0, 0.0, 0.0]);
    assert_eq!(
        found(&ledger.near(&home(), "quay", &query)),
        found(&three().near(&home(), "quay", &query))
    );
}

#[test]
fn a_scope_of_many_vectors_is_not_scanned_but_re_scored() {
    let mut ledger = Ledger::default();
    ledger.write(&Line::new(home(), said("the harbour is closed")));
    for at in 1..=4_096 {
        ledger.write(&Line::new(home(), said(format!("lunch number {at}"))));
    }
    for seq in 0..=4_096 {
        if seq == 4_096 {
            // As many as are scanned.
            let query = vector("m", &[1.0]);
            assert_eq!(ledger.near(&home(), "quay", &query).len(), 50);
        }
        ledger.embed(seq, "m", &[1.0]);
    }
    let query = vector("m", &[1.0]);
    assert_eq!(found(&ledger.near(&home(), "quay", &query)), []);
    assert_eq!(found(&ledger.near(&home(), "harbour", &query)), [(0, 1_000_000)]);
}

#[test]
fn wide_vectors_are_compared_whole() {
    let mut ledger = Ledger::default();
    ledger.write(&Line::new(home(), said("the harbour is closed")));
    let mut numbers = vec![1.0_f32; 300];
    ledger.embed(0, "m", &numbers);
    assert_eq!(found(&ledger.near(&home(), "quay", &vector("m", &numbers))), [(0, 1_000_000)]);
    numbers[299] = -1.0;
    assert_eq!(found(&ledger.near(&home(), "quay", &vector("m", &numbers))), [(0, 993_333)]);
    // The same, from runs.
    ledger.recall.freeze();
    assert_eq!(found(&ledger.near(&home(), "quay", &vector("m", &numbers))), [(0, 993_333)]);
}

#[test]
fn a_vector_is_seen_where_its_item_is() {
    let mut ledger = Ledger::default();
    let pune = Scope { subject: Some("ana".into()), ..home() };
    ledger.write(&Line::new(pune.clone(), said("the harbour is closed")));
    let event = embedded(0, vector("m", &[1.0]).embedding());
    ledger.write(&Line::new(pune.clone(), event));
    let query = vector("m", &[1.0]);
    assert_eq!(found(&ledger.near(&pune, "quay", &query)), [(0, 1_000_000)]);
    assert_eq!(found(&ledger.near(&home(), "quay", &query)), []);
}

/// However many derived items have vectors, what the primary ones find stays.
#[test]
fn derived_items_move_no_primary_by_their_vectors() {
    let mut ledger = three();
    let query = vector("m", &[1.0, 0.0, 0.0]);
    let before = found(&ledger.near(&home(), "quay", &query));
    let first = ledger.next;
    for _ in 0..4_097 {
        ledger.write(&Line { derived: true, ..Line::new(home(), said("a summary")) });
    }
    for seq in first..first + 4_097 {
        ledger.embed(seq, "m", &[1.0, 0.0, 0.0]);
        if seq == first + 10 {
            assert_eq!(ledger.near(&home(), "quay", &query).len(), before.len() + 11);
        }
    }
    let primary: Vec<_> = found(&ledger.near(&home(), "quay", &query));
    assert_eq!(primary, before);
}
