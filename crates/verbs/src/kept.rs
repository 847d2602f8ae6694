//! Heads that were kept elsewhere, and what the ledger is to them.

use std::path::Path;

use anyhow::{Context as _, Result};
use memlith::prove::signed::{ProofError, SignedHead, VerifierKey};
use memlith::prove::{HeadVerdict, KeptHead};
use memlith::{Digest, ErrorKind, Ledger, LedgerId, Options, Seq};
use serde::Serialize;

/// A head that was kept: a line of `memlith head`, or a signed one.
pub(crate) struct Kept {
    pub(crate) head: KeptHead,
    signed: Option<SignedHead>,
}

/// A head and what the ledger is to it, as JSON.
#[derive(Serialize)]
pub(crate) struct KeptJson {
    line: String,
    signed: bool,
    ledger: LedgerId,
    seq: Seq,
    chain: Digest,
    verdict: &'static str,
    what: String,
}

/// A file of heads is read no further than this.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// The heads that `given` is: a line, or a file of lines and signed heads.
///
/// # Errors
/// It is neither, or something in the file is no head.
pub(crate) fn read(given: &str) -> Result<Vec<Kept>> {
    let refused = |error: memlith::prove::ParseHeadError| crate::exit::usage(error.to_string());
    let given = given.trim();
    if given.starts_with("memlith-head:") {
        return Ok(vec![Kept { head: given.parse().map_err(refused)?, signed: None }]);
    }
    let path = Path::new(given);
    let Ok(metadata) = std::fs::metadata(path) else {
        let error = given.parse::<KeptHead>().err().map(|error| error.to_string());
        let error = error.unwrap_or_default();
        return Err(crate::exit::usage(format!("{error}; and there is no file of that name")));
    };
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        return Err(crate::exit::unusable(format!(
            "{} is no file of at most {FILE_BYTES_MAX} bytes: --head takes a head, or a file of them",
            path.display()
        )));
    }
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut heads = Vec::new();
    for (number, one) in parts(&text) {
        let at = |error: String| {
            crate::exit::usage(format!("{}, line {number}: {error}", path.display()))
        };
        heads.push(match one.trim().parse::<KeptHead>() {
            Ok(head) => Kept { head, signed: None },
            Err(_) if one.starts_with("memlith/") => Kept::signed(one).map_err(at)?,
            Err(error) => return Err(at(error.to_string())),
        });
    }
    if heads.is_empty() {
        return Err(crate::exit::usage(format!(
            "{} holds no head: `memlith head` prints one",
            path.display()
        )));
    }
    Ok(heads)
}

/// The lines of a file that are not empty, and the signed heads in it as a whole, each with the
/// number of its first line.
fn parts(text: &str) -> Vec<(usize, &str)> {
    let (mut parts, mut at, mut number) = (Vec::new(), 0, 1);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        let len = if line.starts_with("memlith/") { note_len(rest) } else { line.len() };
        let part = rest.get(..len).unwrap_or(rest);
        if !part.trim().is_empty() {
            parts.push((number, part));
        }
        number += part.lines().count();
        at += len;
    }
    parts
}

/// The length of the signed head at the beginning of a text: up to the last of its signatures.
fn note_len(text: &str) -> usize {
    let body = text.find("\n\n").map_or(text.len(), |end| end + 2);
    let signatures = text.get(body..).unwrap_or_default().split_inclusive('\n');
    let signatures = signatures.take_while(|line| line.starts_with('\u{2014}'));
    body + signatures.map(str::len).sum::<usize>()
}

impl Kept {
    fn signed(note: &str) -> Result<Kept, String> {
        let signed: SignedHead = note.parse().map_err(|error: ProofError| error.to_string())?;
        let head = signed.head();
        let head = KeptHead { ledger: head.ledger, seq: head.seq(), chain: head.chain };
        Ok(Kept { head, signed: Some(signed) })
    }

    pub(crate) fn is_signed(&self) -> bool {
        self.signed.is_some()
    }

    /// Compares the ledger in the folder `dir` with the head: of a signed one the signature first,
    /// under `key`, and the root behind the chain.
    ///
    /// # Errors
    /// The ledger can't be read at all, or no key was given for a signed head.
    pub(crate) fn check(&self, dir: &Path, key: Option<&VerifierKey>) -> Result<KeptJson> {
        let Some(signed) = &self.signed else {
            let verdict = memlith::prove::check_head(dir, &self.head)?;
            return Ok(KeptJson::of(&self.head, false, verdict));
        };
        let key = key.ok_or_else(|| {
            crate::exit::usage("a signed head is checked under a key: name it with --key")
        })?;
        if let Err(error) = signed.check(key) {
            return Ok(KeptJson::unsigned(&self.head, &error));
        }
        let mut verdict = memlith::prove::check_head(dir, &self.head)?;
        if verdict == HeadVerdict::Holds {
            let options = Options { read_only: true, mmap: false, ..Options::default() };
            let compared = Ledger::open(dir, options).and_then(|ledger| {
                let audit = ledger.audit();
                audit.compare(&mut audit.new_tree(), signed.head())
            });
            verdict = match compared {
                Err(error) if error.kind() == ErrorKind::Integrity => HeadVerdict::Unreadable,
                compared => compared?,
            };
        }
        Ok(KeptJson::of(&self.head, true, verdict))
    }
}

impl KeptJson {
    /// A head whose signature is wrong, or by another key.
    fn unsigned(head: &KeptHead, error: &ProofError) -> KeptJson {
        let (verdict, what) = (error.label(), format!("{}: {error}", error.label()));
        KeptJson { verdict, what, ..KeptJson::of(head, true, HeadVerdict::Unreadable) }
    }

    fn of(head: &KeptHead, signed: bool, verdict: HeadVerdict) -> KeptJson {
        KeptJson {
            line: head.to_string(),
            signed,
            ledger: head.ledger,
            seq: head.seq,
            chain: head.chain,
            verdict: verdict.label(),
            what: told(head, verdict),
        }
    }

    pub(crate) fn holds(&self) -> bool {
        self.verdict == HeadVerdict::Holds.label()
    }

    pub(crate) fn verdict(&self) -> &'static str {
        self.verdict
    }

    pub(crate) fn to_text(&self) -> String {
        let mark = if self.holds() { "ok" } else { "HEAD" };
        format!("{mark}: {}\n", self.what)
    }
}

fn told(head: &KeptHead, verdict: HeadVerdict) -> String {
    let seq = head.seq;
    match verdict {
        HeadVerdict::Holds => format!("the ledger holds the head of record {seq}"),
        HeadVerdict::OtherLedger { found } => format!(
            "other ledger: the head is of ledger {}, this one is {found}; name the folder that \
             the head was taken from",
            head.ledger
        ),
        HeadVerdict::RolledBack { end } => format!(
            "rollback: the ledger ends at record {end}, the head is of record {seq}; the records \
             between are gone, or the head was taken from a copy that went on: restore the \
             newest copy"
        ),
        HeadVerdict::Forked { found } => format!(
            "fork: at record {seq} the ledger has the chain {found}, the head has {}; history up \
             to there is another one than when the head was taken: compare with a copy",
            head.chain
        ),
        HeadVerdict::Unreadable => {
            format!("not to be told: damage keeps record {seq} from being read; see the findings")
        }
    }
}
