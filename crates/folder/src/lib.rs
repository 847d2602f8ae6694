//! The agent-memory folder as a projection of a ledger.
//!
//! Codex keeps a folder of Markdown that agents search: `MEMORY.md`, `memory_summary.md`,
//! `raw_memories.md`, `rollout_summaries/`, `skills/`. A model maintains it there, and nobody
//! checks it. Here it is a pure function: [`read`](read()) takes [`Inputs`] out of a ledger at a
//! position, [`render`](render()) makes a [`Folder`] of them, [`lint`](lint()) checks any such
//! folder, and [`write`](write()) puts it on the disk. Each line knows what it rests on.

mod config;
mod date;
mod error;
mod inputs;
mod page;
mod runs;
mod safe;
mod stem;

mod group;
mod recurring;

mod client;
mod handbook;
mod mechanical;
mod named;
mod skills;
mod summary;

mod render;

mod lint;

mod baseline;
mod load;
mod manifest;
mod notice;
mod output;
mod write;

mod change;
mod citation;
mod ingest;
mod read;
mod rendered;
mod sorting;

pub use baseline::Baseline;
pub use change::{FolderDiff, added_lines, diff};
pub use citation::{AnswerReader, Citations, CitedLines, citations};
pub use config::{Config, Form, Reader};
pub use error::Error;
pub use ingest::{Bullet, Ingested, bullets, ingest};
pub use inputs::{
    Class, Ending, Fact, Inputs, Part, Procedure, Request, Session, Statement, Work, Written,
};
pub use lint::{Files, Finding, Linted, Severity, lint};
pub use load::load;
pub use manifest::{FolderScope, MANIFEST, Manifest};
pub use notice::{put_notice, remove_notice};
pub use page::{Folder, Ground, Page};
pub use read::read;
pub use render::render;
pub use rendered::{
    ConfirmedCitations, KeptEdits, PutBack, Rendered, confirm_cited, keep_edits, rendered,
    take_notes,
};
pub use write::{Edit, WriteOptions, WroteFolder, edits, write};
