use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::fs::{FallocateFlags, FlockOperation};

use super::{Access, Exposed, Extent, File, Medium, Process, Sharing, Storage};
use crate::files::{holds_ledger, is_of_ledger};
use crate::mapping::Mapping;
use crate::recover::QUARANTINE;

#[cfg(not(target_os = "linux"))]
compile_error!("the log's locks, syncs and file system checks are written for Linux only");

/// A ledger's folder on a real file system.
///
/// What it creates has exactly the modes of its [`Sharing`], whatever the umask.
#[derive(Debug)]
pub struct LocalStorage {
    root: PathBuf,
    sharing: Sharing,
    /// Neither changes while a process lives, and every append asks for both.
    boot_id: OnceLock<[u8; 16]>,
    process: OnceLock<Process>,
}

/// File systems that honour `flock`, `fdatasync` and `rename` on one machine.
const LOCAL_MAGICS: [u64; 11] = [
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683E, // Btrfs
    0x0102_1994, // tmpfs
    0x8584_58F6, // ramfs
    0x794C_7630, // overlayfs
    0x2FC1_2FC1, // ZFS
    0xF2F5_2010, // F2FS
    0xCA45_1A4E, // bcachefs
    0x0000_3434, // NILFS2
    0x2011_BAB0, // exFAT
];

impl LocalStorage {
    /// The folder at `root`, which must exist; its mode says who shares it.
    ///
    /// # Errors
    /// Those of the system, if it is not a folder.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<LocalStorage> {
        let root = root.into();
        let metadata = fs::metadata(&root)?;
        if !metadata.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let sharing = Sharing::of_folder(metadata.mode());
        Ok(LocalStorage { root, sharing, boot_id: OnceLock::new(), process: OnceLock::new() })
    }

    /// The folder at `root`, created with its parents where absent; its owner's alone unless
    /// it is there already and shared.
    ///
    /// # Errors
    /// Those of the system.
    pub fn create(root: impl Into<PathBuf>) -> io::Result<LocalStorage> {
        LocalStorage::create_as(root, Sharing::Private)
    }

    /// The folder at `root`, created with its parents where absent, and shared as `sharing`
    /// says.
    ///
    /// Parents that are created are their owner's alone. A folder that is there keeps its
    /// mode if it holds a ledger, or other files and is not to be shared.
    ///
    /// # Errors
    /// Those of the system.
    pub fn create_as(root: impl Into<PathBuf>, sharing: Sharing) -> io::Result<LocalStorage> {
        let root = root.into();
        let exists = root.is_dir();
        private_folders().recursive(true).create(&root)?;
        let unused = !exists || fs::read_dir(&root)?.next().is_none();
        let storage = LocalStorage::open(&root)?;
        let keeps = match sharing {
            Sharing::Private => !unused || storage.sharing == Sharing::Group,
            Sharing::Group => holds_ledger(&storage).unwrap_or(true),
        };
        if !keeps {
            fs::set_permissions(&root, fs::Permissions::from_mode(sharing.folder_mode()))?;
        }
        // The folder's own name must survive a power cut as well as its content.
        let parent = fs::canonicalize(&root)?.parent().map(Path::to_owned);
        if let Some(parent) = parent {
            fs::File::open(parent)?.sync_all()?;
        }
        LocalStorage::open(root)
    }

    /// The folder's path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }
}

