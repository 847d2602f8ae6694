//! A block device that writes down every write and flush, and what a session says between.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use memlith::storage::{Clock, SystemClock};

use crate::mounted::{ask, run};

/// The plugin that keeps the record.
const PLUGIN: &str = include_str!("recorder.py");

/// First byte of a flush in the record; a write has a lower one, a line a higher one.
const FLUSH: u8 = 1;

/// A recording device while it is in use; gone when dropped.
#[derive(Debug)]
pub(crate) struct Recorder {
    server: Child,
    fuse: Child,
    device: PathBuf,
    file: PathBuf,
    record: PathBuf,
}

/// Everything that a device was given, and what was acknowledged between.
#[derive(Debug)]
pub(crate) struct Recording {
    entries: Vec<Entry>,
}

#[derive(Debug)]
enum Entry {
    Write {
        offset: u64,
        data: Vec<u8>,
    },
    Flush,
    /// A line that the session wrote.
    Said(String),
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

    /// The record itself, for a session to write its lines to.
    ///
    /// A process that reads them would hear of a step after later ones were done, and call
    /// these wrong.
    ///
    /// # Errors
    /// The record is gone.
    pub(crate) fn listener(&self) -> anyhow::Result<fs::File> {
        Ok(fs::File::options().append(true).open(&self.record)?)
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
        while let Some(kind) = rest.first() {
            let (entry, tail) = if *kind > FLUSH { said(rest)? } else { given(rest)? };
            entries.push(entry);
            rest = tail;
        }
        Ok(Recording { entries })
    }

    /// The number of writes, flushes and lines.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The lines among the first `entries` entries.
    pub(crate) fn said(&self, entries: usize) -> impl Iterator<Item = &str> {
        self.entries.iter().take(entries).filter_map(|entry| match entry {
            Entry::Said(line) => Some(line.as_str()),
            Entry::Write { .. } | Entry::Flush => None,
        })
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
        let is_flush = |entry: &Entry| matches!(entry, Entry::Flush);
        let flushed = known.iter().rposition(is_flush).unwrap_or(0);
        for (at, entry) in known.iter().enumerate() {
            if let Entry::Write { offset, data } = entry
                && (at < flushed || keep()?)
            {
                image.write_all_at(data, *offset)?;
            }
        }
        Ok(())
    }
}

/// The write or flush with which `bytes` begin.
fn given(bytes: &[u8]) -> anyhow::Result<(Entry, &[u8])> {
    let (kind, tail) = take(bytes, 1)?;
    let (offset, tail) = take(tail, 8)?;
    let (len, tail) = take(tail, 4)?;
    let (data, tail) = take(tail, u32::from_le_bytes(len.try_into()?) as usize)?;
    let offset = u64::from_le_bytes(offset.try_into()?);
    let write = || Entry::Write { offset, data: data.to_vec() };
    Ok((if kind == [FLUSH] { Entry::Flush } else { write() }, tail))
}

/// The line with which `bytes` begin.
fn said(bytes: &[u8]) -> anyhow::Result<(Entry, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n').context("a line has no end")?;
    let (line, tail) = take(bytes, end)?;
    Ok((Entry::Said(std::str::from_utf8(line)?.to_owned()), take(tail, 1)?.1))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_between_what_was_written_before_and_after_them() {
        let write = [&[0][..], &7_u64.to_le_bytes(), &2_u32.to_le_bytes(), b"ab"].concat();
        let flush = [&[1][..], &[0; 12]].concat();
        let record = [&write[..], &flush, b"ack 0\n", &write, b"ack 1\n"].concat();
        let recording = Recording::read(&record).unwrap();
        assert_eq!(recording.len(), 5);
        assert_eq!(recording.said(2).count(), 0);
        assert_eq!(recording.said(4).collect::<Vec<_>>(), ["ack 0"]);
        assert_eq!(recording.said(5).collect::<Vec<_>>(), ["ack 0", "ack 1"]);
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("image");
        recording.image(&file, 16, 4, || Ok(false)).unwrap();
        assert_eq!(&fs::read(&file).unwrap()[7..9], b"ab");
        for cut in [1, write.len() - 1, record.len() - 1] {
            assert!(Recording::read(&record[..cut]).is_err(), "{cut}");
        }
    }
}
