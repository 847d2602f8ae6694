use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::{Carrier, Listed, is_name, run};
use crate::error::{Error, Result};
use crate::keys::MachineId;

/// A folder of an object store or a drive that rclone reaches.
#[derive(Debug)]
pub(super) struct Rclone {
    /// The folder as rclone names it: `REMOTE:PATH`.
    folder: String,
    /// The folder of this machine in which notes are kept that were read.
    own: PathBuf,
    /// The files that were there when it was opened.
    files: BTreeMap<MachineId, BTreeMap<String, Listing>>,
}

/// A file as rclone lists it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listing {
    path: String,
    size: i64,
    /// Digests by kind, as the store states them; none where it has none at hand.
    #[serde(default)]
    hashes: BTreeMap<String, String>,
}

/// A note that was read, and the digests that the store stated of it.
#[derive(Serialize, Deserialize)]
struct Note {
    hashes: BTreeMap<String, String>,
    bytes: crate::bytes::Bytes,
}

/// Notes are read again only where the store states another digest.
const NOTES: [&str; 2] = ["card", "manifest"];

impl Rclone {
    /// Opens the folder `REMOTE:PATH`, which is empty where nothing was put there yet.
    pub(super) fn open(folder: &str, own: &Path) -> Result<Rclone> {
        std::fs::create_dir_all(own).map_err(Error::io(format!("make {}", own.display())))?;
        let (folder, own) = (folder.to_owned(), own.to_owned());
        let mut rclone = Rclone { folder, own, files: BTreeMap::new() };
        let list = ["lsjson", "--recursive", "--files-only", "--hash", "--no-mimetype"];
        let listing = match rclone.run(&[&list[..], &["--no-modtime", "--", &rclone.folder]], &[]) {
            // A folder of a drive that nothing was put into.
            Err(Error::Program { code, .. }) if is_absent(code) => b"[]".to_vec(),
            listing => listing?,
        };
        let listed: Vec<Listing> = serde_json::from_slice(&listing)
            .map_err(|error| Error::io(format!("list {}", rclone.folder))(error.into()))?;
        for listing in listed {
            let Some((machine, name)) = listing.path.split_once('/') else { continue };
            let name = name.to_owned();
            if let Some(machine) = MachineId::of_folder(machine).filter(|_| is_name(&name)) {
                rclone.files.entry(machine).or_default().insert(name, listing);
            }
        }
        Ok(rclone)
    }

    fn run(&self, args: &[&[&str]], input: &[u8]) -> Result<Vec<u8>> {
        let mut rclone = Command::new("rclone");
        rclone.args(["--contimeout", "10s", "--timeout", "60s", "--retries", "1"]);
        rclone.args(["--low-level-retries", "3", "--log-level", "ERROR"]).args(args.concat());
        run("rclone", &mut rclone, input)
    }

    fn path(&self, machine: &MachineId, name: &str) -> String {
        let end = if self.folder.ends_with(':') { "" } else { "/" };
        format!("{}{end}{machine}/{name}", self.folder)
    }

    /// Where a note is kept that was read.
    fn kept(&self, machine: &MachineId, name: &str) -> PathBuf {
        self.own.join(format!("{machine}-{name}"))
    }

    /// A note that was read before, if the store states the same digests of it.
    fn known(&self, machine: &MachineId, name: &str, listing: &Listing) -> Option<Vec<u8>> {
        let kept = std::fs::read(self.kept(machine, name)).ok()?;
        let note: Note = serde_json::from_slice(&kept).ok()?;
        let is_same = !note.hashes.is_empty() && note.hashes == listing.hashes;
        is_same.then_some(note.bytes.0)
    }
}

/// Whether rclone found no such folder or file.
fn is_absent(code: Option<i32>) -> bool {
    matches!(code, Some(3 | 4))
}

impl Carrier for Rclone {
    fn keeps_history(&self) -> bool {
        // A bucket may have versions, a drive a bin: rclone doesn't say.
        true
    }

    fn list(&self) -> Result<Listed> {
        let lens = |files: &BTreeMap<String, Listing>| {
            let len = |listing: &Listing| u64::try_from(listing.size).unwrap_or_default();
            files.iter().map(|(name, listing)| (name.clone(), len(listing))).collect()
        };
        Ok(self.files.iter().map(|(machine, files)| (machine.clone(), lens(files))).collect())
    }

    fn get(&self, machine: &MachineId, name: &str, max: u64) -> Result<Option<Vec<u8>>> {
        let listing = self.files.get(machine).and_then(|files| files.get(name));
        let Some(listing) = listing else { return Ok(None) };
        let is_note = NOTES.contains(&name);
        if let Some(bytes) = self.known(machine, name, listing).filter(|_| is_note) {
            return Ok(Some(bytes));
        }
        let count = max.to_string();
        let cat = ["cat", "--count", &count, "--", &self.path(machine, name)];
        let bytes = match self.run(&[&cat], &[]) {
            // It was replaced since it was listed.
            Err(Error::Program { code, .. }) if is_absent(code) => return Ok(None),
            bytes => bytes?,
        };
        if is_note && u64::try_from(listing.size) == Ok(bytes.len() as u64) {
            let note =
                Note { hashes: listing.hashes.clone(), bytes: crate::bytes::Bytes(bytes.clone()) };
            let note = serde_json::to_vec(&note).unwrap_or_default();
            // Read again where it isn't kept.
            let _ = memlith_files::replace(&self.kept(machine, name), &note);
        }
        Ok(Some(bytes))
    }

    fn put(&mut self, machine: &MachineId, files: &[(String, Vec<u8>)]) -> Result<()> {
        for (name, bytes) in files {
            let (path, len) = (self.path(machine, name), bytes.len().to_string());
            self.run(&[&["rcat", "--size", &len, "--", &path]], bytes)?;
            let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
            let listing = Listing { path, size, hashes: BTreeMap::new() };
            self.files.entry(machine.clone()).or_default().insert(name.clone(), listing);
        }
        Ok(())
    }

    fn remove(&mut self, machine: &MachineId, names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let folder = self.path(machine, "");
        let delete = ["delete", "--files-from-raw", "-", "--", &folder];
        self.run(&[&delete], names.join("\n").as_bytes()).map(drop)
    }

    fn publish(&mut self, _: &MachineId) -> Result<()> {
        Ok(())
    }
}
