//! Knowledge of a machine about itself, its remotes and the other machines: one private file.

use std::fs::File;
use std::path::{Path, PathBuf};

use memlith::{Digest, Ledger, LedgerId, Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::bytes::{Bytes, random};
use crate::error::{Error, Result};
use crate::keys::{MachineId, Opening, Sealing, Signing};
use crate::note::Manifest;
use crate::shared::remove_left_over;

/// The folder, within a ledger's, of what belongs to other machines.
const FOLDER: &str = "sync";
const FILE: &str = "machine.json";
const LOCK: &str = "lock";
const REPLICAS: &str = "replicas";

/// The longest file of a machine, in bytes.
const BYTES_MAX: u64 = 64 << 20;

/// Symbols of a code: none that is taken for another.
const SYMBOLS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
const CODE_LEN: usize = 26;

/// A machine, as it knows itself and others.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) name: String,
    pub(crate) ledger: LedgerId,
    pub(crate) signing: Signing,
    /// The key that others are to seal for.
    pub(crate) newest: Opening,
    /// Those before it for which others may still seal, ascending.
    pub(crate) older: Vec<Opening>,
    /// The code by which machines join, and how many there were before it.
    pub(crate) code: (u64, String),
    pub(crate) remotes: Vec<Remote>,
    pub(crate) others: Vec<Other>,
    pub(crate) removed: Vec<MachineId>,
    /// Ledgers of machines that were given up, until another machine hands one over.
    pub(crate) orphaned: Vec<LedgerId>,
    /// Files that were cut or changed on the way: their machines put them there again.
    pub(crate) wants: Vec<String>,
    /// Whether an erasure was taken in since the key was made that others seal for.
    #[serde(default)]
    pub(crate) is_to_renew: bool,
}

/// A place that carries ledgers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Remote {
    pub(crate) name: String,
    pub(crate) address: Address,
    /// The last manifest of this machine there, and the digest of its bytes.
    pub(crate) put: Option<(Manifest, Digest)>,
    /// For whom that was sealed.
    pub(crate) sealed_for: Vec<(MachineId, u64)>,
    /// The digest of this machine's card there.
    pub(crate) card: Option<Digest>,
    /// The newest manifests of the others that were seen there.
    pub(crate) seen: Vec<Seen>,
    /// Words that were erased here, and that the remote's history may still hold.
    pub(crate) may_hold: Vec<MayHold>,
    /// Machines there that don't know the code.
    pub(crate) strangers: Vec<String>,
    /// When it was last reached.
    pub(crate) reached: Option<Timestamp>,
    /// Why it wasn't the last time.
    pub(crate) failed: Option<String>,
}

/// The newest manifest of another machine that was seen on a remote.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) machine: MachineId,
    pub(crate) number: u64,
    pub(crate) digest: Digest,
    /// The number of the key that opened it.
    pub(crate) with: u64,
}

/// Words that a remote's history holds until these machines have destroyed these keys.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MayHold {
    pub(crate) since: Timestamp,
    pub(crate) records: u64,
    pub(crate) until: Vec<(MachineId, u64)>,
}

/// Another machine of the same person.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Other {
    pub(crate) id: MachineId,
    pub(crate) name: String,
    pub(crate) ledger: LedgerId,
    pub(crate) signs: Bytes,
    pub(crate) sealing: Sealing,
    pub(crate) destroyed_below: u64,
    pub(crate) joined: Timestamp,
    /// Why its records couldn't be taken in the last time.
    pub(crate) failed: Option<String>,
    /// The last record that was taken in, with its chain, and when it was put on a remote.
    pub(crate) last: Option<(Seq, Digest, Timestamp)>,
}

/// The folder of a ledger in which all of this lies.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    folder: PathBuf,
}

impl Home {
    pub(crate) fn of(ledger: &Path) -> Home {
        Home { folder: ledger.join(FOLDER) }
    }

    /// Whether anything was ever added.
    pub(crate) fn exists(&self) -> bool {
        self.folder.join(FILE).is_file()
    }

