use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::{Carrier, Listed, is_name};
use crate::error::{Error, Result};
use crate::keys::MachineId;

/// A folder that something else carries to other machines.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens the folder, which must be there: one that isn't mounted is not made on this machine.
    pub(super) fn open(path: &Path) -> Result<Folder> {
        if path.is_dir() {
            return Ok(Folder { path: path.to_owned() });
        }
        Err(Error::Refused(format!("{} is not there: mount or make it", path.display())))
    }

    fn of(&self, machine: &MachineId) -> PathBuf {
        self.path.join(machine.to_string())
    }
}

impl Carrier for Folder {
    fn keeps_history(&self) -> bool {
        false
    }

    fn list(&self) -> Result<Listed> {
        let mut listed = Listed::new();
        let io = |path: &Path| Error::io(format!("list {}", path.display()));
        for entry in fs::read_dir(&self.path).map_err(io(&self.path))? {
            let entry = entry.map_err(io(&self.path))?;
            let name = entry.file_name();
            let Some(machine) = name.to_str().and_then(MachineId::of_folder) else { continue };
            let (path, mut files) = (entry.path(), BTreeMap::new());
            if !entry.file_type().is_ok_and(|sort| sort.is_dir()) {
                continue;
            }
            for file in fs::read_dir(&path).map_err(io(&path))? {
                let file = file.map_err(io(&path))?;
                // What is gone since, or no file, isn't there.
                let Ok(about) = file.metadata() else { continue };
                let name = file.file_name().to_string_lossy().into_owned();
                if about.is_file() && is_name(&name) {
                    files.insert(name, about.len());
                }
            }
            listed.insert(machine, files);
        }
        Ok(listed)
    }

    fn get(&self, machine: &MachineId, name: &str, max: u64) -> Result<Option<Vec<u8>>> {
        let path = self.of(machine).join(name);
        let io = || Error::io(format!("read {}", path.display()));
        // Whoever has the place may have put a pipe there, which would never end.
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            about if !about.as_ref().is_ok_and(fs::Metadata::is_file) => return Ok(None),
            _ => {}
        }
        let file = fs::File::open(&path).map_err(io())?;
        let mut bytes = Vec::new();
        file.take(max).read_to_end(&mut bytes).map_err(io())?;
        Ok(Some(bytes))
    }

    fn put(&mut self, machine: &MachineId, files: &[(String, Vec<u8>)]) -> Result<()> {
        let folder = self.of(machine);
        fs::create_dir_all(&folder).map_err(Error::io(format!("make {}", folder.display())))?;
        for (name, bytes) in files {
            let path = folder.join(name);
            let durable = memlith_files::Replacing { durable: true, permissions: None };
            durable
                .replace(&path, bytes)
                .map_err(Error::io(format!("write {}", path.display())))?;
        }
        Ok(())
    }

    fn remove(&mut self, machine: &MachineId, names: &[String]) -> Result<()> {
        for name in names {
            let path = self.of(machine).join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::io(format!("remove {}", path.display()))(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    fn publish(&mut self, machine: &MachineId) -> Result<()> {
        // A run that was killed leaves what it was writing.
        for entry in fs::read_dir(self.of(machine)).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(".tmp") {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}
