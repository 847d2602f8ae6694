//! One run: take from every remote, then put what is new on each.

use std::collections::BTreeSet;
use std::path::PathBuf;

use memlith::write::Requested;
use memlith::{Caller, Digest, ErrorKind, Ledger};
use serde::Serialize;

use crate::carrier;
use crate::error::Result;
use crate::machine::{Home, Machine};
use crate::pull::{Got, Pull};
use crate::push::{Push, Put};

/// Result of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Run {
    /// Each remote, by when it was added.
    pub remotes: Vec<RemoteRun>,
}

/// Result of a run with one remote.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RemoteRun {
    /// The remote.
    pub remote: String,
    /// Records that came from others.
    pub records_in: u64,
    /// Records of this machine that went there.
    pub records_out: u64,
    /// Bytes that came.
    pub bytes_in: u64,
    /// Bytes that went.
    pub bytes_out: u64,
    /// Records of other machines whose words were erased there, and are here now too.
    pub erased: u64,
    /// Records of this machine that an owner erased on another one, and that are erased now.
    pub obeyed: u64,
    /// Other requests for items of this machine that were made on another one.
    pub done: Vec<Requested>,
    /// Files that the place had lost or cut, and that were put there again.
    pub again: u64,
    /// Copies of other machines' ledgers that another history took the place of, where they are kept.
    pub kept: Vec<PathBuf>,
    /// Machines that joined.
    pub joined: Vec<String>,
    /// Machines that were given up on another one.
    pub given_up: Vec<String>,
    /// Machines that ask to join and were not given the code.
    pub strangers: Vec<String>,
    /// Refusals, by machine.
    pub problems: Vec<Problem>,
    /// Why the remote was not reached, or not brought up to date.
    pub failed: Option<String>,
}

/// A refusal of something that a machine put on a remote.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// The machine.
    pub machine: String,
    /// The response that it calls for.
    #[serde(skip)]
    pub kind: ErrorKind,
    /// Description of it.
    pub what: String,
}

impl Run {
    /// Whether bytes of another machine, or of this one, are not what they were.
    #[must_use]
    pub fn is_integrity(&self) -> bool {
        let mut problems = self.remotes.iter().flat_map(|remote| &remote.problems);
        problems.any(|problem| problem.kind == ErrorKind::Integrity)
    }

    /// Whether all was done.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.remotes.iter().all(|remote| remote.failed.is_none() && remote.problems.is_empty())
    }
}

/// The digest by which a file is known again.
pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Digest(*blake3::hash(bytes).as_bytes())
}

/// Brings every remote and this machine to one state. What fails on one remote is no failure of
/// the others.
pub(crate) fn run(
    home: &Home,
    machine: &mut Machine,
    (ledger, caller): (&Ledger, &Caller),
) -> Result<Run> {
    ledger.settle()?;
    let mut done = Run::default();
    for at in 0..machine.remotes.len() {
        let mut one = RemoteRun::default();
        let outcome = with(home, machine, at, (ledger, caller), &mut one);
        if let Some(remote) = machine.remotes.get_mut(at) {
            one.remote.clone_from(&remote.name);
            remote.failed = outcome.as_ref().err().map(ToString::to_string);
            one.failed.clone_from(&remote.failed);
            if outcome.is_ok() {
                remote.reached = Some(ledger.now());
            } else if let Err(error) = outcome
                && error.kind() == ErrorKind::Integrity
            {
                let (machine, kind, what) = (machine.name.clone(), error.kind(), error.to_string());
                one.problems.push(Problem { machine, kind, what });
            }
        }
        done.remotes.push(one);
    }
    let is_renewed = machine.is_to_renew;
    if is_renewed {
        // What others sealed before they erased must not be opened any more.
        machine.renew()?;
    }
    let is_destroyed = destroy_keys(machine);
    settle_holds(machine);
    home.write(machine)?;
    if is_renewed || is_destroyed {
        // Others are told at once of the new key, and of those that are gone.
        let again = run(home, machine, (ledger, caller))?;
        for (one, again) in done.remotes.iter_mut().zip(again.remotes) {
            one.bytes_in += again.bytes_in;
            one.bytes_out += again.bytes_out;
            one.records_in += again.records_in;
            one.records_out += again.records_out;
            one.erased += again.erased;
            one.obeyed += again.obeyed;
            one.done.extend(again.done);
            one.kept.extend(again.kept);
            one.given_up.extend(again.given_up);
            one.problems.extend(again.problems);
        }
    }
    Ok(done)
}

fn with(
    home: &Home,
    machine: &mut Machine,
    at: usize,
    (ledger, caller): (&Ledger, &Caller),
    done: &mut RemoteRun,
) -> Result<()> {
    let Some(remote) = machine.remotes.get(at) else { return Ok(()) };
    let (name, now) = (remote.name.clone(), ledger.now());
    let mut carrier = carrier::open(&remote.address, &name, home)?;
    let listed = carrier.list()?;
    let mut got = Got::default();
    let pull =
        Pull { ledger, caller, home, carrier: carrier.as_ref(), remote: name, now, got: &mut got };
    let pulled = pull.run(machine, at, &listed);
    let Got { records, bytes, joined, strangers, wanted, erased, problems, .. } = got;
    (done.done, done.kept, done.given_up) = (got.done, got.kept, got.given_up);
    (done.records_in, done.bytes_in, done.erased) = (records, bytes, erased);
    if let Some(remote) = machine.remotes.get_mut(at) {
        remote.strangers.clone_from(&strangers);
    }
    (done.joined, done.strangers, done.problems) = (joined, strangers, problems);
    let answered = ledger.answer_requests(caller)?;
    done.obeyed = answered.erased;
    done.done.extend(answered.done);
    pulled?;
    // Keys that were just learned are kept, whatever becomes of the rest.
    home.write(machine)?;
    let (put, fresh) = (Put::default(), BTreeSet::new());
    let wanted = &[wanted, machine.wants.clone()].concat();
    let mut push = Push { ledger, home, carrier: carrier.as_mut(), now, put, fresh, wanted };
    let Put { records, bytes, again } = push.run(machine, at, &listed)?;
    (done.records_out, done.bytes_out, done.again) = (records, bytes, again);
    Ok(())
}

/// Destroys the keys for which no other machine seals any more; whether there were any.
fn destroy_keys(machine: &mut Machine) -> bool {
    let mut least = machine.newest.number;
    for other in &machine.others {
        let seen = machine.remotes.iter().flat_map(|remote| &remote.seen);
        let with = seen.filter(|seen| seen.machine == other.id).map(|seen| seen.with).min();
        least = least.min(with.unwrap_or(least));
    }
    let before = machine.older.len();
    machine.older.retain(|opening| opening.number >= least);
    machine.older.len() < before
}

/// Drops the notes of what a remote may hold where every key that opened it is destroyed.
fn settle_holds(machine: &mut Machine) {
    let Machine { remotes, others, .. } = machine;
    let holds = |(id, number): &(crate::keys::MachineId, u64)| {
        let other = others.iter().find(|other| other.id == *id);
        other.is_none_or(|other| other.destroyed_below <= *number)
    };
    for remote in remotes {
        remote.may_hold.retain(|held| held.until.iter().any(holds));
    }
}
