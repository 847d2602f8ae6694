//! Sixteen random bytes as text for people, and as bytes in a body.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{CheckoutId, IdempotencyKey};

macro_rules! as_hex {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.collect_str(self)
                } else {
                    self.0.serialize(serializer)
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                if !deserializer.is_human_readable() {
                    return <[u8; 16]>::deserialize(deserializer).map($name);
                }
                let text = String::deserialize(deserializer)?;
                let refused = || serde::de::Error::custom("expected 32 lower-case hex digits");
                unhex(&text).map($name).ok_or_else(refused)
            }
        }
    };
}

as_hex!(CheckoutId);
as_hex!(IdempotencyKey);

fn unhex(text: &str) -> Option<[u8; 16]> {
    let lower = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let whole = text.len() == 32 && text.bytes().all(lower);
    let number = u128::from_str_radix(text, 16).ok().filter(|_| whole)?;
    Some(number.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_hex_digits_and_bodies_hold_bytes() {
        let id = CheckoutId(*b"0123456789:;<=>?");
        let text = "\"303132333435363738393a3b3c3d3e3f\"";
        assert_eq!(serde_json::to_string(&id).unwrap(), text);
        assert_eq!(serde_json::to_string(&IdempotencyKey(id.0)).unwrap(), text);
        assert_eq!(serde_json::from_str::<CheckoutId>(text).unwrap(), id);
        for text in ["\"30\"", "\"303132333435363738393A3B3C3D3E3F\"", "[48]", "\"+03132\""] {
            assert!(serde_json::from_str::<IdempotencyKey>(text).is_err(), "{text}");
        }
        let config = bincode::config::legacy();
        assert_eq!(bincode::serde::encode_to_vec(id, config).unwrap(), id.0);
        let read = bincode::serde::decode_from_slice::<IdempotencyKey, _>(&id.0, config);
        assert_eq!(read.unwrap().0, IdempotencyKey(id.0));
    }
}
