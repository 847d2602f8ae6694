use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use tokio::runtime::{Builder, Runtime};

use crate::error::ServeError;
use crate::host::Host;
use crate::lines::Lines;
use crate::profile::Offer;
use crate::server::Shared;
use crate::stop::Stop;

/// Serves one client on standard input and output, until it goes or `stop` says so.
///
/// `start` is the folder of a client that names none. Calls that are under way when the client
/// goes are finished first.
///
/// # Errors
/// The system gives no threads, or the client doesn't begin as the protocol has it.
pub(crate) fn serve_stdio(
    host: Arc<Host>,
    offer: Offer,
    start: PathBuf,
    stop: &Stop,
) -> Result<(), ServeError> {
    let shared = Shared::new(host, offer, start);
    serve_until(stop, async {
        let (input, output) = stdio_pipes();
        let (ours, theirs) = Lines::between(input, output);
        let served = match serve_server(shared.session(), theirs).await {
            Ok(running) => {
                // However it ends, there is nobody left to tell.
                let _ = running.waiting().await;
                Ok(())
            }
            // A client that goes before it began needs nothing.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError::Handshake { reason: error.to_string() }),
        };
        ours.written().await;
        served
    })
}

/// Calls that are under way when a server is stopped are waited for, but no longer: a reader of
/// standard input that is no pipe never ends by itself.
const LAST_CALLS: Duration = Duration::from_secs(5);

/// Serves until it is over or `stop` says so, on one thread; calls have threads of their own.
pub(crate) fn serve_until(
    stop: &Stop,
    serving: impl Future<Output = Result<(), ServeError>>,
) -> Result<(), ServeError> {
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = serving => Some(ended),
            () = stop.wanted() => None,
        }
    });
    ended.unwrap_or_else(|| {
        runtime.shutdown_timeout(LAST_CALLS);
        Ok(())
    })
}

fn runtime() -> Result<Runtime, ServeError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|source| ServeError::Start { source })
}
