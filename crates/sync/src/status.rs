//! Status: how remotes and machines stand as far as is known here, without reaching any.

use memlith::log::SaidElsewhere;
use memlith::{Ledger, LedgerId, RecordId, Seq, Timestamp};
use serde::Serialize;

use crate::error::Result;
use crate::keys::MachineId;
use crate::machine::{Machine, Other, Remote};

/// Remotes and machines as one machine knows them.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// This machine's name.
    pub name: String,
    /// This machine.
    pub machine: MachineId,
    /// Its ledger.
    pub ledger: LedgerId,
    /// The last record of that.
    pub last: Seq,
    /// The code by which another machine joins; whoever has it reads everything.
    pub code: String,
    /// The places that carry ledgers.
    pub remotes: Vec<RemoteStatus>,
    /// The other machines.
    pub machines: Vec<OtherStatus>,
    /// Machines that were lost or given up.
    pub removed: Vec<MachineId>,
}

/// A remote.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RemoteStatus {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub address: String,
    /// The last record of this machine there.
    pub last: Option<Seq>,
    /// Number of records that are here and not there.
    pub behind: u64,
    /// When it was last reached.
    pub reached: Option<Timestamp>,
    /// Why it wasn't the last time.
    pub failed: Option<String>,
    /// Machines there that ask to join and were not given this machine's code.
    pub strangers: Vec<String>,
    /// Erased words that its history may still hold, encrypted, until others destroyed a key.
    pub may_hold: Vec<Held>,
}

/// Erased words that a remote's history may still hold.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Held {
    /// When they were erased there.
    pub since: Timestamp,
    /// Number of records.
    pub records: u64,
    /// The machines that still have the key.
    pub machines: Vec<String>,
}

/// Another machine.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OtherStatus {
    /// Its name.
    pub name: String,
    /// The machine.
    pub machine: MachineId,
    /// Its ledger.
    pub ledger: LedgerId,
    /// The last record of that which is here.
    pub last: Option<Seq>,
    /// When it put that on a remote.
    pub seen: Option<Timestamp>,
    /// When it joined.
    pub joined: Timestamp,
    /// Why nothing more could be taken from it.
    pub failed: Option<String>,
    /// Requests for its items that it has not answered yet, as far as is known here.
    pub asked: Vec<Asked>,
}

/// Request for an item of another machine.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Asked {
    /// The item.
    pub id: RecordId,
    /// The request.
    pub said: SaidElsewhere,
}

impl Machine {
    pub(crate) fn status(&self, ledger: &Ledger) -> Result<Status> {
        let last = ledger.refresh()?.seq;
        let waiting = ledger.waiting_elsewhere()?;
        let asked = |other: &Other| {
            let of = waiting.iter().filter(|one| one.ledger == other.ledger);
            of.map(|one| Asked { id: one.id, said: one.said }).collect()
        };
        Ok(Status {
            name: self.name.clone(),
            machine: self.id(),
            ledger: self.ledger,
            last,
            code: self.code.1.clone(),
            remotes: self.remotes.iter().map(|remote| self.remote_status(remote, last)).collect(),
            machines: self
                .others
                .iter()
                .map(|other| Machine::other_status(other, asked(other)))
                .collect(),
            removed: self.removed.clone(),
        })
    }

    fn remote_status(&self, remote: &Remote, head: Seq) -> RemoteStatus {
        let put = remote.put.as_ref();
        let last = put.and_then(|(manifest, _)| Some(manifest.parts.last()?.last));
        let name_of = |id: &MachineId| {
            let other = self.others.iter().find(|other| other.id == *id);
            other.map_or_else(|| format!("{id} (removed)"), |other| other.name.clone())
        };
        let held = remote.may_hold.iter().map(|held| Held {
            since: held.since,
            records: held.records,
            machines: held.until.iter().map(|(id, _)| name_of(id)).collect(),
        });
        RemoteStatus {
            name: remote.name.clone(),
            address: remote.address.shown(),
            last,
            behind: head.0 + 1 - last.map_or(0, |last| last.0 + 1).min(head.0 + 1),
            reached: remote.reached,
            failed: remote.failed.clone(),
            strangers: remote.strangers.clone(),
            may_hold: held.collect(),
        }
    }

    fn other_status(other: &Other, asked: Vec<Asked>) -> OtherStatus {
        OtherStatus {
            name: other.name.clone(),
            machine: other.id.clone(),
            ledger: other.ledger,
            last: other.last.map(|(seq, ..)| seq),
            seen: other.last.map(|(.., at)| at),
            joined: other.joined,
            failed: other.failed.clone(),
            asked,
        }
    }
}
