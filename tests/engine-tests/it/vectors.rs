//! Vectors that callers hand in: written, found by, erased, copied, asked for.

use memlith::{
    Authority, Caller, Change, Checkout, CheckoutRequest, Error, Ledger, Options, Question, Rank,
    RecordId, Scope,
    read::Verdict,
    write::Rejection,
    write::{ModelId, ModelVector},
};

use crate::world::{World, ana, digest, export, owner, say, words};

fn model(name: &str) -> ModelId {
    ModelId::new(name).unwrap()
}

fn vector(numbers: &[f32]) -> ModelVector {
    ModelVector::of_floats(model("m"), numbers).unwrap()
}

fn embed(ledger: &Ledger, id: RecordId, numbers: &[f32]) -> u64 {
    ledger.vectors().embed(&ana(), &[(id, vector(numbers))]).unwrap().written.len() as u64
}

/// The items that a question finds, with the vector's signal of each.
fn near(ledger: &Ledger, caller: &Caller, query: &str, numbers: &[f32]) -> Vec<(RecordId, i64)> {
    let question = Question { query: query.to_owned(), as_of: None };
    let found = ledger.recall_near(caller, &question, Some(&vector(numbers)), 10).unwrap();
    found.into_iter().map(|cited| (cited.id, cited.why.signals.vector)).collect()
}

fn check_out(ledger: &Ledger, query: &str, numbers: &[f32]) -> Checkout {
    let vector = Some(vector(numbers));
    ledger.checkout(&ana(), &CheckoutRequest { vector, ..CheckoutRequest::new(query) }).unwrap()
}

#[test]
fn what_shares_no_word_is_found_and_its_receipt_is_made_again() {
    let world = World::new();
    let ledger = world.init();
    let harbour = say(&ledger, "The harbour is closed.");
    let lunch = say(&ledger, "Lunch is at noon.");
    assert_eq!(embed(&ledger, harbour, &[1.0, 0.0]), 1);
    assert_eq!(embed(&ledger, lunch, &[-1.0, 0.2]), 1);
    assert_eq!(near(&ledger, &ana(), "quay", &[3.0, 0.0]), [(harbour, 1_000_000)]);
    let checkout = check_out(&ledger, "quay", &[3.0, 0.0]);
    assert_eq!(checkout.pack.items.len(), 1);
    let written = checkout.pack.receipt.vector.as_ref().unwrap();
    assert_eq!((written.model.as_str(), written.components.as_slice()), ("m", &[127, 0][..]));
    world.tick();
    say(&ledger, "A quay is a harbour.");
    for ledger in [&ledger, &world.open()] {
        let verdicts: Vec<Verdict> =
            ledger.audit().receipts().unwrap().into_iter().map(|audit| audit.verdict).collect();
        assert_eq!(verdicts, [Verdict::Reproduced]);
    }
    // Another vector is another question.
    let other = check_out(&ledger, "lunch", &[1.0, 0.0]).pack.items;
    assert!(other.iter().any(|cited| cited.id == harbour));
}

#[test]
fn vectors_fold_to_the_same_state_from_everywhere() {
    let world = World::new();
    let ledger = world.init();
    let ids: Vec<RecordId> = (0..20).map(|at| say(&ledger, &format!("note {at}"))).collect();
    for (id, at) in ids.iter().zip(1_u8..) {
        assert_eq!(embed(&ledger, *id, &[1.0, f32::from(at) / 20.0]), 1);
    }
    ledger.checkpoints().write().unwrap();
    embed(&ledger, ids[3], &[0.0, 1.0]);
    // The same once more is written by nobody.
    let again = ledger.vectors().embed(&ana(), &[(ids[3], vector(&[0.0, 7.0]))]).unwrap();
    assert_eq!((again.written.len(), again.already_present), (0, 1));
    let whole = Options { use_checkpoint: false, ..Options::default() };
    let asked = |ledger: &Ledger| near(ledger, &ana(), "quay", &[0.0, 1.0]);
    let expected = (digest(&ledger), asked(&ledger));
    assert_eq!(expected.1.first(), Some(&(ids[3], 1_000_000)));
    for other in [world.open(), world.open_with(whole).unwrap()] {
        assert_eq!((digest(&other), asked(&other)), expected);
    }
    // And out of an export.
    let restored = World::new();
    let ledger = restored.init();
    ledger.import_jsonl(&owner(), export(&world.open()).as_bytes()).unwrap();
    assert_eq!((digest(&ledger), asked(&ledger)), expected);
}

