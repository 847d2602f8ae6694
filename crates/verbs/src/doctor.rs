use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use clap::{Args, Subcommand};
use memlith::{
    ErrorKind, Ledger, Options, Seq,
    forget::Tombstones,
    log::LogError,
    prove::{CheckpointStanding, Exposed, HeadVerdict, Level},
};
use memlith_agents::Failure;
use serde::Serialize;

use crate::advice::advice;
use crate::anchor::Anchors;
use crate::context::Context;
use crate::exit::{self, Exit};
use crate::verb::Verb;

/// Check the ledger and say what is wrong and what to do.
#[derive(Args, Debug)]
#[command(after_help = "\
What accept-loss does to a damaged ledger:
  In the newest segment the log ends before the first damage. Everything after it goes to
  `quarantine`, records that are whole too: the chain to them is broken.
  `memlith list events --read-past-loss` shows beforehand what stays.
  In older, sealed segments the words of a damaged record are destroyed; all others stay.
  Other damage there, a missing or a swapped segment, is refused: only a copy helps.

Examples:
  memlith doctor
  memlith doctor mend                     # close what other users can read
  memlith doctor accept-loss --as owner   # go on with what is left")]
pub struct DoctorArgs {
    #[command(subcommand)]
    what: Option<What>,
}

/// Repairs that come before the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
enum What {
    /// Give files and folders that are open to other users the modes of the ledger's kind.
    #[command(after_help = "Examples:\n  memlith doctor mend")]
    Mend,
    /// Go on although acknowledged records are gone, with the loss written down: in the
    /// newest segment the first damaged record and ALL after it leave the log.
    #[command(after_help = "Examples:\n  memlith doctor accept-loss --as owner")]
    AcceptLoss,
}

/// Room that the next records, their checkpoint and its copy may take, in bytes.
const ROOM_BYTES: usize = 1 << 20;

#[derive(Serialize)]
struct Answer {
    ok: bool,
    version: &'static str,
    dir: String,
    loss: Option<LossJson>,
    checks: Vec<CheckJson>,
}

/// A loss that was accepted.
#[derive(Serialize)]
struct LossJson {
    kept: u64,
    synced: u64,
    destroyed: Vec<Seq>,
    quarantined: Vec<String>,
}

#[derive(Serialize)]
struct CheckJson {
    name: &'static str,
    ok: bool,
    what: String,
    #[serde(skip)]
    exit: Option<Exit>,
}

impl Verb for DoctorArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &DoctorArgs, context: &mut Context) -> Result<Exit> {
    let dir = context.ledger_dir()?;
    let loss = if args.what == Some(What::AcceptLoss) { accept_loss(&dir, context)? } else { None };
    let mut checks = vec![bytes(&dir)?, privacy(&dir, args.what == Some(What::Mend))];
    checks.extend(reading(&dir, context));
    checks.push(writing(&dir, context));
    checks.extend(heads(&dir, context));
    checks.extend(hooks(&dir));
    checks.extend(installations());
    let answer = Answer {
        ok: checks.iter().all(|check| check.ok),
        version: env!("CARGO_PKG_VERSION"),
        dir: dir.display().to_string(),
        loss,
        checks,
    };
    context.answer(&answer, text(&answer))?;
    let failed = |exit| answer.checks.iter().any(|check| check.exit == Some(exit));
    Ok(if failed(Exit::Integrity) { Exit::Integrity } else { Exit::ok_if(answer.ok) })
}

/// Accepts what is lost, and gives what that was; nothing where nothing could be lost.
fn accept_loss(dir: &Path, context: &Context) -> Result<Option<LossJson>> {
    if context.actor.rank != memlith::Rank::Owner {
        return Err(exit::refused("only the owner accepts a loss: add --as owner"));
    }
    let before = memlith::verify(dir, Level::Full)?;
    if before.is_ok() {
        context.note("nothing is lost, so there is nothing to accept");
        return Ok(None);
    }
    let ledger = Ledger::accept_loss(dir, context.options.clone()).map_err(unpassable)?;
    let accepted = ledger.accepted_loss();
    ledger.close()?;
    let Some(loss) = accepted else {
        context.note("what is wrong is no loss of records, and nothing was changed");
        return Ok(None);
    };
    let mut quarantined = memlith::verify(dir, Level::Sealed)?.quarantined;
    quarantined.retain(|name| !before.quarantined.contains(name));
    let destroyed = loss.destroyed.into_iter().map(|(seq, _)| seq).collect();
    let loss = LossJson { kept: loss.kept, synced: loss.synced, destroyed, quarantined };
    context.note(loss.to_text());
    Ok(Some(loss))
}

