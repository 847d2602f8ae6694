//! An embedded memory engine for agents that can prove what it knows.
//!
//! A ledger is one folder: an append-only log in which every event is chained to the one
//! before it by its hash. What is remembered, how salient it is and what a query gets back
//! are folds of that log; a checkpoint of them lets a cold process answer without reading
//! the whole of it.
//!
//! [`Memory`] is a ledger and the one who speaks: some twenty calls, which are enough for most
//! programs.
//!
//! ```
//! use memlith::{Memory, Status};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! let memory = Memory::open(dir.path().join("memory"))?; // made where there is none
//! let ana = memory.user("ana");
//!
//! let old = ana.remember("The staging database runs Postgres 15.")?;
//! let new = ana.remember("The staging database runs Postgres 16.")?;
//! assert_eq!(new.status(), Status::Replaced);
//!
//! let pack = ana.checkout("which database is staging on?")?;
//! assert_eq!(pack.pack.items[0].id, new.id);
//! println!("{}", pack.prompt()); // for a model: each item with its citation
//!
//! let gone = ana.forget([new.id], "it was taken down")?;
//! assert_eq!(gone.status(), Status::Changed);
//! # Ok::<(), memlith::Error>(())
//! ```
//!
//! [`Ledger`] is all that an engine does, with the caller as an argument of each call:
//! [`Memory::ledger`] and [`Memory::caller`] give both. The root has what most programs name;
//! the rest stands in modules: [`read`], [`write`](mod@write), [`forget`], [`copy`], [`prove`],
//! [`procedures`], [`compaction`], [`log`], [`storage`].
//!
//! | to do | call |
//! |---|---|
//! | write | [`Ledger::remember`], [`Ledger::remember_new`], [`Ledger::correct`], [`Ledger::change`], [`Ledger::import`] |
//! | ask | [`Ledger::checkout`], [`Ledger::recall`], [`Ledger::knows`], [`Ledger::novelty`] |
//! | review what waits | [`Ledger::review`]: propose, offer, list, judge |
//! | look around | [`Ledger::list`], [`Ledger::list_sessions`], [`Ledger::get`], [`Ledger::resolve`] |
//! | look at one record | [`Ledger::inspect`], [`Ledger::lineage`], [`Ledger::show`], [`Ledger::history`], [`Ledger::trace`], [`Ledger::taint`], [`Ledger::explain`] |
//! | say what a write ended | [`Ledger::ended_by`], [`Ledger::ended_since`] |
//! | prove | [`verify()`], [`prove::check_head`]; [`Ledger::audit`]: heads, receipts, state, summaries, replay |
//! | copy | [`Ledger::backup`], [`Ledger::export_jsonl`] |
//! | forget for good | [`Ledger::erasure`]: what goes, and the tombstones |
//! | choose policies | [`Ledger::policy`]: of salience, trust and writes |
//! | use a model's vectors | [`Ledger::vectors`] |
//! | summarise what is over | [`Ledger::compact`], [`compaction`] |
//! | start fast | [`Keeper`], [`Ledger::checkpoints`] |
//!
//! # Writes that wait
//!
//! `Ok` says that a write was written down, not that it holds: one may wait for review, or
//! only dispute what stands above its writer. [`Written::status`] tells.
//!
//! ```
//! # use memlith::{Caller, Judgement, Ledger, Options, Rank, Remember, Status};
//! # let dir = tempfile::tempdir().unwrap();
//! # let ledger = Ledger::create(dir.path().join("ledger"), Options::default())?;
//! let ana = Caller::user("acme", "ana");
//! let coder = Caller::new("acme", "coder", Rank::Assistant);
//! let port = |value| Remember::new(format!("It listens on {value}.")).single("api", "port", value);
//!
//! let old = ledger.remember(&ana, port("8080"))?;
//! let new = ledger.remember(&ana, port("9090"))?;
//! assert_eq!(new.superseded(), [old.id]);
//!
//! // What stands below the person displaces nothing: it waits until a person accepts it.
//! let claim = ledger.remember(&coder, port("7070"))?;
//! assert_eq!(claim.status(), Status::Waiting);
//! assert_eq!(ledger.show(&ana, new.id)?.disputed_by, [claim.id]);
//!
//! // What it writes for itself alone touches nothing of what all share.
//! let note = ledger.remember(&coder.clone().agent("coder"), port("6060"))?;
//! assert!(note.is_in_force() && note.superseded().is_empty());
//!
//! for waiting in ledger.review().waiting(&ana)? {
//!     let said = ledger.review().judge(&ana, Judgement::Accept, waiting.item.id, None)?;
//!     assert_eq!(said.superseded(), [new.id]);
//! }
//! # Ok::<(), memlith::Error>(())
//! ```
//!
//! # Errors
//!
//! Every error says what it calls for, [`Error::kind`]; a variant says what happened.
//!
//! ```
//! use memlith::{Error, ErrorKind, write::Rejection};
//! # use memlith::{Caller, Ledger, Options};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let ledger = Ledger::create(dir.path().join("ledger"), Options::default())?;
//! # let ana = Caller::user("acme", "ana");
//! # let deploy = ana.keyed("deploy 41");
//! # let _ = ledger.remember(&deploy, "Staging runs Postgres 15.")?;
//! match ledger.remember(&deploy, "Staging runs Postgres 16.") {
//!     Ok(written) if written.is_in_force() => {}
//!     Ok(written) => println!("{} waits for review", written.id),
//!     Err(Error::KeyReused { first }) => println!("the key is that of {first}"),
//!     Err(Error::Rejected(Rejection::PreviouslyInvalidated { id, .. })) => {
//!         println!("declared wrong before, as {id}");
//!     }
//!     Err(error) => match error.kind() {
//!         ErrorKind::Refused | ErrorKind::Usage => panic!("the call is wrong: {error}"),
//!         ErrorKind::Integrity => panic!("stop, and verify: {error}"),
//!         ErrorKind::Io => eprintln!("mend it, and try again: {error}"),
//!     },
//! }
//! # Ok::<(), memlith::Error>(())
//! ```
//!
//! # Threads and tasks
//!
//! A [`Ledger`] is cheap to clone and may be used by any number of threads. Calls block: a
//! program on tokio takes `AsyncMemory`, behind the feature `tokio`, which makes them on
//! blocking threads. One process opens a ledger once for writing.
//!
//! # The past, and proof
//!
//! ```
//! # use memlith::{Caller, CheckoutRequest, Ledger, Options, verify};
//! use memlith::prove::{HeadVerdict, Level, check_head};
//! use memlith::read::Verdict;
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let dir = folder.path().join("ledger");
//! # let ledger = Ledger::create(&dir, Options::default())?;
//! # let ana = Caller::user("acme", "ana");
//! let pune = ledger.remember(&ana, "Ana lives in Pune.")?;
//! let oslo = ledger.remember(&ana, "Ana lives in Oslo.")?;
//! let today = ledger.checkout(&ana, "where does Ana live?")?;
//! assert_eq!(today.pack.items[0].id, oslo.id);
//! let then = CheckoutRequest::new("where does Ana live?").as_of(pune.seq);
//! assert_eq!(ledger.checkout(&ana, then)?.pack.items[0].id, pune.id);
//!
//! let head = ledger.audit().head()?; // a line to keep where nobody who writes the files can reach
//! assert!(ledger.audit().receipts()?.iter().all(|one| one.verdict == Verdict::Reproduced));
//! ledger.close()?;
//! let report = verify(&dir, Level::Full)?;
//! assert!(report.is_ok());
//! assert_eq!(check_head(&dir, &report, &head)?, HeadVerdict::Holds);
//! # Ok::<(), memlith::Error>(())
//! ```
//!
//! Whole programs, each of which asserts what it says, lie in the repository's folder
//! `examples`: `embed`, `scopes` (agents and people), `review`, `time_travel`, `vectors`,
//! `audit`, `concurrent`, `support_bot` (with users, on tokio).

