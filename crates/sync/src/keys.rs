//! Keys of a machine: one that signs what it hands over, and one that opens what others hand to it.

use std::fmt;

use crypto_box::{PublicKey, SecretKey, aead::OsRng};
use crypto_secretbox::{KeyInit as _, Nonce, XSalsa20Poly1305, aead::Aead as _};
use ed25519_dalek::{Signature, Signer as _, SigningKey, Verifier as _, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::bytes::{Bytes, hex, random};
use crate::error::Result;

/// A machine, by the key that it signs with: 32 hex digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct MachineId(String);

/// The secret that a machine signs with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Signing(Bytes);

/// The secrets that open what is sealed for a machine, each with its number: a new one after each
/// erasure that the machine obeyed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Opening {
    pub(crate) number: u64,
    secret: Bytes,
}

/// The public half of an [`Opening`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sealing {
    pub(crate) number: u64,
    public: Bytes,
}

/// The secret of one file, used for that file alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileKey(Bytes);

impl fmt::Display for MachineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl MachineId {
    /// The machine whose files on a remote lie in the folder `name`; none where that is no machine's.
    pub(crate) fn of_folder(name: &str) -> Option<MachineId> {
        let is_id =
            name.len() == 32 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        is_id.then(|| MachineId(name.to_owned()))
    }

    /// The machine that signs with the key `public`.
    pub(crate) fn of_key(public: &Bytes) -> MachineId {
        let digest = blake3::derive_key("memlith v1 sync machine", &public.0);
        MachineId(hex(digest.first_chunk::<16>().unwrap_or(&[0; 16])))
    }
}

impl Signing {
    pub(crate) fn new() -> Result<Signing> {
        Ok(Signing(Bytes(random::<32>()?.to_vec())))
    }

    fn key(&self) -> SigningKey {
        SigningKey::from_bytes(&self.0.exactly().unwrap_or_default())
    }

    /// The key by which others check what is signed.
    pub(crate) fn public(&self) -> Bytes {
        Bytes(self.key().verifying_key().to_bytes().to_vec())
    }

    pub(crate) fn sign(&self, text: &str) -> Bytes {
        Bytes(self.key().sign(text.as_bytes()).to_bytes().to_vec())
    }
}

/// Whether the holder of the key `public` signed `text`.
pub(crate) fn is_signed(text: &str, signature: &Bytes, public: &Bytes) -> bool {
    let key = public.exactly().and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    let signature = signature.exactly().map(|bytes| Signature::from_bytes(&bytes));
    key.zip(signature)
        .is_some_and(|(key, signature)| key.verify(text.as_bytes(), &signature).is_ok())
}

impl Opening {
    pub(crate) fn new(number: u64) -> Result<Opening> {
        Ok(Opening { number, secret: Bytes(random::<32>()?.to_vec()) })
    }

    fn key(&self) -> SecretKey {
        SecretKey::from(self.secret.exactly::<32>().unwrap_or_default())
    }

    pub(crate) fn public(&self) -> Sealing {
        let public = Bytes(self.key().public_key().to_bytes().to_vec());
        Sealing { number: self.number, public }
    }

    /// The key of a file that was sealed for this one.
    pub(crate) fn open(&self, sealed: &Bytes) -> Option<FileKey> {
        self.key().unseal(&sealed.0).ok().map(|bytes| FileKey(Bytes(bytes)))
    }
}

impl Sealing {
    /// Seals the key of a file, so that only the holder of the secret half gets it.
    pub(crate) fn seal(&self, key: &FileKey) -> Option<Bytes> {
        let public = PublicKey::from(self.public.exactly::<32>()?);
        public.seal(&mut OsRng, &key.0.0).ok().map(Bytes)
    }
}

impl FileKey {
    pub(crate) fn new() -> Result<FileKey> {
        Ok(FileKey(Bytes(random::<32>()?.to_vec())))
    }

    fn cipher(&self) -> Option<XSalsa20Poly1305> {
        XSalsa20Poly1305::new_from_slice(&self.0.0).ok()
    }

    /// The bytes of a file, encrypted; the key must not be used for another.
    pub(crate) fn encrypt(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.cipher()?.encrypt(&Nonce::default(), bytes).ok()
    }

    /// The bytes, if they are exactly what was encrypted.
    pub(crate) fn decrypt(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.cipher()?.decrypt(&Nonce::default(), bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_for_one_opens_for_that_one_alone() {
        let (own, other) = (Opening::new(1).unwrap(), Opening::new(1).unwrap());
        let key = FileKey::new().unwrap();
        let sealed = own.public().seal(&key).unwrap();
        assert_eq!(own.open(&sealed), Some(key.clone()));
        assert_eq!(other.open(&sealed), None);
        let mut bytes = key.encrypt(b"words").unwrap();
        assert_eq!(bytes.len(), 5 + 16);
        assert_eq!(key.decrypt(&bytes).as_deref(), Some(b"words".as_slice()));
        for at in 0..bytes.len() {
            bytes[at] ^= 1;
            assert_eq!(key.decrypt(&bytes), None, "{at}");
            bytes[at] ^= 1;
        }
    }

    #[test]
    fn a_signature_is_of_one_key_and_one_text() {
        let (own, other) = (Signing::new().unwrap(), Signing::new().unwrap());
        let signature = own.sign("text");
        assert!(is_signed("text", &signature, &own.public()));
        assert!(!is_signed("text ", &signature, &own.public()));
        assert!(!is_signed("text", &signature, &other.public()));
        assert!(!is_signed("text", &Bytes(vec![1; 63]), &own.public()));
    }

    #[test]
    fn folders_of_machines_have_names_of_machines() {
        let id = MachineId::of_key(&Signing::new().unwrap().public());
        assert_eq!(MachineId::of_folder(&id.to_string()), Some(id));
        for other in ["", "..", "A234567890123456789012345678901F", "a/b"] {
            assert_eq!(MachineId::of_folder(other), None, "{other}");
        }
    }
}
