//! Sync of a person's machines: `sync add | status | run | remove`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use clap::Args;
use memlith::ErrorKind;
use memlith::log::{Role, RoleGiven, SaidElsewhere};
use memlith::write::Requested;
use memlith_sync::{
    Address, Asked, Error, NewRemote, NodeRole, OtherStatus, RemoteRun, RemoteStatus, Run, Status,
    Sync, Team,
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::plain::plain;
use crate::verb::Verb;

/// Add a place that carries the ledger to your other machines, and theirs here.
///
/// A place is a folder that something else carries (a share, a stick, Syncthing), a git remote, a
/// folder on a machine that ssh reaches, or what rclone reaches. Nothing is sent before `memlith sync run`, and
/// nobody at the place can read what is. The first machine gets a code; the next ones are added
/// with it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith sync add /mnt/share/memory                          # the first machine: prints a code
  memlith sync add /mnt/share/memory --code CODE              # each other machine
  memlith sync add git:git@example.org:ana/memory.git --code CODE
  memlith sync add ssh://ana@box.example.org/home/ana/memory --code CODE")]
pub struct AddRemoteArgs {
    /// A folder from its root, git:URL, ssh://[USER@]HOST[:PORT]/FOLDER, or rclone:REMOTE:PATH.
    remote: Address,

    /// The place's name; the last part of the address where absent.
    #[arg(long)]
    name: Option<String>,

    /// This machine's name for the others; the system's where absent.
    #[arg(long)]
    machine: Option<String>,

    /// The code that `memlith sync status` shows on a machine that takes part.
    #[arg(long)]
    code: Option<String>,
}

/// Say how this machine and the others stand; reaches no place.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith sync status\n  memlith sync status --json")]
pub struct SyncStatusArgs {}

/// Give a node of a shared ledger a role: what it writes beyond it, every other node passes over.
///
/// Until the first role whoever reaches the shared log writes. The first one makes this node an
/// owner too. A reader writes nothing; a writer what a user, an assistant and a tool may; a
/// reviewer what review needs; an owner everything, erasures and roles too. Who may read is up to
/// the place: it holds the records as they are.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith sync status                                   # on the node: shows its key
  memlith sync role KEY writer --name box --as owner    # on an owner's node")]
pub struct GiveRoleArgs {
    /// The node's key, as its `memlith sync status` shows it; of one that has a role, its first digits.
    key: String,

    /// Most that it may write: reader, writer, reviewer or owner.
    #[arg(value_parser = role)]
    role: Role,

    /// The node's name, for people; the one that it has where absent.
    #[arg(long)]
    name: Option<String>,
}

/// The key that `text` names: whole, or by the first digits of one that has a role.
fn key_of(text: &str, roles: &[NodeRole]) -> Result<memlith::Digest> {
    let text = text.to_lowercase();
    let mut known = roles.iter().filter(|one| text.len() >= 8 && one.key.starts_with(&text));
    let whole = match (known.next(), known.next()) {
        (Some(one), None) => &one.key,
        _ => &text,
    };
    memlith::Digest::from_hex(whole).map_err(|_| {
        exit::usage("a node's key has 64 hex digits; of a node that has a role the first 8 do")
    })
}

fn role(text: &str) -> Result<Role, String> {
    let named = Role::ALL.into_iter().find(|role| role.name() == text);
    named.ok_or_else(|| "give reader, writer, reviewer or owner".to_owned())
}

impl Verb for GiveRoleArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ledger = context.open()?;
        let dir = context.ledger_dir()?;
        let Some(team) = memlith_sync::team_of(&dir).map_err(told)? else {
            return Err(exit::refused(
                "the ledger is not shared: `memlith init --shared` makes one",
            ));
        };
        let key = key_of(&self.key, &team.roles)?;
        let own = memlith::Digest::from_hex(&team.key)?;
        if own == key && self.role != Role::Owner && team.role == Some(Role::Owner) {
            return Err(exit::refused(
                "this node stays an owner, so that the ledger keeps one: another owner takes its \
                 role away, on that one's node",
            ));
        }
        let caller = context.caller();
        if team.roles.is_empty() && own != key {
            let name = system_name().into();
            let given = RoleGiven { key: own.0, name, role: Role::Owner };
            let _ = ledger.policy().give_role(&caller, given)?;
        }
        let known = team.roles.iter().find(|one| one.key == key.to_string());
        let name = self.name.or_else(|| known.map(|one| one.name.clone())).unwrap_or_default();
        let given = RoleGiven { key: key.0, name: name.into(), role: self.role };
        let _ = ledger.policy().give_role(&caller, given)?;
        if let Some(team) = memlith_sync::team_of(&dir).map_err(told)? {
            let shared = Shared { team: &team, invitation: ledger.invitation()? };
            let answer = Standing { status: None, shared: Some(shared) };
            context.answer(&answer, team_text(&team).trim_end())?;
        }
        context.finish(ledger)?;
        Ok(Exit::Ok)
    }
}

