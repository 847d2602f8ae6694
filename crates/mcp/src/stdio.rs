use std::path::PathBuf;
use std::sync::Arc;

use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use tokio::runtime::{Builder, Runtime};

use crate::error::ServeError;
use crate::host::Host;
use crate::profile::Offer;
use crate::server::Shared;

/// Serves one client on standard input and output, until it goes.
///
/// `start` is the folder of a client that names none. Calls that are under way when the client
/// goes are finished first.
///
/// # Errors
/// The system gives no threads, or the client doesn't begin as the protocol has it.
pub fn serve_stdio(host: Arc<dyn Host>, offer: Offer, start: PathBuf) -> Result<(), ServeError> {
    let shared = Shared::new(host, offer, start);
    runtime()?.block_on(async {
        match serve_server(shared.session(), stdio_pipes()).await {
            Ok(running) => {
                // However it ends, there is nobody left to tell.
                let _ = running.waiting().await;
                Ok(())
            }
            // A client that goes before it began needs nothing.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError::Handshake { reason: error.to_string() }),
        }
    })
}

/// One thread for the protocol; calls have threads of their own.
pub(crate) fn runtime() -> Result<Runtime, ServeError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|source| ServeError::Start { source })
}
