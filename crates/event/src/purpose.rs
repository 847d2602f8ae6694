use std::fmt;
use std::str::FromStr;

/// Purpose of a checkout: decides what it leaves out and which outcomes it learns from.
///
/// Source: Zaxy's twelve profiles. Receipts and outcomes state the name, never the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Purpose {
    /// Nothing in particular: nothing is left out for it, and nothing learned.
    #[default]
    General,
    /// Writing software.
    Coding,
    /// Judging what somebody made.
    Review,
    /// Handing something over to its users.
    Release,
    /// Keeping what is to be kept safe.
    Security,
    /// Finding out.
    Research,
    /// Helping somebody who uses a product.
    Support,
    /// Deciding what to make.
    Product,
    /// Offering it.
    Sales,
    /// Settling what is owed, allowed and agreed.
    Legal,
    /// Deciding for the whole.
    Executive,
    /// Working together.
    Coordinate,
}

/// A name that no purpose has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no purpose; the purposes are {}", names())]
pub struct UnknownPurpose {
    /// The name; at most its first 64 characters.
    pub name: String,
}

/// An error is no place for a document.
const NAME_CHARS_MAX: usize = 64;

impl Purpose {
    /// Every purpose, by code.
    pub const ALL: [Purpose; 12] = [
        Purpose::General,
        Purpose::Coding,
        Purpose::Review,
        Purpose::Release,
        Purpose::Security,
        Purpose::Research,
        Purpose::Support,
        Purpose::Product,
        Purpose::Sales,
        Purpose::Legal,
        Purpose::Executive,
        Purpose::Coordinate,
    ];

    /// The name under which it is chosen, printed and recorded.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Purpose::General => "general",
            Purpose::Coding => "coding",
            Purpose::Review => "review",
            Purpose::Release => "release",
            Purpose::Security => "security",
            Purpose::Research => "research",
            Purpose::Support => "support",
            Purpose::Product => "product",
            Purpose::Sales => "sales",
            Purpose::Legal => "legal",
            Purpose::Executive => "executive",
            Purpose::Coordinate => "coordinate",
        }
    }

    /// The purpose as a byte of folded state.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Purpose::General => 0,
            Purpose::Coding => 1,
            Purpose::Review => 2,
            Purpose::Release => 3,
            Purpose::Security => 4,
            Purpose::Research => 5,
            Purpose::Support => 6,
            Purpose::Product => 7,
            Purpose::Sales => 8,
            Purpose::Legal => 9,
            Purpose::Executive => 10,
            Purpose::Coordinate => 11,
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Purpose {
    type Err = UnknownPurpose;

    fn from_str(name: &str) -> Result<Purpose, UnknownPurpose> {
        let known = Purpose::ALL.into_iter().find(|purpose| purpose.name() == name);
        known.ok_or_else(|| UnknownPurpose { name: name.chars().take(NAME_CHARS_MAX).collect() })
    }
}

fn names() -> String {
    Purpose::ALL.map(Purpose::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_is_read_by_its_name_and_no_other() {
        for (purpose, code) in Purpose::ALL.into_iter().zip(0..) {
            assert_eq!(purpose.name().parse(), Ok(purpose));
            assert_eq!(purpose.code(), code);
        }
        for name in ["", "General", "general ", "gaming"] {
            let unknown = name.parse::<Purpose>().unwrap_err();
            let text = unknown.to_string();
            assert_eq!(unknown.name, name);
            assert!(Purpose::ALL.iter().all(|purpose| text.contains(purpose.name())), "{text}");
        }
        assert_eq!("x".repeat(9_000).parse::<Purpose>().unwrap_err().name.len(), 64);
    }
}