#[test]
fn what_is_no_vector_of_its_model_is_refused_and_nothing_is_written() {
    let world = World::new();
    let ledger = world.init();
    let (first, second) = (say(&ledger, "one"), say(&ledger, "two"));
    embed(&ledger, first, &[1.0, 0.0]);
    let head = ledger.head().seq;
    let refused =
        |vectors: &[(RecordId, ModelVector)]| ledger.vectors().embed(&ana(), vectors).unwrap_err();
    let width = refused(&[(second, vector(&[1.0]))]);
    assert!(matches!(width, Error::VectorWidth { expected: 2, found: 1, .. }), "{width}");
    let fresh = |numbers: &[f32]| ModelVector::of_floats(model("n"), numbers).unwrap();
    let mixed = refused(&[(first, fresh(&[1.0])), (second, fresh(&[1.0, 1.0]))]);
    assert!(matches!(mixed, Error::VectorWidth { expected: 1, found: 2, .. }), "{mixed}");
    let twice = refused(&[(first, fresh(&[1.0])), (first, fresh(&[2.0]))]);
    assert!(matches!(twice, Error::Rejected(Rejection::DuplicateTarget { .. })), "{twice}");
    let nobody = refused(&[(RecordId { hash: [9; 6], ..second }, vector(&[1.0, 1.0]))]);
    assert!(matches!(nobody, Error::Rejected(Rejection::NotFound { .. })), "{nobody}");
    let question = Question { query: "one".to_owned(), as_of: None };
    let asked = ledger.recall_near(&ana(), &question, Some(&vector(&[1.0])), 10).unwrap_err();
    assert!(matches!(asked, Error::VectorWidth { .. }), "{asked}");
    let wide = ledger.vectors().remember(&ana(), words("three"), &vector(&[1.0; 3]));
    assert!(matches!(wide, Err(Error::VectorWidth { .. })), "{wide:?}");
    assert_eq!(ledger.head().seq, head);
    ledger.erasure().erase(&owner(), &[second]).unwrap();
    let erased = refused(&[(second, vector(&[1.0, 1.0]))]);
    let Error::Rejected(Rejection::Status { authority, .. }) = erased else { panic!("{erased}") };
    assert_eq!(authority, Authority::Erased);
}

#[test]
fn an_erased_item_takes_its_vectors_with_it() {
    const CANARY: &str = "quetzalcoatlus";
    let world = World::new();
    let ledger = world.init();
    let (kept, id) = (say(&ledger, "The harbour is closed."), say(&ledger, "The quay is open."));
    // Its bytes spell a word, so that they can be looked for in the files.
    let mut numbers: Vec<f32> = CANARY.bytes().map(f32::from).collect();
    numbers.push(127.0);
    embed(&ledger, id, &numbers);
    let mut other = numbers.clone();
    other.rotate_right(1);
    embed(&ledger, kept, &other);
    ledger.checkpoints().write().unwrap();
    assert!(world.files_with(CANARY).len() > 1, "the log, and a run");
    let erased = ledger.erasure().erase(&owner(), &[id]).unwrap();
    assert_eq!(erased.records.len(), 3, "the item, its vectors, and what let it in: {erased:?}");
    assert_eq!(near(&ledger, &ana(), "nothing", &numbers).len(), 1);
    ledger.erasure().erase(&owner(), &[kept]).unwrap();
    assert_eq!(world.files_with(CANARY), Vec::<String>::new());
    assert_eq!(near(&ledger, &ana(), "nothing", &numbers), []);
    assert_eq!(world.findings(), []);
}

#[test]
fn what_may_not_be_shown_is_not_found_by_its_vector() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The harbour is closed.");
    embed(&ledger, id, &[1.0]);
    let change = |change| ledger.change(&ana(), change, [id]).unwrap();
    let _ = change(Change::Invalidate { weight: None, reason: None });
    assert_eq!(near(&ledger, &ana(), "quay", &[1.0]), []);
    // It may come back, and its vector with it.
    let _ = change(Change::Reconfirm { reason: None });
    assert_eq!(near(&ledger, &ana(), "quay", &[1.0]), [(id, 1_000_000)]);
    let elsewhere = Caller::user("elsewhere", "eve");
    assert_eq!(near(&ledger, &elsewhere, "quay", &[1.0]), []);
    let refused = ledger.vectors().embed(&elsewhere, &[(id, vector(&[1.0]))]);
    assert!(matches!(refused, Err(Error::Rejected(Rejection::NotFound { .. }))), "{refused:?}");
}

