//! Proofs about a ledger that a stranger checks without it.
//!
//! A [`Tree`] is the Merkle tree of a ledger's record hashes. A [`SigningKey`] signs a [`Head`]:
//! ledger, number of records, root, chain. A [`Proof`] shows that a record is under a signed head,
//! that one head grew out of another, or that an answer showed certain words. `docs/proofs.md`
//! holds the bytes; this crate reads and writes no file.
//!
//! ```
//! use memlith_log::{Digest, LedgerId};
//! use memlith_proof::{Head, SignedHead, SigningKey};
//!
//! # fn main() -> Result<(), memlith_proof::Error> {
//! let ledger = LedgerId([7; 16]);
//! let key = SigningKey::from_seed([1; 32]);
//! let head = Head { ledger, size: 1, root: [0; 32], chain: Digest([2; 32]) };
//! let note = head.sign(&key)?.to_string();
//! let read: SignedHead = note.parse()?;
//! read.check(&key.verifier(ledger))?;
//! assert_eq!(read.head(), &head);
//! # Ok(())
//! # }
//! ```

mod error;

mod merkle;
mod note;

mod key;

mod tree;

mod certificate;
mod head;
mod witness;

mod record;
mod shown;

mod proof;

#[cfg(test)]
mod tests;

pub use certificate::{Certificate, Erasure, Scan};
pub use error::Error;
pub use head::{Head, SignedHead, origin};
pub use key::{SigningKey, VerifierKey};
pub use proof::{Answer, Checked, Claim, Growth, Proof, VERSION};
pub use record::ProvenRecord;
pub use shown::Shown;
pub use tree::{BLOCK, Root, Tree, TreeReader};
pub use witness::{Cosignature, WitnessKey, WitnessVerifier, witness};
