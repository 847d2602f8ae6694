use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::{Table, Value};

use crate::book::Caps;
use crate::error::SettingsError;
use crate::provider::{Models, Provider};
use memlith_http::Endpoint;

/// Server or client that is asked, and the limits of a day. A server is named by `writeback.toml`
/// in the ledger's folder; the limits of another [`Provider`] are read of a file of that name among a person's
/// settings, which has none of the keys that name a server.
///
/// | key | means | if absent |
/// |---|---|---|
/// | `endpoint` | the server's address; `http` on the loopback alone | required |
/// | `model` | the model that is asked first, a cheap one | required |
/// | `fallback` | the model that is asked where the first is refused | none |
/// | `key_env` | the variable that has the server's key | no key is sent |
/// | `timeout_s` | limit of one call, 1 to 600 | 60 |
/// | `calls_per_day` | calls in a day of UTC | 200 |
/// | `tokens_per_day` | tokens in a day, of questions and replies | 1,000,000 |
/// | `prompt` | a file whose text replaces the instructions, from the ledger's folder | none |
///
/// Invariant: every value was checked; none of them is a secret.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) provider: Provider,
    pub(crate) key_env: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) caps: Caps,
    pub(crate) prompt: Option<PathBuf>,
    pub(crate) instructions: Option<String>,
}

/// Maximum length of the settings and of the instructions in bytes.
const FILE_BYTES_MAX: u64 = 16 << 10;

/// Maximum length of a text in the settings in bytes.
const WORD_BYTES_MAX: usize = 1_024;

const TIMEOUTS_S: RangeInclusive<u64> = 1..=600;
const TIMEOUT_S: u64 = 60;
const CLIENT_TIMEOUT_S: u64 = 180;
const TERMS_CONTEXT: &str = "memlith-connect 2026-11-28 what a person agrees to";
const CALLS_PER_DAY: u64 = 200;
const TOKENS_PER_DAY: u64 = 1_000_000;

impl Settings {
    /// The file's name, in the ledger's folder.
    pub const FILE: &str = "writeback.toml";

    /// Reads the settings of the ledger in the folder `ledger`.
    ///
    /// # Errors
    /// [`SettingsError`]: the file, or what is wrong in it.
    pub fn load(ledger: &Path) -> Result<Settings, SettingsError> {
        let path = ledger.join(Settings::FILE);
        let text = text_of(&path)?.ok_or_else(|| SettingsError::Missing { path: path.clone() })?;
        let mut keys = Keys::of(path, &text)?;
        let endpoint = keys.word("endpoint", "an address")?.unwrap_or_default();
        let endpoint = Endpoint::parse(&endpoint);
        let endpoint = endpoint.map_err(|wanted| keys.invalid("endpoint", wanted))?;
        let model = keys.word("model", MODEL)?.ok_or_else(|| keys.invalid("model", MODEL))?;
        let fallback = keys.word("fallback", MODEL)?;
        let key_env = keys.word("key_env", VARIABLE)?;
        if key_env.as_deref().is_some_and(|name| !is_variable(name)) {
            return Err(keys.invalid("key_env", VARIABLE));
        }
        let (timeout, caps) = keys.limits(TIMEOUT_S)?;
        let prompt = keys.word("prompt", "the path of a text")?.map(|path| ledger.join(path));
        keys.end()?;
        let instructions = prompt.as_deref().map(instructions).transpose()?;
        let names = std::iter::once(model).chain(fallback).collect();
        let provider = Provider::Server(Models { endpoint, names });
        Ok(Settings { provider, key_env, timeout, caps, prompt, instructions })
    }

    /// The settings of a provider that needs no file; its limits are those of the file in the
    /// folder `person`, where there is one.
    ///
    /// # Errors
    /// [`SettingsError`]: what is wrong in the file.
    pub fn of(provider: Provider, person: Option<&Path>) -> Result<Settings, SettingsError> {
        let path = person.map(|folder| folder.join(Settings::FILE)).unwrap_or_default();
        let text = if person.is_some() { text_of(&path)? } else { None };
        let mut keys = Keys::of(path, &text.unwrap_or_default())?;
        let timeout_s = match provider {
            Provider::Client(_) => CLIENT_TIMEOUT_S,
            Provider::Server(_) => TIMEOUT_S,
        };
        let (timeout, caps) = keys.limits(timeout_s)?;
        keys.end()?;
        let (key_env, prompt, instructions) = (None, None, None);
        Ok(Settings { provider, key_env, timeout, caps, prompt, instructions })
    }

