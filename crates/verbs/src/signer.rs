//! The key that signs the heads of ledgers, and what was signed last. Both lie outside of every
//! ledger, so that whoever writes a ledger's files alone can neither sign nor forget.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use memlith::prove::signed::{ProofError, SignedHead, SigningKey, Tree, VerifierKey};
use memlith::{Ledger, LedgerId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::exit;
use crate::program;

/// The folder of keys and signed heads: `keys` in the program's settings.
#[derive(Clone, Debug)]
pub(crate) struct Signer {
    folder: PathBuf,
    /// A command that prints the key, in place of the file.
    command: Option<Vec<String>>,
}

/// A head that was signed just now, with all that proofs under it need.
pub(crate) struct Signed {
    pub(crate) head: SignedHead,
    pub(crate) key: VerifierKey,
    pub(crate) tree: Tree,
}

/// Result of the last sending of a ledger's head.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Sending {
    /// The number of records under the head that was sent last; 0 if none was.
    pub(crate) size: u64,
    pub(crate) at: Timestamp,
    /// The error, if it was not signed or did not reach a place.
    pub(crate) failed: Option<String>,
}

const KEY: &str = "head.key";

/// The beginning of the name of a key that was put aside.
const ASIDE: &str = "head-";

/// The longest key, note and tree that are read, in bytes. A tree has 32 bytes for 256 records.
const KEY_BYTES_MAX: u64 = 4 << 10;
const NOTE_BYTES_MAX: u64 = 16 << 10;
const TREE_BYTES_MAX: u64 = 1 << 30;

impl Signer {
    /// The user's own.
    ///
    /// # Errors
    /// There is no home folder.
    pub(crate) fn of_user(command: Option<Vec<String>>) -> Result<Signer> {
        let settings = crate::environment::settings().ok_or_else(|| {
            exit::unusable("there is no home folder to keep a key in: set HOME or XDG_CONFIG_HOME")
        })?;
        Ok(Signer { folder: settings.join("memlith").join("keys"), command })
    }

