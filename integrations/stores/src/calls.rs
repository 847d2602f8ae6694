use std::time::Duration;

use memlith::copy::SharedError;
use tokio::runtime::Runtime;

/// A thread on which the client of a store works; a call waits for its answer, and not for ever.
#[derive(Debug)]
pub(crate) struct Calls(pub(crate) Runtime);

/// A call that takes longer has no known outcome: the longest frame at 4 Mbit/s.
const PATIENCE: Duration = Duration::from_secs(10);

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
        let answer = self.0.block_on(async { tokio::time::timeout(PATIENCE, call).await });
        answer.map_err(|_| SharedError::Unreached("it gave no answer within 10 s".to_owned()))
    }
}
