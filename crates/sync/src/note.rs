//! Notes that a machine puts on a remote: its card, which anybody may read, and its manifest,
//! which is sealed for the other machines.

use memlith::{Digest, LedgerId, Seq, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bytes::Bytes;
use crate::error::Result;
use crate::keys::{FileKey, MachineId, Opening, Sealing, Signing, is_signed};
use crate::machine::Machine;

/// The names of the notes in a machine's folder.
pub(crate) const CARD: &str = "card";
pub(crate) const MANIFEST: &str = "manifest";

/// The longest notes that are read, in bytes.
pub(crate) const CARD_BYTES_MAX: u64 = 16 << 10;
pub(crate) const MANIFEST_BYTES_MAX: u64 = 16 << 20;

/// The version of the notes.
const VERSION: u32 = 1;

/// A machine as it introduces itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Card {
    version: u32,
    /// Its name, for people.
    pub(crate) name: String,
    /// The ledger that it writes.
    pub(crate) ledger: LedgerId,
    /// The key that it signs with.
    pub(crate) signs: Bytes,
    /// The key to seal for.
    pub(crate) sealing: Sealing,
    /// It has destroyed every key for which it was sealed before this one.
    pub(crate) destroyed_below: u64,
    /// Proof that it was given the code by which machines join.
    joined: Bytes,
}

/// The state of a machine's ledger, and where it lies on the remote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    /// Counts the states of the machine on this remote.
    pub(crate) number: u64,
    pub(crate) ledger: LedgerId,
    /// When it was put there.
    pub(crate) at: Timestamp,
    /// The records, one part behind the other.
    pub(crate) parts: Vec<Part>,
    /// The files of the newest checkpoint.
    pub(crate) files: Vec<Kept>,
    /// Machines that were lost or given up.
    pub(crate) removed: Vec<MachineId>,
    /// The code by which machines join, and how many there were before it.
    pub(crate) code: (u64, String),
    /// Files of others that were cut or changed on the way.
    pub(crate) wants: Vec<String>,
}

/// Records of a ledger in one file of a remote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) object: Object,
    pub(crate) first: Seq,
    pub(crate) last: Seq,
    /// The chain at the last one.
    pub(crate) chain: Digest,
}

/// A file of a checkpoint on a remote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) object: Object,
    /// Its name in the ledger's folder.
    pub(crate) file: String,
}

/// An encrypted file on a remote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Object {
    /// Its name in the machine's folder.
    pub(crate) name: String,
    pub(crate) key: FileKey,
    /// Its length as it lies there.
    pub(crate) len: u64,
}

/// A text with the signature of the one who wrote it.
#[derive(Serialize, Deserialize)]
struct Signed {
    text: String,
    signature: Bytes,
}

/// A manifest for those whom it is sealed for.
#[derive(Serialize, Deserialize)]
struct Sealed {
    machine: MachineId,
    number: u64,
    /// The key of the manifest, once for each machine: whose, for which of its keys.
    keys: Vec<(MachineId, u64, Bytes)>,
    manifest: Bytes,
}

/// A manifest that was opened.
pub(crate) struct Opened {
    pub(crate) manifest: Manifest,
    /// The number of the key that opened it.
    pub(crate) with: u64,
}

impl Card {
    pub(crate) fn of(machine: &Machine) -> Card {
        let signs = machine.signing.public();
        Card {
            version: VERSION,
            name: machine.name.clone(),
            ledger: machine.ledger,
            joined: proof(&machine.code.1, &signs),
            signs,
            destroyed_below: machine.destroyed_below(),
            sealing: machine.newest.public(),
        }
    }

    pub(crate) fn id(&self) -> MachineId {
        MachineId::of_key(&self.signs)
    }

    /// Whether whoever wrote it was given the code.
    pub(crate) fn knows(&self, code: &str) -> bool {
        self.joined == proof(code, &self.signs)
    }

    pub(crate) fn encode(&self, signing: &Signing) -> Vec<u8> {
        sign(self, signing)
    }

    /// Reads the card in a machine's folder.
    pub(crate) fn read(
        bytes: &[u8],
        folder: &MachineId,
    ) -> std::result::Result<Card, &'static str> {
        let signed: Signed = serde_json::from_slice(bytes).map_err(|_| "it is no card")?;
        let card: Card = serde_json::from_str(&signed.text).map_err(|_| "it is no card")?;
        if card.version != VERSION {
            return Err("a newer version of this program wrote it");
        }
        if card.id() != *folder || !is_signed(&signed.text, &signed.signature, &card.signs) {
            return Err("it is not signed by the machine in whose folder it lies");
        }
        Ok(card)
    }
}

