//! Keys that signed heads and proofs are checked under.

use std::path::Path;

use anyhow::Result;
use memlith::LedgerId;
use memlith::prove::signed::{VerifierKey, WitnessVerifier};

use crate::anchor::Anchors;
use crate::exit;
use crate::head::read;

/// Keys of a ledger's owner, old ones too, and of witnesses.
#[derive(Debug, Default)]
pub(crate) struct Verifiers {
    pub(crate) owners: Vec<VerifierKey>,
    pub(crate) witnesses: Vec<WitnessVerifier>,
    /// Whether the owner's were given, and are not the user's own.
    pub(crate) are_given: bool,
}

impl Verifiers {
    /// The keys that were given: one, or a file with one on each line. Without one of an owner,
    /// the user's own keys for the heads of `ledger` stand in.
    ///
    /// # Errors
    /// A line is no key, the file can't be read, or a key of the user can't.
    pub(crate) fn of(given: Option<&str>, ledger: Option<LedgerId>) -> Result<Verifiers> {
        let mut keys = Verifiers::default();
        let text = match given {
            Some(key) if key.contains('+') => key.to_owned(),
            Some(file) => read(Path::new(file))?,
            None => String::new(),
        };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match (line.parse::<VerifierKey>(), line.parse::<WitnessVerifier>()) {
                (Ok(owner), _) => keys.owners.push(owner),
                (_, Ok(witness)) => keys.witnesses.push(witness),
                (Err(error), _) => return Err(exit::usage(error.to_string())),
            }
        }
        keys.are_given = !keys.owners.is_empty();
        if let (true, Some(ledger)) = (keys.owners.is_empty(), ledger) {
            keys.owners = Anchors::of_user()?.signer()?.verifiers(ledger)?;
        }
        Ok(keys)
    }
}
