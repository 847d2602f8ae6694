//! Where signed heads go, and when: `heads.json` in the program's settings.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use memlith::prove::signed::SignedHead;
use memlith::storage::{Clock as _, SystemClock};
use memlith::{Ledger, Timestamp};
use serde::Deserialize;

use crate::exit;
use crate::out_file;
use crate::program;
use crate::signer::{Sending, Signed, Signer};

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

    /// Whether a head is due: enough records or minutes since the last one that was sent.
    ///
    /// # Errors
    /// The notes of what was sent can't be read, or the ledger can't.
    pub(crate) fn is_due(&self, ledger: &Ledger, now: Timestamp) -> Result<bool> {
        if !self.is_scheduled() {
            return Ok(false);
        }
        let size = ledger.head().seq.0 + 1;
        let Some(sent) = self.signer()?.sending(ledger.id())?.map(|sending| sending.size) else {
            return Ok(true);
        };
        if size < sent {
            // It was taken back, which signing will say.
            return Ok(true);
        }
        let new = size - sent;
        if new == 0 {
            return Ok(false);
        }
        if self.every_records.is_some_and(|every| new >= every) {
            return Ok(true);
        }
        let Some(minutes) = self.every_minutes else { return Ok(false) };
        let first_new = ledger.record(memlith::Seq(sent))?.recorded_at;
        Ok(now.0.saturating_sub(first_new.0) >= i64::from(minutes) * 60_000_000)
    }

    /// Signs the head of the ledger, sends it everywhere, and notes what became of it.
    ///
    /// # Errors
    /// It can't be signed.
    pub(crate) fn send(&self, ledger: &Ledger, now: Timestamp) -> Result<(Signed, Vec<Sent>)> {
        let (signer, id) = (self.signer()?, ledger.id());
        let before = signer.sending(id)?.unwrap_or_default();
        let signed = match signer.sign(ledger) {
            Ok(signed) => signed,
            Err(error) => {
                let failed = Some(format!("{error:#}"));
                signer.keep_sending(id, &Sending { at: now, failed, ..before })?;
                return Err(error);
            }
        };
        let sent = self.to.iter().map(|place| {
            let error = place.take(&signed.head).err().map(|error| format!("{error:#}"));
            Sent { place: place.name(), error }
        });
        let sent: Vec<Sent> = sent.collect();
        let size = if sent.is_empty() { before.size } else { signed.head.head().size };
        let failed = sent.iter().find_map(|one| {
            let error = one.error.as_ref()?;
            Some(format!("a signed head did not reach {}: {error}", one.place))
        });
        signer.keep_sending(id, &Sending { size, at: now, failed })?;
        Ok((signed, sent))
    }

    /// How many places heads go to.
    pub(crate) fn places(&self) -> usize {
        self.to.len()
    }
}

/// Signs and sends the head of a ledger if one is due; for hooks, the worker and servers, which
/// nobody waits for: `memlith doctor` tells of a failure.
pub fn send_due_head(ledger: &Ledger) {
    let now = SystemClock::new().now();
    // What failed is noted beside the key; settings that can't be read are seen where they lie.
    let _ = send_if_due(ledger, now);
}

/// Signs and sends the head of a ledger if one is due.
fn send_if_due(ledger: &Ledger, now: Timestamp) -> Result<()> {
    let anchors = Anchors::of_user()?;
    if anchors.is_due(ledger, now)? {
        anchors.send(ledger, now)?;
    }
    Ok(())
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
        if let Place::File { file: path } | Place::Git { git: path } = self {
            // Whoever writes the ledger's files could take the head back too.
            out_file::outside_ledgers(path)?;
        }
        match self {
            Place::File { file } => append(file, head),
            Place::Git { git } => commit(git, head),
            Place::Command { command } => program::run(command, &head.to_string(), None).map(drop),
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
    if !folder.is_dir() {
        bail!("there is no folder {}", folder.display());
    }
    fs::write(folder.join(&name), head.to_string())?;
    let git = |args: &[&str]| {
        // The commit is the program's own; the signature in the head says whose it is.
        let own = ["git", "-c", "user.name=Memlith", "-c", "user.email=memlith@localhost"];
        let words = own.iter().chain(args).map(|word| (*word).to_owned()).collect::<Vec<_>>();
        program::run(&words, "", Some(folder))
    };
    git(&["add", "--", &name])?;
    if !git(&["status", "--porcelain", "--", &name])?.is_empty() {
        let message = format!("head of record {}", head.head().seq());
        git(&["commit", "--quiet", "-m", &message, "--", &name])?;
    }
    // A push that failed before is made up for.
    if !git(&["remote"])?.trim().is_empty() {
        git(&["push", "--quiet"])?;
    }
    Ok(())
}