/// Damage that an owner's word can't pass either.
fn unpassable(error: memlith::Error) -> anyhow::Error {
    let damaged = matches!(
        error,
        memlith::Error::Log(
            LogError::Corrupt { .. }
                | LogError::ChainBreak { .. }
                | LogError::SegmentMissing { .. }
        )
    );
    if !damaged {
        return error.into();
    }
    exit::damaged(format!("this damage can't be accepted, and nothing was changed: {error}"))
}

impl LossJson {
    fn to_text(&self) -> String {
        let mut parts = Vec::new();
        if self.synced > self.kept {
            parts.push(format!(
                "the {} records from {} on are out of the log, whole ones behind the damage too",
                self.synced - self.kept,
                self.kept
            ));
        }
        if !self.destroyed.is_empty() {
            let seqs: Vec<String> = self.destroyed.iter().map(ToString::to_string).collect();
            parts.push(format!("the words of records {} are destroyed", seqs.join(", ")));
        }
        if !self.quarantined.is_empty() {
            parts.push(format!(
                "the bytes that were cut off are in {}",
                self.quarantined.join(", ")
            ));
        }
        format!("loss accepted and written down: {}", parts.join("; "))
    }
}

fn bytes(dir: &Path) -> Result<CheckJson> {
    let report = memlith::verify(dir, Level::Sealed)?;
    let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let what = if findings.is_empty() {
        format!("{} records; every segment as it was sealed", report.records)
    } else {
        format!(
            "{}; `memlith verify --full` shows all, and `memlith doctor --help` what to do",
            findings.join("; ")
        )
    };
    let exit = (!report.is_ok()).then_some(Exit::Integrity);
    Ok(CheckJson { name: "bytes", ok: report.is_ok(), what, exit })
}

/// Whether only those who may can read the ledger's files; `mend` sees to it.
fn privacy(dir: &Path, mend: bool) -> CheckJson {
    let found = if mend { memlith::prove::mend_exposed(dir) } else { memlith::prove::exposed(dir) };
    let exposed = match found {
        Ok(exposed) => exposed,
        Err(error) => return failed("privacy", &error),
    };
    if exposed.is_empty() {
        return fine("privacy", "every file has the mode of the ledger's kind".to_owned());
    }
    let each: Vec<String> = exposed.iter().map(exposure).collect();
    let named = each.join(", ");
    if mend {
        return fine("privacy", format!("mended {named}"));
    }
    let what = format!(
        "open to other users than the ledger's kind says: {named}; `memlith doctor mend` repairs it"
    );
    CheckJson { name: "privacy", ok: false, what, exit: None }
}

fn exposure(exposed: &Exposed) -> String {
    let Exposed { name, mode, wanted } = exposed;
    let name = if name.is_empty() { "the folder" } else { name };
    format!("{name} is {mode:04o} instead of {wanted:04o}")
}

/// Whether the ledger can be read, and how far its checkpoint and its clock are.
fn reading(dir: &Path, context: &Context) -> Vec<CheckJson> {
    let options = Options { read_only: true, ..context.options.clone() };
    let ledger = match Ledger::open(dir, options) {
        Ok(ledger) => ledger,
        Err(error) => return vec![failed("reading", &error)],
    };
    let head = ledger.head();
    let mut checks = vec![fine("reading", format!("the head is record {}", head.seq))];
    checks.push(match ledger.checkpoints().check() {
        Ok(standings) => checkpoint(&standings, head.seq),
        Err(error) => failed("checkpoint", &error),
    });
    checks.push(match ledger.erasure().tombstones() {
        Ok(Tombstones { standing, foreign: 0, .. }) => {
            fine("tombstones", format!("{standing} keep what was erased from coming back"))
        }
        Ok(Tombstones { standing, foreign, .. }) => fine(
            "tombstones",
            format!(
                "{standing} keep what was erased from coming back; {foreign} came with the export \
                 of another ledger, and bar nothing here: `memlith backup` keeps them"
            ),
        ),
        Err(error) => failed("tombstones", &error),
    });
    checks.extend(shared(dir, &ledger));
    #[cfg(feature = "sync")]
    checks.extend(shared_log(dir).into_iter().chain(synced(dir, &ledger)));
    let ahead = head.recorded_at > ledger.now();
    let advice = match ahead {
        true => {
            "; set the clock right, or wait: what is written until then is dated like that record, and what is said again holds at once"
        }
        false => "",
    };
    let what =
        format!("it says {}, the last record is of {}{advice}", ledger.now(), head.recorded_at);
    checks.push(CheckJson { name: "clock", ok: !ahead, what, exit: None });
    checks
}