impl Storage for LocalStorage {
    fn open(&self, name: &str, access: Access) -> io::Result<Arc<dyn File>> {
        let path = self.root.join(name);
        let mut options = fs::OpenOptions::new();
        options.read(true).write(access != Access::Read).truncate(access == Access::Fresh);
        let creates = matches!(access, Access::Create | Access::Fresh);
        let file = match options.open(&path) {
            Err(error) if creates && error.kind() == io::ErrorKind::NotFound => {
                self.create_file(&path)?
            }
            opened => opened?,
        };
        Ok(Arc::new(LocalFile(file)))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(self.root.join(folder)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.is_empty() => {
                return Ok(Vec::new());
            }
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry?;
            // A name that is not UTF-8 is none of the log's.
            if let (true, Ok(name)) =
                (entry.file_type()?.is_file(), entry.file_name().into_string())
            {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.root.join(from), self.root.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.root.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    fn create_folder(&self, name: &str) -> io::Result<()> {
        let path = self.root.join(name);
        match private_folders().create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
            Ok(()) => {
                let mode = self.sharing.folder_mode();
                fs::set_permissions(&path, fs::Permissions::from_mode(mode))
            }
        }
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        fs::File::open(self.root.join(folder))?.sync_all()
    }

    fn file_identity(&self, name: &str) -> io::Result<u64> {
        Ok(Extent::at(&self.root.join(name))?.identity)
    }

    fn identity(&self) -> io::Result<(u64, u64)> {
        let metadata = fs::metadata(&self.root)?;
        Ok((metadata.dev(), metadata.ino()))
    }

    fn medium(&self) -> io::Result<Medium> {
        // The field's type differs between platforms; its value is at most 32 bits.
        let magic = rustix::fs::statfs(&self.root)?.f_type;
        let magic = u64::try_from(magic).unwrap_or(u64::MAX) & 0xFFFF_FFFF;
        Ok(if LOCAL_MAGICS.contains(&magic) { Medium::Local } else { Medium::Foreign(magic) })
    }

    fn process(&self) -> Process {
        let id = std::process::id();
        let ask = || Process { id, started: process_start().unwrap_or(0) };
        let known = *self.process.get_or_init(ask);
        // A forked child has inherited its parent's answer.
        if known.id == id { known } else { ask() }
    }

    fn boot_id(&self) -> [u8; 16] {
        *self.boot_id.get_or_init(|| {
            let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
            u128::from_str_radix(&digits, 16).map(u128::to_be_bytes).unwrap_or_default()
        })
    }

    fn describe(&self) -> String {
        self.root.display().to_string()
    }

    fn sharing(&self) -> Sharing {
        self.sharing
    }

    fn readers(&self) -> usize {
        memlith_threads::cores()
    }
}

impl LocalStorage {
    /// Creates a file, or opens one that another process created meanwhile.
    fn create_file(&self, path: &Path) -> io::Result<fs::File> {
        let mode = self.sharing.file_mode();
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).mode(mode);
        match options.create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                options.create_new(false).open(path)
            }
            Err(error) => Err(error),
            Ok(file) => {
                // The umask may have taken bits away.
                file.set_permissions(fs::Permissions::from_mode(mode))?;
                Ok(file)
            }
        }
    }
}

impl LocalStorage {
    /// The ledger's folders and files whose modes are not those of its sharing.
    ///
    /// Files that do not belong to the ledger are passed over.
    ///
    /// # Errors
    /// Those of the system.
    pub fn exposed(&self) -> io::Result<Vec<Exposed>> {
        let (folder, file) = (self.sharing.folder_mode(), self.sharing.file_mode());
        let mut expected = vec![(String::new(), folder)];
        if self.root.join(QUARANTINE).is_dir() {
            expected.push((QUARANTINE.to_owned(), folder));
        }
        let quarantined = self.list(QUARANTINE)?;
        let quarantined = quarantined.iter().map(|name| format!("{QUARANTINE}/{name}"));
        let names = self.list("")?.into_iter().filter(|name| is_of_ledger(name));
        expected.extend(names.chain(quarantined).map(|name| (name, file)));
        let mut exposed = Vec::new();
        for (name, wanted) in expected {
            let mode = match fs::metadata(self.root.join(&name)) {
                // A writer renamed or removed it since the listing.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata?.mode() & 0o7777,
            };
            if self.sharing.differs(mode, wanted) {
                exposed.push(Exposed { name, mode, wanted });
            }
        }
        Ok(exposed)
    }

    /// Gives what [`LocalStorage::exposed`] finds the modes of the ledger's sharing.
    ///
    /// # Errors
    /// Those of the system: only its owner may change a file's mode.
    pub fn close_to_others(&self) -> io::Result<Vec<Exposed>> {
        let exposed = self.exposed()?;
        for Exposed { name, wanted, .. } in &exposed {
            fs::set_permissions(self.root.join(name), fs::Permissions::from_mode(*wanted))?;
        }
        Ok(exposed)
    }
}

/// Creates folders that are their owner's alone.
fn private_folders() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.mode(Sharing::Private.folder_mode());
    builder
}

/// The start time of this process in clock ticks since boot.
fn process_start() -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The command's name, field 2, stands in parentheses and may hold spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[derive(Debug)]
struct LocalFile(fs::File);

impl File for LocalFile {
    fn len(&self) -> io::Result<u64> {
        Ok(Extent::of(&self.0)?.len)
    }

    fn identity(&self) -> io::Result<u64> {
        Ok(Extent::of(&self.0)?.identity)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..)
            && !rest.is_empty()
        {
            let at = offset.saturating_add(crate::layout::len64(filled));
            match self.0.read_at(rest, at) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn will_need(&self, offset: u64, len: u64) {
        // A hint changes no byte, whether it could be given or not.
        let len = std::num::NonZeroU64::new(len);
        let _ = rustix::fs::fadvise(&self.0, offset, len, rustix::fs::Advice::WillNeed);
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        Ok(rustix::fs::fallocate(&self.0, FallocateFlags::empty(), 0, len)?)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn map(&self, len: u64) -> io::Result<Option<Mapping>> {
        Mapping::of(&self.0, len).map(Some)
    }

    fn try_lock(&self) -> io::Result<bool> {
        match rustix::fs::flock(&self.0, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        Ok(rustix::fs::flock(&self.0, FlockOperation::Unlock)?)
    }
}
