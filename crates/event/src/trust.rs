use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Rank;

/// Source of the words of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A person.
    User,
    /// The assistant.
    Assistant,
    /// A tool's output.
    Tool,
    /// Text fetched from the web.
    Web,
    /// The contents of a file.
    File,
    /// The engine or a model, from other items.
    Derived,
}

/// The text is the name of no origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an origin is user, assistant, tool, web, file or derived")]
pub struct ParseOriginError;

/// How it came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// Written while it happened.
    Live,
    /// Written by a hook of the agent's host.
    Hook,
    /// Read from a transcript or another store.
    Import,
}

/// How far the source of an item is trusted: 1 (web) to 4 (user).
///
/// Fixed when the item is written, from origin and via alone: never from content,
/// never changed later, by review neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Tier(pub u8);

impl Origin {
    /// Every origin, by code.
    pub const ALL: [Origin; 6] =
        [Origin::User, Origin::Assistant, Origin::Tool, Origin::Web, Origin::File, Origin::Derived];

    /// The name under which it is given and printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Origin::User => "user",
            Origin::Assistant => "assistant",
            Origin::Tool => "tool",
            Origin::Web => "web",
            Origin::File => "file",
            Origin::Derived => "derived",
        }
    }

    /// The highest tier that this origin can have; that of a derived item is the least
    /// of its sources', so it has no cap of its own.
    #[must_use]
    pub fn cap(self) -> Tier {
        match self {
            Origin::User | Origin::Derived => Tier::USER,
            Origin::Assistant => Tier(3),
            Origin::Tool | Origin::File => Tier(2),
            Origin::Web => Tier(1),
        }
    }

    /// The origin as a byte of folded state.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Origin::User => 0,
            Origin::Assistant => 1,
            Origin::Tool => 2,
            Origin::Web => 3,
            Origin::File => 4,
            Origin::Derived => 5,
        }
    }

    /// The origin that [`Origin::code`] gives `code`; an unknown one is the least trusted.
    #[must_use]
    pub fn from_code(code: u8) -> Origin {
        match code {
            0 => Origin::User,
            1 => Origin::Assistant,
            2 => Origin::Tool,
            4 => Origin::File,
            5 => Origin::Derived,
            _ => Origin::Web,
        }
    }
}

impl FromStr for Origin {
    type Err = ParseOriginError;

    fn from_str(name: &str) -> Result<Origin, ParseOriginError> {
        Origin::ALL.into_iter().find(|origin| origin.name() == name).ok_or(ParseOriginError)
    }
}

impl Via {
    /// The name under which it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Via::Live => "live",
            Via::Hook => "hook",
            Via::Import => "import",
        }
    }
}

impl Tier {
    /// The tier of what a person said.
    pub const USER: Tier = Tier(4);

    /// The tier of a primary item: the least of its origin's cap and its channel's.
    ///
    /// `cap` is the importer's, where it trusts its source less than 4. Owner and
    /// reviewer write at tier 4, whatever the origin.
    #[must_use]
    pub fn of(origin: Origin, cap: Option<u8>, rank: Rank) -> Tier {
        match rank {
            Rank::Reviewer | Rank::Owner => Tier::USER,
            Rank::Engine | Rank::Web | Rank::Tool | Rank::Assistant | Rank::User => {
                origin.cap().min(Tier(cap.unwrap_or(Tier::USER.0)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_is_the_least_cap() {
        for (origin, cap, rank, tier) in [
            (Origin::User, None, Rank::User, 4),
            (Origin::User, Some(2), Rank::User, 2),
            (Origin::Assistant, None, Rank::Assistant, 3),
            (Origin::File, Some(4), Rank::Tool, 2),
            (Origin::Web, None, Rank::Web, 1),
            (Origin::Web, Some(1), Rank::Owner, 4),
        ] {
            assert_eq!(Tier::of(origin, cap, rank), Tier(tier), "{origin:?}");
        }
    }

    #[test]
    fn codes_round_trip() {
        for (origin, code) in Origin::ALL.into_iter().zip(0..) {
            assert_eq!((Origin::from_code(code), origin.code()), (origin, code));
        }
    }

    #[test]
    fn what_is_named_is_written_and_read_by_its_name() {
        for origin in Origin::ALL {
            assert_eq!(origin.name().parse(), Ok(origin));
            assert_eq!(serde_json::to_value(origin).unwrap(), origin.name());
        }
        assert_eq!("User".parse::<Origin>(), Err(ParseOriginError));
        for via in [Via::Live, Via::Hook, Via::Import] {
            assert_eq!(serde_json::to_value(via).unwrap(), via.name());
        }
    }
}
