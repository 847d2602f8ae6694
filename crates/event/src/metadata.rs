use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Text;

/// Pairs of key and value that a program keeps beside a memory, ascending by key, each key once.
///
/// Nothing reads them but the program: they are not searched, not compared, and in no pack.
/// In bytes they are a list of pairs, in JSON an object.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Metadata<'a>(Vec<(Text<'a>, Text<'a>)>);

impl<'a> Metadata<'a> {
    /// Maximum number of pairs.
    pub const PAIRS_MAX: usize = 64;

    /// Maximum number of bytes of all keys and values.
    pub const BYTES_MAX: usize = 64 << 10;

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pairs, ascending by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Copies the pairs into a map.
    #[must_use]
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// Visits each key and each value; of keys that become equal, the last one stays.
    pub(crate) fn each_text_mut(&mut self, visit: &mut dyn FnMut(&mut Text<'_>)) {
        let mut visited = BTreeMap::new();
        for (mut key, mut value) in std::mem::take(&mut self.0) {
            visit(&mut key);
            visit(&mut value);
            visited.insert(key, value);
        }
        self.0 = visited.into_iter().collect();
    }
}

impl From<&BTreeMap<String, String>> for Metadata<'static> {
    fn from(map: &BTreeMap<String, String>) -> Metadata<'static> {
        let pairs = map.iter().map(|(key, value)| (key.clone().into(), value.clone().into()));
        Metadata(pairs.collect())
    }
}

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)));
        }
        self.0.serialize(serializer)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Metadata<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Metadata<'a>, D::Error> {
        if deserializer.is_human_readable() {
            let map = BTreeMap::<Text<'a>, Text<'a>>::deserialize(deserializer)?;
            return Ok(Metadata(map.into_iter().collect()));
        }
        let pairs = Vec::<(Text<'a>, Text<'a>)>::deserialize(deserializer)?;
        if !pairs.is_sorted_by(|(one, _), (other, _)| one < other) {
            return Err(D::Error::custom("the keys don't ascend"));
        }
        Ok(Metadata(pairs))
    }
}
