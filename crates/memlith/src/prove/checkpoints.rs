use memlith_log::Seq;
use memlith_state::CheckpointError;

use crate::error::Error;
use crate::fold::checkpoint::Checkpoints;
use crate::fold::checkpoint::{Look, kept};

/// A kept checkpoint, and whether a reader could start from it.
#[derive(Clone, Debug)]
pub struct CheckpointStanding {
    /// The last record that it covers.
    pub seq: Seq,
    /// Its file in the ledger's folder.
    pub file: String,
    /// Why it is refused; `None` where it stands.
    pub refused: Option<CheckpointError>,
}

impl Checkpoints<'_> {
    /// Checks every kept checkpoint as a reader does, and all bytes of its runs beyond that.
    /// Oldest first.
    ///
    /// A reader starts from the newest that stands, and where none does folds the whole log:
    /// a refusal costs time and changes no answer.
    ///
    /// Cost: reads the log behind the oldest, and all runs.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn check(&self) -> Result<Vec<CheckpointStanding>, Error> {
        let checked = kept(&self.ledger.log)?.into_iter().map(|file| {
            let state = self.ledger.admit(&file, None, Look::AtTheTail);
            let refused = state.and_then(|state| {
                let mut runs = state.spans.iter().filter_map(|span| span.file.as_ref());
                runs.try_for_each(|held| {
                    let damaged = |_| CheckpointError::Damaged { file: held.file.clone() };
                    held.run.check().map_err(damaged)
                })
            });
            CheckpointStanding { seq: file.seq, file: file.name, refused: refused.err() }
        });
        Ok(checked.collect())
    }
}
