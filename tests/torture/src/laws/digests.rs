//! P7: one state, however it comes about.

use memlith::{Digest, Error, Ledger, Seq, prove::Replay, storage::MemoryDisk};

use super::engine::{Machine, options, owner};
use super::judge::Judge;
use super::law::Law;

pub(super) fn check(
    machine: &mut Machine,
    ledger: &Ledger,
    judge: &mut Judge,
) -> Result<(), Error> {
    if !judge.asks(Law::P7) {
        return Ok(());
    }
    let straight = ledger.audit().replay(&Replay::default())?;
    let mut same = |found: Digest, way: &dyn Fn() -> String| {
        judge.case(Law::P7, found == straight.digest, || {
            format!("{} is another state than one fold, up to {}", way(), straight.seq)
        });
    };
    same(ledger.audit().digest()?.digest, &|| "what answers".to_owned());
    for threads in [1, 2, 4, 8] {
        let replay = Replay { threads: Some(threads), ..Replay::default() };
        same(ledger.audit().replay(&replay)?.digest, &|| format!("a replay on {threads} threads"));
    }
    for seq in ledger.checkpoints().list()? {
        let threads = [1, 2, 4, 8].get(machine.chance.below(4)).copied();
        let replay = Replay { from_checkpoint: Some(seq), threads, ..Replay::default() };
        same(ledger.audit().replay(&replay)?.digest, &|| format!("a replay from checkpoint {seq}"));
    }
    same(restored(machine, ledger)?, &|| "what an export restores".to_owned());
    let until =
        Seq(u64::try_from(machine.chance.below(usize::MAX)).unwrap_or(0) % (straight.seq.0 + 1));
    let past = ledger.audit().replay(&Replay { until: Some(until), ..Replay::default() })?;
    for seq in ledger.checkpoints().list()?.into_iter().filter(|seq| *seq <= past.seq) {
        let replay = Replay { until: Some(until), from_checkpoint: Some(seq), ..Replay::default() };
        let found = ledger.audit().replay(&replay)?;
        judge.case(Law::P7, found == past, || {
            format!("up to {until} a replay from checkpoint {seq} is another state")
        });
    }
    Ok(())
}

/// The state of a ledger that the events came to in other batches.
fn restored(machine: &mut Machine, ledger: &Ledger) -> Result<Digest, Error> {
    let mut lines = Vec::new();
    ledger.export_jsonl(&mut lines)?;
    let copy = Ledger::create_in(machine.env_on(&MemoryDisk::new()), options(true))?;
    copy.import_jsonl(&owner(), lines.as_slice())?;
    Ok(copy.audit().digest()?.digest)
}
