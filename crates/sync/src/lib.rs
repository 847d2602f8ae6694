//! One memory on several machines.
//!
//! Each machine writes its own ledger and reads the others'. A run takes what the other machines
//! put on a remote, and puts there what this one wrote: records in encrypted parts, the files of
//! the newest checkpoint, and a signed manifest sealed for the machines of the same person. What
//! comes is verified and then stands in a copy beside the ledger, in `sync/replicas`, which every
//! question reads with it.
//!
//! A remote is a folder, a git remote or a folder behind ssh. It is trusted with nothing: it reads
//! nothing, and what it loses, cuts, doubles or sets back is seen.
//!
//! `docs/sync.md` has the formats and what each party can do.

mod address;
mod bytes;
mod carrier;
mod error;
mod keys;
mod machine;
mod note;
mod pull;
mod push;
mod run;
mod shared;
mod status;
mod sync;
mod verify;

pub use address::{Address, BadAddress};
pub use error::{Error, Result};
pub use keys::MachineId;
pub use run::{Problem, RemoteRun, Run};
pub use shared::{
    FolderLog, NodeRole, OpenStore, RefusedFrame, SignedLog, Team, add_store, check_place,
    heard_of, is_ledger, is_noted, note_shared, open_shared, serve_shared, team_of,
};
pub use status::{Asked, Held, OtherStatus, RemoteStatus, Status};
pub use sync::{NewRemote, Sync};
pub use verify::RemoteReport;