/// Take what the other machines wrote, and put there what this one did.
///
/// Hooks do it by themselves at the beginning and the end of a session, in a process that nobody
/// waits for. Exit code 1 where a place was not reached, 3 where what came is not what it was.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith sync run")]
pub struct RunSyncArgs {}

/// Stop using a place, or give up a machine that was lost.
///
/// A machine that is given up can read nothing that is put on a place from the next run on, and
/// nothing is taken from it. What it had already stays readable there: take its access to the
/// places away too.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith sync remove share
  memlith sync remove --machine laptop   # it was lost; then `memlith sync run`
  memlith sync remove --all              # forget places, machines, keys and copies")]
#[group(required = true, multiple = false)]
pub struct RemoveRemoteArgs {
    /// The place, by its name.
    name: Option<String>,

    /// A machine, by its name or id.
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,

    /// Everything but the ledger.
    #[arg(long)]
    all: bool,
}

/// Read all that this machine and the others put on each place, and compare it with what they
/// state.
///
/// Exit code 3 where something is missing, cut or changed; the next `memlith sync run` of the
/// machine that it belongs to mends it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith verify remote")]
pub(crate) struct VerifyRemoteArgs {}

impl Verb for VerifyRemoteArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ledger = context.open_to_read()?;
        let progress = context.progress("reading", None);
        let reports = Sync::of(&context.ledger_dir()?).verify(&ledger).map_err(told)?;
        drop(progress);
        let reports = reports.unwrap_or_default();
        let mut text = String::new();
        for report in &reports {
            let name = plain(&report.remote, 100);
            let _ = writeln!(
                text,
                "{name}: {} records of {} machines hold ({} bytes)",
                report.records, report.machines, report.bytes
            );
            for finding in &report.findings {
                let _ = writeln!(text, "  {}", plain(finding, 500));
            }
        }
        if reports.is_empty() && !ledger.has_shared_log() {
            text.push_str("nothing is synced: `memlith sync add` names a place");
        }
        let mut is_whole = reports.iter().all(|report| report.findings.is_empty());
        let mut shared = None;
        if ledger.has_shared_log() {
            let findings = ledger.verify_shared()?;
            is_whole &= findings.is_empty();
            text = match findings.as_slice() {
                [] => format!(
                    "the shared log holds records 0 to {} as they are here\n",
                    ledger.head().seq
                ),
                found => format!(
                    "the shared log: {}\n`memlith init --shared PLACE` puts back what it lost\n",
                    found.join("\n  ")
                ),
            } + &text;
            shared = Some(findings);
        }
        context.answer(
            &serde_json::json!({ "remotes": reports, "shared": shared }),
            text.trim_end(),
        )?;
        Ok(if is_whole { Exit::Ok } else { Exit::Integrity })
    }
}

impl Verb for AddRemoteArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ledger = context.open()?;
        let new = NewRemote {
            address: self.remote,
            name: self.name,
            machine: self.machine.unwrap_or_else(system_name),
            code: self.code,
        };
        let is_first = new.code.is_none();
        let status = Sync::of(&context.ledger_dir()?).add(&ledger, new).map_err(told)?;
        let name = status.remotes.last().map(|remote| plain(&remote.name, 100)).unwrap_or_default();
        let mut text = format!("{name} carries this ledger from the next `memlith sync run` on");
        if is_first && status.remotes.len() == 1 {
            let _ = write!(
                text,
                "\nthis is the first machine; on each other one: memlith sync add REMOTE --code \
                 {}\nif another machine takes part already: `memlith sync remove --all` here, and \
                 add it with that one's code\nwhoever has the code and the place reads everything: \
                 hand it over as you would a password",
                status.code
            );
        }
        context.answer(&status, text)?;
        context.finish(ledger)?;
        Ok(Exit::Ok)
    }
}

