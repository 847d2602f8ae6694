//! File systems of our own, mounted for as long as a campaign needs them.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};

/// File system that is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ext4,
    Xfs,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Ext4 => "ext4",
            Kind::Xfs => "xfs",
        }
    }

    /// The size of an image in bytes; XFS takes no less.
    fn image_len(self) -> u64 {
        match self {
            Kind::Ext4 => 64 << 20,
            Kind::Xfs => 320 << 20,
        }
    }

    /// Makes the file system on `device`.
    ///
    /// # Errors
    /// `mkfs` is missing or fails.
    pub(crate) fn make(self, device: &Path) -> anyhow::Result<()> {
        let mut mkfs = Command::new(format!("mkfs.{}", self.name()));
        match self {
            Kind::Ext4 => mkfs.args(["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"]),
            Kind::Xfs => mkfs.args(["-q", "-f"]),
        };
        run(mkfs.arg(device))
    }
}

/// A mounted folder; unmounted when dropped.
#[derive(Debug)]
pub(crate) struct Mount {
    folder: PathBuf,
}

/// An image file with a file system, and the folder on which it can be mounted.
#[derive(Debug)]
pub(crate) struct Image {
    file: PathBuf,
    folder: PathBuf,
}

impl Image {
    /// Makes a file system of the kind in a sparse file under `place`.
    ///
    /// # Errors
    /// The tools are missing or fail.
    pub(crate) fn make(kind: Kind, place: &Path) -> anyhow::Result<Image> {
        let file = place.join(format!("{}.image", kind.name()));
        fs::File::create(&file)?.set_len(kind.image_len())?;
        kind.make(&file)?;
        Image::at(file, place.join(kind.name()))
    }

    /// An image that is there already.
    ///
    /// # Errors
    /// The folder can't be made.
    pub(crate) fn at(file: PathBuf, folder: PathBuf) -> anyhow::Result<Image> {
        fs::create_dir_all(&folder)?;
        Ok(Image { file, folder })
    }

    /// Mounts it.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn mount(&self) -> anyhow::Result<Mount> {
        let mut mount = Command::new("mount");
        run(mount.args(["-o", "loop"]).arg(&self.file).arg(&self.folder))?;
        Ok(Mount { folder: self.folder.clone() })
    }
}

impl Mount {
    /// A file system in memory of `len` bytes.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn tmpfs(folder: &Path, len: u64) -> anyhow::Result<Mount> {
        fs::create_dir_all(folder)?;
        let size = format!("size={len}");
        run(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "none"]).arg(folder))?;
        Ok(Mount { folder: folder.to_path_buf() })
    }

    /// A device, mounted.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn device(device: &Path, folder: &Path) -> anyhow::Result<Mount> {
        fs::create_dir_all(folder)?;
        run(Command::new("mount").arg(device).arg(folder))?;
        Ok(Mount { folder: folder.to_path_buf() })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Mounts it again with other options.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn again(&self, options: &str) -> anyhow::Result<()> {
        let options = format!("remount,{options}");
        run(Command::new("mount").args(["-o", &options]).arg(&self.folder))
    }

    /// Unmounts it.
    ///
    /// # Errors
    /// It is still in use.
    pub(crate) fn leave(self) -> anyhow::Result<()> {
        let outcome = run(Command::new("umount").arg(&self.folder));
        std::mem::forget(self);
        outcome
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.folder).status();
    }
}

/// Set in a process whose mounts are its own.
const ALONE: &str = "OUTAGE_MOUNTS_ALONE";

/// Starts this program anew where no other process sees what it mounts, unless that is so.
///
/// A process that begins a list of mounts of its own, as every victim does, holds on to all
/// that were there: unmounted here, a file system that was shut down would live on there, and
/// mounting its image would give the same one, shut down, instead of what is on the disk.
///
/// # Errors
/// The system refuses. Where nothing can be mounted, nothing is done.
pub(crate) fn alone() -> anyhow::Result<()> {
    if std::env::var_os(ALONE).is_some() || missing(&["mount", "unshare"]).is_some() {
        return Ok(());
    }
    let program = std::env::current_exe().context("where is this program?")?;
    let mut anew = Command::new("unshare");
    anew.args(["--mount", "--"]).arg(program).args(std::env::args_os().skip(1));
    Err(anew.env(ALONE, "1").exec()).context("cannot start `unshare`")
}

/// Why file systems can't be mounted here, if they can't.
pub(crate) fn missing(tools: &[&str]) -> Option<String> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt;
        own.uid() == 0
    });
    if !is_root {
        return Some("mounting needs root".to_owned());
    }
    if !Path::new("/dev/loop-control").exists() {
        return Some("the system has no loop devices".to_owned());
    }
    let paths = ["/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/bin", "/usr/local/sbin"];
    let is_there = |tool: &&&str| paths.iter().any(|path| Path::new(path).join(tool).exists());
    let gone = tools.iter().find(|tool| !is_there(tool));
    gone.map(|tool| format!("{tool} is not installed"))
}

/// Runs a command to its end, silently.
///
/// # Errors
/// It can't be started or fails; with what it complained of.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Runs a command to its end and gives the first line of what it said.
///
/// # Errors
/// It can't be started, fails, or says nothing.
pub(crate) fn ask(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let said = String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned);
    ensure!(output.status.success(), "{command:?} failed");
    said.with_context(|| format!("{command:?} said nothing"))
}
