use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use memlith::prove::signed::{Claim, Proof, SignedHead, WitnessKey, witness};
use memlith::storage::{Clock as _, SystemClock};
use memlith::{Digest, LedgerId, Seq, Timestamp};
use serde::Serialize;

use crate::anchor::{Anchors, Sent};
use crate::context::Context;
use crate::exit::{self, Exit};
use crate::kept;
use crate::signer::Signed;
use crate::tiles::TilesArgs;
use crate::verb::Verb;
use crate::verifiers::Verifiers;

/// Print the head, the end of the ledger, as one line to keep elsewhere; or sign it.
///
/// `memlith verify --head LINE` says later whether the ledger still holds all that was there. A
/// signed head says besides who took it: docs/proofs.md.
#[derive(Args, Debug, Default)]
#[command(after_help = "\
Examples:
  memlith head
  memlith head >> /mnt/elsewhere/heads
  memlith verify --head /mnt/elsewhere/heads
  memlith head sign > ledger.head            # a key: `memlith config keys new`
  memlith head send                          # where heads.json says
  memlith head witness ledger.head --key ana.vkey --name bob   # on another machine
  memlith head tiles ./tiles                 # for clients of transparency logs")]
pub struct HeadArgs {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    Sign(SignArgs),
    Send(SendArgs),
    Witness(WitnessArgs),
    Tiles(TilesArgs),
}

/// Sign the head with your key, as a C2SP signed note.
///
/// Nothing is signed if the ledger lost or changed what was signed last.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith head sign > ledger.head")]
struct SignArgs {
    /// Sign although the ledger ends before the head that was signed last: it was restored from
    /// an older copy. That head is put aside; `verify --head` with it says what is gone.
    #[arg(long)]
    restored: bool,
}

/// Sign the head and send it to the places of heads.json.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith head send\n  memlith head send --due   # for a timer")]
struct SendArgs {
    /// Only if one is due by heads.json.
    #[arg(long)]
    due: bool,
}

/// Countersign a head of somebody's ledger, if it grew out of the last one that you saw.
///
/// The first head of a ledger is countersigned as it is; later ones need a proof of growth
/// (`memlith prove --since`) from the head that you saw last. Others check your countersignature
/// with the witness key that is printed beside it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith head witness ledger.head --key ana.vkey --name bob
  memlith head witness growth.json --key ana.vkey --name bob > cosigned.head")]
struct WitnessArgs {
    /// A signed head, or a proof of growth.
    file: PathBuf,

    /// The verifier key of the ledger's owner, or a file with several, one on each line.
    #[arg(long, value_name = "KEY|FILE")]
    key: String,

    /// Your name as a witness.
    #[arg(long)]
    name: String,
}

#[derive(Serialize)]
struct Answer {
    ledger: LedgerId,
    seq: Seq,
    chain: Digest,
    recorded_at: Timestamp,
    synced: Option<Seq>,
    line: String,
}

#[derive(Serialize)]
struct SignedAnswer {
    ledger: LedgerId,
    seq: Seq,
    chain: Digest,
    note: String,
    verifier_key: String,
    sent: Vec<SentAnswer>,
}

#[derive(Serialize)]
struct SentAnswer {
    place: String,
    error: Option<String>,
}

#[derive(Serialize)]
struct WitnessAnswer {
    ledger: LedgerId,
    seq: Seq,
    note: String,
    witness_key: String,
}

impl Verb for HeadArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        match self.what {
            None => run(context),
            Some(What::Sign(args)) => sign(&args, context),
            Some(What::Send(args)) => send(&args, context),
            Some(What::Witness(args)) => countersign(&args, context),
            Some(What::Tiles(args)) => args.run(context),
        }
    }
}

fn run(context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let head = ledger.audit().head()?;
    let answer = Answer {
        ledger: head.ledger,
        seq: head.seq,
        chain: head.chain,
        recorded_at: ledger.head().recorded_at,
        synced: ledger.synced(),
        line: head.to_string(),
    };
    context.answer(&answer, &answer.line)?;
    if answer.synced.is_none_or(|synced| synced < answer.seq) {
        context.note(
            "its last records are not known to be on the disk: after a power cut the ledger may \
             end before this head",
        );
    }
    Ok(Exit::Ok)
}

