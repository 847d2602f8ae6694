//! Shared logs: places where several nodes agree on the order of one ledger.

mod folder;

use std::path::Path;
use std::sync::Arc;

use memlith::copy::SharedLog;
use memlith::{LedgerId, Seq};

use crate::address::Address;
use crate::error::{Error, Result};
use crate::machine::Home;

pub use folder::FolderLog;

/// The file, in a ledger's folder, that says where it is shared.
const FILE: &str = "sync/shared.json";
const BYTES_MAX: u64 = 64 << 10;

/// Opens the shared log at `address`.
///
/// # Errors
/// The place isn't there, or can't be one.
pub fn open_shared(address: &Address) -> Result<Arc<dyn SharedLog>> {
    match address {
        Address::Folder(path) => Ok(Arc::new(FolderLog::open(path)?)),
        Address::Git(_) | Address::Ssh { .. } => Err(Error::Refused(format!(
            "{address} can't give a name to one file alone: share over a folder"
        ))),
    }
}

/// Opens the shared log of the ledger in the folder `dir`; `None` where it is shared with nobody.
///
/// # Errors
/// Those of [`open_shared`], and the file can't be read.
pub fn shared_of(dir: &Path) -> Result<Option<Arc<dyn SharedLog>>> {
    let path = dir.join(FILE);
    let io = || Error::io(format!("read {}", path.display()));
    let Some(bytes) = memlith_files::read(&path, BYTES_MAX).map_err(io())? else {
        return Ok(None);
    };
    let address: Address = serde_json::from_slice(&bytes).map_err(|error| io()(error.into()))?;
    open_shared(&address).map(Some)
}

/// Notes where the ledger in the folder `dir` is shared; from now on nothing is written to it but
/// through that place.
///
/// # Errors
/// The folder can't be written.
pub fn note_shared(dir: &Path, address: &Address) -> Result<()> {
    let path = dir.join(FILE);
    Home::of(dir).make()?;
    let durable = memlith_files::Replacing { durable: true, permissions: None };
    let bytes = serde_json::to_vec(address).unwrap_or_default();
    let written = durable.replace(&path, &bytes);
    written.map_err(Error::io(format!("write {}", path.display())))
}

/// The folder and the name of a frame: names are in the order of records.
fn name_of(ledger: LedgerId, first: Seq) -> (String, String) {
    (ledger.to_string(), format!("{:020}", first.0))
}
