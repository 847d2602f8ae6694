//! Verification of remotes: every file that a manifest names is read, opened and compared.

use memlith::Ledger;
use memlith::copy::Stretch;
use serde::Serialize;

use crate::carrier::{self, Carrier};
use crate::error::Result;
use crate::keys::MachineId;
use crate::machine::{Home, Machine};
use crate::note::{MANIFEST, MANIFEST_BYTES_MAX, Manifest, Object};
use crate::pull::OBJECT_LEN_MAX;

/// A remote, read from end to end.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RemoteReport {
    /// The remote.
    pub remote: String,
    /// Number of machines whose files were read.
    pub machines: u64,
    /// Number of records in them.
    pub records: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Files and records that are not as they should be.
    pub findings: Vec<String>,
    /// Names of the files among them.
    #[serde(skip)]
    pub(crate) damaged: Vec<String>,
}

/// Reads all that this machine and the others put on each remote.
pub(crate) fn verify(home: &Home, machine: &Machine, ledger: &Ledger) -> Result<Vec<RemoteReport>> {
    let mut reports = Vec::new();
    for remote in &machine.remotes {
        let carrier = carrier::open(&remote.address, &remote.name, home)?;
        let mut report = RemoteReport { remote: remote.name.clone(), ..RemoteReport::default() };
        if let Some((manifest, _)) = &remote.put {
            let own = (machine.id(), machine.name.as_str());
            report.read(carrier.as_ref(), own, manifest)?;
            let last = manifest.parts.last();
            if let Some(part) = last
                && ledger.chain_at(part.last)? != Some(part.chain)
            {
                let what = format!("{}: it is not what the ledger holds", machine.name);
                report.findings.push(what);
            }
        }
        for other in &machine.others {
            let Some(bytes) = carrier.get(&other.id, MANIFEST, MANIFEST_BYTES_MAX)? else {
                continue;
            };
            let openings = machine.openings();
            match Manifest::open(&bytes, &other.signs, (&machine.id(), &openings)) {
                Ok(Some(opened)) => {
                    let of = (other.id.clone(), other.name.as_str());
                    report.read(carrier.as_ref(), of, &opened.manifest)?;
                }
                Ok(None) => report
                    .findings
                    .push(format!("{}: it put nothing there for this machine yet", other.name)),
                Err(what) => report.findings.push(format!("{}: {what}", other.name)),
            }
        }
        reports.push(report);
    }
    Ok(reports)
}

impl RemoteReport {
    fn read(
        &mut self,
        carrier: &dyn Carrier,
        (id, name): (MachineId, &str),
        manifest: &Manifest,
    ) -> Result<()> {
        self.machines += 1;
        let mut before = None;
        for part in &manifest.parts {
            let (first, last, chain) = (part.first, part.last, part.chain);
            let Some(bytes) = self.open(carrier, (&id, name), &part.object)? else {
                before = Some(chain);
                continue;
            };
            let stretch = Stretch { first, last, chain, erased: Vec::new(), bytes };
            match stretch.holds(manifest.ledger, before) {
                true => self.records += last.0 + 1 - first.0,
                false => {
                    self.damaged.push(part.object.name.clone());
                    self.findings.push(format!(
                        "{name}: records {first} to {last} are not the ones that it states"
                    ));
                }
            }
            before = Some(chain);
        }
        for file in &manifest.files {
            self.open(carrier, (&id, name), &file.object)?;
        }
        Ok(())
    }

    fn open(
        &mut self,
        carrier: &dyn Carrier,
        (id, name): (&MachineId, &str),
        object: &Object,
    ) -> Result<Option<Vec<u8>>> {
        let is_name = MachineId::of_folder(&object.name).is_some();
        let bytes = match is_name {
            true => carrier.get(id, &object.name, object.len.min(OBJECT_LEN_MAX))?,
            false => None,
        };
        let Some(bytes) = bytes else {
            self.findings.push(format!("{name}: file {} is not there", object.name));
            self.damaged.push(object.name.clone());
            return Ok(None);
        };
        self.bytes += bytes.len() as u64;
        let opened = object.key.decrypt(&bytes);
        if opened.is_none() {
            self.findings.push(format!("{name}: file {} was cut or changed", object.name));
            self.damaged.push(object.name.clone());
        }
        Ok(opened)
    }
}