/// A digest that only one who knows the code can make.
fn proof(code: &str, signs: &Bytes) -> Bytes {
    let key = blake3::derive_key("memlith v1 sync code", code.as_bytes());
    Bytes(blake3::keyed_hash(&key, &signs.0).as_bytes().to_vec())
}

impl Manifest {
    /// The manifest of a ledger in no state yet.
    pub(crate) fn of(machine: &Machine, at: Timestamp) -> Manifest {
        let (parts, files, removed) = (Vec::new(), Vec::new(), machine.removed.clone());
        let (ledger, code, wants) = (machine.ledger, machine.code.clone(), machine.wants.clone());
        Manifest { version: VERSION, number: 0, ledger, at, parts, files, removed, code, wants }
    }

    /// The files that it names.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Object> {
        let parts = self.parts.iter().map(|part| &part.object);
        parts.chain(self.files.iter().map(|file| &file.object))
    }

    /// The manifest as it is put on a remote, for those who hold these keys.
    pub(crate) fn seal(&self, signing: &Signing, to: &[(MachineId, Sealing)]) -> Result<Vec<u8>> {
        let key = FileKey::new()?;
        let keys = to.iter().filter_map(|(machine, sealing)| {
            Some((machine.clone(), sealing.number, sealing.seal(&key)?))
        });
        let text = serde_json::to_vec(self).unwrap_or_default();
        let manifest = Bytes(key.encrypt(&text).unwrap_or_default());
        let machine = MachineId::of_key(&signing.public());
        let (number, keys) = (self.number, keys.collect());
        Ok(sign(&Sealed { machine, number, keys, manifest }, signing))
    }

    /// Opens the manifest that the machine with the key `signs` put there; none where it is not
    /// sealed for `reader`.
    pub(crate) fn open(
        bytes: &[u8],
        signs: &Bytes,
        (reader, openings): (&MachineId, &[Opening]),
    ) -> std::result::Result<Option<Opened>, &'static str> {
        let signed: Signed = serde_json::from_slice(bytes).map_err(|_| "it is no manifest")?;
        if !is_signed(&signed.text, &signed.signature, signs) {
            return Err("it is not signed by the machine in whose folder it lies");
        }
        let sealed: Sealed = read(&signed.text)?;
        if sealed.machine != MachineId::of_key(signs) {
            return Err("it is another machine's");
        }
        let own = sealed.keys.iter().filter(|(machine, ..)| machine == reader);
        let mut keys = own.filter_map(|(_, number, key)| {
            let opening = openings.iter().find(|opening| opening.number == *number)?;
            Some((*number, opening.open(key)?))
        });
        let Some((with, key)) = keys.next_back() else { return Ok(None) };
        let text = key.decrypt(&sealed.manifest.0).ok_or("its bytes were changed")?;
        let text = String::from_utf8(text).map_err(|_| "it is no manifest")?;
        let manifest: Manifest = read(&text)?;
        if manifest.version != VERSION {
            return Err("a newer version of this program wrote it");
        }
        Ok(Some(Opened { manifest, with }))
    }
}

/// The number of the manifest that the machine with the key `signs` put there; none where it is none.
pub(crate) fn number_of(bytes: &[u8], signs: &Bytes) -> Option<u64> {
    let signed: Signed = serde_json::from_slice(bytes).ok()?;
    let is_own = is_signed(&signed.text, &signed.signature, signs);
    let sealed: Sealed = serde_json::from_str(&signed.text).ok()?;
    is_own.then_some(sealed.number)
}

/// Whether a manifest is sealed for a machine, by whichever of its keys.
pub(crate) fn is_sealed_for(bytes: &[u8], machine: &MachineId) -> bool {
    let signed: Option<Signed> = serde_json::from_slice(bytes).ok();
    let sealed: Option<Sealed> = signed.and_then(|signed| serde_json::from_str(&signed.text).ok());
    sealed.is_some_and(|sealed| sealed.keys.iter().any(|(to, ..)| to == machine))
}

fn read<T: DeserializeOwned>(text: &str) -> std::result::Result<T, &'static str> {
    serde_json::from_str(text).map_err(|_| "it is no manifest")
}

fn sign(note: &impl Serialize, signing: &Signing) -> Vec<u8> {
    // Maps of strings, numbers and lists alone: that can't fail.
    let text = serde_json::to_string(note).unwrap_or_default();
    let signature = signing.sign(&text);
    serde_json::to_vec(&Signed { text, signature }).unwrap_or_default()
}
