use std::sync::Arc;

use anyhow::{Context as _, Result};
use memlith_verbs::Context;

use crate::drain::Drain;
#[cfg(not(feature = "http"))]
use crate::error::ServeError;
use crate::handles::Handles;
use crate::host::Host;
#[cfg(feature = "http")]
use crate::http::{Http, serve_http};
use crate::profile::Offer;
use crate::stdio::serve_stdio;
use crate::stop::Stop;
#[cfg(feature = "http")]
use crate::token::token;

/// Serves the tools of `offer` until the client goes: over standard input and output, or over
/// HTTP on this port of the loopback, 0 for any that is free.
///
/// Prints the address and the token of an HTTP server on standard error.
///
/// # Errors
/// The port is taken, or a pipe is broken.
pub fn serve(context: &Context, offer: Offer, http: Option<u16>) -> Result<()> {
    let start = std::env::current_dir().context("find the working directory")?;
    let handles = Arc::new(Handles::default());
    let host = Arc::new(Host::new(context, Arc::clone(&handles)));
    let stop = Stop::default();
    let drained = (context.now, context.options.clone());
    let drain = Drain::begin(Arc::clone(&handles), drained, stop.clone())?;
    let served = match http {
        None => serve_stdio(host, offer, start, &stop),
        #[cfg(not(feature = "http"))]
        Some(_) => Err(ServeError::WithoutHttp),
        #[cfg(feature = "http")]
        Some(port) => {
            let token = token()?;
            let http = Http { port, token: token.clone() };
            // The starter needs these, also with --quiet.
            let told = |address| {
                anstream::eprintln!("http://{address}/mcp\nAuthorization: Bearer {token}");
            };
            serve_http(host, offer, start, (http, &stop), told)
        }
    };
    drain.end();
    handles.settle();
    Ok(served?)
}
