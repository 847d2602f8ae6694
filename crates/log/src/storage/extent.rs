use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags};

/// Metadata of a file that the log asks for: no times.
///
/// A kernel that was asked for the time of a file's last change gives the next change a
/// time of its own, and the sync behind it has to commit the file system's journal: 3.0
/// writes of the device instead of 2.2, and 60 to 70 us more, on ext4 of Linux 6.18
/// (`docs/benchmarks.md`, "Beside others").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes of the file.
    pub(crate) len: u64,
    /// Its inode.
    pub(crate) identity: u64,
}

impl Extent {
    /// Returns the metadata of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Extent> {
        Extent::ask(file, Path::new(""), AtFlags::EMPTY_PATH)
    }

    /// Returns the metadata of the file at `path`.
    pub(crate) fn at(path: &Path) -> io::Result<Extent> {
        Extent::ask(CWD, path, AtFlags::empty())
    }

    fn ask(folder: impl AsFd, path: &Path, flags: AtFlags) -> io::Result<Extent> {
        let found = rustix::fs::statx(folder, path, flags, StatxFlags::SIZE | StatxFlags::INO)?;
        Ok(Extent { len: found.stx_size, identity: found.stx_ino })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn an_open_file_and_its_path_have_one_extent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"seven b").unwrap();
        let file = File::open(&path).unwrap();
        let extent = Extent::of(&file).unwrap();
        assert_eq!(extent, Extent { len: 7, identity: file.metadata().unwrap().ino() });
        assert_eq!(Extent::at(&path).unwrap(), extent);
        let absent = Extent::at(&folder.path().join("absent")).unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
    }
}
