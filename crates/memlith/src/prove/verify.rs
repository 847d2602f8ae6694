use std::path::Path;

use memlith_log::{Env, Finding, Level, LocalStorage, Report};

use crate::error::Error;
use crate::forget::tombstones::KEY_FILE;
use crate::ledger::Ledger;
use crate::options::Options;

/// Verifies the ledger in the folder `dir`, and changes no byte.
///
/// At [`Level::Full`] also folds the log, compares every kept checkpoint with it, and looks
/// whether the key of the tombstones is the one that those that stand were made with.
/// Never stops at the first finding.
///
/// # Errors
/// There is no ledger in the folder, or it can't be read at all.
pub fn verify(dir: impl AsRef<Path>, level: Level) -> Result<Report, Error> {
    let storage = LocalStorage::open(dir.as_ref()).map_err(|source| Error::Io {
        what: format!("open the folder {}", dir.as_ref().display()),
        source,
    })?;
    let mut report = verify_in(&Env::system(storage), level)?;
    if crate::read::beside::is_copy(dir.as_ref()) {
        // Tombstones of another machine bar there; their key never leaves it.
        report.findings.retain(|found| found.file != KEY_FILE);
    }
    Ok(report)
}

/// [`verify`] in any storage.
///
/// # Errors
/// Those of [`verify`].
pub fn verify_in(env: &Env, level: Level) -> Result<Report, Error> {
    let mut report = memlith_log::verify(env, level)?;
    if level == Level::Full && report.head.is_some() {
        let options =
            Options { read_only: true, mmap: false, use_checkpoint: false, ..Options::default() };
        match Ledger::open_in(env.clone(), options) {
            Ok(ledger) => {
                report.findings.extend(ledger.checkpoint_findings()?);
                let key = ledger.key_finding()?;
                report.findings.extend(key.map(|what| finding(KEY_FILE, &what)));
            }
            Err(error) => report.findings.push(finding("the log", &error.to_string())),
        }
    }
    Ok(report)
}

impl Ledger {
    /// Lists the faults of the kept checkpoints: damage, and roots that a fold of the log doesn't
    /// give.
    fn checkpoint_findings(&self) -> Result<Vec<Finding>, Error> {
        let audits = self.audit().state()?;
        let wrong = audits.into_iter().filter_map(|audit| {
            let what = audit.verdict.err()?;
            Some(finding(&audit.file, &what))
        });
        Ok(wrong.collect())
    }
}

fn finding(file: &str, what: &str) -> Finding {
    Finding::beside(file, what)
}
