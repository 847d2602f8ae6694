//! A process with an open ledger forks, and only the parent writes on.
//!
//! `fork` makes ledgers in temporary folders and forks with a handle open, and with the
//! lock held; each child tries to write, drops what it inherited or not, and ends in one of
//! three ways. It fails if a child's handle writes, if a child unlocks its parent, or if
//! the parent cannot go on. `fork try FOLDER` says whether another process gets the lock.
//!
//! A fork is sound in a process of one thread, whose memory the child has whole: no lock
//! is held by a thread that is not there, and the child may do what any process may. That
//! there is one thread is checked before every fork. The crate `fork` makes the system
//! call; it needs no unsafe code here.

use std::error::Error;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use fork::Fork;
use memlith::{
    Caller, CheckoutRequest, Ledger, Options, Remember, Seq, Timestamp,
    log::LogError,
    prove::Level,
    storage::{Clock, Durability, Env, FixedClock, LocalStorage, SystemRng},
    verify,
};
use memlith_log::{Flags, Log, LogOptions, NewRecord, Writer};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How a child ends after it has tried to write.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// It drops what it inherited, and exits.
    Drops,
    /// It exits without dropping anything.
    Exits,
    /// It is killed by a signal of its own.
    Aborts,
}

const ENDS: [End; 3] = [End::Drops, End::Exits, End::Aborts];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["try", folder] => say_lock(Path::new(folder)),
        [] => fork_all(),
        _ => Err("usage: fork".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn fork_all() -> Outcome<()> {
    for end in ENDS {
        open_handle(end).map_err(|error| format!("a handle open, the child {end:?}: {error}"))?;
        held_lock(end).map_err(|error| format!("the lock held, the child {end:?}: {error}"))?;
    }
    Ok(writeln!(std::io::stdout(), "{} forks: no child wrote or unlocked", ENDS.len() * 2)?)
}

/// Forks with a ledger open that has unsynced writes; nobody holds the lock.
fn open_handle(end: End) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let options = Options { durability: Durability::Buffered, ..Options::default() };
    let ledger = Ledger::create(folder.path(), options)?;
    remember(&ledger, "The parent speaks before the fork.")?;
    ledger.checkpoints().write()?;
    remember(&ledger, "The parent leaves this unsynced.")?;
    let Some(child) = fork()? else {
        let tried = try_handle(&ledger, folder.path());
        if end == End::Drops {
            drop(ledger);
        }
        finish(end, tried)
    };
    wait(child, end)?;
    remember(&ledger, "The parent speaks after the fork.")?;
    let head = ledger.refresh()?;
    ledger.close()?;
    check(folder.path(), head.seq)
}

/// Tries the handle that a child inherited, and one of its own.
fn try_handle(ledger: &Ledger, folder: &Path) -> Outcome<()> {
    let before = bytes_of(folder)?;
    let caller = Caller::user("default", "ana");
    let text = "The child speaks.".to_owned();
    let refused = ledger.remember(&caller, Remember { text, ..Remember::default() });
    if !matches!(refused, Err(memlith::Error::Log(LogError::Forked))) {
        return Err(format!("the child's write gave {refused:?}").into());
    }
    let refused = ledger.checkpoints().write();
    if !matches!(refused, Err(memlith::Error::Log(LogError::Forked))) {
        return Err(format!("the child's checkpoint gave {refused:?}").into());
    }
    let checkout = ledger.checkout(&caller, CheckoutRequest::new("who speaks"))?;
    if checkout.pack.items.is_empty() || checkout.observed.is_ok() {
        return Err("the child's question was answered wrongly, or observed".into());
    }
    if bytes_of(folder)? != before {
        return Err("the child's handle changed a file".into());
    }
    let own = Ledger::open(folder, Options::default())?;
    remember(&own, "The child speaks through a handle of its own.")?;
    Ok(own.close()?)
}

/// Forks with the lock held and a sync due.
fn held_lock(end: End) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let clock = Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000)));
    let storage = Arc::new(LocalStorage::open(folder.path())?);
    let env = Env { storage, clock: clock.clone(), rng: Arc::new(SystemRng) };
    let log = Log::create(env, LogOptions { reserve_len: 0, ..LogOptions::default() })?;
    let mut writer = log.writer()?;
    append(&mut writer)?;
    clock.pause(Duration::from_secs(2));
    let Some(child) = fork()? else {
        let tried = try_writer(&mut writer, folder.path());
        if end == End::Drops {
            drop(writer);
            drop(log);
        }
        finish(end, tried)
    };
    wait(child, end)?;
    if lock_is_free(folder.path())? {
        return Err("the child unlocked its parent".into());
    }
    append(&mut writer)?;
    drop(writer);
    if !lock_is_free(folder.path())? {
        return Err("the lock stayed behind".into());
    }
    append(&mut log.writer()?)?;
    let head = log.head();
    log.close()?;
    check(folder.path(), head.seq)
}