    /// The file of the key.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join(KEY)
    }

    /// The key; `None` if none was made.
    ///
    /// # Errors
    /// Others can read its file, it isn't one, or the command failed.
    pub(crate) fn key(&self) -> Result<Option<SigningKey>> {
        if let Some(command) = &self.command {
            let text = program::run(command, "", None)?;
            return parsed(text.trim(), "key_command of heads.json").map(Some);
        }
        let path = self.file();
        let metadata = match fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata.with_context(|| format!("read {}", path.display()))?,
        };
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(exit::unusable(format!(
                "{} can be read by others: `chmod 600` it, and rotate the key if others may have \
                 read it",
                path.display()
            )));
        }
        let text = read(&path, KEY_BYTES_MAX)?.unwrap_or_default();
        parsed(&String::from_utf8_lossy(&text), &path.display().to_string()).map(Some)
    }

    /// The key.
    ///
    /// # Errors
    /// There is none, and those of [`Signer::key`].
    pub(crate) fn the_key(&self) -> Result<SigningKey> {
        self.key()?.ok_or_else(|| {
            exit::unusable(format!(
                "there is no key in {}: `memlith config keys new` makes one",
                self.file().display()
            ))
        })
    }

    /// The keys whose heads the user can check: the current one, then those that were put aside.
    ///
    /// # Errors
    /// Those of [`Signer::key`].
    pub(crate) fn verifiers(&self, ledger: LedgerId) -> Result<Vec<VerifierKey>> {
        let mut keys: Vec<SigningKey> = self.key()?.into_iter().collect();
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for name in names.map(|entry| entry.file_name().to_string_lossy().into_owned()) {
            if name.starts_with(ASIDE) && name.ends_with(".key") {
                let text = read(&self.folder.join(&name), KEY_BYTES_MAX)?.unwrap_or_default();
                keys.push(parsed(&String::from_utf8_lossy(&text), &name)?);
            }
        }
        Ok(keys.into_iter().map(|key| key.verifier(ledger)).collect())
    }

    /// Makes a key, and puts an older one aside; returns both.
    ///
    /// # Errors
    /// The folder can't be written, or a command gives the key.
    pub(crate) fn renew(&self) -> Result<(SigningKey, Option<SigningKey>)> {
        if self.command.is_some() {
            return Err(exit::refused("a command gives the key: make the new one there"));
        }
        self.make_folder()?;
        let old = self.key()?;
        if let Some(old) = &old {
            let name: String = old.id().iter().map(|byte| format!("{byte:02x}")).collect();
            self.write(&format!("{ASIDE}{name}.key"), old.secret().as_bytes())?;
        }
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
        let new = SigningKey::from_seed(seed);
        self.write(KEY, format!("{}\n", new.secret()).as_bytes())?;
        Ok((new, old))
    }

    /// Signs the head of a ledger and keeps it, unless the ledger lost or changed what was signed
    /// last.
    ///
    /// # Errors
    /// There is no key, or [`memlith::Error::Proof`] of a ledger that was taken back.
    pub(crate) fn sign(&self, ledger: &Ledger) -> Result<Signed> {
        let key = self.the_key()?;
        let _held = self.hold(ledger.id())?;
        let (tree, last) = (self.tree(ledger)?, self.last(ledger.id())?);
        self.sign_behind(ledger, tree, last.as_ref(), &key)
    }

    /// Signs the head of a ledger that was restored from an older copy. The head that was signed
    /// last is put aside, and comes back.
    ///
    /// # Errors
    /// None was signed, the ledger doesn't end before that head, and those of [`Signer::sign`].
    pub(crate) fn sign_restored(&self, ledger: &Ledger) -> Result<(Signed, SignedHead)> {
        let (id, key) = (ledger.id(), self.the_key()?);
        let _held = self.hold(id)?;
        let last = self.last(id)?;
        let last = last.ok_or_else(|| exit::refused("no head of this ledger was signed"))?;
        let seq = last.head().seq();
        if ledger.head().seq >= seq {
            return Err(exit::refused(format!(
                "the ledger does not end before record {seq}, whose head was signed last: it was \
                 not restored from an older copy"
            )));
        }
        self.write(&format!("{id}-{seq}.head"), last.to_string().as_bytes())?;
        let signed = self.sign_behind(ledger, ledger.audit().new_tree(), None, &key)?;
        Ok((signed, last))
    }

    /// Holds what is kept of a ledger: two that sign at once would each keep what the other
    /// doesn't know.
    fn hold(&self, ledger: LedgerId) -> Result<fs::File> {
        self.make_folder()?;
        Ok(memlith_files::hold(&self.folder.join(format!("{ledger}.lock")))?)
    }

    fn sign_behind(
        &self,
        ledger: &Ledger,
        mut tree: Tree,
        last: Option<&SignedHead>,
        key: &SigningKey,
    ) -> Result<Signed> {
        let (id, last) = (ledger.id(), last.map(SignedHead::head));
        let head = ledger.audit().sign((&mut tree, last), key).map_err(not_signed)?;
        self.write(&format!("{id}.tree"), &tree.encode())?;
        self.write(&format!("{id}.head"), head.to_string().as_bytes())?;
        Ok(Signed { head, key: key.verifier(id), tree })
    }

    /// Countersigns a head of somebody's ledger, and keeps it: `cosign` gets the last one that was
    /// countersigned.
    ///
    /// # Errors
    /// Those of `cosign`, and the folder can't be written.
    pub(crate) fn witness(
        &self,
        ledger: LedgerId,
        cosign: impl FnOnce(Option<&SignedHead>) -> Result<SignedHead, ProofError>,
    ) -> Result<SignedHead> {
        self.make_folder()?;
        let name = format!("witness-{ledger}");
        let _held = memlith_files::hold(&self.folder.join(format!("{name}.lock")))?;
        let seen = self.note(&format!("{name}.head"))?;
        let cosigned = cosign(seen.as_ref()).map_err(memlith::Error::from)?;
        self.write(&format!("{name}.head"), cosigned.to_string().as_bytes())?;
        Ok(cosigned)
    }

    /// The head that was signed last of a ledger.
    ///
    /// # Errors
    /// It can't be read.
    pub(crate) fn last(&self, ledger: LedgerId) -> Result<Option<SignedHead>> {
        self.note(&format!("{ledger}.head"))
    }

    /// Result of the last sending of a ledger's head; `None` if none was sent.
    ///
    /// # Errors
    /// It can't be read.
    pub(crate) fn sending(&self, ledger: LedgerId) -> Result<Option<Sending>> {
        let path = self.folder.join(format!("{ledger}.sent"));
        let Some(bytes) = read(&path, NOTE_BYTES_MAX)? else { return Ok(None) };
        Ok(serde_json::from_slice(&bytes).ok())
    }

    /// Notes what became of a sending.
    ///
    /// # Errors
    /// The folder can't be written.
    pub(crate) fn keep_sending(&self, ledger: LedgerId, sending: &Sending) -> Result<()> {
        self.make_folder()?;
        self.write(&format!("{ledger}.sent"), &serde_json::to_vec(sending)?)
    }

    fn note(&self, name: &str) -> Result<Option<SignedHead>> {
        let path = self.folder.join(name);
        let Some(text) = read(&path, NOTE_BYTES_MAX)? else { return Ok(None) };
        let head = String::from_utf8_lossy(&text).parse();
        head.map(Some).with_context(|| format!("read {}", path.display()))
    }

    /// The kept tree of a ledger, or a new one where none is kept that can be read.
    ///
    /// # Errors
    /// The file can't be read.
    pub(crate) fn tree(&self, ledger: &Ledger) -> Result<Tree> {
        let path = self.folder.join(format!("{}.tree", ledger.id()));
        let kept = read(&path, TREE_BYTES_MAX)?.and_then(|bytes| Tree::decode(&bytes).ok());
        let kept = kept.filter(|tree| tree.ledger() == ledger.id());
        Ok(kept.unwrap_or_else(|| ledger.audit().new_tree()))
    }

    fn make_folder(&self) -> Result<()> {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        made.with_context(|| format!("make {}", self.folder.display()))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.folder.join(name);
        let how = memlith_files::Replacing { durable: true, ..memlith_files::Replacing::default() };
        how.replace(&path, bytes).with_context(|| format!("write {}", path.display()))
    }
}

/// The error of a head that is not signed.
fn not_signed(error: memlith::Error) -> anyhow::Error {
    if let memlith::Error::Proof(fork @ ProofError::Fork { .. }) = &error {
        return exit::damaged(format!(
            "{fork}: nothing is signed; restore the newest copy. If this is the newest copy there \
             is, `memlith head sign --restored` signs it, and heads of before then name a rollback"
        ));
    }
    error.into()
}

fn read(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>> {
    memlith_files::read(path, bytes_max).with_context(|| format!("read {}", path.display()))
}

fn parsed(text: &str, from: &str) -> Result<SigningKey> {
    text.parse().map_err(|error| exit::unusable(format!("{from}: {error}")))
}
