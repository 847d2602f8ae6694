//! Takes out of a text what it claims, and compares it with what another claims, without a model.
//!
//! A [`Statement`] is a text taken apart once: its words, what must not differ between
//! two that say the same ([`Guard`]), and its [`Claim`]: entity, predicate and value.
//! [`Statement::veto`] says what keeps two from being the same, and [`verdict`] what a new
//! sentence makes of an older one.
//!
//! English is understood. Whatever is not understood gives no claim, and nothing is
//! taken out on a guess: a wrong slot that supersedes is worse than none.
//!
//! It is pure and total: any text, in time linear in it, with the same answer on every
//! machine; no float, no clock, no table of words outside of this crate.
//!
//! ```
//! use memlith_claims::{Guard, Statement};
//!
//! let old = Statement::of("Callback after 6pm suits the whole family");
//! let new = Statement::of("Callback before 6pm suits the whole family");
//! assert_eq!(old.veto(&new), Some(Guard::Direction));
//! ```

mod claim;

mod grammar;
mod guard;

mod name;

mod opposites;

mod statement;
mod verdict;

pub use self::claim::{About, Cardinality, Claim};
pub use self::guard::Guard;
pub use self::statement::Statement;
pub use self::verdict::{Instruction, Parsed, Said, Verdict, is_not_to_be_kept, verdict};
