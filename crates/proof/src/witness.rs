use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::head::{Head, SignedHead};
use crate::key::{SigningKey, VerifierKey, verifier_parts};
use crate::note::{Signature, is_name, key_id, verifier_text};
use crate::proof::check_growth;
use crate::tree::Root;

/// The key of a witness, who countersigns heads of ledgers: a name and a signing key.
#[derive(Clone, Debug)]
pub struct WitnessKey {
    name: String,
    key: SigningKey,
}

/// The public half of a witness's key: a name and a verifying key.
///
/// Text form `<name>+<key id, 8 hex digits>+<base64>`, as C2SP signed notes have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessVerifier {
    name: String,
    key: ed25519_dalek::VerifyingKey,
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

    /// The public half, which others check its signatures with.
    #[must_use]
    pub fn verifier(&self) -> WitnessVerifier {
        WitnessVerifier { name: self.name.clone(), key: self.key.verifying() }
    }

    fn sign(&self, head: &SignedHead, time_s: u64) -> Signature {
        let signature = self.key.signature(&message(&head.note().text, time_s));
        let bytes = [&time_s.to_be_bytes(), signature.as_slice()].concat();
        let key = key_id(&self.name, &self.key.public(COSIGNATURE));
        Signature { name: self.name.clone(), key, bytes }
    }
}

/// Countersigns `new`, which one of `keys` signed, if it grew out of the head of that ledger that
/// the witness saw last; with none, it is the first. `growth` is a head and the consistency proof
/// from it. The caller keeps the head that comes back before it gives it away.
///
/// # Errors
/// [`Error::Signature`], [`Error::OtherLedger`], [`Error::Unproven`] without a proof from the
/// head that was seen last, and [`Error::Fork`].
pub fn witness(
    by: &WitnessKey,
    keys: &[VerifierKey],
    (seen, growth): (Option<&Head>, Option<(&Head, &[Root])>),
    new: &SignedHead,
    time_s: u64,
) -> Result<SignedHead, Error> {
    new.check_any(keys)?;
    // The same head again needs no proof.
    if let Some(seen) = seen.filter(|seen| *seen != new.head()) {
        let consistency = growth.filter(|(from, _)| *from == seen).map(|(_, proof)| proof);
        if consistency.is_none() && seen.size < new.head().size {
            return Err(Error::Unproven { seen: seen.size });
        }
        check_growth(seen, new.head(), consistency.unwrap_or_default())?;
    }
    new.with(by.sign(new, time_s))
}

impl WitnessVerifier {
    /// The name of the witness.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks the countersignature of the witness on a head.
    ///
    /// # Errors
    /// [`Error::Signature`].
    pub fn check(&self, head: &SignedHead) -> Result<Cosignature, Error> {
        let WitnessVerifier { name, key } = self;
        let signature = head.note().signature(name, key_id(name, &self.public()));
        let refused = |what: &str| Error::Signature { reason: format!("{name} {what}") };
        let signature = signature.ok_or_else(|| refused("has not countersigned the head"))?;
        let time_s = signature.first_chunk().copied().map(u64::from_be_bytes).unwrap_or_default();
        let bytes = signature.get(8..).unwrap_or_default();
        let is_right = ed25519_dalek::Signature::from_slice(bytes).is_ok_and(|signature| {
            key.verify_strict(&message(&head.note().text, time_s), &signature).is_ok()
        });
        let found = Cosignature { name: name.clone(), time_s };
        is_right.then_some(found).ok_or_else(|| refused("countersigned another head than this one"))
    }

    fn public(&self) -> Vec<u8> {
        [&[COSIGNATURE], self.key.as_bytes().as_slice()].concat()
    }
}

impl fmt::Display for WitnessVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&verifier_text(&self.name, &self.public()))
    }
}

impl FromStr for WitnessVerifier {
    type Err = Error;

    fn from_str(text: &str) -> Result<WitnessVerifier, Error> {
        let reason = "it is not `<name>+<8 hex digits>+<base64>` of cosignature/v1";
        let (name, key) = verifier_parts(text.trim_end(), COSIGNATURE)
            .ok_or(Error::Key { what: "witness key", reason })?;
        Ok(WitnessVerifier { name: name.to_owned(), key })
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
