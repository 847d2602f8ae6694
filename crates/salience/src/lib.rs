//! How strongly an item competes: salience in fixed point.

mod decimal;
mod fixed;

pub use decimal::Decimal;
pub use fixed::{HALF_LIFE_US, Log2};