    /// The provider that is asked.
    #[must_use]
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// A digest of what a person agrees to: who is asked, the variable whose key is sent, and the
    /// file that is sent as instructions. Another model of one server is no other agreement.
    #[must_use]
    pub fn terms(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key(TERMS_CONTEXT);
        let prompt = self.prompt().map(|path| path.display().to_string()).unwrap_or_default();
        let provider = self.provider.to_string();
        for part in [&provider, self.key_env().unwrap_or_default(), &prompt] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The variable that has the server's key.
    #[must_use]
    pub fn key_env(&self) -> Option<&str> {
        self.key_env.as_deref()
    }

    /// The file with the instructions.
    #[must_use]
    pub fn prompt(&self) -> Option<&Path> {
        self.prompt.as_deref()
    }

    /// Calls and tokens that a day may take.
    #[must_use]
    pub fn caps(&self) -> (u64, u64) {
        (self.caps.calls, self.caps.tokens)
    }
}

const MODEL: &str = "the name of a model";
const VARIABLE: &str = "the name of a variable, of capital letters, digits and _";
const COUNT: &str = "a number, 0 or more";

/// Whether it is a variable's name, and not a key that was put in its place.
fn is_variable(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.chars().all(fits) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn text_of(path: &Path) -> Result<Option<String>, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable { path: path.to_owned(), source };
    let bytes = memlith_files::read(path, FILE_BYTES_MAX).map_err(|error| {
        if error.kind() == ErrorKind::FileTooLarge {
            return SettingsError::TooLong { path: path.to_owned(), bytes_max: FILE_BYTES_MAX };
        }
        unreadable(error)
    })?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| unreadable(std::io::Error::new(ErrorKind::InvalidData, "it is no UTF-8")))
}

fn instructions(path: &Path) -> Result<String, SettingsError> {
    text_of(path)?.ok_or_else(|| SettingsError::Unreadable {
        path: path.to_owned(),
        source: ErrorKind::NotFound.into(),
    })
}

/// The keys of the file that were not looked at yet.
struct Keys {
    path: PathBuf,
    table: Table,
}

impl Keys {
    fn of(path: PathBuf, text: &str) -> Result<Keys, SettingsError> {
        match text.parse::<Table>() {
            Ok(table) => Ok(Keys { path, table }),
            Err(error) => {
                // The error's own text would show the line, and a key that stands in it.
                let before = error.span().and_then(|span| text.get(..span.start));
                let line = before.unwrap_or_default().matches('\n').count().saturating_add(1);
                let what = error.message().lines().next().unwrap_or_default().to_owned();
                Err(SettingsError::Syntax { path, line, what })
            }
        }
    }

    /// A text of one line.
    fn word(
        &mut self,
        key: &'static str,
        wanted: &'static str,
    ) -> Result<Option<String>, SettingsError> {
        let is_word = |text: &str| {
            (1..=WORD_BYTES_MAX).contains(&text.len()) && !text.chars().any(char::is_control)
        };
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) if is_word(&text) => Ok(Some(text)),
            Some(_) => Err(self.invalid(key, wanted)),
        }
    }

    /// The limit of one call, and those of a day.
    fn limits(&mut self, timeout_s: u64) -> Result<(Duration, Caps), SettingsError> {
        let timeout = self.count("timeout_s", TIMEOUTS_S, "a number of seconds from 1 to 600")?;
        let calls = self.count("calls_per_day", 0..=u64::MAX, COUNT)?.unwrap_or(CALLS_PER_DAY);
        let tokens = self.count("tokens_per_day", 0..=u64::MAX, COUNT)?.unwrap_or(TOKENS_PER_DAY);
        Ok((Duration::from_secs(timeout.unwrap_or(timeout_s)), Caps { calls, tokens }))
    }

    fn count(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        wanted: &'static str,
    ) -> Result<Option<u64>, SettingsError> {
        let Some(value) = self.table.remove(key) else { return Ok(None) };
        let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
        let number = number.filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| self.invalid(key, wanted))
    }

    fn invalid(&self, key: &'static str, wanted: &'static str) -> SettingsError {
        SettingsError::Invalid { path: self.path.clone(), key, wanted }
    }

    /// Refuses what is left.
    fn end(self) -> Result<(), SettingsError> {
        match self.table.into_iter().next() {
            Some((key, _)) => Err(SettingsError::UnknownKey { path: self.path, key }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