#[test]
fn a_vector_is_seen_where_its_item_is_whoever_gives_it() {
    let world = World::new();
    let ledger = world.init();
    let shared = say(&ledger, "The harbour is closed.");
    let agent = Scope { agent: Some("planner".into()), ..ana().scope };
    let agent = Caller { scope: agent, ..ana() };
    ledger.vectors().embed(&agent, &[(shared, vector(&[1.0]))]).unwrap();
    assert_eq!(near(&ledger, &ana(), "quay", &[1.0]), [(shared, 1_000_000)]);
    // What one session keeps to itself keeps its vector as well.
    let own = Scope { session: Some("s".into()), session_only: true, ..ana().scope };
    let own = Caller { scope: own, ..ana() };
    let kept = ledger.vectors().remember(&own, words("A draft."), &vector(&[1.0])).unwrap().id;
    assert_eq!(near(&ledger, &ana(), "quay", &[1.0]), [(shared, 1_000_000)]);
    assert_eq!(near(&ledger, &own, "quay", &[1.0]), [(shared, 1_000_000), (kept, 1_000_000)]);
}

#[test]
fn nobody_gives_a_vector_to_what_is_guarded_above_them() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The harbour is closed.");
    let tool = Caller::new("default", "scraper", Rank::Tool);
    let refused = ledger.vectors().embed(&tool, &[(id, vector(&[1.0]))]);
    assert!(matches!(refused, Err(Error::Rejected(Rejection::Rank { .. }))), "{refused:?}");
    let owned = ledger.remember(&owner(), words("The owner's word.")).unwrap().id;
    ledger.vectors().embed(&ana(), &[(owned, vector(&[1.0]))]).unwrap();
}

#[test]
fn what_has_no_vector_is_given_one_once() {
    let world = World::new();
    let ledger = world.init();
    let ids: Vec<RecordId> = (0..150).map(|at| say(&ledger, &format!("note {at}"))).collect();
    embed(&ledger, ids[0], &[0.5, 0.5]);
    let mut asked = Vec::new();
    let mut run = |fail_at: usize, dry_run| {
        ledger.vectors().embed_missing(&ana(), &model("m"), dry_run, &mut |texts| {
            if asked.len() >= fail_at {
                let reason = "out of memory".to_owned();
                return Err(memlith::write::EmbedError::Failed { reason });
            }
            asked.push(texts.len());
            let of = |text: &str| (!text.ends_with('7')).then(|| vector(&[1.0, 2.0]));
            Ok(texts.iter().map(|(_, text)| of(text)).collect())
        })
    };
    let dry = run(0, true).unwrap();
    assert_eq!((dry.missing, dry.written), (149, 0));
    // Cut short behind the second batch, it goes on where it ended.
    assert!(matches!(run(2, false), Err(Error::Embed { .. })));
    let rest = run(9, false).unwrap();
    assert_eq!((rest.missing, rest.written, rest.without), (34, 19, 15));
    assert_eq!(run(9, false).unwrap().missing, 15);
    assert_eq!(asked, [64, 64, 34, 15]);
    let known = near(&ledger, &ana(), "quay", &[1.0, 2.0]);
    assert!(known.iter().all(|(id, _)| *id != ids[7]));
    // A model that gives another number of vectors is believed in none.
    let none = ledger.vectors().embed_missing(&ana(), &model("n"), false, &mut |_| Ok(Vec::new()));
    assert!(matches!(none, Err(Error::Embed { .. })), "{none:?}");
}

#[test]
fn a_copy_keeps_what_vectors_it_may() {
    let world = World::new();
    let ledger = world.init();
    let id = say(&ledger, "The harbour is closed.");
    embed(&ledger, id, &[1.0, 0.0]);
    let exported = export(&ledger);
    for (own, expected) in [(&[1.0_f32, 0.0][..], 2), (&[1.0], 1)] {
        let other = World::new();
        let ledger = other.init();
        let here = say(&ledger, "Lunch is at noon.");
        embed(&ledger, here, own);
        let report = ledger.import_jsonl(&owner(), exported.as_bytes()).unwrap();
        assert_eq!(near(&ledger, &ana(), "quay", own).len(), expected, "{report:?}");
        let skipped = report.skipped.get("other-dimensions").copied();
        assert_eq!(skipped, (expected == 1).then_some(1));
        // Again, it brings nothing.
        let head = ledger.head().seq;
        ledger.import_jsonl(&owner(), exported.as_bytes()).unwrap();
        assert_eq!(ledger.head().seq, head);
    }
}
