use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use memlith_verbs::is_same;

use crate::error::ServeError;
use crate::host::Host;
use crate::profile::Offer;
use crate::server::Shared;
use crate::stdio::serve_until;
use crate::stop::Stop;

/// Where a server listens, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    /// The port on the loopback; 0 for any that is free.
    pub port: u16,
    /// The token that a client shows as `Authorization: Bearer TOKEN`.
    pub token: String,
}

/// The most bytes of a request: as many as over standard input.
const REQUEST_BYTES: usize = 16 << 20;

/// Serves any number of clients over HTTP on the loopback, until `stop` says so.
///
/// Let in is who shows the token, asks for this machine by a name of its loopback (`Host`), and
/// is no page of a browser (`Origin`). `listening` gets the address once it is listened on.
///
/// # Errors
/// The port can't be listened on, or the system gives no threads.
pub(crate) fn serve_http(
    host: Arc<Host>,
    offer: Offer,
    start: PathBuf,
    (http, stop): (Http, &Stop),
    listening: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let shared = Shared::new(host, offer, start);
    serve_until(stop, async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, http.port));
        let failed = |source| ServeError::Listen { port: http.port, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        listening(listener.local_addr().map_err(failed)?);
        let config = StreamableHttpServerConfig::default()
            .with_max_request_body_bytes(REQUEST_BYTES)
            .enforce_origin_validation();
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(shared.session()), sessions, config);
        let token: Arc<str> = http.token.into();
        let router = Router::new()
            .nest_service("/mcp", service)
            .layer(middleware::from_fn_with_state(token, let_in));
        axum::serve(listener, router).await.map_err(failed)
    })
}

/// Lets a request in that shows the token.
async fn let_in(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION);
    let shown = shown.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if !shown.is_some_and(|shown| is_same(shown.as_bytes(), token.as_bytes())) {
        let wanted = [(header::WWW_AUTHENTICATE, "Bearer")];
        let what = "show the token that the server printed: Authorization: Bearer TOKEN\n";
        return (StatusCode::UNAUTHORIZED, wanted, what).into_response();
    }
    next.run(request).await
}
