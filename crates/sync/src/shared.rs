//! Shared logs: places where several nodes agree on the order of one ledger.

mod folder;
mod signed;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use memlith::copy::{SharedError, SharedLog};
use memlith::{LedgerId, Seq};

use crate::address::Address;
use crate::error::{Error, Result};
use crate::machine::Home;

pub use folder::FolderLog;
pub(crate) use folder::remove_left_over;
pub use signed::{NodeRole, RefusedFrame, SignedLog, Team, heard_of, team_of};

/// The file, in a ledger's folder, that says where it is shared.
const FILE: &str = "sync/shared.json";
const BYTES_MAX: u64 = 64 << 10;

/// Opens the shared log at an address, such as `s3://bucket/prefix`.
pub type OpenStore = fn(&str) -> Result<Arc<dyn SharedLog>, SharedError>;

static STORES: Mutex<BTreeMap<&str, OpenStore>> = Mutex::new(BTreeMap::new());

/// Has this process reach shared logs of addresses that begin with `scheme://`.
pub fn add_store(scheme: &'static str, open: OpenStore) {
    STORES.lock().unwrap_or_else(PoisonError::into_inner).insert(scheme, open);
}

/// Has every handle of this process that is opened on the copy of a shared ledger write through its
/// shared log.
pub fn serve_shared() {
    memlith::copy::open_shared_with(|dir| match noted(dir) {
        Ok(shared) => shared,
        Err(Error::Engine(memlith::Error::Shared(SharedError::Unreached(what)))) => {
            Arc::new(Down(what))
        }
        Err(error) => Arc::new(Down(error.to_string())),
    });
}

/// Opens the shared log at `address` for the copy in the folder `dir`.
///
/// # Errors
/// The place isn't there, or can't be one.
pub fn open_shared(address: &Address, dir: &Path) -> Result<Arc<dyn SharedLog>> {
    let place: Arc<dyn SharedLog> = match address {
        Address::Folder(path) => Arc::new(FolderLog::open(path)?),
        Address::Store(text) => {
            let scheme = text.split("://").next().unwrap_or_default();
            let stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(open) = stores.get(scheme).copied() else {
                return Err(Error::Refused(format!(
                    "this program doesn't reach {scheme}: the one of `integrations/stores` does"
                )));
            };
            drop(stores);
            open(text).map_err(memlith::Error::from)?
        }
        Address::Git(_) | Address::Ssh { .. } | Address::Rclone(_) => {
            return Err(Error::Refused(format!(
                "{address} can't give a name to one file alone: share over a folder"
            )));
        }
    };
    Ok(Arc::new(SignedLog::new(place, dir)))
}

/// Opens the shared log that the copy in the folder `dir` notes.
fn noted(dir: &Path) -> Result<Arc<dyn SharedLog>> {
    let Some(address) = noted_address(dir)? else {
        return Err(Error::Refused(format!(
            "{} is gone: join again in the same folder, with the place and the invitation",
            dir.join(FILE).display()
        )));
    };
    open_shared(&address, dir)
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

/// Refuses to share the ledger in the folder `dir` at another place than the one that is noted.
///
/// # Errors
/// Another one is noted, and the disk's.
pub fn check_place(dir: &Path, address: &Address) -> Result<()> {
    match noted_address(dir)? {
        Some(noted) if noted != *address => Err(Error::Refused(format!(
            "this ledger is shared at {}: its other nodes write there. Where the place itself has moved, \
             remove {} first, on each node",
            noted.shown(),
            dir.join(FILE).display()
        ))),
        Some(_) | None => Ok(()),
    }
}

/// Whether a place is noted where the ledger in the folder `dir` is shared.
#[must_use]
pub fn is_noted(dir: &Path) -> bool {
    noted_address(dir).is_ok_and(|noted| noted.is_some())
}

fn noted_address(dir: &Path) -> Result<Option<Address>> {
    let path = dir.join(FILE);
    let io = || Error::io(format!("read {}", path.display()));
    let bytes = memlith_files::read(&path, BYTES_MAX).map_err(io())?;
    let read = |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|error| io()(error.into()));
    bytes.map(read).transpose()
}

/// Whether the folder `dir` holds a ledger.
#[must_use]
pub fn is_ledger(dir: &Path) -> bool {
    dir.join("seg-0000000000").is_file()
}

/// Whether several nodes write the ledger in the folder `dir`.
fn is_shared(dir: &Path) -> bool {
    dir.join(FILE).try_exists().unwrap_or(true) || signed::has_key(dir)
}

/// A shared log that couldn't be opened, and why.
#[derive(Debug)]
struct Down(String);

impl SharedLog for Down {
    fn append_if(&self, _: LedgerId, _: Seq, _: &[u8]) -> Result<bool, SharedError> {
        Err(SharedError::NotAllowed(format!("the shared log can't be reached: {}", self.0)))
    }

    fn read(&self, _: LedgerId, _: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        Err(SharedError::Unreached(self.0.clone()))
    }

    fn next(&self, _: LedgerId, _: Seq) -> Result<Option<Seq>, SharedError> {
        Err(SharedError::Unreached(self.0.clone()))
    }

    fn replace(&self, _: LedgerId, _: Seq, _: &[u8]) -> Result<(), SharedError> {
        Err(SharedError::Unreached(self.0.clone()))
    }
}

/// The folder and the name of a frame: names are in the order of records.
fn name_of(ledger: LedgerId, first: Seq) -> (String, String) {
    (ledger.to_string(), format!("{:020}", first.0))
}
