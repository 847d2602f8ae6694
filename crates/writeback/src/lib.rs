//! Write-back: what sessions taught is written down by itself, job by job.
//!
//! A job covers a range of one session's turns. They become a packet of numbered evidence; an
//! extractor makes an [`Extraction`] of it: [`Rules`], which need no model, or a model outside
//! of this program, whose reply is checked here. Nothing is synthesised: every item cites the
//! turns it rests on, and names nothing that they don't name.
//!
//! [`JobQueue`] is the queue of a ledger, and [`Writeback`] a thread that works on it.

mod commands;
mod cue;
mod evidence;
mod extraction;
mod extractor;
mod outcome;
mod packet;
mod practices;
mod queue;
mod reply;
mod rules;
mod sentences;
mod session;
mod teach;
mod turn;
mod worker;

pub use cue::is_rule;
pub use extraction::{Dropped, Extraction, Pattern, Statement, TaskOutcome};
pub use extractor::{ExtractError, Extracted, Extractor};
pub use memlith_queues::{Job, JobStatus, Practice, QUIET_US, SessionJobs};
pub use packet::Packet;
pub use practices::ListedPractice;
pub use queue::{Describe, JobEnd, JobQueue, JobRun, ListedJob};
pub use reply::{ReplyError, read_reply};
pub use rules::{FACTS_MAX, Rules, rules};
pub use turn::{Turn, What};
pub use worker::Writeback;
