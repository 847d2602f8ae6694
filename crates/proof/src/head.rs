use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memlith_log::{Digest, LedgerId, Seq};

use crate::error::Error;
use crate::key::{SigningKey, VerifierKey};
use crate::note::{Note, Signature};
use crate::tree::{Root, SIZE_MAX};

/// State of a ledger that a signature covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The ledger.
    pub ledger: LedgerId,
    /// The number of records: the last sequence + 1.
    pub size: u64,
    /// The root of the tree of these records.
    pub root: Root,
    /// The chain after the last of them.
    pub chain: Digest,
}

/// A head with its signatures: a C2SP signed note that holds a C2SP checkpoint.
///
/// Reading one checks its form alone; [`SignedHead::check`] checks the signature.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedHead {
    head: Head,
    note: Note,
}

/// The beginning of the first line of a head.
const ORIGIN: &str = "memlith/";

/// The beginning of its fourth line.
const CHAIN: &str = "chain ";

/// Returns the first line of the heads of a ledger, which is the name of its keys too.
#[must_use]
pub fn origin(ledger: LedgerId) -> String {
    format!("{ORIGIN}{ledger}")
}

/// The ledger of an origin.
pub(crate) fn ledger_of(origin: &str) -> Option<LedgerId> {
    LedgerId::from_hex(origin.strip_prefix(ORIGIN)?).ok()
}

impl Head {
    /// The last record under the head.
    #[must_use]
    pub fn seq(&self) -> Seq {
        Seq(self.size.saturating_sub(1))
    }

    /// Signs the head.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the head covers no record.
    pub fn sign(&self, key: &SigningKey) -> Result<SignedHead, Error> {
        let text = self.text()?;
        let signatures = vec![key.sign(&origin(self.ledger), &text)];
        Ok(SignedHead { head: *self, note: Note { text, signatures } })
    }

    fn text(&self) -> Result<String, Error> {
        if !(1..=SIZE_MAX).contains(&self.size) {
            return Err(Error::malformed("head", "its number of records is out of range"));
        }
        let root = STANDARD.encode(self.root);
        Ok(format!("{}\n{}\n{root}\n{CHAIN}{}\n", origin(self.ledger), self.size, self.chain))
    }

    /// Reads the text of a head; only one text says the same.
    fn read(text: &str) -> Option<Head> {
        let [origin, size, root, chain] = text.lines().collect::<Vec<_>>().try_into().ok()?;
        let head = Head {
            ledger: ledger_of(origin)?,
            size: size.parse().ok()?,
            root: STANDARD.decode(root).ok()?.try_into().ok()?,
            chain: Digest::from_hex(chain.strip_prefix(CHAIN)?).ok()?,
        };
        (head.text().ok()? == text).then_some(head)
    }
}

impl SignedHead {
    /// The head.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Checks that `key` signed the head.
    ///
    /// # Errors
    /// [`Error::OtherLedger`] and [`Error::Signature`].
    pub fn check(&self, key: &VerifierKey) -> Result<(), Error> {
        let (expected, found) = (key.ledger(), self.head.ledger);
        if expected != found {
            return Err(Error::OtherLedger { expected, found });
        }
        let signature = self.note.signature(&origin(found), key.id());
        let refused = |reason: &str| Error::Signature { reason: reason.to_owned() };
        let signature = signature.ok_or_else(|| refused("the key has not signed the head"))?;
        let is_right = key.verifies(&self.note.text, signature);
        is_right.then_some(()).ok_or_else(|| refused("the head is not what the key signed"))
    }

    /// Whether a signature of the head names `key`; it may be wrong.
    #[must_use]
    pub fn names(&self, key: &VerifierKey) -> bool {
        self.note.signature(&origin(key.ledger()), key.id()).is_some()
    }

    /// Checks that one of the keys signed the head; returns that key.
    ///
    /// # Errors
    /// Those of [`SignedHead::check`] for the last key, and [`Error::Signature`] without one.
    pub fn check_any<'k>(&self, keys: &'k [VerifierKey]) -> Result<&'k VerifierKey, Error> {
        let mut refusal = Error::Signature { reason: "no key was given".to_owned() };
        for key in keys {
            match self.check(key) {
                Ok(()) => return Ok(key),
                Err(error) => refusal = error,
            }
        }
        Err(refusal)
    }

    pub(crate) fn note(&self) -> &Note {
        &self.note
    }

    /// Adds a signature behind the others.
    pub(crate) fn with(&self, signature: Signature) -> Result<SignedHead, Error> {
        format!("{self}{signature}\n").parse()
    }
}

impl fmt::Display for SignedHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.note.fmt(f)
    }
}

impl FromStr for SignedHead {
    type Err = Error;

    fn from_str(text: &str) -> Result<SignedHead, Error> {
        let note: Note = text.parse()?;
        let refused =
            || Error::malformed("signed head", "its text is not the four lines of a head");
        let head = Head::read(&note.text).ok_or_else(refused)?;
        Ok(SignedHead { head, note })
    }
}