impl Verb for SyncStatusArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ledger = context.open_to_read()?;
        let dir = context.ledger_dir()?;
        let status = Sync::of(&dir).status(&ledger).map_err(told)?;
        let team = memlith_sync::team_of(&dir).map_err(told)?;
        let mut text = String::new();
        let shared = match &team {
            Some(team) => {
                let invitation = ledger.invitation()?;
                text = team_text(team);
                let _ = writeln!(text, "another node joins with --join {invitation}");
                Some(Shared { team, invitation })
            }
            None => None,
        };
        text.push_str(&status.as_ref().map(status_text).unwrap_or_default());
        let answer = match (&status, shared) {
            (None, None) => {
                text.push_str("nothing is synced: `memlith sync add` names a place");
                None
            }
            (status, shared) => Some(Standing { status: status.as_ref(), shared }),
        };
        context.answer(&answer, text.trim_end())?;
        Ok(Exit::ok_if(status.as_ref().is_none_or(is_well)))
    }
}

impl Verb for RunSyncArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let ledger = context.open()?;
        let progress = context.progress("syncing", None);
        let caller = context.writer();
        let pulled = ledger.pull()?;
        if pulled > 0 {
            context.note(format_args!("{pulled} records came from other nodes of the ledger"));
        }
        if !Sync::of(&context.ledger_dir()?).is_set_up() && ledger.has_shared_log() {
            drop(progress);
            context.answer(&Run::default(), "")?;
            context.finish(ledger)?;
            return Ok(Exit::Ok);
        }
        let done = Sync::of(&context.ledger_dir()?).run(&ledger, &caller).map_err(told)?;
        drop(progress);
        let Some(done) = done else {
            context.note("another process is syncing; nothing was done here");
            return Ok(Exit::Ok);
        };
        context.answer(&done, run_text(&done))?;
        context.finish(ledger)?;
        Ok(if done.is_integrity() { Exit::Integrity } else { Exit::ok_if(done.is_ok()) })
    }
}

impl Verb for RemoveRemoteArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let sync = Sync::of(&context.ledger_dir()?);
        let said = match (self.name, self.machine) {
            (Some(name), _) => {
                sync.remove_remote(&name).map_err(told)?;
                format!("nothing goes to {name} any more; what lies there stays")
            }
            (None, Some(machine)) => {
                sync.remove_machine(&machine).map_err(told)?;
                format!(
                    "{machine} is given up: `memlith sync run` tells the others; what it had stays \
                     readable there, so take its access to the places away"
                )
            }
            (None, None) => {
                for left in sync.remove_all().map_err(told)? {
                    context.note(format_args!(
                        "this machine's files are still there: {}",
                        plain(&left, 500)
                    ));
                }
                "places, machines, keys and copies are forgotten; the ledger stays".to_owned()
            }
        };
        context.answer(&serde_json::json!({ "removed": true }), said)?;
        Ok(Exit::Ok)
    }
}

/// An error of sync as the command line ends with.
pub(crate) fn told(error: Error) -> anyhow::Error {
    let (kind, what) = (error.kind(), error.to_string());
    if let Error::Engine(error) = error {
        return error.into();
    }
    match kind {
        ErrorKind::Refused | ErrorKind::Usage => exit::refused(what),
        ErrorKind::Integrity => exit::damaged(what),
        ErrorKind::Io => exit::unusable(what),
    }
}

/// Whether every place was reached the last time, and everything of every machine taken.
pub(crate) fn is_well(status: &Status) -> bool {
    status.remotes.iter().all(|remote| remote.failed.is_none())
        && status.machines.iter().all(|machine| machine.failed.is_none())
}