#[cfg(feature = "tokio")]
mod async_memory;
mod caller;
mod entry;
mod error;
mod fold;
mod keeper;
mod ledger;
mod memory;

#[doc(hidden)]
pub mod measured;
mod options;

pub mod compaction;
pub mod copy;
pub mod forget;
pub mod log;
pub mod procedures;
pub mod prove;
pub mod read;
mod step;
pub mod storage;
#[doc(hidden)]
pub mod transaction;
pub mod write;

pub use memlith_checkout::{Cited, Pack, for_people, for_prompt};
#[doc(hidden)]
pub use memlith_claims as claims;
pub use memlith_event::{Citation, Hints, Origin, Purpose, Rank, Scope, Slot, Validity};
pub use memlith_log::{Digest, LedgerId, RecordId, Seq, Timestamp};
pub use memlith_memory::{Authority, Change, Judgement, Remember};

#[cfg(feature = "tokio")]
pub use async_memory::AsyncMemory;
pub use caller::Caller;
pub use entry::Entry;
pub use error::{Error, ErrorKind, Result};
pub use keeper::Keeper;
pub use ledger::Ledger;
pub use memory::Memory;
pub use options::Options;
pub use prove::verify::verify;
pub use read::checkout::{AsOf, Checkout, CheckoutRequest, Question};
pub use step::Step;
pub use write::command::{Status, WriteOutcome, Written};
