//! Push: a machine's records in encrypted parts, the files of its newest checkpoint,
//! and a manifest of them, sealed for the others.
//!
//! Invariants: 1. a manifest names only files that were put before it; 2. a part holds no words
//! that were erased when it was made, and one that does is replaced; 3. a state is put under a
//! number of its own, which is written down here first.

use std::collections::{BTreeMap, BTreeSet};

use memlith::copy::Stretch;
use memlith::{Ledger, Seq, Timestamp};

use crate::bytes::{hex, random};
use crate::carrier::{Carrier, Listed};
use crate::error::{Error, Result};
use crate::keys::{FileKey, MachineId, Sealing};
use crate::machine::{Home, Machine, MayHold, Remote};
use crate::note::{
    CARD, CARD_BYTES_MAX, Card, Kept, MANIFEST, MANIFEST_BYTES_MAX, Manifest, Object, Part,
    number_of,
};
use crate::run::digest;

/// The longest part, unless one batch is longer.
pub(crate) const PART_LEN: usize = 16 << 20;

/// Result of a push.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Put {
    pub(crate) records: u64,
    pub(crate) bytes: u64,
    /// Files that the place had lost or cut.
    pub(crate) again: u64,
}

/// A machine that puts its state on one remote.
pub(crate) struct Push<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) home: &'a Home,
    pub(crate) carrier: &'a mut dyn Carrier,
    pub(crate) now: Timestamp,
    pub(crate) put: Put,
    /// The files that were put.
    pub(crate) fresh: BTreeSet<String>,
    /// The files that others could not open.
    pub(crate) wanted: &'a [String],
}