fn sign(args: &SignArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let signer = Anchors::of_user()?.signer()?;
    let signed = if args.restored {
        let (signed, last) = signer.sign_restored(&ledger)?;
        let seq = last.head().seq();
        context.note(format_args!("the head of record {seq} was put aside, beside the key"));
        signed
    } else {
        signer.sign(&ledger)?
    };
    let answer = signed_answer(&signed, Vec::new());
    context.answer(&answer, answer.note.trim_end())?;
    Ok(Exit::Ok)
}

fn send(args: &SendArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let (anchors, now) =
        (Anchors::of_user()?, context.now.unwrap_or_else(|| SystemClock::new().now()));
    if anchors.places() == 0 {
        return Err(exit::unusable("heads.json names no place: docs/proofs.md has the keys"));
    }
    if args.due && !anchors.is_due(&ledger, now)? {
        context.note("no head is due");
        return Ok(Exit::Ok);
    }
    let (signed, sent) = anchors.send(&ledger, now)?;
    let answer = signed_answer(&signed, sent);
    let told = |one: &SentAnswer| match &one.error {
        Some(error) => format!("{}: not sent: {error}\n", one.place),
        None => format!("{}: sent\n", one.place),
    };
    let text: String = answer.sent.iter().map(told).collect();
    context.answer(&answer, format!("{}{text}", answer.note).trim_end())?;
    Ok(Exit::ok_if(answer.sent.iter().all(|one| one.error.is_none())))
}

fn signed_answer(signed: &Signed, sent: Vec<Sent>) -> SignedAnswer {
    let head = signed.head.head();
    SignedAnswer {
        ledger: head.ledger,
        seq: head.seq(),
        chain: head.chain,
        note: signed.head.to_string(),
        verifier_key: signed.key.to_string(),
        sent: sent
            .into_iter()
            .map(|one| SentAnswer { place: one.place, error: one.error })
            .collect(),
    }
}

fn countersign(args: &WitnessArgs, context: &mut Context) -> Result<Exit> {
    let text = read(&args.file)?;
    let keys = Verifiers::of(Some(&args.key), None)?;
    let signer = Anchors::of_user()?.signer()?;
    let by = WitnessKey::new(&args.name, signer.the_key()?)
        .map_err(|error| exit::usage(error.to_string()))?;
    let growth;
    let (new, from) = if text.trim_start().starts_with('{') {
        let Proof { head, claim, .. } = text.parse().map_err(refused)?;
        let Claim::Growth(found) = claim else {
            return Err(exit::usage("a witness takes a signed head, or a proof of growth"));
        };
        growth = found;
        (head, Some((growth.old.head(), growth.consistency.as_slice())))
    } else {
        (kept::in_text_signed(&text, &args.file)?, None)
    };
    let now = context.now.unwrap_or_else(|| SystemClock::new().now());
    let time_s = u64::try_from(now.0 / 1_000_000).unwrap_or_default();
    let cosigned = signer.witness(new.head().ledger, |seen| {
        let seen = seen.map(SignedHead::head);
        witness(&by, &keys.owners, (seen, from), &new, time_s)
    })?;
    let answer = WitnessAnswer {
        ledger: new.head().ledger,
        seq: new.head().seq(),
        note: cosigned.to_string(),
        witness_key: by.verifier().to_string(),
    };
    context.answer(&answer, answer.note.trim_end())?;
    context.note(format_args!("others check it with --key {}", answer.witness_key));
    Ok(Exit::Ok)
}

/// A signed head or proof is read no further than this.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Reads a file of heads or a proof; `-` is standard input.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let bytes = memlith_files::read(path, FILE_BYTES_MAX);
    let bytes = bytes.with_context(|| format!("read {}", path.display()))?;
    bytes.ok_or_else(|| exit::unusable(format!("there is no file {}", path.display())))
}

/// Reads a signed head or a proof; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<String> {
    String::from_utf8(read_bytes(path)?)
        .map_err(|_| exit::damaged(format!("{} is no text", path.display())))
}

/// An error of a head or proof: what was given is wrong.
pub(crate) fn refused(error: memlith::prove::signed::ProofError) -> anyhow::Error {
    memlith::Error::from(error).into()
}