    /// The ledger's folder.
    pub(crate) fn ledger(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    /// A file of a name of its own.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The folder of the copy of a ledger.
    pub(crate) fn replica(&self, ledger: LedgerId) -> PathBuf {
        self.folder.join(REPLICAS).join(ledger.to_string())
    }

    /// The folder in which a copy is made anew.
    pub(crate) fn fresh(&self, ledger: LedgerId) -> PathBuf {
        self.folder.join("fresh").join(ledger.to_string())
    }

    /// Puts the copy that was made anew in the place of the one that stood there, which is kept under
    /// the name `kept` where one is given.
    pub(crate) fn replace(&self, ledger: LedgerId, kept: Option<&Path>) -> Result<()> {
        let (from, to) = (self.fresh(ledger), self.replica(ledger));
        let io = || Error::io(format!("replace {}", to.display()));
        if let Some(kept) = kept {
            let folder = kept.parent().unwrap_or(kept);
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::rename(&to, kept))
                .map_err(io())?;
        }
        let old = self.folder.join("fresh").join("old");
        clear(&old)?;
        match std::fs::rename(&to, &old) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io()(error)),
            Ok(()) | Err(_) => {}
        }
        std::fs::rename(&from, &to).map_err(io())?;
        clear(&old)
    }

    /// The folder of a copy that was replaced by another history, and ends with this record.
    pub(crate) fn kept(&self, ledger: LedgerId, (last, chain): (Seq, Digest)) -> PathBuf {
        let chain = chain.to_string();
        let chain = chain.get(..8).unwrap_or_default();
        self.folder.join("kept").join(format!("{ledger}-{last}-{chain}"))
    }

    /// The folder in which a carrier keeps what it needs.
    pub(crate) fn carrier(&self, remote: &str) -> PathBuf {
        self.folder.join("carriers").join(remote)
    }

    /// Makes the folders, of the owner alone.
    pub(crate) fn make(&self) -> Result<()> {
        use std::os::unix::fs::DirBuilderExt as _;
        let folder = self.folder.join(REPLICAS);
        let made = std::fs::DirBuilder::new().mode(0o700).recursive(true).create(&folder);
        made.map_err(Error::io(format!("make {}", folder.display())))
    }

    /// The right to change what lies here; none while another process has it.
    pub(crate) fn lock(&self) -> Result<Option<File>> {
        let path = self.folder.join(LOCK);
        let io = || Error::io(format!("lock {}", path.display()));
        let mut open = File::options();
        let file = open.create(true).truncate(false).write(true).open(&path).map_err(io())?;
        match rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(io()(error.into())),
        }
    }

    pub(crate) fn read(&self) -> Result<Option<Machine>> {
        let path = self.folder.join(FILE);
        let io = || Error::io(format!("read {}", path.display()));
        let Some(bytes) = memlith_files::read(&path, BYTES_MAX).map_err(io())? else {
            return Ok(None);
        };
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&path).map_err(io())?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(Error::Refused(format!(
                "{} holds keys and can be read by others: `chmod -R go-rwx` its folder, and give \
                 this machine up on the others if somebody may have read it",
                path.display()
            )));
        }
        serde_json::from_slice(&bytes).map(Some).map_err(|error| io()(error.into()))
    }

    pub(crate) fn write(&self, machine: &Machine) -> Result<()> {
        let path = self.folder.join(FILE);
        let bytes = serde_json::to_vec_pretty(machine).unwrap_or_default();
        let durable = memlith_files::Replacing { durable: true, permissions: None };
        let written = durable.replace(&path, &bytes);
        written.map_err(Error::io(format!("write {}", path.display())))?;
        // Runs that were killed leave keys there.
        let changed = std::fs::metadata(&path).and_then(|about| about.modified());
        if let Err(error) = changed.and_then(|now| remove_left_over(&self.folder, now)) {
            tracing::warn!(%error, "what killed runs left is still there");
        }
        Ok(())
    }

    /// Forgets all of it.
    pub(crate) fn remove(&self) -> Result<()> {
        let io = Error::io(format!("remove {}", self.folder.display()));
        std::fs::remove_dir_all(&self.folder).map_err(io)
    }
}

