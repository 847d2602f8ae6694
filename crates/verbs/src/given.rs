//! Values of requests in JSON, read as the command line reads them.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize as _, Deserializer, de::Error as _};

/// Takes a text, if there is one, and parses it.
pub(crate) fn by<'de, D: Deserializer<'de>, T>(
    from: D,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| parse(&text).map_err(D::Error::custom)).transpose()
}

/// Takes a value that parses itself.
pub(crate) fn text<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    by(from, |text| text.parse().map_err(|error: T::Err| error.to_string()))
}
