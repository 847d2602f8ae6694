use std::io::Write as _;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::Timestamp;
use memlith::storage::{Clock as _, SystemClock};
use memlith_agents::{Answer, CatchUp, Client, Failure, Home, HookError, HookEvent, Project, hook};

use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::verb::Verb;
use crate::writeback::background;

/// Answer a hook of a coding agent; `memlith agent install` sets it up.
///
/// Reads one event as JSON on standard input. It never harms the turn: it ends with 0 whatever
/// happens, prints nothing but what the client is to be told, and gives up after 200 ms. What
/// went wrong is told by `memlith doctor`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent hook claude-code             # one event on standard input
  memlith agent hook codex --catch-up        # capture what hooks had no time for")]
pub struct HookArgs {
    /// Client whose hook this is: claude-code or codex.
    client: Client,

    /// Capture what hooks had no time for, and learn what sessions taught, however long it
    /// takes; reads no event.
    #[arg(long)]
    catch_up: bool,
}

/// A turn waits no longer for a hook. An unoptimised program takes ten times as long for the same.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2_000 } else { 200 });

impl Verb for HookArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &HookArgs, context: &mut Context) -> Result<Exit> {
    if environment::is_asked() {
        return Ok(Exit::Ok);
    }
    let Some(home) = environment::agents_home() else {
        // Without a home there is no ledger, and nowhere to say so.
        return Ok(Exit::Ok);
    };
    if args.catch_up {
        let now = context.now.unwrap_or_else(|| SystemClock::new().now());
        let captured =
            CatchUp::new(&home).with(&background).then(&crate::anchor::send_due_head).run(now)?;
        context.note(format_args!("{captured} transcripts captured"));
        #[cfg(feature = "sync")]
        for dir in ledgers_in(&home, &std::env::current_dir().unwrap_or_default()) {
            crate::sync::for_nobody(&dir, &context.writer());
        }
        return Ok(Exit::Ok);
    }
    let (client, now) = (args.client, context.now.unwrap_or_else(|| SystemClock::new().now()));
    let state = home.state.clone();
    let late = anyhow::anyhow!("gave up after {} ms", PATIENCE.as_millis());
    let late = failure(client, now, &home, &late);
    let answer = within(
        PATIENCE,
        || answer(client, &home, now),
        move || {
            state.note_failure(&late);
            std::process::exit(0);
        },
    );
    match answer {
        Ok((answer, folder)) => tell(client, &answer, &folder, context),
        Err(error) => home.state.note_failure(&failure(client, now, &home, &error)),
    }
    Ok(Exit::Ok)
}

/// The failure of a hook, which a client calls in the folder of its project.
fn failure(client: Client, now: Timestamp, home: &Home, error: &anyhow::Error) -> Failure {
    let named = error.chain().find_map(|cause| match cause.downcast_ref() {
        Some(HookError::Ledger { ledger, .. }) => Some(ledger.clone()),
        _ => None,
    });
    let of_folder = || Project::of(&std::env::current_dir().unwrap_or_default()).ledger;
    let ledger = named.or_else(of_folder).unwrap_or_else(|| home.ledger.clone());
    let (client, what) = (client.name().to_owned(), format!("{error:#}"));
    Failure { at: now, client, ledger: Some(ledger), what }
}

/// The answer to an event, and the folder that it happened in.
fn answer(client: Client, home: &Home, now: Timestamp) -> Result<(Answer, PathBuf)> {
    let event = HookEvent::read(std::io::stdin().lock())?;
    let name = event.hook_event_name.clone();
    let answer = hook(client, &event, home, now).with_context(|| name)?;
    // What other machines wrote is there for the next prompt.
    let is_due = event.hook_event_name == "SessionStart" && is_synced(home, &event.cwd);
    Ok((Answer { is_behind: answer.is_behind || is_due, ..answer }, event.cwd))
}

/// Whether a ledger of hooks in the folder `here` is synced with other machines.
fn is_synced(home: &Home, here: &Path) -> bool {
    #[cfg(feature = "sync")]
    return ledgers_in(home, here).iter().any(|dir| memlith_sync::Sync::of(dir).is_set_up());
    #[cfg(not(feature = "sync"))]
    let _ = (home, here);
    #[cfg(not(feature = "sync"))]
    false
}

/// The ledgers of hooks in the folder `here`.
#[cfg(feature = "sync")]
fn ledgers_in(home: &Home, here: &Path) -> Vec<PathBuf> {
    let own = Project::of(here).ledger;
    own.into_iter().filter(|own| *own != home.ledger).chain([home.ledger.clone()]).collect()
}

/// Returns what `act` gives; where it takes longer than `patience`, `give_up` ends the process,
/// which the ledger takes as it takes a kill.
///
/// It acts on this thread, and another one watches: what the first thread of a process asks for
/// is got from the system in larger parts.
fn within<T: Default>(
    patience: Duration,
    act: impl FnOnce() -> Result<T>,
    give_up: impl FnOnce() + Send + 'static,
) -> Result<T> {
    let (done, watched) = mpsc::channel::<()>();
    let is_over = Arc::new(AtomicBool::new(false));
    let is_late = Arc::clone(&is_over);
    let watcher = std::thread::Builder::new().spawn(move || {
        let waited = watched.recv_timeout(patience);
        if waited == Err(mpsc::RecvTimeoutError::Timeout) && !is_late.swap(true, Ordering::SeqCst) {
            give_up();
        }
    });
    let watcher = watcher.context("start a thread")?;
    let answer = std::panic::catch_unwind(AssertUnwindSafe(act));
    if is_over.swap(true, Ordering::SeqCst) {
        // The process ends there, with nothing said.
        let _ = watcher.join();
        return Ok(T::default());
    }
    drop(done);
    answer.unwrap_or_else(|_| Err(anyhow::anyhow!("it panicked")))
}

fn tell(client: Client, answer: &Answer, folder: &Path, context: &mut Context) {
    // A client that has gone away needs no answer.
    let _ = context.out.bytes().write_all(answer.output.as_bytes());
    if answer.is_behind {
        spawn_catch_up(client, folder);
    }
}

/// Leaves what takes long to a process of its own that nobody waits for, in the folder of the
/// session: memories name files of its tree.
fn spawn_catch_up(client: Client, folder: &Path) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args(["agent", "hook", client.name(), "--catch-up", "--quiet"]);
    if folder.is_dir() {
        command.current_dir(folder);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // Where it can't be started, the next hook finds the transcript behind.
    let _ = command.spawn();
}
