//! A block device that writes down every write and flush.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use memlith::{Clock, SystemClock};

use crate::mounted::{ask, run};

/// The plugin that keeps the record.
const PLUGIN: &str = include_str!("recorder.py");

/// A recording device while it is in use; gone when dropped.
#[derive(Debug)]
pub(crate) struct Recorder {
    server: Child,
    fuse: Child,
    device: PathBuf,
    file: PathBuf,
    record: PathBuf,
}

/// Everything that a device was given.
#[derive(Debug)]
pub(crate) struct Recording {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// Where the entry ends in the record.
    end: u64,
    /// A write; a flush where absent.
    write: Option<(u64, Vec<u8>)>,
}

impl Recorder {
    /// A device of `len` bytes whose files lie in `place`.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub(crate) fn start(place: &Path, len: u64) -> anyhow::Result<Recorder> {
        let (plugin, record) = (place.join("recorder.py"), place.join("record"));
        let (socket, folder) = (place.join("socket"), place.join("fuse"));
        fs::write(&plugin, PLUGIN)?;
        fs::create_dir_all(&folder)?;
        let mut nbdkit = Command::new("nbdkit");
        nbdkit.arg("-f").arg("-U").arg(&socket).arg("python").arg(&plugin);
        nbdkit.arg(format!("size={len}")).arg(format!("record={}", record.display()));
        let server = nbdkit.stdout(Stdio::null()).spawn().context("nbdkit")?;
        wait_for(&socket)?;
        let file = folder.join("nbd");
        let mut nbdfuse = Command::new("nbdfuse");
        nbdfuse.arg(&file).arg("--unix").arg(&socket);
        let fuse = nbdfuse.spawn().context("nbdfuse")?;
        wait_for(&file)?;
        let device = ask(Command::new("losetup").args(["-f", "--show"]).arg(&file))?.into();
        Ok(Recorder { server, fuse, device, file, record })
    }

    /// The block device.
    pub(crate) fn device(&self) -> &Path {
        &self.device
    }

    /// How much has been recorded.
    ///
    /// # Errors
    /// The record is gone.
    pub(crate) fn len(&self) -> anyhow::Result<u64> {
        Ok(fs::metadata(&self.record)?.len())
    }

    /// Everything that was recorded.
    ///
    /// # Errors
    /// The record can't be read or makes no sense.
    pub(crate) fn recording(&self) -> anyhow::Result<Recording> {
        Recording::read(&fs::read(&self.record)?)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = run(Command::new("losetup").arg("-d").arg(&self.device));
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        let _ = run(Command::new("umount").arg("-l").arg(folder));
        for child in [&mut self.fuse, &mut self.server] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Recording {
    fn read(bytes: &[u8]) -> anyhow::Result<Recording> {
        let mut entries = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (kind, tail) = take(rest, 1)?;
            let (offset, tail) = take(tail, 8)?;
            let (len, tail) = take(tail, 4)?;
            let len = u32::from_le_bytes(len.try_into()?);
            let (data, tail) = take(tail, len as usize)?;
            let offset = u64::from_le_bytes(offset.try_into()?);
            let write = (kind == [0]).then(|| (offset, data.to_vec()));
            entries.push(Entry { end: (bytes.len() - tail.len()) as u64, write });
            rest = tail;
        }
        Ok(Recording { entries })
    }

    /// The number of writes and flushes.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of entries that were there when the record was `len` bytes long.
    pub(crate) fn entries_within(&self, len: u64) -> usize {
        self.entries.partition_point(|entry| entry.end <= len)
    }

    /// The length of the record after `entries` entries.
    pub(crate) fn len_after(&self, entries: usize) -> u64 {
        entries.checked_sub(1).and_then(|at| self.entries.get(at)).map_or(0, |entry| entry.end)
    }

    /// Writes the disk as it was after `entries` entries into a new file of `len` bytes; of
    /// the writes since the last flush only those that `keep` wants.
    ///
    /// # Errors
    /// The file can't be written.
    pub(crate) fn image(
        &self,
        file: &Path,
        len: u64,
        entries: usize,
        mut keep: impl FnMut() -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let image = fs::File::create(file)?;
        image.set_len(len)?;
        let known = self.entries.get(..entries).unwrap_or(&self.entries);
        let flushed = known.iter().rposition(|entry| entry.write.is_none()).unwrap_or(0);
        for (at, entry) in known.iter().enumerate() {
            if let Some((offset, data)) = &entry.write
                && (at < flushed || keep()?)
            {
                image.write_all_at(data, *offset)?;
            }
        }
        Ok(())
    }
}

fn take(bytes: &[u8], len: usize) -> anyhow::Result<(&[u8], &[u8])> {
    bytes.split_at_checked(len).context("the record ends in the middle of an entry")
}

/// Waits until a file is there that another process makes.
fn wait_for(file: &Path) -> anyhow::Result<()> {
    let clock = SystemClock::new();
    for _ in 0..500 {
        if file.exists() {
            return Ok(());
        }
        clock.pause(Duration::from_millis(10));
    }
    bail!("{} did not come", file.display())
}
