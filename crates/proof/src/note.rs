//! Signed notes: a text, and lines of signatures. Source: c2sp.org/signed-note.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// A text that ends with a line end, and its signatures, at least one.
///
/// Reading one checks its form alone. What is read is written again byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) signatures: Vec<Signature>,
}

/// A signature line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) key: KeyId,
    pub(crate) bytes: Vec<u8>,
}

/// The first 4 bytes of a hash of a key and its name.
pub(crate) type KeyId = [u8; 4];

/// The longest note, in bytes, and its most signatures.
const BYTES_MAX: usize = 16 << 10;
const SIGNATURES_MAX: usize = 16;

/// The beginning of a signature line: an em dash and a blank.
const DASH: &str = "\u{2014} ";

/// The id of a key: its public bytes begin with that of the algorithm.
pub(crate) fn key_id(name: &str, public: &[u8]) -> KeyId {
    let hash = Sha256::new().chain_update(name).chain_update("\n").chain_update(public).finalize();
    hash.first_chunk().copied().unwrap_or_default()
}

/// The text of a verifier key: `<name>+<key id>+<base64>`.
pub(crate) fn verifier_text(name: &str, public: &[u8]) -> String {
    let [a, b, c, d] = key_id(name, public);
    format!("{name}+{a:02x}{b:02x}{c:02x}{d:02x}+{}", STANDARD.encode(public))
}

/// Whether a text can name a key: not empty, without white space, control characters and `+`.
pub(crate) fn is_name(text: &str) -> bool {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || c == '+';
    !text.is_empty() && text.len() <= 256 && !text.contains(is_odd)
}

impl FromStr for Note {
    type Err = Error;

    fn from_str(note: &str) -> Result<Note, Error> {
        Note::read(note, BYTES_MAX)
    }
}

impl Note {
    /// Reads a note of at most so many bytes.
    pub(crate) fn read(note: &str, bytes_max: usize) -> Result<Note, Error> {
        let refused = |reason: &str| Error::malformed("signed note", reason);
        if note.len() > bytes_max {
            return Err(refused("it is too long"));
        }
        if note.contains(|c: char| c.is_control() && c != '\n') {
            return Err(refused("it has control characters"));
        }
        let parts = note.rsplit_once("\n\n").filter(|(_, lines)| lines.ends_with('\n'));
        let (text, lines) =
            parts.ok_or_else(|| refused("no signatures stand behind an empty line"))?;
        let signatures: Vec<Signature> = lines
            .lines()
            .map(|line| Signature::read(line).ok_or_else(|| refused("a signature line is none")))
            .collect::<Result<_, _>>()?;
        if !(1..=SIGNATURES_MAX).contains(&signatures.len()) {
            return Err(refused("it has no signature, or more than 16"));
        }
        Ok(Note { text: format!("{text}\n"), signatures })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|signature| writeln!(f, "{signature}"))
    }
}

impl Note {
    /// The bytes of the first signature by a key.
    pub(crate) fn signature(&self, name: &str, key: KeyId) -> Option<&[u8]> {
        let mut own = self.signatures.iter().filter(|line| line.name == name && line.key == key);
        own.next().map(|line| line.bytes.as_slice())
    }
}

impl Signature {
    fn read(line: &str) -> Option<Signature> {
        let (name, signature) = line.strip_prefix(DASH)?.split_once(' ')?;
        let signature = STANDARD.decode(signature).ok()?;
        let (key, bytes) = signature.split_first_chunk()?;
        let is_whole = is_name(name) && !bytes.is_empty();
        is_whole.then(|| Signature { name: name.to_owned(), key: *key, bytes: bytes.to_vec() })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signature = STANDARD.encode([self.key.as_slice(), &self.bytes].concat());
        write!(f, "{DASH}{} {signature}", self.name)
    }
}
