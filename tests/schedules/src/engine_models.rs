//! Models of threads over the engine: snapshots, checkpoints and what is learned.

use std::sync::Arc;

use memlith::{
    AsOf, Caller, Checkout, CheckoutRequest, Ledger, Options, Question, Rank, RecordId, Remember,
    Seq,
    log::LogError,
    prove::{Level, Replay, verify_in},
    read::Verdict,
    storage::Durability,
};

use crate::disk::is_synced;
use crate::ground::Ground;
use crate::log_models::Model;
use crate::thread::{join, spawn};

/// Every model of the engine.
pub(crate) const ENGINE_MODELS: [Model; 3] = [
    Model { name: "views", run: views },
    Model { name: "snapshots", run: snapshots },
    Model { name: "snapshots and an erasure", run: snapshots_and_an_erasure },
];

const QUERY: &str = "which number was written";

fn options(durability: Durability) -> Options {
    Options { durability, mmap: false, segment_lens: [8 << 10; 4], ..Options::default() }
}

fn create(ground: &Ground, durability: Durability) -> Arc<Ledger> {
    Arc::new(Ledger::create_in(ground.env(), options(durability)).expect("an empty disk"))
}

fn caller() -> Caller {
    Caller::user("default", "ana")
}

fn remember(ledger: &Ledger, number: &str) -> RecordId {
    let remember =
        Remember { text: format!("Number {number} was written."), ..Remember::default() };
    ledger.remember(&caller(), remember).expect("the disk is sound").id
}

fn ask(ledger: &Ledger, as_of: Option<AsOf>, observe: bool) -> Checkout {
    let question = Question { query: QUERY.to_owned(), as_of };
    let request = CheckoutRequest { question, observe, ..CheckoutRequest::new("") };
    ledger.checkout(&caller(), &request).expect("the log is sound")
}

/// Asks twice, and looks at the head between: no view goes back, and what was written
/// before by this thread is in it.
fn asks(ledger: &Ledger, numbers: [&str; 2]) -> Vec<Checkout> {
    let mut packs = Vec::new();
    let mut last = Seq::GENESIS;
    for number in numbers {
        let own = remember(ledger, number);
        let checkout = ask(ledger, None, true);
        let view = checkout.pack.receipt.view;
        assert!(view >= last && view >= own.seq, "the view went back to {view}");
        assert!(checkout.pack.items.iter().any(|item| item.id == own), "{own} is not shown");
        last = ledger.refresh().expect("the log is sound").seq;
        assert!(last >= view, "the head went back to {last}");
        packs.push(checkout);
    }
    packs
}

/// A pack is that of the fold of the records up to a batch end, which a later question
/// about that moment answers in the same way.
fn check_packs(ledger: &Ledger, packs: &[Checkout]) {
    for checkout in packs {
        let receipt = &checkout.pack.receipt;
        let records = ledger.records(receipt.view, Some(1)).expect("the log is sound");
        let record = records.into_iter().next().expect("a view is a record").expect("sound");
        assert!(record.ends_batch(), "the view {} is inside of a batch", receipt.view);
        assert_eq!(record.chain, receipt.chain);
        let again = ask(ledger, Some(AsOf::Seq(receipt.view)), false);
        let ids = |checkout: &Checkout| -> Vec<RecordId> {
            checkout.pack.items.iter().map(|item| item.id).collect()
        };
        assert_eq!(ids(checkout), ids(&again), "the pack is not that of the fold");
    }
}

fn finish(ground: &Ground, ledger: Arc<Ledger>) {
    let ledger = Arc::into_inner(ledger).expect("every thread has let go");
    for audit in ledger.audit().receipts().expect("the log is sound") {
        let affected = matches!(audit.verdict, Verdict::Affected { .. });
        assert!(affected || audit.verdict == Verdict::Reproduced, "{:?}", audit.verdict);
    }
    for audit in ledger.audit().state().expect("the log is sound") {
        assert_eq!(audit.verdict, Ok(()), "{}", audit.file);
    }
    let live = ledger.audit().digest().expect("the log is sound");
    let replay = ledger.audit().replay(&Replay::default()).expect("the log is sound");
    assert_eq!(live, replay, "the state is not the fold");
    ledger.close().expect("the disk is sound");
    assert_eq!(verify_in(&ground.env(), Level::Full).expect("a log").findings, []);
}

/// One thread writes, two only look: what they see never goes back.
fn views() {
    let ground = Ground::new(false);
    let ledger = create(&ground, Durability::Buffered);
    let writer = spawn({
        let ledger = ledger.clone();
        move || {
            for number in ["one", "two"] {
                let id = remember(&ledger, number);
                let view = ledger.audit().digest().expect("the log is sound").seq;
                assert!(view >= id.seq, "{id} is written, and the view is {view}");
            }
        }
    });
    let lookers = [(); 2].map(|()| {
        let ledger = ledger.clone();
        spawn(move || {
            let mut last = Seq::GENESIS;
            for _ in 0..3 {
                let view = ledger.audit().digest().expect("the log is sound").seq;
                assert!(view >= last, "the view went back from {last} to {view}");
                last = view;
            }
        })
    });
    join([writer].into_iter().chain(lookers));
    finish(&ground, ledger);
}

/// Three threads write, two of them ask as well, one checkpoints.
fn snapshots() {
    let ground = Ground::new(false);
    let ledger = create(&ground, Durability::Group);
    let writer = spawn({
        let (ground, ledger) = (ground.clone(), ledger.clone());
        move || {
            for number in ["one", "two"] {
                let id = remember(&ledger, number);
                assert!(is_synced(ground.disk(), id.seq), "{id} is lost by a power cut");
            }
        }
    });
    let keeper = spawn({
        let ledger = ledger.clone();
        move || {
            ledger.checkpoints().write().expect("the disk is sound");
        }
    });
    let askers = [["seven", "eight"], ["five", "six"]].map(|numbers| {
        let ledger = ledger.clone();
        spawn(move || {
            let packs = asks(&ledger, numbers);
            check_packs(&ledger, &packs);
        })
    });
    join([writer, keeper].into_iter().chain(askers));
    finish(&ground, ledger);
}

/// Runs snapshots beside an erasure by the owner, with buffered writes and a second process.
fn snapshots_and_an_erasure() {
    let ground = Ground::new(true);
    let ledger = create(&ground, Durability::Buffered);
    let target = remember(&ledger, "zero");
    let eraser = spawn({
        let ledger = ledger.clone();
        move || {
            let owner = Caller::new("default", "olga", Rank::Owner);
            ledger.erasure().erase(&owner, &[target]).expect("the disk is sound");
            let checkout = ask(&ledger, None, false);
            assert!(checkout.pack.items.iter().all(|item| item.id != target), "it is shown");
        }
    });
    let keeper = spawn({
        let ledger = ledger.clone();
        move || {
            ledger.checkpoints().write().expect("the disk is sound");
            ledger.refresh().expect("the log is sound");
        }
    });
    let other = spawn({
        let ground = ground.clone();
        move || {
            let opened = Ledger::open_in(ground.env(), options(Durability::Immediate));
            let ledger = opened.expect("the log is sound");
            let id = remember(&ledger, "nine");
            assert!(is_synced(ground.disk(), id.seq), "{id} is lost by a power cut");
            match ledger.close() {
                Ok(()) => {}
                Err(memlith::Error::Log(LogError::LockTimeout { .. })) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
    join([eraser, keeper, other]);
    finish(&ground, ledger);
}
