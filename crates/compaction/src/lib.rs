//! Compaction: summaries of what is over, that cite everything they stand for.
//!
//! [`plan()`] cuts the items of a ledger into spans, and gives of every closed one a
//! [`Summary`]: all of its sources, what they name, and a few excerpts in their own words.
//! Nothing is generated and nothing is deleted. [`audit()`] reads everything again, slowly and
//! by other means, and says what a summary keeps of its span.
//!
//! A plan is a pure function of a [`View`], the items' words ([`Bodies`]) and [`Rules`]. It
//! is stable: a closed span never changes, and neither does the identity of its summary, as
//! long as its sources are the same. ADR 0015 says why exemplars are chosen as they are.
//!
//! ```
//! use std::borrow::Cow;
//! use std::collections::{BTreeMap, BTreeSet};
//!
//! use memlith_compaction::{
//!     Authority, Bodies, Digest, Item, Key, Log2, OwnStatus, RecordId, Rules, Seq,
//!     SessionEnd, Sort, Tier, View, Words, audit, plan,
//! };
//!
//! struct Texts(BTreeMap<RecordId, &'static str>);
//! impl Bodies for Texts {
//!     fn read(&self, id: RecordId) -> Option<Words<'_>> {
//!         let text = Cow::Borrowed(*self.0.get(&id)?);
//!         Some(Words { text, entity: None })
//!     }
//! }
//!
//! let (cell, session) = (Key::of("cell", &[b"home"]), Key::of("session", &[b"monday"]));
//! let said = ["The build of `api` fails on Windows.", "It fails on Windows again.", "Lunch?"];
//! let items: Vec<Item> = (1_u8..).take(3).map(|number| Item {
//!     seq: Seq(number.into()),
//!     hash: Digest([number; 32]),
//!     sort: Sort::Record,
//!     cell,
//!     session: Some(session),
//!     session_only: false,
//!     own: OwnStatus::Active,
//!     label: Authority::Active,
//!     derived: false,
//!     tier: Tier(4),
//!     level: Log2::ZERO,
//! }).collect();
//! let texts = Texts(items.iter().map(Item::id).zip(said).collect());
//! let ends = [SessionEnd { session, at: Seq(4) }];
//! let view = View { seq: Seq(4), items: &items, ends: &ends, written: &BTreeSet::new() };
//!
//! let plan = plan(&view, &texts, &Rules { sources_min: 2, ..Rules::default() })?;
//! let summary = &plan.summaries[0];
//! assert_eq!(summary.sources.len(), 3);
//! assert_eq!(summary.exemplars[0].text, "The build of `api` fails on Windows.");
//! let audit = audit(&view, &texts, &summary.body(), Seq(5));
//! assert!(audit.findings.is_empty());
//! assert_eq!((audit.cited.part, audit.cited.whole), (3, 3));
//! println!("{}", summary.text());
//! # Ok::<(), memlith_compaction::Error>(())
//! ```

mod audit;
mod coverage;
mod error;
mod exemplars;
mod finding;
mod identity;
mod item;
mod lists;
mod plan;
mod reason;
mod rules;
mod span;
mod summarised;
mod summary;
#[cfg(test)]
mod tests;
mod view;
mod vocabulary;
mod weight;
mod window;
mod words;

pub use memlith_event::{IdentityKind, Key, OwnStatus, Tier};
pub use memlith_log::{Digest, LedgerId, RecordId, Seq};
pub use memlith_memory::Authority;
pub use memlith_salience::Log2;

pub use audit::{Audit, PlanAudit, Share, audit, audit_plan};
pub use error::Error;
pub use exemplars::{COVERED_PERCENT, PRESERVED_PERCENT};
pub use finding::{FINDINGS_MAX, Finding};
pub use identity::{IDENTITIES_MAX, IDENTITY_BYTES_MAX, Identity};
pub use item::{Item, Sort};
pub use plan::{Passed, PassedOver, Plan, Work, plan};
pub use reason::Reason;
pub use rules::{
    EXCERPT_TOKENS_MAX, EXCERPT_TOKENS_MIN, EXEMPLARS_MAX, Rules, SPAN_ITEMS_MAX, SUMMARY_BYTES_MAX,
};
pub use span::{Group, ITEMS_MAX, SpanId};
pub use summarised::{ALGORITHM, Summarised};
pub use summary::{Excluded, Exemplar, Source, Summary, SummaryId};
pub use view::{Bodies, SessionEnd, View, Words};
