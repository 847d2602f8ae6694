use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use memlith::prove::signed::{Proof, SignedHead, VerifierKey, WitnessKey, witness};
use memlith::storage::{Clock as _, SystemClock};
use memlith::{Digest, LedgerId, Seq, Timestamp};
use serde::Serialize;

use crate::anchor::{Anchors, Sent};
use crate::context::Context;
use crate::exit::{self, Exit};
use crate::signer::Signed;
use crate::verb::Verb;

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
struct SignArgs {}

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
/// (`memlith prove --since`) from the head that you saw last.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith head witness ledger.head --key ana.vkey --name bob
  memlith head witness growth.json --key ana.vkey --name bob > cosigned.head")]
struct WitnessArgs {
    /// A signed head, or a proof of growth.
    file: PathBuf,

    /// The verifier key of the ledger's owner, or a file that holds it.
    #[arg(long, value_name = "KEY|FILE")]
    key: String,

    /// Your name as a witness.
    #[arg(long)]
    name: String,
}

/// Write the tree under the head that was signed last as static tiles (C2SP tlog-tiles).
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith head tiles ./tiles")]
struct TilesArgs {
    /// The folder; files that are right already are left alone.
    dir: PathBuf,
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

#[derive(Serialize)]
struct TilesAnswer {
    dir: String,
    size: u64,
    tiles: usize,
    written: usize,
}

impl Verb for HeadArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        match self.what {
            None => run(context),
            Some(What::Sign(SignArgs {})) => sign(context),
            Some(What::Send(args)) => send(&args, context),
            Some(What::Witness(args)) => countersign(&args, context),
            Some(What::Tiles(args)) => tiles(&args, context),
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

fn sign(context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let signed = Anchors::of_user()?.signer()?.sign(&ledger)?;
    let answer = signed_answer(&signed, Vec::new());
    context.answer(&answer, answer.note.trim_end())?;
    Ok(Exit::Ok)
}

fn send(args: &SendArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let (anchors, now) =
        (Anchors::of_user()?, context.now.unwrap_or_else(|| SystemClock::new().now()));
    let signer = anchors.signer()?;
    if args.due && !anchors.is_due(&ledger, signer.last(ledger.id())?.as_ref(), now)? {
        context.note("no head is due");
        return Ok(Exit::Ok);
    }
    let signed = signer.sign(&ledger)?;
    let answer = signed_answer(&signed, anchors.send(&signed.head));
    let told = |one: &SentAnswer| match &one.error {
        Some(error) => format!("{}: not sent: {error}\n", one.place),
        None => format!("{}: sent\n", one.place),
    };
    let text: String = answer.sent.iter().map(told).collect();
    context.answer(&answer, format!("{}{text}", answer.note).trim_end())?;
    if answer.sent.is_empty() {
        context.note("heads.json names no place: docs/proofs.md has the keys");
    }
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
    let key = verifier_key(&args.key)?;
    let signer = Anchors::of_user()?.signer()?;
    let by = WitnessKey::new(&args.name, signer.the_key()?)
        .map_err(|error| exit::usage(error.to_string()))?;
    let (new, consistency) = if text.trim_start().starts_with('{') {
        match text.parse().map_err(refused)? {
            Proof::Growth(growth) => (growth.head, growth.consistency),
            Proof::Record(_) | Proof::Answer(_) => {
                return Err(exit::usage("a witness takes a signed head, or a proof of growth"));
            }
        }
    } else {
        (text.parse::<SignedHead>().map_err(refused)?, Vec::new())
    };
    let now = context.now.unwrap_or_else(|| SystemClock::new().now());
    let time_s = u64::try_from(now.0 / 1_000_000).unwrap_or_default();
    let cosigned = signer.witness(new.head().ledger, |seen| {
        let old = seen.map(SignedHead::head);
        witness(&by, &key, (old, &consistency), &new, time_s)
    })?;
    let answer = WitnessAnswer {
        ledger: new.head().ledger,
        seq: new.head().seq(),
        note: cosigned.to_string(),
        witness_key: by.verifier(),
    };
    context.answer(&answer, answer.note.trim_end())?;
    Ok(Exit::Ok)
}

/// Hashes of a tile: a subtree of 2^8 nodes.
const TILE: u64 = 256;

fn tiles(args: &TilesArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let signed = Anchors::of_user()?.signer()?.sign(&ledger)?;
    let (audit, size) = (ledger.audit(), signed.head.head().size);
    let mut answer =
        TilesAnswer { dir: args.dir.display().to_string(), size, tiles: 0, written: 0 };
    let mut put = |path: &str, bytes: &[u8]| -> Result<()> {
        let path = args.dir.join(path);
        answer.tiles += 1;
        if std::fs::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        answer.written += 1;
        let folder = path.parent().unwrap_or(&args.dir);
        std::fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        memlith_files::replace(&path, bytes).with_context(|| format!("write {}", path.display()))
    };
    let (mut level, mut nodes) = (0_u32, size);
    while nodes > 0 {
        for first in (0..nodes).step_by(usize::try_from(TILE)?) {
            let width = (nodes - first).min(TILE);
            let hashes = audit.nodes(&signed.tree, (size, level * 8), first..first + width)?;
            put(&tile_path(level, first / TILE, width), &hashes.concat())?;
        }
        (level, nodes) = (level + 1, nodes / TILE);
    }
    // The head last: whoever reads it finds its tiles.
    put("checkpoint", signed.head.to_string().as_bytes())?;
    let text = format!("{} tiles of {size} records, {} written", answer.tiles - 1, answer.written);
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

/// The path of a tile: its number in groups of three digits, all but the last with an `x`.
///
/// Source: c2sp.org/tlog-tiles.
fn tile_path(level: u32, mut number: u64, width: u64) -> String {
    let mut name = format!("{:03}", number % 1_000);
    while number >= 1_000 {
        number /= 1_000;
        name = format!("x{:03}/{name}", number % 1_000);
    }
    let part = if width < TILE { format!(".p/{width}") } else { String::new() };
    format!("tile/{level}/{name}{part}")
}

/// A signed head or proof is read no further than this.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Reads a signed head or a proof; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
        bytes
    } else {
        let bytes = memlith_files::read(path, FILE_BYTES_MAX);
        let bytes = bytes.with_context(|| format!("read {}", path.display()))?;
        bytes.ok_or_else(|| exit::unusable(format!("there is no file {}", path.display())))?
    };
    String::from_utf8(bytes).map_err(|_| exit::damaged(format!("{} is no text", path.display())))
}

/// The verifier key that was given: itself, or a file that holds it.
pub(crate) fn verifier_key(given: &str) -> Result<VerifierKey> {
    let text = if given.contains('+') { given.to_owned() } else { read(Path::new(given))? };
    text.trim()
        .parse()
        .map_err(|error: memlith::prove::signed::ProofError| exit::usage(error.to_string()))
}

/// An error of a head or proof: what was given is wrong.
pub(crate) fn refused(error: memlith::prove::signed::ProofError) -> anyhow::Error {
    memlith::Error::from(error).into()
}
