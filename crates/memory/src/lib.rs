//! Fold of what exists in a ledger, and with what authority.
//!
//! [`Memory`] is the fold: records and memories, their statuses, slots, ends,
//! justifications and disputes. [`Memory::decide`] is the door before the log: it
//! turns a [`Command`] into the events to append, or refuses it with a
//! [`Rejection`]. [`Memory::authority`] answers, for any instant, whether an item
//! may be shown and why not.
//!
//! Authority says whether an item may be shown; how strongly it competes is
//! salience's business. No amount of salience buys authority back.
//!
//! `docs/model.md` is normative.

mod assertion;
mod authority;
mod cascade;
mod chosen;
mod closing;
mod command;
mod contest;
mod contrary;
mod decide;
mod dispute;
mod elsewhere;
mod embedding;
mod ending;
mod fold;
mod item;
mod justification;
mod known_key;
mod likeness;
mod memory;
mod moved_pin;
mod outcomes;
mod pins;
mod policy;
mod procedure;
mod proposal;
mod quorum;
mod reconcile;
mod rejection;
mod report;
mod review;
mod rollback;
mod slot_key;
mod slot_row;
mod summary;
#[cfg(test)]
mod tests;
mod tombstone;
mod touch;
mod weighed;
mod wording;

pub use assertion::Assertion;
pub use authority::Authority;
pub use command::{Change, Command, Door, Remember, Summarise};
pub use elsewhere::Remark;
pub use item::{Item, ItemFlags};
pub use likeness::Likeness;
pub use memory::{Memory, Sight};
pub use outcomes::Tally;
pub use policy::Visibility;
pub use procedure::ProposedProcedure;
pub use rejection::Rejection;
pub use report::TaskReport;
pub use review::{Judgement, Taken};
pub use slot_key::owner_of;
pub use summary::SOURCES_MAX;
pub use tombstone::TombstoneKeyUse;
