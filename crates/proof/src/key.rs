use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signer as _;
use memlith_log::LedgerId;

use crate::error::Error;
use crate::head::{ledger_of, origin};
use crate::note::{KeyId, Signature, is_name, key_id, verifier_text};

/// A key that signs heads: Ed25519.
///
/// Text form `memlith-key:<base64 of the seed>`. It belongs into a file outside of every ledger
/// that its owner alone reads.
#[derive(Clone)]
pub struct SigningKey(ed25519_dalek::SigningKey);

/// The public half of a key, for one ledger.
///
/// Text form `<origin>+<key id, 8 hex digits>+<base64>`, as C2SP signed notes have it.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey {
    ledger: LedgerId,
    key: ed25519_dalek::VerifyingKey,
}

const SCHEME: &str = "memlith-key:";

/// The longest text of a verifier key, in bytes.
const VERIFIER_BYTES_MAX: usize = 512;

/// The algorithm byte of Ed25519 in key ids.
const ED25519: u8 = 1;

impl SigningKey {
    /// Makes the key of a seed of 32 random bytes.
    #[must_use]
    pub fn from_seed(seed: [u8; 32]) -> SigningKey {
        SigningKey(ed25519_dalek::SigningKey::from_bytes(&seed))
    }

    /// Returns the line to keep in a file. It is a secret.
    #[must_use]
    pub fn secret(&self) -> String {
        format!("{SCHEME}{}", STANDARD.encode(self.0.to_bytes()))
    }

    /// Returns the public half for the heads of `ledger`.
    #[must_use]
    pub fn verifier(&self, ledger: LedgerId) -> VerifierKey {
        VerifierKey { ledger, key: self.0.verifying_key() }
    }

    /// Returns the first 8 bytes of the public half: the name of the key in records of a ledger.
    #[must_use]
    pub fn id(&self) -> [u8; 8] {
        let public = self.0.verifying_key().to_bytes();
        public.first_chunk().copied().unwrap_or_default()
    }

    /// Signs a text under a name.
    pub(crate) fn sign(&self, name: &str, text: &str) -> Signature {
        let bytes = self.0.sign(text.as_bytes()).to_bytes().to_vec();
        let key = key_id(name, &self.public(ED25519));
        Signature { name: name.to_owned(), key, bytes }
    }

    /// Signs bytes.
    pub(crate) fn signature(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }

    /// The public half.
    pub(crate) fn verifying(&self) -> ed25519_dalek::VerifyingKey {
        self.0.verifying_key()
    }

    /// The public half behind the byte of an algorithm.
    pub(crate) fn public(&self, algorithm: u8) -> Vec<u8> {
        [&[algorithm], self.0.verifying_key().as_bytes().as_slice()].concat()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(secret)")
    }
}

impl FromStr for SigningKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<SigningKey, Error> {
        let refused = |reason| Error::Key { what: "signing key", reason };
        let text = text.trim_end_matches(['\r', '\n']);
        let seed = text.strip_prefix(SCHEME);
        let seed = seed.ok_or_else(|| refused("it doesn't begin with memlith-key:"))?;
        let seed = STANDARD.decode(seed).map_err(|_| refused("it is not base64"))?;
        let seed = seed.try_into().map_err(|_| refused("its seed has not 32 bytes"))?;
        Ok(SigningKey::from_seed(seed))
    }
}

impl VerifierKey {
    /// The ledger whose heads it checks.
    #[must_use]
    pub fn ledger(&self) -> LedgerId {
        self.ledger
    }

    /// The id of the key under the ledger's name.
    pub(crate) fn id(&self) -> KeyId {
        key_id(&origin(self.ledger), &self.public())
    }

    /// Whether the key signed a text.
    pub(crate) fn verifies(&self, text: &str, signature: &[u8]) -> bool {
        let signature = ed25519_dalek::Signature::from_slice(signature);
        signature.is_ok_and(|one| self.key.verify_strict(text.as_bytes(), &one).is_ok())
    }

    fn public(&self) -> Vec<u8> {
        [&[ED25519], self.key.as_bytes().as_slice()].concat()
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&verifier_text(&origin(self.ledger), &self.public()))
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifierKey({self})")
    }
}

impl FromStr for VerifierKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<VerifierKey, Error> {
        let refused = |reason| Error::Key { what: "verifier key", reason };
        let text = text.trim_end_matches(['\r', '\n']);
        if text.starts_with(SCHEME) {
            let reason = "it is a signing key, which is a secret; `config keys` prints the other";
            return Err(refused(reason));
        }
        if text.len() > VERIFIER_BYTES_MAX {
            return Err(refused("it is too long"));
        }
        let (name, public) = verifier_parts(text, ED25519).ok_or_else(|| {
            refused("it is not `<origin>+<8 hex digits>+<base64>` of an Ed25519 key")
        })?;
        let ledger = ledger_of(name)
            .ok_or_else(|| refused("its name is not `memlith/` and the id of a ledger"))?;
        Ok(VerifierKey { ledger, key: public })
    }
}

/// The name and the key of `<name>+<key id>+<base64>`, whose id is right.
pub(crate) fn verifier_parts(
    text: &str,
    algorithm: u8,
) -> Option<(&str, ed25519_dalek::VerifyingKey)> {
    let (name, rest) = text.split_once('+')?;
    let (_, public) = rest.split_once('+')?;
    let public = STANDARD.decode(public).ok()?;
    let (first, key) = public.split_first()?;
    // Only one text says the same, with the right key id in it.
    let is_right = is_name(name) && *first == algorithm && verifier_text(name, &public) == text;
    let key = ed25519_dalek::VerifyingKey::from_bytes(key.try_into().ok()?).ok()?;
    is_right.then_some((name, key))
}
