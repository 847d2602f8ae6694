//! Shared logs on stores that exist: a ledger that several nodes write
//! ([`Ledger::share`](memlith::Ledger::share), [`Ledger::join`](memlith::Ledger::join)) needs one
//! thing of a store, that a name is given once.
//!
//! | store | a name is given once by | address | credentials |
//! |---|---|---|---|
//! | [`ObjectLog`], S3 and what speaks its protocol | `If-None-Match: *`, tried by `probe` | `s3://BUCKET/PREFIX` | the `AWS_` variables |
//! | [`S2Log`] | the number that a record is to have, tried by `probe` | `s2://BASIN` | `S2_ACCESS_TOKEN`, `S2_ACCOUNT_ENDPOINT` and `S2_BASIN_ENDPOINT` |
//! | [`PostgresLog`] | the primary key of a table | `postgres://USER@HOST/DATABASE` | in the address |
//!
//! The program of this package is `memlith` with all of them: `memlith init --shared s3://team/memory`.

mod addresses;
#[cfg(any(feature = "object-store", feature = "postgres", feature = "s2"))]
mod calls;
#[cfg(feature = "object-store")]
mod object;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "s2")]
mod s2;

pub use addresses::add_to_program;

#[cfg(feature = "postgres")]
pub use crate::postgres::PostgresLog;
#[cfg(feature = "s2")]
pub use crate::s2::S2Log;
#[cfg(feature = "object-store")]
pub use object::ObjectLog;
