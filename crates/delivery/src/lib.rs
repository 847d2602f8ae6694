//! Delivery: records of a ledger sent to other stores, once each.
//!
//! [`Delivery`] sends what is due to a [`Sink`]; a batch is claimed in the log, durably, before
//! it is sent, and sent again under the same name until its sink has it. [`Routes`] names the
//! sinks of a ledger: [`JsonLines`] is a file, `Webhook` a server (feature `webhook`), and
//! `FalkorDb` a graph (feature `falkordb`), which `bootstrap` reads back into an empty ledger.
//!
//! Invariants
//!
//! 1. A secret of a sink is in no error, no debug output and no file of this crate.
//! 2. A redirect is not followed: what was agreed to is one server.

mod batch;
#[cfg(feature = "falkordb")]
mod bootstrap;
#[cfg(feature = "falkordb")]
mod cypher;
mod delivery;
#[cfg(feature = "falkordb")]
mod falkordb;
#[cfg(feature = "falkordb")]
mod handlers;
mod json_lines;
mod payload;
mod routes;
mod settle;
#[cfg(feature = "webhook")]
mod signature;
mod standing;
mod terms;
#[cfg(feature = "webhook")]
mod webhook;
#[cfg(not(all(feature = "falkordb", feature = "webhook")))]
mod without;

pub use batch::{Batch, Item, ItemResult, Sink, TypeNames, Verdict};
#[cfg(feature = "falkordb")]
pub use bootstrap::{BootstrapError, Bootstrapped, bootstrap};
pub use delivery::{Delivery, DeliveryRun, Destination, Occasion, Route, Served};
#[cfg(feature = "falkordb")]
pub use falkordb::FalkorDb;
pub use json_lines::JsonLines;
pub use memlith::log::Service;
pub use memlith_queues::{BURST, Deliverable};
pub use routes::{Routed, Routes, RoutesError};
#[cfg(feature = "webhook")]
pub use signature::{is_signed, signature};
pub use standing::{Latency, SinkStanding};
pub use terms::Terms;
#[cfg(feature = "webhook")]
pub use webhook::{Alert, Webhook};
#[cfg(not(feature = "webhook"))]
pub use without::Alert;
