//! Private files: small, of the owner alone, replaced whole.

mod private;

pub use private::{Replacing, hold, read, replace};