impl Push<'_> {
    /// Puts on the remote at `at` what isn't there yet.
    pub(crate) fn run(&mut self, machine: &mut Machine, at: usize, listed: &Listed) -> Result<Put> {
        let own = machine.id();
        let there = listed.get(&own).cloned().unwrap_or_default();
        let Some(remote) = machine.remotes.get(at) else { return Ok(self.put) };
        let is_set_back = self.check_own(machine, remote, &own)?;
        self.put_card(machine, at, &there)?;
        let Some(remote) = machine.remotes.get(at) else { return Ok(self.put) };
        let before = remote.put.as_ref().map(|(manifest, _)| manifest.clone());
        let mut manifest = before.clone().unwrap_or_else(|| Manifest::of(machine, self.now));
        let end = manifest.parts.last().map(|part| part.last);
        let erased = self.add_parts(&mut manifest, &own)?;
        self.replace_parts(&mut manifest, (&own, &there), &erased)?;
        self.add_files(&mut manifest, (&own, &there))?;
        let replaced = end.map_or(0, |end| erased.range(..=end).count() as u64);
        manifest.removed.clone_from(&machine.removed);
        manifest.code.clone_from(&machine.code);
        manifest.wants.clone_from(&machine.wants);
        let to: Vec<(MachineId, Sealing)> =
            machine.others.iter().map(|other| (other.id.clone(), other.sealing.clone())).collect();
        let sealed_for: Vec<(MachineId, u64)> =
            to.iter().map(|(id, sealing)| (id.clone(), sealing.number)).collect();
        let is_same = before.as_ref() == Some(&manifest) && remote.sealed_for == sealed_for;
        if is_same && !is_set_back {
            return Ok(self.put);
        }
        manifest.number += 1;
        manifest.at = self.now;
        let bytes = manifest.seal(&machine.signing, &to)?;
        if let Some(remote) = machine.remotes.get_mut(at) {
            if replaced > 0 && self.carrier.keeps_history() {
                let until = std::mem::take(&mut remote.sealed_for);
                remote.may_hold.push(MayHold { since: self.now, records: replaced, until });
            }
            remote.put = Some((manifest.clone(), digest(&bytes)));
            remote.sealed_for = sealed_for;
        }
        self.home.write(machine)?;
        self.send(&own, MANIFEST, bytes)?;
        let named: BTreeSet<&str> = manifest.objects().map(|object| object.name.as_str()).collect();
        let is_over =
            |name: &&String| *name != CARD && *name != MANIFEST && !named.contains(name.as_str());
        let was = before.iter().flat_map(Manifest::objects).map(|object| &object.name);
        let over: BTreeSet<String> = there.keys().chain(was).filter(is_over).cloned().collect();
        machine.wants.retain(|wanted| !over.contains(wanted));
        self.carrier.remove(&own, &over.into_iter().collect::<Vec<String>>())?;
        self.carrier.publish(&own)?;
        Ok(self.put)
    }

    /// Whether the remote shows less of this machine than was put there.
    fn check_own(&self, machine: &Machine, remote: &Remote, own: &MachineId) -> Result<bool> {
        let known = remote.put.as_ref().map_or(0, |(manifest, _)| manifest.number);
        let Some(bytes) = self.carrier.get(own, MANIFEST, MANIFEST_BYTES_MAX)? else {
            return Ok(known > 0);
        };
        if remote.put.as_ref().is_some_and(|(_, put)| *put == digest(&bytes)) {
            return Ok(false);
        }
        match number_of(&bytes, &machine.signing.public()) {
            Some(found) if found >= known.max(1) => {
                Err(Error::Twin { remote: remote.name.clone(), machine: own.clone() })
            }
            Some(_) | None => Ok(true),
        }
    }

    fn send(&mut self, own: &MachineId, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.put.bytes += bytes.len() as u64;
        self.carrier.put(own, &[(name.to_owned(), bytes)])
    }

    fn put_card(
        &mut self,
        machine: &mut Machine,
        at: usize,
        there: &BTreeMap<String, u64>,
    ) -> Result<()> {
        let bytes = Card::of(machine).encode(&machine.signing);
        let card = digest(&bytes);
        let own = machine.id();
        let Some(remote) = machine.remotes.get_mut(at) else { return Ok(()) };
        let is_there = remote.card == Some(card) && there.contains_key(CARD);
        if is_there && self.carrier.get(&own, CARD, CARD_BYTES_MAX)? == Some(bytes.clone()) {
            return Ok(());
        }
        self.send(&own, CARD, bytes)?;
        self.carrier.publish(&own)?;
        remote.card = Some(card);
        Ok(())
    }

    /// Adds what the ledger holds beyond the manifest; gives the records that were erased since.
    fn add_parts(&mut self, manifest: &mut Manifest, own: &MachineId) -> Result<BTreeSet<Seq>> {
        if let Some(last) = manifest.parts.last()
            && self.ledger.chain_at(last.last)? != Some(last.chain)
        {
            let diverged = memlith::Error::Diverged { ledger: manifest.ledger, seq: last.last };
            return Err(diverged.into());
        }
        let mut erased = BTreeSet::new();
        let next = |manifest: &Manifest| {
            manifest.parts.last().map_or(Seq::GENESIS, |last| last.last.next())
        };
        while let Some(stretch) = self.ledger.stretch(next(manifest), None, PART_LEN)? {
            erased.extend(&stretch.erased);
            self.put.records += stretch.last.0 + 1 - stretch.first.0;
            let stretch = self.with_short_ones_before(manifest, stretch)?;
            let part = self.part_of(&stretch, own)?;
            manifest.parts.push(part);
        }
        Ok(erased)
    }

    /// Takes short parts at the end into what comes behind them, so that there are never many.
    fn with_short_ones_before(&self, manifest: &mut Manifest, stretch: Stretch) -> Result<Stretch> {
        let (mut first, mut len) = (stretch.first, stretch.bytes.len() as u64);
        while let Some(before) = manifest.parts.last()
            && before.object.len <= 2 * len
            && before.object.len + len <= PART_LEN as u64
        {
            (first, len) = (before.first, len + before.object.len);
            manifest.parts.pop();
        }
        if first == stretch.first {
            return Ok(stretch);
        }
        let whole = self.ledger.stretch(first, Some(stretch.last), usize::MAX)?;
        Ok(whole.unwrap_or(stretch))
    }

    /// Replaces the parts that hold words erased since, and those that the remote has lost or cut.
    fn replace_parts(
        &mut self,
        manifest: &mut Manifest,
        (own, there): (&MachineId, &BTreeMap<String, u64>),
        erased: &BTreeSet<Seq>,
    ) -> Result<()> {
        for part in &mut manifest.parts {
            if self.fresh.contains(&part.object.name) {
                continue;
            }
            let is_whole = self.is_whole(&part.object, there);
            if is_whole && erased.range(part.first..=part.last).next().is_none() {
                continue;
            }
            self.put.again += u64::from(!is_whole);
            let again = self.ledger.stretch(part.first, Some(part.last), usize::MAX)?;
            if let Some(stretch) = again {
                *part = self.part_of(&stretch, own)?;
            }
        }
        Ok(())
    }

    /// Adds the files of the newest checkpoint, and takes out those of older ones.
    fn add_files(
        &mut self,
        manifest: &mut Manifest,
        (own, there): (&MachineId, &BTreeMap<String, u64>),
    ) -> Result<()> {
        let names = self.ledger.checkpoint_files()?;
        let is_whole = |file: &Kept| self.is_whole(&file.object, there);
        manifest.files.retain(|file| names.contains(&file.file) && is_whole(file));
        for file in names {
            if manifest.files.iter().any(|kept| kept.file == file) {
                continue;
            }
            // One that an erasure has just removed is no loss.
            let bytes = self.ledger.checkpoint_file(&file).unwrap_or_default();
            if !bytes.is_empty() {
                let object = self.object_of(&bytes, own)?;
                manifest.files.push(Kept { object, file });
            }
        }
        manifest.files.sort_by(|a, b| a.file.cmp(&b.file));
        Ok(())
    }

    fn is_whole(&self, object: &Object, there: &BTreeMap<String, u64>) -> bool {
        there.get(&object.name) == Some(&object.len) && !self.wanted.contains(&object.name)
    }

    fn part_of(&mut self, stretch: &Stretch, own: &MachineId) -> Result<Part> {
        let object = self.object_of(&stretch.bytes, own)?;
        let Stretch { first, last, chain, .. } = *stretch;
        Ok(Part { object, first, last, chain })
    }

    /// Puts bytes on the remote under a new name, encrypted with a key of their own.
    fn object_of(&mut self, bytes: &[u8], own: &MachineId) -> Result<Object> {
        let (name, key) = (hex(&random::<16>()?), FileKey::new()?);
        let bytes = key.encrypt(bytes).unwrap_or_default();
        let len = bytes.len() as u64;
        self.send(own, &name, bytes)?;
        self.fresh.insert(name.clone());
        Ok(Object { name, key, len })
    }
}
