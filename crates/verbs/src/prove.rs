use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use memlith::prove::HeadVerdict;
use memlith::prove::signed::{
    Certificate, Checked, Claim, Proof, ProvenRecord, Shown, SignedHead, VerifierKey,
};
use memlith::read::Verdict;
use memlith::{Digest, LedgerId, Seq, Timestamp};
use serde::Serialize;

use crate::anchor::Anchors;
use crate::context::Context;
use crate::exit::{self, Exit};
use crate::head::{read, refused};
use crate::kept;
use crate::plain::plain;
use crate::target::Target;
use crate::verb::Verb;
use crate::verifiers::Verifiers;

/// Prove a record, or the words that an answer showed, to somebody who has not the ledger.
///
/// Prints one JSON file: the record or the answer with what it showed, under a head that your key
/// signs. `--check` checks such a file and needs no ledger; docs/proofs.md says what it shows, and
/// what it doesn't.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith prove mem_5_a93e4ae2bd8d > answer.json    # what a checkout was observed as
  memlith prove --check answer.json --key ana.vkey
  memlith prove --since old.head > growth.json      # the ledger grew out of an older head")]
pub struct ProveArgs {
    /// The record: an id, a citation, or what a checkout was observed as.
    #[arg(value_name = "ID", required_unless_present_any = ["since", "check"])]
    target: Option<Target>,

    /// Prove that the head grew out of this older signed head, the newest in the file; with
    /// --check, that the proof is of growth from it.
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    since: Option<PathBuf>,

    /// Check a proof, or the certificate of an erasure.
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    check: Option<PathBuf>,

    /// The verifier key of the ledger's owner, or a file with several, one on each line; your own
    /// where absent.
    #[arg(long, value_name = "KEY|FILE", requires = "check")]
    key: Option<String>,
}

#[derive(Serialize)]
struct CheckedAnswer<'a> {
    ok: bool,
    verdict: &'static str,
    #[serde(flatten)]
    checked: &'a Checked,
    ledger: LedgerId,
    /// The key that signed the head.
    key: String,
    /// When the record was written, or the answer given.
    recorded_at: Option<Timestamp>,
    /// The head that growth is proven from.
    old: Option<OldHead>,
    question: Option<&'a str>,
    shown: Vec<ShownAnswer>,
    replayed: Replayed,
    not_shown: Vec<&'static str>,
}

#[derive(Serialize)]
struct ErasureAnswer<'a> {
    ok: bool,
    kind: &'static str,
    ledger: LedgerId,
    erasure: Seq,
    at: Timestamp,
    by: &'a str,
    records: &'a [Seq],
    /// Files in which words still stood.
    found: u64,
    /// Whether the ledger here holds it; `None` without the ledger.
    in_ledger: Option<bool>,
}

#[derive(Serialize)]
struct OldHead {
    size: u64,
    chain: Digest,
}

#[derive(Serialize)]
struct ShownAnswer {
    seq: Seq,
    text: Option<String>,
}

/// Result of asking the ledger, if it is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Replayed {
    /// It is not here, or there is nothing to replay.
    None,
    /// It gives the same answer.
    Reproduced,
    /// Another version of the program made the answer.
    Needs,
    /// Items were erased since.
    Affected,
    /// It gives another answer.
    Mismatch,
    /// It ends before the head.
    Behind,
    /// A record up to the head is destroyed, so its root can't be compared.
    Unbound,
    /// It has another history than the head.
    OtherHistory,
}

impl Verb for ProveArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let old = self.since.as_deref().map(kept::read_signed).transpose()?;
        match (&self.check, &old, self.target) {
            (Some(file), old, _) => {
                check(&read(file)?, (self.key.as_deref(), old.as_ref()), context)
            }
            (None, Some(old), _) => since(old, context),
            (None, None, Some(target)) => prove(&target, context),
            (None, None, None) => Err(exit::usage("name a record, or --since, or --check")),
        }
    }
}

fn prove(target: &Target, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = target.within(&ledger, &context.caller())?;
    let signed = Anchors::of_user()?.signer()?.sign(&ledger)?;
    let under = (&signed.tree, &signed.head, &signed.key);
    give(&ledger.audit().prove(&context.caller(), under, id)?, context)
}

fn since(old: &SignedHead, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let signer = Anchors::of_user()?.signer()?;
    let keys = signer.verifiers(ledger.id())?;
    let old_key = old.check_any(&keys).map_err(refused)?;
    let signed = signer.sign(&ledger)?;
    let under = (&signed.tree, &signed.head, &signed.key);
    give(&ledger.audit().prove_growth(under, (old, old_key))?, context)
}