/// Tries the writer that a child inherited.
fn try_writer(writer: &mut Writer<'_>, folder: &Path) -> Outcome<()> {
    let before = bytes_of(folder)?;
    let refused = append(writer);
    if !matches!(refused, Err(LogError::Forked)) {
        return Err(format!("the child's append gave {refused:?}").into());
    }
    let refused = writer.sync();
    if !matches!(refused, Err(LogError::Forked)) {
        return Err(format!("the child's sync gave {refused:?}").into());
    }
    let refused = writer.erase(1, &[Seq(1)]);
    if !matches!(refused, Err(LogError::Forked)) {
        return Err(format!("the child's erasure gave {refused:?}").into());
    }
    if bytes_of(folder)? != before {
        return Err("the child's writer changed a file".into());
    }
    Ok(())
}

/// The child's id in the parent, nothing in the child.
fn fork() -> Outcome<Option<i32>> {
    let threads = std::fs::read_dir("/proc/self/task")?.count();
    if threads != 1 {
        return Err(format!("a fork in a process of {threads} threads").into());
    }
    Ok(match fork::fork()? {
        Fork::Parent(child) => Some(child),
        Fork::Child => None,
    })
}

/// Ends a child, whose copies of the parent's temporary folders are not dropped.
fn finish(end: End, tried: Outcome<()>) -> ! {
    if let Err(error) = tried {
        let _ = writeln!(std::io::stderr(), "{error}");
        std::process::exit(1);
    }
    match end {
        End::Drops | End::Exits => std::process::exit(0),
        End::Aborts => std::process::abort(),
    }
}

fn wait(child: i32, end: End) -> Outcome<()> {
    let status = ExitStatus::from_raw(fork::waitpid(child)?);
    let well = match end {
        End::Drops | End::Exits => status.success(),
        End::Aborts => status.signal().is_some(),
    };
    if well { Ok(()) } else { Err(format!("the child ended with {status}").into()) }
}

fn remember(ledger: &Ledger, text: &str) -> Outcome<()> {
    let remember = Remember { text: text.to_owned(), ..Remember::default() };
    let _ = ledger.remember(&Caller::user("default", "ana"), remember)?;
    Ok(())
}

fn append(writer: &mut Writer<'_>) -> Result<(), LogError> {
    let (kind, kind_version, codec) = (memlith_log::FIRST_EVENT_KIND, 0, 0);
    let record = NewRecord { kind, kind_version, codec, flags: Flags::NONE, body: b"a record" };
    writer.append(&[record], Durability::Buffered).map(|_| ())
}

/// Every file of the folder, with its bytes.
fn bytes_of(folder: &Path) -> Outcome<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        files.push((format!("{:?}", entry.file_name()), std::fs::read(entry.path())?));
    }
    files.sort();
    Ok(files)
}

/// Every record up to the parent's head is there and sound.
fn check(folder: &Path, head: Seq) -> Outcome<()> {
    let report = verify(folder, Level::Full)?;
    match (report.findings.first(), report.head) {
        (None, Some(found)) if found.seq == head => Ok(()),
        (finding, found) => Err(format!("the log ends at {found:?}, {finding:?}").into()),
    }
}

fn say_lock(folder: &Path) -> Outcome<()> {
    let options = LogOptions { lock_timeout: Duration::ZERO, ..LogOptions::default() };
    let log = Log::open(Env::system(LocalStorage::open(folder)?), options)?;
    let state = match log.writer() {
        Ok(_) => "free",
        Err(LogError::LockTimeout { .. }) => "held",
        Err(error) => return Err(error.into()),
    };
    Ok(writeln!(std::io::stdout(), "{state}")?)
}

/// Whether another process gets the lock.
fn lock_is_free(folder: &Path) -> Outcome<bool> {
    let output = Command::new(std::env::current_exe()?).arg("try").arg(folder).output()?;
    match String::from_utf8_lossy(&output.stdout).trim() {
        "free" => Ok(true),
        "held" => Ok(false),
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}
