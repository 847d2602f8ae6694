//! Deliveries to other stores: routes, sinks, and what became of batches.

pub use crate::delivering::{
    Consolidation, DeliveryRun, Destination, Latency, Occasion, Route, SinkStanding,
};
pub use memlith_event::Service;
pub use memlith_writeback::{BURST, Batch, Deliverable, Item, ItemResult, Sink, Terms, Verdict};