/// How this node stands among those that write the ledger; nothing where it is the only one.
#[cfg(feature = "sync")]
fn shared_log(dir: &Path) -> Option<CheckJson> {
    let team = match memlith_sync::team_of(dir) {
        Ok(team) => team?,
        Err(error) => {
            let what = format!("{error:#}");
            return Some(CheckJson { name: "shared", ok: false, what, exit: None });
        }
    };
    let role = match (team.roles.is_empty(), team.role) {
        (true, _) => "no role was given, so whoever reaches the shared log writes",
        (false, Some(role)) => role.name(),
        (false, None) => "no role, so what it writes is passed over: an owner gives one",
    };
    let heard = team.heard.map_or_else(|| "never".to_owned(), |heard| heard.to_string());
    let what = format!(
        "this copy is as of {heard}; the node's role: {role}; {} frames passed over",
        team.refused.len()
    );
    Some(CheckJson { name: "shared", ok: team.role.is_some(), what, exit: None })
}

/// How the ledger is synced with other machines; nothing where it isn't.
#[cfg(feature = "sync")]
fn synced(dir: &Path, ledger: &Ledger) -> Option<CheckJson> {
    let status = match crate::sync::status_of(dir, ledger) {
        Ok(status) => status?,
        Err(error) => {
            return Some(CheckJson {
                name: "sync",
                ok: false,
                what: format!("{error:#}"),
                exit: None,
            });
        }
    };
    let copies = ledger.beside_folders();
    let is_whole = |copy: &std::path::PathBuf| {
        memlith::verify(copy, Level::Sealed).is_ok_and(|report| report.is_ok())
    };
    let damaged = copies.iter().filter(|copy| !is_whole(copy)).count();
    let ok = crate::sync::is_well(&status) && damaged == 0;
    let behind: u64 = status.remotes.iter().map(|remote| remote.behind).max().unwrap_or(0);
    let advice = if ok { "" } else { "; `memlith sync status` says what failed" };
    let what = format!(
        "{} places, {} other machines, {behind} records not carried yet, {damaged} damaged copies \
         of others (the next run makes them anew){advice}",
        status.remotes.len(),
        status.machines.len()
    );
    Some(CheckJson { name: "sync", ok, what, exit: None })
}

/// How much of the person's own ledger is about no project; nothing where all is.
fn shared(dir: &Path, ledger: &Ledger) -> Option<CheckJson> {
    let home = crate::environment::agents_home()?;
    if home.ledger != dir {
        return None;
    }
    match crate::scope_here::shared_turns(ledger) {
        Ok(0) => None,
        Ok(count) => Some(fine("scope", crate::scope_here::of_shared(count))),
        Err(error) => Some(failed("scope", &error)),
    }
}

/// From which checkpoint a start begins, and which are refused.
fn checkpoint(standings: &[CheckpointStanding], head: Seq) -> CheckJson {
    let used = standings.iter().rfind(|one| one.refused.is_none());
    let begins = match used {
        Some(one) => format!("up to record {} of {head}", one.seq),
        None => "every start folds the whole log".to_owned(),
    };
    if standings.is_empty() {
        return fine("checkpoint", format!("none yet: {begins}"));
    }
    let refused: Vec<String> = standings
        .iter()
        .filter_map(|one| {
            let reason = one.refused.as_ref()?;
            Some(format!("{} is refused: {reason}", one.file))
        })
        .collect();
    if refused.is_empty() {
        return fine("checkpoint", begins);
    }
    let instead = if used.is_some() { format!("used instead: {begins}") } else { begins };
    let what = format!(
        "{}; {instead}; nothing is lost: delete what is refused, `memlith maintain checkpoint` writes another",
        refused.join("; ")
    );
    CheckJson { name: "checkpoint", ok: false, what, exit: None }
}

/// Checks the key, the head that was signed last, and where heads went; `None` where heads are
/// neither signed nor sent.
fn heads(dir: &Path, context: &Context) -> Option<CheckJson> {
    let wrong = |what| Some(CheckJson { name: "heads", ok: false, what, exit: None });
    match sent_heads(dir, context) {
        Ok(Ok(what)) => what.map(|what| fine("heads", what)),
        Ok(Err(what)) => wrong(what),
        Err(error) => wrong(format!("{error:#}")),
    }
}

