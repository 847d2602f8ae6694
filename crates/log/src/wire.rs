//! How identifiers are written by serde: as text where people read it, as fixed
//! little-endian fields everywhere else.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Digest, LedgerId, RecordId, Seq, Timestamp};

impl Serialize for Seq {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Seq {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seq, D::Error> {
        u64::deserialize(deserializer).map(Seq)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        text_or(serializer, self, &self.0)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        parsed_or(deserializer, Timestamp::from_str, Timestamp)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        text_or(serializer, self, &self.0)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        parsed_or(deserializer, Digest::from_hex, Digest)
    }
}

impl Serialize for LedgerId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        text_or(serializer, self, &self.0)
    }
}

impl<'de> Deserialize<'de> for LedgerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LedgerId, D::Error> {
        parsed_or(deserializer, LedgerId::from_hex, LedgerId)
    }
}

impl Serialize for RecordId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        text_or(serializer, self, &(self.seq, self.hash))
    }
}

impl<'de> Deserialize<'de> for RecordId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RecordId, D::Error> {
        parsed_or(deserializer, RecordId::from_str, |(seq, hash)| RecordId { seq, hash })
    }
}

fn text_or<S: Serializer>(
    serializer: S,
    text: &impl Display,
    fields: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        serializer.collect_str(text)
    } else {
        fields.serialize(serializer)
    }
}

fn parsed_or<'de, D, T, F, E>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, E>,
    build: impl FnOnce(F) -> T,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    F: Deserialize<'de>,
    E: Display,
{
    if deserializer.is_human_readable() {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        parse(&text).map_err(D::Error::custom)
    } else {
        F::deserialize(deserializer).map(build)
    }
}
