use std::fmt;
use std::str::FromStr;

use memlith::copy::Format;

/// A coding agent that calls hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

impl Client {
    /// Every client.
    pub const ALL: [Client; 2] = [Client::ClaudeCode, Client::Codex];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::Codex => "codex",
        }
    }

    /// The format of its transcripts.
    pub(crate) fn format(self) -> Format {
        match self {
            Client::ClaudeCode => Format::ClaudeCode,
            Client::Codex => Format::Codex,
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Client {
    type Err = String;

    fn from_str(name: &str) -> Result<Client, String> {
        let known = Client::ALL.into_iter().find(|client| client.name() == name);
        known.ok_or_else(|| "a client is claude-code or codex".to_owned())
    }
}
