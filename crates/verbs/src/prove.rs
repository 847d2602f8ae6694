use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use memlith::prove::HeadVerdict;
use memlith::prove::signed::{Checked, Proof, SignedHead};
use memlith::read::Verdict;
use memlith::{Ledger, RecordId, Seq};
use serde::Serialize;

use crate::anchor::Anchors;
use crate::context::Context;
use crate::exit::{self, Exit};
use crate::head::{read, refused, verifier_key};
use crate::opened::Opened;
use crate::plain::plain;
use crate::target::Target;
use crate::verb::Verb;

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

    /// Prove that the head grew out of this older signed head.
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    since: Option<PathBuf>,

    /// Check a proof.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "since"])]
    check: Option<PathBuf>,

    /// The verifier key of the ledger's owner, or a file that holds it; your own where absent.
    #[arg(long, value_name = "KEY|FILE", requires = "check")]
    key: Option<String>,
}

#[derive(Serialize)]
struct CheckedAnswer<'a> {
    ok: bool,
    verdict: &'static str,
    #[serde(flatten)]
    checked: &'a Checked,
    question: Option<&'a str>,
    shown: Vec<ShownAnswer<'a>>,
    /// Result of asking the ledger, if it is here: `none`, `reproduced`, `needs`, `affected`, `mismatch`.
    replayed: &'static str,
    not_shown: &'static [&'static str],
}

#[derive(Serialize)]
struct ShownAnswer<'a> {
    seq: Seq,
    text: Option<&'a str>,
}

impl Verb for ProveArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        match (&self.check, &self.since, self.target) {
            (Some(file), _, _) => check(&read(file)?, self.key.as_deref(), context),
            (None, Some(file), _) => since(&read(file)?, context),
            (None, None, Some(target)) => prove(&target, context),
            (None, None, None) => Err(exit::usage("name a record, or --since, or --check")),
        }
    }
}

fn prove(target: &Target, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = target.within(&ledger, &context.caller())?;
    let signed = Anchors::of_user()?.signer()?.sign(&ledger)?;
    give(&ledger.audit().prove(&signed.tree, (&signed.head, &signed.key), id)?, context)
}

fn since(old: &str, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let old: SignedHead = old.parse().map_err(refused)?;
    let signed = Anchors::of_user()?.signer()?.sign(&ledger)?;
    old.check(&signed.key).map_err(refused)?;
    let proof = ledger.audit().prove_growth(&signed.tree, (&signed.head, &signed.key), &old)?;
    give(&proof, context)
}

/// Prints a proof, which is JSON by itself; not before it was checked.
fn give(proof: &Proof, context: &mut Context) -> Result<Exit> {
    proof.check(proof.key()).map_err(refused)?;
    let text = proof.to_string();
    let json: serde_json::Value = serde_json::from_str(&text)?;
    context.answer(&json, text.trim_end())?;
    Ok(Exit::Ok)
}

fn check(text: &str, key: Option<&str>, context: &mut Context) -> Result<Exit> {
    let proof: Proof = text.parse().map_err(refused)?;
    let key = match key {
        Some(key) => verifier_key(key)?,
        None => own_key(&proof)?,
    };
    let checked = proof.check(&key).map_err(refused)?;
    let replayed = replayed(&proof, context)?;
    let (question, shown) = match &proof {
        Proof::Answer(answer) => (Some(answer.question.as_str()), answer.shown.as_slice()),
        Proof::Record(_) | Proof::Growth(_) => (None, [].as_slice()),
    };
    let shown = shown.iter().map(|one| ShownAnswer { seq: one.seq, text: one.text.as_deref() });
    let ok = !matches!(replayed, "mismatch" | "other_history");
    let answer = CheckedAnswer {
        ok,
        verdict: if ok { "ok" } else { "mismatch" },
        checked: &checked,
        question,
        shown: shown.collect(),
        replayed,
        not_shown: proof.not_shown(),
    };
    context.answer(&answer, told(&answer).trim_end())?;
    Ok(if ok { Exit::Ok } else { Exit::Integrity })
}

/// The caller's own key, if it is the one that the proof names.
fn own_key(proof: &Proof) -> Result<memlith::prove::signed::VerifierKey> {
    let own = Anchors::of_user()?.signer()?.key()?;
    let own = own.map(|key| key.verifier(proof.head().head().ledger));
    own.filter(|own| own == proof.key()).ok_or_else(|| {
        exit::usage(format!(
            "name the key of the ledger's owner with --key; the proof itself names {}: ask them \
             whether it is theirs",
            proof.key()
        ))
    })
}

/// Compares a proof with the ledger, if it is here.
fn replayed(proof: &Proof, context: &Context) -> Result<&'static str> {
    let Ok(ledger) = context.open_to_read() else { return Ok("none") };
    let head = proof.head().head();
    if ledger.id() != head.ledger {
        return Ok("none");
    }
    let mut tree = Anchors::of_user()?.signer()?.tree(&ledger)?;
    if ledger.audit().compare(&mut tree, head)? != HeadVerdict::Holds {
        return Ok("other_history");
    }
    let Proof::Answer(answer) = proof else { return Ok("none") };
    let id = id_of(&ledger, answer.answer)?;
    let audit = ledger.audit().receipts_as_far(Some(id))?;
    Ok(audit.audits.first().map_or("none", |audit| match audit.verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Affected { .. } => "affected",
        Verdict::NeedsScorer { .. } | Verdict::NeedsFold { .. } | Verdict::NeedsCounter { .. } => {
            "needs"
        }
        Verdict::Mismatch { .. } => "mismatch",
    }))
}

fn id_of(ledger: &Opened, seq: Seq) -> Result<RecordId> {
    let ledger: &Ledger = ledger;
    Ok(ledger.record(seq)?.id())
}

fn told(answer: &CheckedAnswer<'_>) -> String {
    let mut text = match answer.replayed {
        "other_history" => "WRONG: the ledger here has another history than this head\n".to_owned(),
        "mismatch" => "WRONG: the ledger here gives another answer\n".to_owned(),
        _ => format!(
            "ok: {} under the head of {} records\n",
            answer.checked.kind, answer.checked.size
        ),
    };
    if let Some(question) = answer.question {
        text.push_str(&format!("asked: {}\n", plain(question, 400)));
    }
    for one in &answer.shown {
        let words = one.text.map_or_else(|| "(erased)".to_owned(), |words| plain(words, 400));
        text.push_str(&format!("shown: {}  {words}\n", one.seq));
    }
    match answer.replayed {
        "reproduced" => text.push_str("replayed: the ledger here gives the same answer\n"),
        "needs" => text.push_str("not replayed: it was made by another version of this program\n"),
        "affected" => text.push_str("not replayed: items were erased since\n"),
        _ => {}
    }
    for said in answer.not_shown {
        text.push_str(&format!("not shown: {said}\n"));
    }
    text
}