/// Removes a folder with all that is in it, where it is there.
pub(crate) fn clear(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io(format!("remove {}", folder.display()))(error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

impl Remote {
    pub(crate) fn new(name: String, address: Address) -> Remote {
        Remote {
            name,
            address,
            put: None,
            sealed_for: Vec::new(),
            card: None,
            seen: Vec::new(),
            may_hold: Vec::new(),
            strangers: Vec::new(),
            reached: None,
            failed: None,
        }
    }
}

impl Machine {
    /// A machine that knows no other, with the code that it was given, or a new one.
    pub(crate) fn new(name: String, ledger: &Ledger, code: Option<String>) -> Result<Machine> {
        Ok(Machine {
            name,
            ledger: ledger.id(),
            signing: Signing::new()?,
            newest: Opening::new(1)?,
            older: Vec::new(),
            code: (0, code.map_or_else(new_code, Ok)?),
            remotes: Vec::new(),
            others: Vec::new(),
            removed: Vec::new(),
            orphaned: Vec::new(),
            wants: Vec::new(),
            is_to_renew: false,
        })
    }

    pub(crate) fn id(&self) -> MachineId {
        MachineId::of_key(&self.signing.public())
    }

    /// The keys that open what was sealed for it, ascending.
    pub(crate) fn openings(&self) -> Vec<Opening> {
        self.older.iter().chain([&self.newest]).cloned().collect()
    }

    /// Makes a new key to be sealed for. The one before is destroyed once nobody seals for it.
    pub(crate) fn renew(&mut self) -> Result<()> {
        let next = Opening::new(self.newest.number + 1)?;
        self.older.push(std::mem::replace(&mut self.newest, next));
        self.is_to_renew = false;
        Ok(())
    }

    /// The least number of the keys that are not destroyed.
    pub(crate) fn destroyed_below(&self) -> u64 {
        self.older.first().unwrap_or(&self.newest).number
    }

    pub(crate) fn other(&mut self, id: &MachineId) -> Option<&mut Other> {
        self.others.iter_mut().find(|other| other.id == *id)
    }

    /// Whether a machine alone hands over a ledger that one which was given up handed over before:
    /// then its history is the one that holds.
    pub(crate) fn is_heir(&self, id: &MachineId, ledger: LedgerId) -> bool {
        let others = self.others.iter().filter(|other| other.ledger == ledger);
        self.orphaned.contains(&ledger) && others.into_iter().all(|other| other.id == *id)
    }

    /// Gives a machine up: it is sealed for no more, and nothing is taken from it. Who has the old
    /// code can't join any more.
    pub(crate) fn give_up(&mut self, id: &MachineId) -> Result<()> {
        if !self.removed.contains(id) {
            self.removed.push(id.clone());
            self.removed.sort_unstable();
            self.code = (self.code.0 + 1, new_code()?);
        }
        let gone = self.others.iter().filter(|other| other.id == *id);
        self.orphaned.extend(gone.map(|other| other.ledger));
        self.others.retain(|other| other.id != *id);
        Ok(())
    }
}

/// A code that nobody guesses: 130 bits.
fn new_code() -> Result<String> {
    let bytes = random::<CODE_LEN>()?;
    let symbol = |byte: &u8| SYMBOLS.get(usize::from(byte % 32)).copied().unwrap_or(b'a');
    Ok(bytes.iter().map(symbol).map(char::from).collect())
}

/// Whether a text can be a code, white space and hyphens aside.
pub(crate) fn read_code(text: &str) -> Option<String> {
    let code: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    let is_code = code.len() == CODE_LEN && code.bytes().all(|byte| SYMBOLS.contains(&byte));
    is_code.then_some(code)
}
