use std::io;

/// A server could not be started, or could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The system gives no threads, or no events of its files.
    #[error("start the server: {source}")]
    Start {
        /// The error of the system.
        source: io::Error,
    },
    /// The port is taken, or may not be listened on.
    #[error("listen on 127.0.0.1:{port}: {source}; name another port, or none")]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// The error of the system.
        source: io::Error,
    },
    /// This build serves over standard input and output alone.
    #[cfg(not(feature = "http"))]
    #[error(
        "this program was built without HTTP: take a released one, or add the feature `mcp-http`"
    )]
    WithoutHttp,
    /// The client didn't begin as the protocol has it.
    #[error("begin the session: {reason}")]
    Handshake {
        /// The message of the handshake that failed.
        reason: String,
    },
}
