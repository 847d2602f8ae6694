use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;
use crate::head::{Head, SignedHead};
use crate::key::{SigningKey, VerifierKey, verifier_parts};
use crate::note::{Signature, is_name, key_id};
use crate::proof::check_growth;
use crate::tree::Root;

/// The key of a witness, who countersigns heads of ledgers: a name and a signing key.
#[derive(Clone, Debug)]
pub struct WitnessKey {
    name: String,
    key: SigningKey,
}

/// A countersignature that was checked: the witness saw the head, and no other history before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    /// The witness.
    pub name: String,
    /// When it signed, in seconds since 1970.
    pub time_s: u64,
}

/// The algorithm byte of `cosignature/v1` (c2sp.org/tlog-cosignature).
const COSIGNATURE: u8 = 4;

impl WitnessKey {
    /// Names a key.
    ///
    /// # Errors
    /// [`Error::Key`] if the name is empty or has a blank or a plus.
    pub fn new(name: &str, key: SigningKey) -> Result<WitnessKey, Error> {
        if !is_name(name) {
            let reason = "its name is empty, longer than 256 bytes, or has a blank or a plus";
            return Err(Error::Key { what: "witness key", reason });
        }
        Ok(WitnessKey { name: name.to_owned(), key })
    }

    /// The text that others check its signatures with.
    #[must_use]
    pub fn verifier(&self) -> String {
        let [a, b, c, d] = key_id(&self.name, &self.key.public(COSIGNATURE));
        let public = STANDARD.encode(self.key.public(COSIGNATURE));
        format!("{}+{a:02x}{b:02x}{c:02x}{d:02x}+{public}", self.name)
    }

    fn sign(&self, head: &SignedHead, time_s: u64) -> Signature {
        let signature = self.key.signature(&message(&head.note().text, time_s));
        let bytes = [&time_s.to_be_bytes(), signature.as_slice()].concat();
        let key = key_id(&self.name, &self.key.public(COSIGNATURE));
        Signature { name: self.name.clone(), key, bytes }
    }
}

/// Countersigns `new`, which `key` signed, if it grew out of the last head of that ledger that the
/// witness saw; with none, it is the first. The caller keeps the head that comes back before it
/// gives it away.
///
/// # Errors
/// [`Error::Signature`], [`Error::OtherLedger`], and [`Error::Fork`].
pub fn witness(
    by: &WitnessKey,
    key: &VerifierKey,
    (old, consistency): (Option<&Head>, &[Root]),
    new: &SignedHead,
    time_s: u64,
) -> Result<SignedHead, Error> {
    new.check(key)?;
    // The same head again needs no proof.
    if let Some(old) = old.filter(|old| *old != new.head()) {
        check_growth(old, new.head(), consistency)?;
    }
    new.with(by.sign(new, time_s))
}

impl Cosignature {
    /// Checks the countersignature of a witness, by its verifier text, on a head.
    ///
    /// # Errors
    /// [`Error::Key`] of a text that is none, and [`Error::Signature`].
    pub fn check(head: &SignedHead, verifier: &str) -> Result<Cosignature, Error> {
        let form = "it is not `<name>+<8 hex digits>+<base64>` of cosignature/v1";
        let form = || Error::Key { what: "witness verifier key", reason: form };
        let (name, key) = verifier_parts(verifier.trim_end(), COSIGNATURE).ok_or_else(form)?;
        let public = [&[COSIGNATURE], key.as_bytes().as_slice()].concat();
        let signature = head.note().signature(name, key_id(name, &public));
        let refused = |reason: &str| Error::Signature { reason: reason.to_owned() };
        let signature = signature.ok_or_else(|| refused("the witness has not signed the head"))?;
        let time_s = signature.first_chunk().copied().map(u64::from_be_bytes).unwrap_or_default();
        let bytes = signature.get(8..).unwrap_or_default();
        let is_right = ed25519_dalek::Signature::from_slice(bytes).is_ok_and(|signature| {
            key.verify_strict(&message(&head.note().text, time_s), &signature).is_ok()
        });
        let found = Cosignature { name: name.to_owned(), time_s };
        is_right.then_some(found).ok_or_else(|| refused("the head is not what the witness signed"))
    }
}

impl fmt::Display for Cosignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.name, self.time_s)
    }
}

/// The message that a witness signs.
fn message(text: &str, time_s: u64) -> Vec<u8> {
    format!("cosignature/v1\ntime {time_s}\n{text}").into_bytes()
}