/// Syncs the ledger in the folder `dir`, where it is synced, for nobody who waits: what fails stands
/// in `sync status`.
pub(crate) fn for_nobody(dir: &Path, caller: &memlith::Caller) {
    let sync = Sync::of(dir);
    if !sync.is_set_up() {
        return;
    }
    let opened = memlith::Ledger::open(dir, memlith::Options::default());
    let done = opened.map_err(Error::from).and_then(|ledger| sync.run(&ledger, caller));
    if let Err(error) = done {
        tracing::warn!(%error, "the ledger was not synced");
    }
}

/// Says that the copy of a shared ledger in the folder `dir` is behind, or may be, where it was not
/// compared for some seconds.
pub(crate) fn stale(dir: &Path, now: memlith::Timestamp) -> Option<String> {
    const FRESH_US: i64 = 5_000_000;
    let heard = memlith_sync::heard_of(dir).filter(|heard| heard.plus_us(FRESH_US) < now)?;
    Some(format!(
        "this copy of a shared ledger is as of {heard}: `memlith sync run` takes in what others wrote"
    ))
}

/// How the ledger in the folder `dir` is synced; `None` where it isn't.
pub(crate) fn status_of(dir: &Path, ledger: &memlith::Ledger) -> Result<Option<Status>> {
    Sync::of(dir).status(ledger).map_err(told)
}

fn status_text(status: &Status) -> String {
    let mut text =
        format!("this machine: {}, records 0 to {}\n", plain(&status.name, 100), status.last);
    for remote in &status.remotes {
        remote_text(&mut text, remote);
    }
    for machine in &status.machines {
        machine_text(&mut text, machine);
    }
    if status.machines.is_empty() {
        text.push_str("no other machine has joined yet\n");
    }
    for removed in &status.removed {
        let _ = writeln!(text, "given up: {removed}");
    }
    let _ = write!(text, "another machine joins with --code {}", status.code);
    text
}

/// How a ledger is synced and shared.
#[derive(Serialize)]
struct Standing<'a> {
    #[serde(flatten)]
    status: Option<&'a Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<Shared<'a>>,
}

/// A team, and the words by which another node joins.
#[derive(Serialize)]
struct Shared<'a> {
    #[serde(flatten)]
    team: &'a Team,
    invitation: String,
}

fn team_text(team: &Team) -> String {
    let mut text = format!("several nodes write this ledger; this one is {}\n", team.key);
    let _ = match (team.roles.is_empty(), team.role) {
        (true, _) => writeln!(text, "whoever reaches the shared log writes: no role was given yet"),
        (false, Some(role)) => writeln!(text, "its role: {}", role.name()),
        (false, None) => writeln!(text, "it has no role: what it writes is passed over"),
    };
    if let Some(heard) = team.heard {
        let _ = writeln!(text, "this copy is as of {heard}");
    }
    for NodeRole { key, name, role } in &team.roles {
        let key = key.get(..8).unwrap_or(key);
        let _ = writeln!(text, "node {key} {}: {}", plain(name, 100), role.name());
    }
    for frame in &team.refused {
        let key = frame.key.as_deref().and_then(|key| key.get(..8)).unwrap_or("nobody");
        let _ = writeln!(
            text,
            "passed over at record {}: signed by {key}, and {}",
            frame.at,
            frame.needs.map_or_else(
                || "continues another chain".to_owned(),
                |needs| format!("needs {}", needs.name())
            )
        );
    }
    text
}

fn system_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn remote_text(text: &mut String, remote: &RemoteStatus) {
    let behind = match (remote.last, remote.behind) {
        (None, _) => "nothing was put there yet".to_owned(),
        (Some(_), 0) => "everything of this machine is there".to_owned(),
        (Some(last), behind) => format!("up to record {last}, {behind} behind"),
    };
    let (name, address) = (plain(&remote.name, 100), plain(&remote.address, 300));
    let _ = write!(text, "place {name} ({address}): {behind}");
    if let Some(reached) = remote.reached {
        let _ = write!(text, ", reached {reached}");
    }
    if let Some(failed) = &remote.failed {
        let _ = write!(text, "\n  the last time failed: {}", plain(failed, 500));
    }
    for stranger in &remote.strangers {
        let _ = write!(
            text,
            "\n  {} asks to join and was not given this machine's code",
            plain(stranger, 100)
        );
    }
    for held in &remote.may_hold {
        let names: Vec<String> = held.machines.iter().map(|name| plain(name, 100)).collect();
        let _ = write!(
            text,
            "\n  its history may still hold the words of {} erased records, encrypted, since {}: \
             until these machines sync again: {}",
            held.records,
            held.since,
            names.join(", ")
        );
    }
    text.push('\n');
}

