//! What a text claims, and how it stands to what another claims, without a model.
//!
//! A [`Statement`] is a text taken apart once: its words, what must not differ between
//! two that say the same ([`Guard`]), and its [`Claim`]: entity, predicate and value.
//! [`compare`] says what a new statement is to one that stands, in the order of
//! `docs/model.md` section 4: exact text, slot, guards, likeness of meaning.
//!
//! English is understood. Whatever is not understood gives no claim, and nothing is
//! taken out on a guess: a wrong slot that supersedes is worse than none.
//!
//! It is pure and total: any text, in time linear in it, with the same answer on every
//! machine; no float, no clock, no table of words outside of this crate.
//!
//! ```
//! use memlith_claims::{Guard, Millionths, Statement, Thresholds, Verdict, compare};
//!
//! let old = Statement::of("Callback after 6pm suits the whole family");
//! let new = Statement::of("Callback before 6pm suits the whole family");
//! let alike = Some(Millionths(993_000));
//! let compared = compare(&old, &new, alike, &Thresholds::PUBLISHED);
//! assert_eq!(compared.verdict, Verdict::Contested);
//! assert_eq!(compared.differences[0].guard, Guard::Direction);
//! ```

mod claim;
mod compare;
mod feature;
mod grammar;
mod guard;
mod likeness;
mod millionths;
mod moment;
mod name;
mod normalise;
mod opposites;
mod person;
mod quantity;
mod relation;
mod statement;
mod thresholds;
mod token;

pub use self::claim::{About, Cardinality, Claim};
pub use self::compare::{Comparison, Reason, Verdict, compare};
pub use self::guard::{Difference, Guard};
pub use self::millionths::Millionths;
pub use self::normalise::normalised;
pub use self::person::is_first_person;
pub use self::relation::{Relation, Said, relation};
pub use self::statement::Statement;
pub use self::thresholds::Thresholds;