/// Words for the state of signed heads, and whether it is as it should be.
fn sent_heads(dir: &Path, context: &Context) -> Result<Result<Option<String>, String>> {
    let anchors = Anchors::of_user()?;
    let signer = anchors.signer()?;
    let options = Options { read_only: true, ..context.options.clone() };
    let Ok(ledger) = Ledger::open(dir, options) else { return Ok(Ok(None)) };
    let (last, sending) = (signer.last(ledger.id())?, signer.sending(ledger.id())?);
    if last.is_none() && anchors.places() == 0 {
        return Ok(Ok(None));
    }
    signer.the_key()?;
    if let Some(last) = &last {
        let audit = ledger.audit();
        let verdict = audit.compare(&mut signer.tree(&ledger)?, last.head())?;
        if verdict != HeadVerdict::Holds {
            return Ok(Err(format!(
                "{}: the head of record {} was signed; `memlith verify` says more",
                verdict.label(),
                last.head().seq()
            )));
        }
    }
    let Some(sending) = sending else {
        if anchors.is_scheduled() {
            return Ok(Err(
                "heads are to be sent, and none was yet: `memlith head send`".to_owned()
            ));
        }
        let signed =
            last.map(|last| format!("the head of record {} was signed last", last.head().seq()));
        return Ok(Ok(signed));
    };
    if let Some(failed) = sending.failed {
        return Ok(Err(format!("at {}: {failed}", sending.at)));
    }
    let new = (ledger.head().seq.0 + 1).saturating_sub(sending.size);
    Ok(Ok(Some(format!(
        "the head of {} records was sent to {} places at {}; {new} records since",
        sending.size,
        anchors.places(),
        sending.at
    ))))
}

/// Checks what the hooks of coding agents have done for the ledger; `None` where they did all.
fn hooks(dir: &Path) -> Option<CheckJson> {
    let home = crate::environment::agents_home()?;
    let is_of_it = |one: &Failure| one.ledger.as_deref().is_none_or(|ledger| ledger == dir);
    let failures = home.state.failures().into_iter().filter(is_of_it).collect::<Vec<_>>();
    let last = crate::plain::plain(&failures.last()?.to_string(), 200);
    let count = failures.len();
    let behind = home.behind(dir);
    let Some((transcript, client)) = behind.first() else {
        let what = format!(
            "{count} times a hook could not do its work, lastly: {last}; every turn of it was \
             captured since"
        );
        return Some(fine("hooks", what));
    };
    let what = format!(
        "{} transcripts hold turns that were not captured, {} among them; the last failure: \
         {last}; run `memlith agent hook {client} --catch-up`",
        behind.len(),
        transcript.display()
    );
    Some(CheckJson { name: "hooks", ok: false, what, exit: None })
}

/// Checks what keeps the hooks in clients' settings from working; nothing where they can.
fn installations() -> Vec<CheckJson> {
    let mut faults = Vec::new();
    for client in memlith_agents::Client::ALL {
        let mut is_installed = false;
        for folder in crate::install::folders() {
            let settings = memlith_agents::Settings::below(client, &folder);
            match memlith_agents::installed(&settings) {
                Ok(None) => {}
                Ok(Some(hooks)) => {
                    is_installed = true;
                    let found = crate::install::faults(&hooks, &settings).into_iter();
                    faults.extend(found.map(|one| format!("{}: {one}", settings.path.display())));
                }
                Err(error) => faults.push(error.to_string()),
            }
        }
        faults.extend(is_installed.then(|| crate::install::switched_off(client)).flatten());
    }
    let wrong = |what| CheckJson { name: "hooks", ok: false, what, exit: None };
    faults.into_iter().map(wrong).collect()
}

/// Whether the ledger could be written to: takes the lock and lets it go, and finds room for some
/// records.
fn writing(dir: &Path, context: &Context) -> CheckJson {
    let options = context.options.clone();
    let tried = Ledger::open(dir, options).and_then(|ledger| {
        ledger.check_writable()?;
        ledger.close()
    });
    if let Err(error) = tried {
        return failed("writing", &error);
    }
    match memlith_files::check_room(dir, ROOM_BYTES) {
        Ok(()) => fine("writing", "the folder can be written".to_owned()),
        Err(error) => {
            let what = format!("no room for another {ROOM_BYTES} bytes: {error}; free some space");
            CheckJson { name: "writing", ok: false, what, exit: None }
        }
    }
}

fn fine(name: &'static str, what: String) -> CheckJson {
    CheckJson { name, ok: true, what, exit: None }
}

fn failed(name: &'static str, error: &memlith::Error) -> CheckJson {
    let exit = (error.kind() == ErrorKind::Integrity).then_some(Exit::Integrity);
    let mut what = exit::causes(error);
    // What to do about damage is said by the check of the bytes.
    if let Some(advice) = advice(error).filter(|_| exit.is_none()) {
        what = format!("{what}; to do: {advice}");
    }
    CheckJson { name, ok: false, what, exit }
}

fn text(answer: &Answer) -> String {
    let mut out = format!("memlith {}, ledger {}\n", answer.version, answer.dir);
    for check in &answer.checks {
        let mark = if check.ok { "ok  " } else { "WRONG" };
        // Writing to a string can't fail.
        let _ = writeln!(out, "{mark:<6}{:<12}{}", check.name, check.what);
    }
    out
}
