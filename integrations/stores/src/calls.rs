use std::time::Duration;

use memlith::copy::SharedError;
use tokio::runtime::Runtime;

/// A thread on which the client of a store works; a call waits for its answer, and not for ever.
#[derive(Debug)]
pub(crate) struct Calls(pub(crate) Runtime);

/// A call that takes longer has no known outcome.
const PATIENCE: Duration = Duration::from_secs(10);

/// The slowest line that frames are put and read over, in bytes a second.
const RATE_MIN: u64 = 100_000;

impl Calls {
    pub(crate) fn new() -> Result<Calls, SharedError> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build();
        runtime.map(Calls).map_err(|error| SharedError::Unreached(error.to_string()))
    }

    pub(crate) fn wait<T, E: std::fmt::Display>(
        &self,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<Result<T, E>, SharedError> {
        self.wait_for(0, call)
    }

    /// Waits for a call that moves so many bytes.
    pub(crate) fn wait_for<T, E: std::fmt::Display>(
        &self,
        bytes: usize,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<Result<T, E>, SharedError> {
        let patience = PATIENCE + Duration::from_secs(bytes as u64 / RATE_MIN);
        let answer = self.0.block_on(async { tokio::time::timeout(patience, call).await });
        answer.map_err(|_| {
            SharedError::Unreached(format!("it gave no answer within {} s", patience.as_secs()))
        })
    }
}

/// The length in bytes of a frame that is read, as far as patience goes.
pub(crate) const READ_LEN: usize = 1 << 20;
