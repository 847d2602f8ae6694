//! Pull: cards of machines that join, and records of those that take part.
//!
//! Nothing that a remote gives is believed: a card and a manifest are signed by the machine, a file
//! opens only with the key that its manifest names, and its records lead to the chain that the
//! manifest states. Only then anybody sees them.

use std::path::{Path, PathBuf};

use memlith::copy::{Replica, Stretch};
use memlith::write::Requested;
use memlith::{Caller, Digest, ErrorKind, Ledger, LedgerId, Seq, Timestamp};

use crate::carrier::{Carrier, Listed};
use crate::error::{Error, Result};
use crate::keys::MachineId;
use crate::machine::{Home, Machine, Other, Seen, clear};
use crate::note::{
    CARD, CARD_BYTES_MAX, Card, MANIFEST, MANIFEST_BYTES_MAX, Manifest, Object, Opened,
    is_sealed_for, number_of,
};
use crate::run::{Problem, digest};

/// Result of a pull.
#[derive(Clone, Debug, Default)]
pub(crate) struct Got {
    pub(crate) records: u64,
    pub(crate) bytes: u64,
    /// The machines that joined.
    pub(crate) joined: Vec<String>,
    /// The machines that were given up on another one.
    pub(crate) given_up: Vec<String>,
    /// Names of files that others could not open.
    pub(crate) wanted: Vec<String>,
    /// Machines that ask to be read and don't know the code.
    pub(crate) strangers: Vec<String>,
    /// Number of records whose words another machine erased.
    pub(crate) erased: u64,
    /// Requests of this machine that others declined.
    pub(crate) done: Vec<Requested>,
    /// Copies that another history took the place of, where they are kept.
    pub(crate) kept: Vec<PathBuf>,
    pub(crate) problems: Vec<Problem>,
}

/// A machine that takes from one remote.
pub(crate) struct Pull<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) caller: &'a Caller,
    pub(crate) home: &'a Home,
    pub(crate) carrier: &'a dyn Carrier,
    pub(crate) remote: String,
    pub(crate) now: Timestamp,
    /// Kept, whatever fails.
    pub(crate) got: &'a mut Got,
}

