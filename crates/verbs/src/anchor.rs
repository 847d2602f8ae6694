//! Where signed heads go, and when: `heads.json` in the program's settings.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use memlith::prove::signed::SignedHead;
use memlith::storage::{Clock as _, SystemClock};
use memlith::{Ledger, Timestamp};
use serde::Deserialize;

use crate::exit;
use crate::signer::Signer;

/// Where signed heads go, and when.
///
/// | key | means | if absent |
/// |---|---|---|
/// | `every_records` | a head is due behind this many new records | never |
/// | `every_minutes` | and after this many minutes, if there is a new record | never |
/// | `key_command` | a command that prints the signing key, as of a keyring | the file of `config keys` |
/// | `to` | a list of places: each one of `file`, `git` and `command` | nowhere |
///
/// `file` is appended to. `git` is a folder in a repository: the head is committed there, and
/// pushed if it has a remote. `command` gets the head on its standard input.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Anchors {
    every_records: Option<u64>,
    every_minutes: Option<u32>,
    key_command: Option<Vec<String>>,
    to: Vec<Place>,
}

/// A place that heads are sent to.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Place {
    File { file: PathBuf },
    Git { git: PathBuf },
    Command { command: Vec<String> },
}

/// A place, and what became of a head there.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) place: String,
    pub(crate) error: Option<String>,
}

const FILE: &str = "heads.json";
const FILE_BYTES_MAX: u64 = 64 << 10;

impl Anchors {
    /// The user's settings; nothing where there is no file.
    ///
    /// # Errors
    /// The file can't be read.
    pub(crate) fn of_user() -> Result<Anchors> {
        let Some(settings) = crate::environment::settings() else { return Ok(Anchors::default()) };
        let path = settings.join("memlith").join(FILE);
        let bytes = memlith_files::read(&path, FILE_BYTES_MAX);
        let Some(bytes) = bytes.with_context(|| format!("read {}", path.display()))? else {
            return Ok(Anchors::default());
        };
        // A list would be taken for the fields in their order.
        let object = serde_json::from_slice::<serde_json::Map<_, _>>(&bytes);
        let read = object.and_then(|object| serde_json::from_value(object.into()));
        read.map_err(|error| {
            exit::unusable(format!(
                "{}: {error}; it takes every_records, every_minutes, key_command, and a list `to` of \
                 file, git or command",
                path.display()
            ))
        })
    }

    /// The signer that these settings name.
    ///
    /// # Errors
    /// There is no home folder.
    pub(crate) fn signer(&self) -> Result<Signer> {
        Signer::of_user(self.key_command.clone())
    }

    /// Whether heads go anywhere by themselves.
    pub(crate) fn is_scheduled(&self) -> bool {
        !self.to.is_empty() && (self.every_records.is_some() || self.every_minutes.is_some())
    }

    /// Whether a head is due: enough records or minutes since the last one that was signed.
    pub(crate) fn is_due(
        &self,
        ledger: &Ledger,
        last: Option<&SignedHead>,
        now: Timestamp,
    ) -> Result<bool> {
        let size = ledger.head().seq.0 + 1;
        let Some(last) = last.map(SignedHead::head) else { return Ok(self.is_scheduled()) };
        let new = size.saturating_sub(last.size);
        if new == 0 || !self.is_scheduled() {
            return Ok(false);
        }
        if self.every_records.is_some_and(|every| new >= every) {
            return Ok(true);
        }
        let Some(minutes) = self.every_minutes else { return Ok(false) };
        let first_new = ledger.record(memlith::Seq(last.size))?.recorded_at;
        Ok(now.0.saturating_sub(first_new.0) >= i64::from(minutes) * 60_000_000)
    }

    /// Sends a head everywhere.
    pub(crate) fn send(&self, head: &SignedHead) -> Vec<Sent> {
        let sent = self.to.iter().map(|place| {
            let error = place.take(head).err().map(|error| format!("{error:#}"));
            Sent { place: place.name(), error }
        });
        sent.collect()
    }
}

/// Signs and sends the head of a ledger if one is due; for hooks, the worker and servers, which
/// nobody waits for: `memlith doctor` tells of a failure.
pub fn after(dir: &Path, ledger: &Ledger) {
    let now = SystemClock::new().now();
    let Err(error) = send_if_due(ledger, now) else { return };
    if let Some(state) = crate::environment::hook_state() {
        memlith_agents::StateFolder::new(state).note_failure(&memlith_agents::Failure {
            at: now,
            client: "head".to_owned(),
            ledger: Some(dir.to_owned()),
            what: format!("{error:#}"),
        });
    }
}

/// Signs and sends the head of a ledger if one is due.
fn send_if_due(ledger: &Ledger, now: Timestamp) -> Result<()> {
    let anchors = Anchors::of_user()?;
    if !anchors.is_scheduled() {
        return Ok(());
    }
    let signer = anchors.signer()?;
    if !anchors.is_due(ledger, signer.last(ledger.id())?.as_ref(), now)? {
        return Ok(());
    }
    let signed = signer.sign(ledger)?;
    match anchors.send(&signed.head).into_iter().find_map(|sent| Some((sent.place, sent.error?))) {
        Some((place, error)) => bail!("a signed head did not reach {place}: {error}"),
        None => Ok(()),
    }
}

impl Place {
    fn name(&self) -> String {
        match self {
            Place::File { file } => file.display().to_string(),
            Place::Git { git } => format!("git {}", git.display()),
            Place::Command { command } => command.join(" "),
        }
    }

    fn take(&self, head: &SignedHead) -> Result<()> {
        match self {
            Place::File { file } => append(file, head),
            Place::Git { git } => commit(git, head),
            Place::Command { command } => pipe(command, head),
        }
    }
}

/// Appends a head to a file, an empty line behind it.
fn append(path: &Path, head: &SignedHead) -> Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    file.write_all(format!("{head}\n").as_bytes())?;
    Ok(file.sync_all()?)
}

/// Commits a head to the repository that holds `folder`, and pushes it if there is a remote.
fn commit(folder: &Path, head: &SignedHead) -> Result<()> {
    let name = format!("{}.head", head.head().ledger);
    fs::write(folder.join(&name), head.to_string())?;
    let git = |args: &[&str]| -> Result<String> {
        let run =
            Command::new("git").arg("-C").arg(folder).args(args).stdin(Stdio::null()).output();
        let run = run.context("run git")?;
        if !run.status.success() {
            let words = String::from_utf8_lossy(&run.stderr);
            bail!("git {}: {}", args.first().unwrap_or(&""), words.trim());
        }
        Ok(String::from_utf8_lossy(&run.stdout).into_owned())
    };
    git(&["add", "--", &name])?;
    if git(&["status", "--porcelain", "--", &name])?.is_empty() {
        return Ok(());
    }
    let message = format!("head of record {}", head.head().seq());
    git(&["commit", "--quiet", "-m", &message, "--", &name])?;
    if !git(&["remote"])?.trim().is_empty() {
        git(&["push", "--quiet"])?;
    }
    Ok(())
}

/// Gives a head to a command on its standard input.
fn pipe(command: &[String], head: &SignedHead) -> Result<()> {
    let (program, args) = command.split_first().context("`command` names no program")?;
    let child =
        Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut child = child.with_context(|| format!("run {program}"))?;
    let written = child.stdin.take().map(|mut input| input.write_all(head.to_string().as_bytes()));
    let status = child.wait()?;
    written.transpose()?;
    if !status.success() {
        bail!("{program} failed: {status}");
    }
    Ok(())
}