/// Prints a proof, which is JSON by itself; not before it was checked.
fn give(proof: &Proof, context: &mut Context) -> Result<Exit> {
    let old_key = match &proof.claim {
        Claim::Growth(growth) => Some(growth.old_key.clone()),
        Claim::Record(_) | Claim::Answer(_) => None,
    };
    let keys: Vec<VerifierKey> = [proof.key.clone()].into_iter().chain(old_key).collect();
    proof.check(&keys).map_err(refused)?;
    let text = proof.to_string();
    let json: serde_json::Value = serde_json::from_str(&text)?;
    context.answer(&json, text.trim_end())?;
    Ok(Exit::Ok)
}

fn check(
    text: &str,
    (key, since): (Option<&str>, Option<&SignedHead>),
    context: &mut Context,
) -> Result<Exit> {
    if text.lines().next().is_some_and(|line| line.ends_with("/erasure")) {
        return check_certificate(text, key, context);
    }
    let proof: Proof = text.parse().map_err(refused)?;
    let ledger = proof.head.head().ledger;
    let keys = Verifiers::of(key, Some(ledger))?;
    if !keys.are_given && !keys.owners.contains(&proof.key) {
        return Err(exit::usage(format!(
            "name the key of the ledger's owner with --key; the proof itself names {}: ask them \
             whether it is theirs",
            proof.key
        )));
    }
    let checked = proof.check(&keys.owners).map_err(refused)?;
    let old = of_old(&proof, since)?;
    let replayed = replayed(&proof, context)?;
    let (question, shown) = match &proof.claim {
        Claim::Answer(answer) => (Some(answer.question.as_str()), answer.shown.clone()),
        Claim::Record(record) => (None, vec![words_of(record)]),
        Claim::Growth(_) => (None, Vec::new()),
    };
    let shown = shown.into_iter().map(|one| ShownAnswer { seq: one.seq, text: one.text });
    let ok = !matches!(replayed, Replayed::Mismatch | Replayed::OtherHistory);
    let of_ledger = |said: &&str| replayed != Replayed::Reproduced || !said.contains("replays it");
    let not_shown = proof.claim.not_shown().iter().copied();
    let answer = CheckedAnswer {
        ok,
        verdict: if ok { "ok" } else { "mismatch" },
        checked: &checked,
        ledger,
        key: proof.key.to_string(),
        recorded_at: recorded_at(&proof),
        old,
        question,
        shown: shown.collect(),
        replayed,
        not_shown: not_shown.filter(of_ledger).collect(),
    };
    context.answer(&answer, told(&answer).trim_end())?;
    Ok(if ok { Exit::Ok } else { Exit::Integrity })
}

fn check_certificate(text: &str, key: Option<&str>, context: &mut Context) -> Result<Exit> {
    let certificate: Certificate = text.parse().map_err(refused)?;
    let erasure = certificate.erasure();
    let keys = Verifiers::of(key, Some(erasure.ledger))?;
    certificate.check(&keys.owners).map_err(refused)?;
    let ledger = context.open_to_read().ok().filter(|ledger| ledger.id() == erasure.ledger);
    let is_of = ledger.map(|ledger| {
        let audit = ledger.audit();
        audit.holds_erasure(&mut audit.new_tree(), erasure)
    });
    let is_of = is_of.transpose()?;
    let answer = ErasureAnswer {
        ok: is_of != Some(false) && erasure.scan.found == 0,
        kind: "erasure",
        ledger: erasure.ledger,
        erasure: erasure.erasure.0,
        at: erasure.at,
        by: &erasure.by,
        records: &erasure.records,
        found: erasure.scan.found,
        in_ledger: is_of,
    };
    let verdict = match is_of {
        _ if erasure.scan.found > 0 => "WRONG: words still stood in files of the ledger",
        Some(false) => "WRONG: the ledger here does not hold this erasure",
        Some(true) => "ok: the owner's key signed it, and the ledger here holds it",
        None => "ok: the owner's key signed it",
    };
    let told = text.rsplit_once("\n\n").map_or(text, |(told, _)| told);
    context.answer(&answer, format!("{verdict}\n{told}"))?;
    Ok(if answer.ok { Exit::Ok } else { Exit::Integrity })
}

/// The older head of a proof of growth, which has to be `since` if that was given.
fn of_old(proof: &Proof, since: Option<&SignedHead>) -> Result<Option<OldHead>> {
    let old = match &proof.claim {
        Claim::Growth(growth) => Some(growth.old.head()),
        Claim::Record(_) | Claim::Answer(_) => None,
    };
    if since.is_some_and(|since| Some(since.head()) != old) {
        return Err(exit::damaged("the proof is not of growth from the head that you gave"));
    }
    Ok(old.map(|old| OldHead { size: old.size, chain: old.chain }))
}

