use std::fmt;
use std::str::FromStr;

/// A format that can be imported. It is named by the caller, never guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A log of Zaxy: Eventloom version 1, or the flat shape before it.
    Eventloom,
    /// A session transcript of Claude Code.
    ClaudeCode,
    /// A session rollout of Codex.
    Codex,
    /// The LoCoMo dialogues (Maharana et al., ACL 2024).
    Locomo,
    /// Messages of conversations, one JSON object a line.
    Messages,
}

/// The text names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a format; formats are eventloom, claude-code, codex, locomo, messages")]
pub struct UnknownFormat {
    /// The offending text, at most 64 characters of it.
    pub name: String,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 5] =
        [Format::Eventloom, Format::ClaudeCode, Format::Codex, Format::Locomo, Format::Messages];

    /// The name on the command line and in keys; stable.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Eventloom => "eventloom",
            Format::ClaudeCode => "claude-code",
            Format::Codex => "codex",
            Format::Locomo => "locomo",
            Format::Messages => "messages",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let unknown = || UnknownFormat { name: name.chars().take(64).collect() };
        Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("zaxy".parse::<Format>().is_err());
    }
}
