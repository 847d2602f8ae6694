use std::sync::Arc;

use memlith_log::{Access, Log, Seq, Storage};
use memlith_state::{CheckpointError, FileBytes, Run, RunName};

use crate::fold::state::FOLD_VERSION;

/// One run of a state: what the records from one to another changed.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) from: Seq,
    pub(crate) to: Seq,
    /// The file that holds it; none while it is in memory alone.
    pub(crate) file: Option<Arc<RunFile>>,
}

/// An open file of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunFile {
    /// Its name in the ledger's folder.
    pub(crate) file: String,
    pub(crate) run: Run,
}

impl RunFile {
    /// Opens the file of the run `name`, folded under the erasure `epoch`.
    ///
    /// # Errors
    /// It isn't there, or isn't that run. Its content is checked when it is read.
    pub(crate) fn open(log: &Log, name: &RunName, epoch: Seq) -> Result<RunFile, CheckpointError> {
        let file = file_name(name, epoch);
        let bytes = bytes_of(log.env().storage.as_ref(), &file, log.options().mmap)
            .map_err(|_| CheckpointError::RunMissing { from: name.from, to: name.to })?;
        let run = Run::open(bytes).map_err(|error| {
            // Which of a checkpoint's files it is has to be known to mend it.
            let is_damage =
                matches!(error, CheckpointError::Digest { .. } | CheckpointError::Short { .. });
            if is_damage { CheckpointError::Damaged { file: file.clone() } } else { error }
        })?;
        if run.name != *name {
            return Err(CheckpointError::RunMissing { from: name.from, to: name.to });
        }
        Ok(RunFile { file, run })
    }
}

/// The name of a run's file.
pub(crate) fn file_name(name: &RunName, epoch: Seq) -> String {
    let root = name.root.to_string();
    let root = root.get(..12).unwrap_or_default();
    format!("run-{}-{}-{}-{epoch}-{root}", name.fold_version, name.from, name.to)
}

/// Whether a file of this name is of a run of this fold version.
pub(crate) fn is_run(name: &str) -> bool {
    let mut parts = name.strip_prefix("run-").unwrap_or_default().split('-');
    parts.next().and_then(|version| version.parse().ok()) == Some(FOLD_VERSION)
}

/// The bytes of a whole file, mapped where that is wanted and possible.
pub(crate) fn bytes_of(storage: &dyn Storage, name: &str, map: bool) -> std::io::Result<FileBytes> {
    let file = storage.open(name, Access::Read)?;
    let len = file.len()?;
    if map && let Some(mapping) = file.map(len)? {
        // What a query needs of a run is here and there in it.
        mapping.expect_random_reads();
        return Ok(FileBytes::Mapped(mapping));
    }
    let mut bytes = vec![0; usize::try_from(len).map_err(|_| std::io::ErrorKind::FileTooLarge)?];
    let mut read = 0;
    while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, read as u64)? {
            0 => break,
            count => read += count,
        }
    }
    bytes.truncate(read);
    Ok(FileBytes::Read(bytes))
}
