//! Private files: small, of the owner alone, replaced whole.

mod private;

pub use private::{Replacing, check_room, hold, read, replace};