/// When the record was written that is proven, or the answer given.
fn recorded_at(proof: &Proof) -> Option<Timestamp> {
    let record = match &proof.claim {
        Claim::Record(record) => Some(record),
        Claim::Answer(answer) => answer.records.iter().find(|one| one.seq == answer.answer),
        Claim::Growth(_) => None,
    };
    record.and_then(ProvenRecord::header).map(|header| header.recorded_at)
}

/// The words of a record; none where they are erased, or it has none.
fn words_of(record: &ProvenRecord) -> Shown {
    let body = record.body();
    let text = body.as_ref().and_then(|body| body.event.item_text());
    Shown { seq: record.seq, text: text.map(Into::into) }
}

/// Compares a proof with the ledger, if it is here.
fn replayed(proof: &Proof, context: &Context) -> Result<Replayed> {
    let head = proof.head.head();
    let ledger = context.open_to_read().ok().filter(|ledger| ledger.id() == head.ledger);
    let Some(ledger) = ledger else { return Ok(Replayed::None) };
    let audit = ledger.audit();
    let kept = Anchors::of_user()?.signer().and_then(|signer| signer.tree(&ledger));
    let mut tree = kept.unwrap_or_else(|_| audit.new_tree());
    match audit.compare(&mut tree, head)? {
        HeadVerdict::Holds => {}
        HeadVerdict::RolledBack { .. } => return Ok(Replayed::Behind),
        HeadVerdict::Unbound { .. } => return Ok(Replayed::Unbound),
        HeadVerdict::OtherLedger { .. } | HeadVerdict::Forked { .. } | HeadVerdict::Unreadable => {
            return Ok(Replayed::OtherHistory);
        }
    }
    let Claim::Answer(answer) = &proof.claim else { return Ok(Replayed::None) };
    let record = ledger.record(answer.answer)?;
    if record.body().is_none() {
        return Ok(Replayed::Affected);
    }
    let id = record.id();
    let receipts = audit.receipts_as_far(Some(id))?;
    Ok(receipts.audits.first().map_or(Replayed::None, |audit| match audit.verdict {
        Verdict::Reproduced => Replayed::Reproduced,
        Verdict::Affected { .. } => Replayed::Affected,
        Verdict::NeedsScorer { .. } | Verdict::NeedsFold { .. } | Verdict::NeedsCounter { .. } => {
            Replayed::Needs
        }
        Verdict::Mismatch { .. } => Replayed::Mismatch,
    }))
}

fn told(answer: &CheckedAnswer<'_>) -> String {
    let Checked { kind, size, .. } = answer.checked;
    let mut text = match (answer.replayed, &answer.old) {
        (Replayed::OtherHistory, _) => {
            "WRONG: the ledger here has another history than this head\n".into()
        }
        (Replayed::Mismatch, _) => "WRONG: the ledger here gives another answer\n".into(),
        (_, Some(old)) => format!(
            "ok: the head of {size} records grew out of the head of {} records, chain {}\n",
            old.size, old.chain
        ),
        (_, None) => format!("ok: {kind} under the head of {size} records\n"),
    };
    let at = answer.recorded_at.map(|at| format!(", recorded {at}")).unwrap_or_default();
    text.push_str(&format!("by: ledger {}, key {}{at}\n", answer.ledger, answer.key));
    if let Some(question) = answer.question {
        text.push_str(&format!("asked: {}\n", plain(question, 400)));
    }
    for one in &answer.shown {
        let words = one.text.as_deref().map(|words| plain(words, 400));
        let words = words.unwrap_or_else(|| "(no words, or erased)".to_owned());
        text.push_str(&format!("shown: {}  {words}\n", one.seq));
    }
    text.push_str(match answer.replayed {
        Replayed::Reproduced => "replayed: the ledger here gives the same answer\n",
        Replayed::Needs => "not replayed: it was made by another version of this program\n",
        Replayed::Affected => "not replayed: items were erased since\n",
        Replayed::Behind => "not replayed: the ledger here ends before this head\n",
        Replayed::Unbound => {
            "not replayed: a record here is destroyed; `memlith verify --head` says what holds\n"
        }
        Replayed::None | Replayed::Mismatch | Replayed::OtherHistory => "",
    });
    for said in &answer.not_shown {
        text.push_str(&format!("not shown: {said}\n"));
    }
    text
}
