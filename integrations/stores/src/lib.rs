//! Shared logs on stores that exist: a ledger that several nodes write
//! ([`Ledger::share`](memlith::Ledger::share), [`Ledger::join`](memlith::Ledger::join)) needs one
//! thing of a store, that a name is given once.
//!
//! | store | a name is given once by |
//! |---|---|
//! | [`ObjectLog`], S3 and what speaks its protocol | `If-None-Match: *`, tried when it is opened |
//! | [`PostgresLog`] | the primary key of a table |

#[cfg(feature = "object-store")]
mod object;
#[cfg(feature = "postgres")]
mod postgres;

#[cfg(feature = "postgres")]
pub use crate::postgres::PostgresLog;
#[cfg(feature = "object-store")]
pub use object::ObjectLog;
