//! Servers that are called: their addresses, and how long they ask to be left alone.

mod endpoint;
mod retry_after;

pub use endpoint::Endpoint;
pub use retry_after::wait_us;
