//! Heads that were kept elsewhere, and what the ledger is to them.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use memlith::prove::signed::{Cosignature, ProofError, SignedHead, VerifierKey};
use memlith::prove::{HeadVerdict, KeptHead, Level, Report};
use memlith::{Digest, ErrorKind, Ledger, LedgerId, Options, Seq};
use serde::Serialize;

use crate::anchor::Anchors;
use crate::verifiers::Verifiers;

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
    /// The key that signed it: its id.
    key: Option<String>,
    /// Names of the witnesses whose countersignature was checked.
    witnesses: Vec<String>,
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
    if given != "-" {
        let Ok(metadata) = std::fs::metadata(path) else {
            let error = given.parse::<KeptHead>().err().map(|error| error.to_string());
            let error = error.unwrap_or_default();
            return Err(crate::exit::usage(format!("{error}; and there is no file of that name")));
        };
        if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
            return Err(crate::exit::unusable(format!(
                "{} is no file of at most {FILE_BYTES_MAX} bytes: --head takes a head, or a file of \
                 them",
                path.display()
            )));
        }
    }
    in_text(&String::from_utf8_lossy(&crate::head::read_bytes(path)?), path)
}

/// The signed head in a file that may hold others, of any ledger: the newest.
///
/// # Errors
/// The file can't be read, holds no signed head, or heads of several ledgers.
pub(crate) fn read_signed(path: &Path) -> Result<SignedHead> {
    in_text_signed(&crate::head::read(path)?, path)
}

/// The newest signed head in a text, which came from `path`.
///
/// # Errors
/// Those of [`read_signed`].
pub(crate) fn in_text_signed(text: &str, path: &Path) -> Result<SignedHead> {
    let kept = in_text(text, path)?;
    let signed: Vec<SignedHead> = kept.into_iter().filter_map(|kept| kept.signed).collect();
    let ledgers: BTreeSet<LedgerId> = signed.iter().map(|head| head.head().ledger).collect();
    if ledgers.len() > 1 {
        let path = path.display();
        return Err(crate::exit::usage(format!("{path} holds heads of {} ledgers", ledgers.len())));
    }
    let newest = signed.into_iter().max_by_key(|head| head.head().size);
    newest.ok_or_else(|| {
        let path = path.display();
        crate::exit::usage(format!("{path} holds no signed head: `memlith head sign` prints one"))
    })
}

/// The heads in a text, which came from `path`.
fn in_text(text: &str, path: &Path) -> Result<Vec<Kept>> {
    let mut heads = Vec::new();
    for (number, one) in parts(text) {
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

    /// The head of a ledger that the user signed last; `None` if none was.
    ///
    /// # Errors
    /// It can't be read, or none of the user's keys signed it.
    pub(crate) fn own(ledger: LedgerId) -> Result<Option<Kept>> {
        let signer = Anchors::of_user()?.signer()?;
        let Some(last) = signer.last(ledger)? else { return Ok(None) };
        last.check_any(&signer.verifiers(ledger)?)?;
        Kept::signed(&last.to_string()).map(Some).map_err(crate::exit::damaged)
    }

    /// Compares the ledger in the folder `dir`, of which `report` was made, with the head: of a
    /// signed one the signatures first, and the root behind the chain.
    ///
    /// # Errors
    /// The ledger can't be read at all, or no key was given that could have signed the head.
    pub(crate) fn check(&self, dir: &Path, report: &Report, keys: &Verifiers) -> Result<KeptJson> {
        let checked = || memlith::prove::check_head(dir, report, &self.head);
        let Some(signed) = &self.signed else {
            if let Some(witness) = keys.witnesses.first() {
                let reason = format!("{} has not countersigned the head", witness.name());
                return Ok(KeptJson::refused(&self.head, &ProofError::Signature { reason }));
            }
            return Ok(KeptJson::of(&self.head, checked()?));
        };
        let key = match signed.check_any(&keys.owners) {
            Err(error) => {
                self.ask_for_key(signed, keys)?;
                return Ok(KeptJson::refused(&self.head, &error));
            }
            Ok(key) => key,
        };
        let witnesses = keys.witnesses.iter().map(|witness| witness.check(signed));
        let witnesses = match witnesses.collect::<Result<Vec<Cosignature>, ProofError>>() {
            Err(error) => return Ok(KeptJson::refused(&self.head, &error)),
            Ok(witnesses) => witnesses,
        };
        let mut verdict = checked()?;
        if verdict == HeadVerdict::Holds {
            let options = Options { read_only: true, mmap: false, ..Options::default() };
            let compared = Ledger::open(dir, options).and_then(|ledger| {
                let audit = ledger.audit();
                audit.compare(&mut audit.new_tree(), signed.head())
            });
            let is_full = report.level == Level::Full;
            verdict = match compared {
                Err(error) if error.kind() == ErrorKind::Integrity => HeadVerdict::Unreadable,
                // The full verification has found the loss that binds what stands before.
                Ok(HeadVerdict::Unbound { .. }) if is_full => HeadVerdict::Holds,
                compared => compared?,
            };
        }
        Ok(KeptJson::of(&self.head, verdict).signed_by(key, witnesses))
    }

    /// Refuses keys that can't say anything of the head.
    fn ask_for_key(&self, signed: &SignedHead, keys: &Verifiers) -> Result<()> {
        let ledger = self.head.ledger;
        if keys
            .owners
            .iter()
            .any(|key| key.ledger() == ledger && (keys.are_given || signed.names(key)))
        {
            return Ok(());
        }
        Err(crate::exit::usage(match keys.owners.first().filter(|_| keys.are_given) {
            Some(key) => format!(
                "the key is of ledger {}, and the head of {ledger}: name the key of that ledger's \
                 owner",
                key.ledger()
            ),
            None => "a signed head is checked under a key: name it with --key".to_owned(),
        }))
    }
}

impl KeptJson {
    /// A head of which a signature is wrong, or not there.
    fn refused(head: &KeptHead, error: &ProofError) -> KeptJson {
        let (verdict, what) = (error.label(), format!("the head of record {}: {error}", head.seq));
        KeptJson { verdict, what, ..KeptJson::of(head, HeadVerdict::Unreadable) }
    }

    /// The head with the key that signed it, and the witnesses who countersigned it.
    fn signed_by(mut self, key: &VerifierKey, witnesses: Vec<Cosignature>) -> KeptJson {
        let id = key.to_string().split('+').nth(1).unwrap_or_default().to_owned();
        self.what.push_str(&format!("; signed with key {id}"));
        self.witnesses = witnesses.into_iter().map(|witness| witness.name).collect();
        if !self.witnesses.is_empty() {
            self.what.push_str(&format!(", countersigned by {}", self.witnesses.join(", ")));
        }
        KeptJson { signed: true, key: Some(id), ..self }
    }

    fn of(head: &KeptHead, verdict: HeadVerdict) -> KeptJson {
        KeptJson {
            line: head.to_string(),
            signed: false,
            ledger: head.ledger,
            seq: head.seq,
            chain: head.chain,
            verdict: verdict.label(),
            what: told(head, verdict),
            key: None,
            witnesses: Vec::new(),
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
        HeadVerdict::Unbound { destroyed } => format!(
            "unbound: the words of record {destroyed} are destroyed, and the loss was accepted \
             behind record {seq}, so this head says nothing of the records up to {destroyed}: a \
             head of before it, or of behind that acceptance, does"
        ),
        HeadVerdict::Unreadable => {
            format!("not to be told: damage keeps record {seq} from being read; see the findings")
        }
    }
}
