use clap::builder::{PossibleValuesParser, TypedValueParser};
use memlith::Purpose;

/// Reads a purpose by its name; the help and the error of a wrong one list all of them.
pub(crate) fn parser() -> impl TypedValueParser<Value = Purpose> {
    PossibleValuesParser::new(Purpose::ALL.map(Purpose::name))
        .try_map(|name| name.parse::<Purpose>())
}
