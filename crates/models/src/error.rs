use std::io;
use std::path::PathBuf;

/// The settings can't be used.
///
/// No variant carries a value of the file: people put keys into the wrong place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There is no file.
    #[error(
        "no model server is named: write {} with the lines\n\
         \n  endpoint = \"https://api.example.com/v1\"\
         \n  model = \"the-name-of-a-model\"\
         \n  key_env = \"THE_VARIABLE_WITH_THE_KEY\"\n\
         \nand, where wanted, fallback, timeout_s, calls_per_day, tokens_per_day and prompt",
        path.display()
    )]
    Missing {
        /// Where it is looked for.
        path: PathBuf,
    },
    /// A file can't be read.
    #[error("{} can't be read: see that it is there and yours", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is longer than it may be.
    #[error("{} is longer than {bytes_max} bytes: shorten it", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The bytes that it may have.
        bytes_max: u64,
    },
    /// The file is no TOML.
    #[error("{}, line {line}, is no TOML: {what}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault in the line, without its words.
        what: String,
    },
    /// The file has a key that means nothing.
    #[error("{} has the unknown key {key:?}: take it out, or correct it", path.display())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// A key is absent, or has a value that it can't have.
    #[error("{}: {key} has to be {wanted}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// The values that it may have.
        wanted: &'static str,
    },
    /// The key for the server isn't in the environment.
    #[error(
        "the variable {variable} has no key: set it to the server's key, or name another in key_env"
    )]
    NoKey {
        /// The variable that the settings name.
        variable: String,
    },
    /// The variable in the environment holds no key.
    #[error(
        "the variable {variable} holds no key: a key is of visible ASCII characters, without blanks"
    )]
    BadKey {
        /// The variable that the settings name.
        variable: String,
    },
}
