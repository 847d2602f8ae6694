use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Key, Text};

/// Actor of an event: its name, and with what authority it acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor<'a> {
    /// A name: a person, an agent, a program.
    #[serde(borrow)]
    pub name: Text<'a>,
    /// The authority the ledger's door gave it, never what it claims of itself.
    pub rank: Rank,
}

/// The text is the name of no rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a rank is engine, web, tool, assistant, user, reviewer or owner")]
pub struct ParseRankError;

/// The authority of an actor, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rank {
    /// The engine's own bookkeeping.
    Engine,
    /// Text from the web.
    Web,
    /// A tool's output, or a file.
    Tool,
    /// The assistant.
    Assistant,
    /// The person the assistant works for.
    User,
    /// One who holds the review right.
    Reviewer,
    /// The owner of the ledger.
    Owner,
}

impl<'a> Actor<'a> {
    /// An actor of the given name and rank.
    #[must_use]
    pub fn new(name: impl Into<Text<'a>>, rank: Rank) -> Actor<'a> {
        Actor { name: name.into(), rank }
    }

    /// The key of the actor's name.
    #[must_use]
    pub fn key(&self) -> Key {
        Key::of("actor", &[self.name.as_bytes()])
    }

    /// Copies the actor, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Actor<'static> {
        Actor { name: self.name.into_owned(), rank: self.rank }
    }
}

impl Rank {
    /// Every rank, lowest first.
    pub const ALL: [Rank; 7] = [
        Rank::Engine,
        Rank::Web,
        Rank::Tool,
        Rank::Assistant,
        Rank::User,
        Rank::Reviewer,
        Rank::Owner,
    ];

    /// The name under which it is given and printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rank::Engine => "engine",
            Rank::Web => "web",
            Rank::Tool => "tool",
            Rank::Assistant => "assistant",
            Rank::User => "user",
            Rank::Reviewer => "reviewer",
            Rank::Owner => "owner",
        }
    }

    /// The rank as a number: engine 0, web 1, tool and file 2, assistant 3, user 4,
    /// reviewer 5, owner 6.
    #[must_use]
    pub fn level(self) -> u8 {
        match self {
            Rank::Engine => 0,
            Rank::Web => 1,
            Rank::Tool => 2,
            Rank::Assistant => 3,
            Rank::User => 4,
            Rank::Reviewer => 5,
            Rank::Owner => 6,
        }
    }
}

impl FromStr for Rank {
    type Err = ParseRankError;

    fn from_str(name: &str) -> Result<Rank, ParseRankError> {
        Rank::ALL.into_iter().find(|rank| rank.name() == name).ok_or(ParseRankError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_read_by_the_name_it_is_written_with() {
        for (rank, level) in Rank::ALL.into_iter().zip(0..) {
            assert_eq!(rank.level(), level);
            assert_eq!(rank.name().parse(), Ok(rank));
            assert_eq!(serde_json::to_value(rank).unwrap(), rank.name());
        }
        assert_eq!("Owner".parse::<Rank>(), Err(ParseRankError));
    }
}
