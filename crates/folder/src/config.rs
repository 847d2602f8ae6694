//! How a folder is rendered.

use memlith::Timestamp;

/// The form of a folder that is rendered, and the instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The form of the files.
    pub form: Form,
    /// The client that reads them.
    pub reader: Reader,
    /// The instant at which it is rendered. Only what is older than [`Config::days_max`] depends
    /// on it.
    pub now: Timestamp,
    /// The most sessions of the folder; the newest ones stay.
    pub sessions_max: usize,
    /// Sessions without any evidence in so many days are left out; 0 keeps all.
    pub days_max: u32,
}

/// The form of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The current one: the summary begins with `v1`.
    #[default]
    Current,
    /// The one before: no `v1`, a longer summary, the latest session first.
    Seed,
}

/// The client that reads the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// Codex: the whole folder.
    #[default]
    Codex,
    /// Claude Code: one `MEMORY.md` of at most 200 lines and 25 KB.
    ClaudeCode,
}

impl Config {
    /// The default folder at an instant: the current form, the newest 256 sessions of any age.
    #[must_use]
    pub fn at(now: Timestamp) -> Config {
        Config { form: Form::Current, reader: Reader::Codex, now, sessions_max: 256, days_max: 0 }
    }
}

impl Form {
    /// The most bytes of the summary: 2,500 and 5,000 tokens of 4 bytes.
    #[must_use]
    pub fn summary_bytes(self) -> usize {
        match self {
            Form::Current => 10_000,
            Form::Seed => 20_000,
        }
    }

    /// The most words of the profile.
    #[must_use]
    pub fn profile_words(self) -> usize {
        match self {
            Form::Current => 350,
            Form::Seed => 500,
        }
    }

    /// The word for it on the command line and in the manifest.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Form::Current => "current",
            Form::Seed => "seed",
        }
    }
}

impl Reader {
    /// The word for it on the command line and in the manifest.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Reader::Codex => "codex",
            Reader::ClaudeCode => "claude-code",
        }
    }
}