fn machine_text(text: &mut String, machine: &OtherStatus) {
    let id = machine.machine.to_string();
    let id = id.get(..8).unwrap_or_default();
    let name = format!("{} ({id})", plain(&machine.name, 100));
    let _ = match (machine.last, machine.seen) {
        (Some(last), Some(seen)) => {
            write!(text, "machine {name}: records 0 to {last} are here, as of {seen}")
        }
        _ => write!(text, "machine {name}: joined {}, and nothing came yet", machine.joined),
    };
    for Asked { id, said, .. } in &machine.asked {
        let _ = write!(text, "\n  {id} waits there to be {}", crate::elsewhere::to_do(*said));
    }
    if let Some(failed) = &machine.failed {
        let _ = write!(text, "\n  nothing more is taken from it: {}", plain(failed, 500));
    }
    text.push('\n');
}

fn run_text(run: &Run) -> String {
    let mut text = String::new();
    for remote in &run.remotes {
        run_line(&mut text, remote);
    }
    if run.remotes.is_empty() {
        text.push_str("no place is named: `memlith sync add` names one\n");
    }
    text.truncate(text.trim_end().len());
    text
}

fn run_line(text: &mut String, run: &RemoteRun) {
    let RemoteRun { records_in, records_out, bytes_in, bytes_out, erased, .. } = run;
    let name = plain(&run.remote, 100);
    let _ = match &run.failed {
        Some(failed) => writeln!(text, "{name}: {}", plain(failed, 500)),
        None => writeln!(
            text,
            "{name}: {records_in} records came ({bytes_in} bytes), {records_out} went ({bytes_out} \
             bytes)"
        ),
    };
    if *erased > 0 {
        let _ =
            writeln!(text, "  the words of {erased} records were erased elsewhere, and here now");
    }
    if run.obeyed > 0 {
        let _ = writeln!(
            text,
            "  {} records of this machine were erased, as an owner asked on another one",
            run.obeyed
        );
    }
    for Requested { id, said, by, refused } in &run.done {
        let (did, by) = (crate::elsewhere::to_do(*said), plain(by, 100));
        let _ = match refused {
            Some(why) if *said == SaidElsewhere::Declined => {
                writeln!(
                    text,
                    "  another machine declined what {id} asks it for: {}",
                    plain(why, 300)
                )
            }
            None => writeln!(text, "  {id} of this machine is {did}, as {by} asked on another one"),
            Some(why) => writeln!(
                text,
                "  {id} of this machine was not {did}, which {by} asked for on another one: {}",
                plain(why, 300)
            ),
        };
    }
    if run.again > 0 {
        let _ =
            writeln!(text, "  {} files that the place had lost were put there again", run.again);
    }
    for kept in &run.kept {
        let _ = writeln!(
            text,
            "  the history of a machine that was set back took the place of the one that was here, \
             which is kept in {}: `memlith --ledger` reads it, no erasure reaches it, remove it when \
             nothing is missed",
            kept.display()
        );
    }
    for given_up in &run.given_up {
        let _ = writeln!(text, "  {} was given up on another machine", plain(given_up, 100));
    }
    for joined in &run.joined {
        let _ = writeln!(text, "  {} joined", plain(joined, 100));
    }
    for stranger in &run.strangers {
        let _ = writeln!(
            text,
            "  {} asks to join without this machine's code; nothing is read or sent to it",
            plain(stranger, 100)
        );
    }
    for problem in &run.problems {
        let _ = writeln!(text, "  {}: {}", plain(&problem.machine, 100), plain(&problem.what, 500));
    }
}
