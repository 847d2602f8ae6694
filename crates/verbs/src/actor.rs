//! Actor of a call, as `--as` takes it.

use std::fmt;
use std::str::FromStr;

use memlith::Rank;

/// The rank and the name of one who acts, as `user:ana`, `assistant`, `owner`.
///
/// A person that isn't named has the name of the operating system's user; a program has
/// that of its rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorArg {
    /// The rank.
    pub rank: Rank,
    /// The name; empty where nobody is named.
    pub name: String,
}

impl Default for ActorArg {
    fn default() -> ActorArg {
        ActorArg { rank: Rank::User, name: person() }
    }
}

impl fmt::Display for ActorArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.rank.name(), self.name)
    }
}

impl FromStr for ActorArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ActorArg, String> {
        let (rank, name) = match text.split_once(':') {
            Some((rank, name)) => (rank, Some(name)),
            None => (text, None),
        };
        // The engine's own rank is nobody's.
        let known = rank.parse().ok().filter(|rank| *rank != Rank::Engine);
        let rank = known.filter(|_| name != Some("")).ok_or_else(|| {
            "an actor is user, assistant, tool, web, reviewer or owner, \
             and can have a name: user:ana"
                .to_owned()
        })?;
        let name = name.map(str::to_owned).unwrap_or_else(|| match rank {
            Rank::User | Rank::Reviewer | Rank::Owner => person(),
            Rank::Engine | Rank::Web | Rank::Tool | Rank::Assistant => rank.name().to_owned(),
        });
        Ok(ActorArg { rank, name })
    }
}

fn person() -> String {
    crate::environment::user().unwrap_or_else(|| "user".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_can_have_a_name() {
        let parse = |text: &str| text.parse::<ActorArg>();
        assert_eq!(parse("user:ana"), Ok(ActorArg { rank: Rank::User, name: "ana".to_owned() }));
        assert_eq!(parse("tool:git").map(|actor| actor.to_string()), Ok("tool:git".to_owned()));
        assert_eq!(parse("tool").map(|actor| actor.name), Ok("tool".to_owned()));
        for text in ["", "ana", "user:", "engine", "Owner"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
