//! The read path: a view, a query and an instant give a bounded, cited pack.
//!
//! [`checkout`] finds what may be shown and answers the query, ranks it by relevance
//! and salience, and packs one excerpt of each item up to a budget; [`recall`] lists the
//! same order without a budget. Every item says where it stands in the log
//! ([`memlith_event::Citation`]) and why it is there ([`Why`]); what was found and isn't
//! shown is listed with the reason.
//!
//! A pack comes with its receipt: everything it depended on. [`reproduce`] makes it again
//! and says whether it is the same.
//!
//! [`knows`] says whether there is anything on a question, and reads no words for it.
//!
//! [`for_prompt`] writes items as data that a language model can tell from instructions,
//! whatever stands in them; [`for_people`] writes them for a terminal.
//!
//! Nothing here can change anything. `docs/model.md` is normative.

mod asked;
mod asked_of;
mod attenuation;
mod bodies;
mod candidate;
mod checkout;
mod cited;
mod counter;
mod error;
mod escape;
mod evidence;
mod excerpt;
mod find;
mod floor;
mod hinted;
mod history;
mod knows;
mod learned;
mod lifted;
mod merged;
mod newer;
mod newest;
mod novelty;
mod passage;
mod prompt;
mod purpose;
mod receipt;
mod reproduce;
mod request;
mod spoken;
mod standing;
mod terminal;
mod terms;
#[cfg(test)]
mod tests;
mod told;
mod view;
mod walk;

pub use asked_of::AskedOf;
pub use bodies::Bodies;
pub use checkout::{Excluded, Pack, checkout, recall};
pub use cited::{Cited, Why};

pub use counter::{QuarterBytes, TokenCounter};
pub use error::Error;
pub use evidence::Evidence;
pub use excerpt::{EXCERPT_TOKENS_MAX, Excerpt};
pub use hinted::Hinted;
pub use history::Former;
pub use knows::{Knowledge, knows};
pub use learned::Learned;
pub use merged::{Weighed, WeighedPack, merge, merge_packs};
pub use newest::{Statement, newer_of};
pub use novelty::{COMPARED_MAX, Noted, Novelty, novelty};
pub use prompt::{Prompt, PromptLine, for_prompt, inert};
pub use receipt::{RENDER, SCORER};
pub use reproduce::{Verdict, reproduce};
pub use request::{Ask, Request};
pub use terminal::for_people;
pub use view::{Head, View};
