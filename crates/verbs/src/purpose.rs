use clap::builder::{PossibleValuesParser, TypedValueParser};
use memlith::Purpose;

/// Reads a purpose by its name; the help and the error of a wrong one list all of them.
pub(crate) fn parser() -> impl TypedValueParser<Value = Purpose> {
    PossibleValuesParser::new(Purpose::ALL.map(Purpose::name))
        .try_map(|name| name.parse::<Purpose>())
}

/// Takes a purpose out of a request in JSON.
#[cfg(feature = "schema")]
pub(crate) fn given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Purpose, D::Error> {
    Ok(crate::given::text(from)?.unwrap_or_default())
}
