//! Answers from checkpoints that are checked only as far as they are read.

use memlith_state::CheckpointError;

use crate::error::Error;
use crate::fold::state::State;
use crate::ledger::Ledger;

impl Ledger {
    /// Runs `answer` on a state, again from other files where one it read is damaged.
    ///
    /// If something that was read for it is damaged, the checkpoint is given up and the
    /// answer made again, from an older one or from the log.
    ///
    /// # Errors
    /// Those of `state` and `answer`.
    pub(crate) fn answered<T>(
        &self,
        state: impl Fn() -> Result<State, Error>,
        answer: impl Fn(&State) -> Result<T, Error>,
    ) -> Result<T, Error> {
        loop {
            let state = state()?;
            let answer = answer(&state);
            match state.damaged() {
                None => return answer,
                Some(file) => self.distrust(file)?,
            }
        }
    }

    /// Gives up every checkpoint that needs `file`, and the live state if it does.
    ///
    /// Each call gives up one file more, so that it ends.
    pub(crate) fn distrust(&self, file: &str) -> Result<(), Error> {
        tracing::warn!(file, "checkpoint given up: its bytes are not what their digests say");
        self.distrusted.lock().insert(file.to_owned());
        let mut state = self.state.lock();
        let holds = state.spans.iter().filter_map(|span| span.file.as_deref());
        if holds.map(|held| held.file.as_str()).any(|held| held == file) {
            *state = self.nothing();
            *state = self.newest_state()?;
        }
        Ok(())
    }
}

/// The damaged file that an error is about.
pub(crate) fn damaged_file(error: &Error) -> Option<&str> {
    if let Error::Checkpoint { source: CheckpointError::Damaged { file }, .. } = error {
        return Some(file);
    }
    None
}