impl Pull<'_> {
    /// Takes what every other machine put on the remote at `at`. A machine of which something is
    /// refused keeps nobody from the others.
    pub(crate) fn run(mut self, machine: &mut Machine, at: usize, listed: &Listed) -> Result<()> {
        let own = machine.id();
        self.take_all_notices(machine, listed)?;
        for id in listed.keys().filter(|id| **id != own) {
            if machine.removed.contains(id) {
                continue;
            }
            let taken = self.take(machine, at, id);
            let failed = match taken {
                Ok(()) => None,
                // The remote is out of reach, or the disk here is full: no machine's fault.
                Err(error @ (Error::Io { .. } | Error::Program { .. })) => return Err(error),
                Err(error) => Some(error),
            };
            let name = machine.other(id).map_or_else(|| id.to_string(), |other| other.name.clone());
            if let Some(other) = machine.other(id) {
                other.failed = failed.as_ref().map(ToString::to_string);
            }
            if let Some(error) = failed {
                let (kind, what) = (error.kind(), error.to_string());
                self.got.problems.push(Problem { machine: name, kind, what });
            }
        }
        Ok(())
    }

    /// Learns from every machine which ones were given up, before anything is taken from any.
    fn take_all_notices(&mut self, machine: &mut Machine, listed: &Listed) -> Result<()> {
        let (own, openings) = (machine.id(), machine.openings());
        let known = machine.others.iter().map(|other| (other.id.clone(), other.signs.clone()));
        let known: Vec<_> = known.filter(|(id, _)| listed.contains_key(id)).collect();
        for (id, signs) in known {
            let bytes = self.carrier.get(&id, MANIFEST, MANIFEST_BYTES_MAX)?.unwrap_or_default();
            let is_seen = machine
                .remotes
                .iter()
                .flat_map(|remote| &remote.seen)
                .any(|seen| seen.machine == id && seen.digest == digest(&bytes));
            if is_seen || machine.removed.contains(&id) {
                continue;
            }
            if let Ok(Some(opened)) = Manifest::open(&bytes, &signs, (&own, &openings)) {
                self.take_notices(machine, &opened.manifest)?;
            }
        }
        Ok(())
    }

    fn foreign(&self, id: &MachineId, name: &str, what: &'static str) -> Error {
        Error::Foreign { remote: self.remote.clone(), name: format!("{id}/{name}"), what }
    }

    fn take(&mut self, machine: &mut Machine, at: usize, id: &MachineId) -> Result<()> {
        if !self.meet(machine, id)? {
            return Ok(());
        }
        let Some(bytes) = self.carrier.get(id, MANIFEST, MANIFEST_BYTES_MAX)? else {
            return Ok(());
        };
        let digest = digest(&bytes);
        let seen = machine.remotes.get(at).and_then(|remote| {
            remote
                .seen
                .iter()
                .find(|seen| seen.machine == *id)
                .map(|seen| (seen.number, seen.digest))
        });
        if seen.is_some_and(|(_, seen)| seen == digest) && self.is_here(machine, id) {
            return Ok(());
        }
        let (own, openings) = (machine.id(), machine.openings());
        let Some(other) = machine.other(id) else { return Ok(()) };
        let opened = Manifest::open(&bytes, &other.signs, (&own, &openings));
        let Some(Opened { manifest, with }) =
            opened.map_err(|what| self.foreign(id, MANIFEST, what))?
        else {
            let known = seen.map_or(0, |(number, _)| number);
            let number = number_of(&bytes, &other.signs).unwrap_or(0);
            // Until it syncs again it doesn't know this machine, or its newest key.
            if known > 0 && number > known && !is_sealed_for(&bytes, &own) {
                return Err(Error::GivenUp { machine: other.name.clone() });
            }
            return Ok(());
        };
        if manifest.ledger != other.ledger {
            return Err(self.foreign(id, MANIFEST, "it is of another ledger than its machine's"));
        }
        let is_older = |(known, seen): &(u64, _)| manifest.number <= *known && *seen != digest;
        if let Some((known, _)) = seen.filter(is_older) {
            let (remote, machine) = (self.remote.clone(), other.name.clone());
            return Err(Error::RolledBack { remote, machine, found: manifest.number, known });
        }
        self.got.wanted.extend(manifest.wants.iter().cloned());
        let folder = self.home.replica(manifest.ledger);
        match self.take_records(machine, id, (&manifest, &folder)) {
            Err(error @ Error::Engine(_)) if error.kind() == ErrorKind::Integrity => {
                self.take_anew(machine, id, &manifest, error)?;
            }
            taken => taken?,
        }
        machine.orphaned.retain(|ledger| *ledger != manifest.ledger);
        if let Some((other, part)) = machine.other(id).zip(manifest.parts.last()) {
            other.last = Some((part.last, part.chain, manifest.at));
        }
        if let Some(remote) = machine.remotes.get_mut(at) {
            remote.seen.retain(|seen| seen.machine != *id);
            remote.seen.push(Seen { machine: id.clone(), number: manifest.number, digest, with });
        }
        Ok(())
    }

    /// Reads a machine's card, and lets it join if it knows the code; whether it is one of ours.
    fn meet(&mut self, machine: &mut Machine, id: &MachineId) -> Result<bool> {
        let Some(bytes) = self.carrier.get(id, CARD, CARD_BYTES_MAX)? else {
            return Ok(machine.other(id).is_some());
        };
        let card = match Card::read(&bytes, id) {
            Ok(card) => card,
            Err(what) if machine.other(id).is_some() => return Err(self.foreign(id, CARD, what)),
            Err(what) => {
                tracing::warn!(%id, what, "a folder on a place is no machine's");
                return Ok(false);
            }
        };
        let knows = card.knows(&machine.code.1);
        // Two that hand over one ledger are told apart by their chains.
        if card.ledger == machine.ledger && (knows || machine.other(id).is_some()) {
            let (machine, ledger, id) = (card.name, card.ledger, id.clone());
            return Err(Error::SameLedger { machine, ledger, id });
        }
        match machine.other(id) {
            Some(other) => {
                if other.ledger != card.ledger {
                    return Err(self.foreign(id, CARD, "it writes another ledger than before"));
                }
                // A remote that was set back shows an old card.
                if card.sealing.number >= other.sealing.number {
                    other.name = card.name;
                    other.sealing = card.sealing;
                    other.destroyed_below = other.destroyed_below.max(card.destroyed_below);
                }
            }
            None if knows => {
                self.got.joined.push(card.name.clone());
                let Card { name, ledger, signs, sealing, destroyed_below, .. } = card;
                let (id, joined, failed) = (id.clone(), self.now, None);
                machine.others.push(Other {
                    id,
                    name,
                    ledger,
                    signs,
                    sealing,
                    destroyed_below,
                    joined,
                    failed,
                    last: None,
                });
            }
            None => {
                self.got.strangers.push(card.name);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take_records(
        &mut self,
        machine: &mut Machine,
        id: &MachineId,
        (manifest, folder): (&Manifest, &Path),
    ) -> Result<()> {
        let replica = Replica::open_or_create(folder, manifest.ledger)?;
        let held = replica.head().map(|head| head.seq);
        let mut next = Seq::GENESIS;
        for part in &manifest.parts {
            if part.first != next || part.last < part.first {
                return Err(self.foreign(id, MANIFEST, "its parts don't follow one another"));
            }
            next = part.last.next();
            if let Some(chain) = replica.chain_at(part.last)? {
                if chain != part.chain {
                    let (ledger, seq) = (manifest.ledger, part.last);
                    return Err(memlith::Error::Diverged { ledger, seq }.into());
                }
                continue;
            }
            let bytes = self.object(machine, id, &part.object)?;
            let (first, last, chain) = (part.first, part.last, part.chain);
            let stretch = Stretch { first, last, chain, erased: Vec::new(), bytes };
            let taken = replica.append(&stretch, (self.ledger, self.caller))?;
            self.got.erased += taken.erased;
            self.got.done.extend(taken.declined);
            if taken.erased > 0 {
                machine.is_to_renew = true;
                self.home.write(machine)?;
            }
        }
        let end = replica.head().map(|head| head.seq);
        if held > manifest.parts.last().map(|part| part.last) {
            let seq = manifest.parts.last().map_or(Seq::GENESIS, |part| part.last);
            return Err(memlith::Error::Diverged { ledger: manifest.ledger, seq }.into());
        }
        let count = |seq: Option<Seq>| seq.map_or(0, |seq| seq.0 + 1);
        self.got.records += count(end).saturating_sub(count(held));
        let there = replica.kept()?;
        for file in manifest.files.iter().filter(|file| !there.contains(&file.file)) {
            let bytes = self.object(machine, id, &file.object)?;
            replica.keep(&file.file, &bytes)?;
        }
        let is_over = |name: &&String| manifest.files.iter().all(|file| file.file != **name);
        for name in there.iter().filter(is_over) {
            replica.drop_kept(name)?;
        }
        Ok(())
    }

    /// Whether the copy of a machine's ledger holds what was taken in.
    fn is_here(&self, machine: &mut Machine, id: &MachineId) -> bool {
        let Some(other) = machine.other(id) else { return true };
        let Some((last, chain, _)) = other.last else { return true };
        let replica = Replica::open_or_create(&self.home.replica(other.ledger), other.ledger);
        replica.is_ok_and(|replica| replica.chain_at(last).is_ok_and(|found| found == Some(chain)))
    }

    /// Takes in a ledger from its first record, where the copy of it here is damaged. A history
    /// that doesn't hold what was taken in before is another one, unless the machine that handed
    /// that over was given up.
    fn take_anew(
        &mut self,
        machine: &mut Machine,
        id: &MachineId,
        manifest: &Manifest,
        error: Error,
    ) -> Result<()> {
        let of_ledger = machine.others.iter().filter(|other| other.ledger == manifest.ledger);
        let known = of_ledger.filter_map(|other| other.last).max_by_key(|(seq, ..)| *seq);
        let known = known.filter(|_| !machine.is_heir(id, manifest.ledger));
        let other = |(seq, chain, _): &(Seq, Digest, Timestamp)| {
            let part = manifest.parts.iter().find(|part| part.last == *seq);
            part.is_some_and(|part| part.chain != *chain)
        };
        if known.as_ref().is_some_and(other) {
            return Err(error);
        }
        tracing::warn!(%error, "a copy of another machine's ledger is made anew");
        let fresh = self.home.fresh(manifest.ledger);
        clear(&fresh)?;
        self.take_records(machine, id, (manifest, &fresh))?;
        if let Some((seq, chain, _)) = known {
            let replica = Replica::open_or_create(&fresh, manifest.ledger)?;
            if replica.chain_at(seq)? != Some(chain) {
                clear(&fresh)?;
                return Err(error);
            }
        }
        let kept = self.differs(manifest.ledger, &fresh);
        self.home.replace(manifest.ledger, kept.as_deref())?;
        self.got.kept.extend(kept);
        Ok(())
    }

    /// Where the copy that stands here is to be kept: it holds what the one in the folder `fresh`
    /// doesn't.
    fn differs(&self, ledger: LedgerId, fresh: &Path) -> Option<PathBuf> {
        let old = Replica::open_or_create(&self.home.replica(ledger), ledger).ok()?.head()?;
        let new = Replica::open_or_create(fresh, ledger).ok()?;
        let is_in = new.chain_at(old.seq).is_ok_and(|chain| chain == Some(old.chain));
        (!is_in).then(|| self.home.kept(ledger, (old.seq, old.chain)))
    }

    fn object(
        &mut self,
        machine: &mut Machine,
        id: &MachineId,
        object: &Object,
    ) -> Result<Vec<u8>> {
        let wrong = |what| self.foreign(id, &object.name, what);
        if MachineId::of_folder(&object.name).is_none() {
            return Err(wrong("it has no name of a file"));
        }
        let bytes = self.carrier.get(id, &object.name, object.len.min(OBJECT_LEN_MAX))?;
        let bytes = bytes.ok_or_else(|| {
            let (remote, name) = (self.remote.clone(), format!("{id}/{}", object.name));
            Error::OnItsWay { remote, name }
        })?;
        let opened = object.key.decrypt(&bytes);
        machine.wants.retain(|wanted| *wanted != object.name);
        if opened.is_none() {
            machine.wants.push(object.name.clone());
        }
        let opened = opened.ok_or_else(|| wrong("it was cut or changed on the way"))?;
        self.got.bytes += object.len;
        Ok(opened)
    }

    /// Does what another machine says of the machines.
    fn take_notices(&mut self, machine: &mut Machine, manifest: &Manifest) -> Result<()> {
        let own = machine.id();
        for id in manifest.removed.iter().filter(|id| **id != own) {
            if !machine.removed.contains(id) {
                let name = machine.other(id).map(|other| other.name.clone());
                self.got.given_up.push(name.unwrap_or_else(|| id.to_string()));
                machine.give_up(id)?;
            }
        }
        if manifest.code.0 > machine.code.0
            || manifest.code.0 == machine.code.0 && manifest.code.1 < machine.code.1
        {
            machine.code = manifest.code.clone();
        }
        Ok(())
    }
}

/// The longest file of a remote: a file of a checkpoint.
pub(crate) const OBJECT_LEN_MAX: u64 = 4 << 30;
