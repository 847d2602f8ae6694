//! Queues as folds of the log: the jobs of write-back, and the records on their way to other
//! stores.
//!
//! Both are tables of the ledger's state, so that a job is claimed and a batch is sent by one
//! worker at a time, and neither is lost with a process. What does the work stands above the
//! engine. This crate is pure: no clock, no file, no network, no randomness.

mod job;
mod jobs;
mod outbox;
mod patience;
mod practice;

pub use job::{Job, JobStatus, SessionJobs};
pub use jobs::Jobs;
pub use outbox::{
    BURST, Deletion, Deliverable, NOTE_FORMAT, Open, OpenState, Outbox, Parcel, SinkRow, Wanted,
    sink_key,
};
pub use patience::{ATTEMPTS_MAX, QUIET_US, retry_at};
pub use practice::Practice;
