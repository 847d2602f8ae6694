//! Real processes on one real folder.

use std::process::Command;

use memlith::{CheckoutRequest, Ledger, Options};

use crate::world::{World, ana, digest, ids, invalidate, look, say};

/// Remembers of each writer in the default run; the whole of it is
/// `cargo run --release -p memlith-tests --bin race -- 2500`.
const WRITES: &str = "150";

#[test]
fn threads_share_one_handle() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::init(folder.path(), Options::default()).unwrap();
    let ledger = &ledger;
    std::thread::scope(|scope| {
        for writer in 0..3 {
            scope.spawn(move || {
                for number in 0..40 {
                    let id = say(ledger, &format!("Thread {writer} says number {number}."));
                    if number % 5 == 0 {
                        invalidate(ledger, id);
                    }
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(move || {
                for number in 0..60 {
                    let query = format!("what was number {}", number % 40);
                    let request = CheckoutRequest::new(query);
                    let checkout = ledger.checkout(&ana(), &request).unwrap();
                    assert!(checkout.pack.receipt.view <= ledger.head().seq);
                }
            });
        }
        scope.spawn(move || {
            for _ in 0..10 {
                assert!(ledger.checkpoint().is_ok());
                assert_eq!(ledger.audit_state().unwrap().iter().find(|a| a.verdict.is_err()), None);
            }
        });
    });
    assert_eq!(ledger.state_digest().unwrap().digest, digest(ledger));
    let audits = ledger.audit_receipts().unwrap();
    assert!(audits.iter().all(|audit| audit.verdict == memlith::Verdict::Reproduced));
    assert_eq!(memlith::verify(folder.path(), memlith::Level::Full).unwrap().findings, []);
}

#[test]
fn two_processes_write_while_a_third_reads() {
    let output = Command::new(env!("CARGO_BIN_EXE_race")).arg(WRITES).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{complaint}");
    assert!(said.contains("600 events"), "{said}");
}

#[test]
fn a_later_question_makes_a_buffered_write_durable() {
    let world = World::new();
    let options = Options { durability: memlith::Durability::Buffered, ..Options::default() };
    drop(world.init());
    let ledger = world.open_with(options).unwrap();
    let id = say(&ledger, "The cat is called Momo.");
    let after_a_cut = || {
        let cut = World::on(world.disk.after_power_cut(), 70);
        ids(&look(&cut.open(), "cat", None))
    };
    look(&ledger, "cat", None);
    assert_eq!(after_a_cut(), []);
    memlith::Clock::pause(&*world.clock, std::time::Duration::from_secs(1));
    look(&ledger, "cat", None);
    assert_eq!(after_a_cut(), [id]);
}
