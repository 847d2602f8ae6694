//! Write-back: what a session taught, lifted out of its turns.
//!
//! A job covers a range of one session's turns. They become a packet of numbered evidence; an
//! extractor makes an [`Extraction`] of it: the rules of this crate, or a model outside of it
//! whose reply is checked here. Nothing is synthesised: every item cites the turns it rests
//! on, and names nothing that they don't name.
//!
//! It is pure: no clock, no file, no network, no randomness.

mod commands;
mod cue;
mod evidence;
mod extraction;
mod extractor;
mod job;
mod jobs;
mod outbox;
mod outcome;
mod packet;
mod patience;
mod practice;
mod reply;
mod rules;
mod sentences;
mod turn;

pub use extraction::{Dropped, Extraction, Pattern, Statement, TaskOutcome};
pub use extractor::{ExtractError, Extracted, Extractor};
pub use job::{Job, JobStatus, SessionJobs};
pub use jobs::Jobs;
pub use outbox::{
    BURST, Batch, Deletion, Deliverable, Item, ItemResult, Moment, NOTE_FORMAT, Open, OpenState,
    Outbox, PROBE_US, Parcel, Sink, SinkRow, Take, Terms, Verdict, Wanted, delivery_retry_at,
    sink_key,
};
pub use packet::Packet;
pub use patience::{ATTEMPTS_MAX, QUIET_US, retry_at};
pub use practice::Practice;
pub use reply::{ReplyError, read_reply};
pub use rules::{FACTS_MAX, Rules, rules};
pub use turn::{Turn, What};
