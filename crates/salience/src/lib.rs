//! How strongly an item competes: salience in fixed point, as a fold of the log.
//!
//! An item starts at salience 1 at its own time and halves every 30 days. Events
//! multiply it: shown, confirmed, promoted, invalidated. What the loop itself adds
//! (being shown, the assistant's own word) is bounded to one doubling between two
//! pieces of evidence from outside, so nothing keeps itself alive.
//!
//! Everything is a base-2 logarithm in 64-bit integers ([`Log2`]). The fold keeps a
//! *level* that time doesn't change ([`Salience::level`]); reading it at an instant is a
//! subtraction, and the order of items never has to be computed anew. The rules are in
//! `docs/model.md`, "Salience".
//!
//! ```
//! use memlith_log::Timestamp;
//! use memlith_salience::{Change, Entry, Log2};
//!
//! let day = |count| Timestamp(count * Timestamp::DAY_US);
//! let item = Entry::born(day(0)).after(Change::Surfaced, None, day(0)).entry;
//! let item = item.after(Change::Surfaced, None, day(0)).entry;
//! assert_eq!(item.level.shown(day(0)).to_string(), "1.1025");
//! assert_eq!(item.level.shown(day(30)).to_string(), "0.55125");
//! ```

mod change;
mod claim;
mod decimal;
mod entry;
mod explanation;
mod fixed;
mod leg;
mod mirror;
mod reading;
mod salience;
mod touched;
mod weight;
mod wire;

pub use change::{Change, Sort};
pub use claim::{Act, Claim, Unmoved};
pub use decimal::Decimal;
pub use entry::{Entry, Moved};
pub use explanation::{Effect, Explanation, Step, Trace};
pub use fixed::{HALF_LIFE_US, Log2};
pub use leg::Leg;
pub use reading::{Multiplier, Order};
pub use salience::Salience;
pub use weight::PredictionError;
