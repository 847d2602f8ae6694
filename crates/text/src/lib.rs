//! Text taken apart: sentences, words, numbers, moments, persons and normal forms, one of each.
//!
//! Pure and total: any text, with the same answer on every machine. It knows no memory and no
//! meaning; English is what numbers, moments and persons are read in.

mod chat;
mod exact;
mod feature;
mod letter;
mod moment;
mod normalise;
mod own;
mod person;
mod quantity;
mod quotation;
mod said;
mod sentences;
mod stem;
mod token;
mod word;

pub use self::exact::{exact_values, is_exact};
pub use self::feature::{Feature, unmatched};
pub use self::moment::{is_of_its_day, moment_at};
pub use self::normalise::{normalised, squeezed};
pub use self::own::{own_sentences, own_words};
pub use self::person::is_first_person;
pub use self::quantity::Quantity;
pub use self::said::as_said;
pub use self::sentences::sentences;
pub use self::stem::{is_filler, snowball, stem};
pub use self::token::{Token, tokens};
pub use self::word::{Article, Sort, Word, singular};
