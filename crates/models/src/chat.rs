use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use memlith::storage::{Clock, Rng, SystemClock, SystemRng};
use memlith::{Scope, Timestamp};
use memlith_writeback::{ExtractError, Extracted, Extractor, Packet, Turn, What, read_reply};

use crate::book::{Book, BookError, Rest};
use crate::completion::Completion;
use crate::error::SettingsError;
use crate::headless::Headless;
use crate::key::ApiKey;
use crate::provider::Provider;
use crate::server::{CallError, Server};
use crate::settings::Settings;

/// An extractor that asks a model what a session taught: that of a server, or a coding agent's.
///
/// The evidence of one job is one question. Secrets are taken out of it once more, and the model
/// is asked for a JSON object, or for words where the server doesn't know that mode. Where the
/// first model is refused the fallback is asked. The reply is the engine's to check: an item
/// without evidence, or that names what its evidence doesn't, is dropped.
///
/// A job takes four calls at most. Each is counted beforehand in a private file in the ledger's
/// folder; a day's cap, or a server that asks for patience, leaves jobs for later. A reply is kept
/// there too, readable to who has the turns alone, so that the same turns are asked about once.
#[derive(Debug)]
pub struct ChatExtractor {
    settings: Settings,
    name: String,
    key: Option<ApiKey>,
    asked: Asked,
    book: Book,
    clock: Arc<dyn Clock>,
}

/// Server or client that answers.
#[derive(Debug)]
enum Asked {
    Server(Server),
    Client(Headless),
}

/// A claim outlives the calls by so much, in microseconds: what came of them is to be written.
const AFTERWARDS_US: i64 = 60 * 1_000_000;

/// Maximum number of calls for one job: two models, each with JSON mode and without.
const CALLS_MAX: i64 = 4;

/// Bytes in a token, about: what a call is counted with until the server says what it took.
const TOKEN_BYTES: u64 = 4;

/// A marker that stands in the evidence is made anew so often.
const MARKERS_MAX: usize = 8;

impl ChatExtractor {
    /// An extractor for the ledger in the folder `ledger`, where its calls are counted. `key` is
    /// what the variable holds that the settings name; a client works in `desk`, an empty folder
    /// and a whole environment.
    ///
    /// # Errors
    /// The settings name a variable and there is no key, or none that can be sent.
    pub fn new(
        ledger: &Path,
        settings: Settings,
        key: Option<&str>,
        desk: (&Path, Vec<(OsString, OsString)>),
    ) -> Result<ChatExtractor, SettingsError> {
        let key = match (&settings.key_env, key) {
            (None, _) => None,
            (Some(variable), None) => {
                return Err(SettingsError::NoKey { variable: variable.clone() });
            }
            (Some(variable), Some(text)) => Some(
                ApiKey::new(text)
                    .ok_or_else(|| SettingsError::BadKey { variable: variable.clone() })?,
            ),
        };
        let (name, asked) = match &settings.provider {
            Provider::Server(models) => {
                let server = Server::new(&models.endpoint, key.clone(), settings.timeout);
                let first = models.names.first().map_or("", String::as_str);
                (format!("chat {first}"), Asked::Server(server))
            }
            Provider::Client(client) => {
                let headless = Headless::new(*client, desk, settings.timeout);
                (client.name().to_owned(), Asked::Client(headless))
            }
        };
        Ok(ChatExtractor {
            name,
            asked,
            book: Book::of(ledger, settings.caps),
            key,
            settings,
            clock: Arc::new(SystemClock::new()),
        })
    }

    /// Takes another clock, by which a day's caps are counted.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> ChatExtractor {
        ChatExtractor { clock, ..self }
    }

    /// The settings that it calls by.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Until when no call may be made, and why: a worker that takes jobs before then only wears
    /// out their attempts.
    ///
    /// # Errors
    /// The calls can't be counted.
    pub fn resting_until(&self) -> Result<Option<(Timestamp, &'static str)>, ExtractError> {
        let rest = self.book.rest(self.clock.now()).map_err(uncounted)?;
        Ok(rest.map(|rest| (rest.until, rest.why)))
    }

    /// The question that a model would be asked about these turns, as it stands; nothing is sent.
    ///
    /// # Errors
    /// The system has no randomness for the line around the evidence.
    pub fn question_about(&self, turns: &[Turn]) -> Result<String, ExtractError> {
        self.prompt(turns).map(|prompt| prompt.text)
    }

    /// The models to ask; a client has its own.
    fn models(&self) -> impl Iterator<Item = &str> {
        let own = matches!(self.asked, Asked::Client(_)).then_some("");
        self.settings.provider.models().chain(own)
    }

    /// Asks the models in turn.
    fn answer(&self, turns: &[Turn], prompt: &Prompt) -> Result<String, ExtractError> {
        let mut refusal = None;
        for model in self.models() {
            match self.ask(model, prompt) {
                Ok(completion) => {
                    let is_readable = read_reply(&completion.content, turns).is_ok();
                    if is_readable {
                        let question = self.question(model, prompt);
                        let kept = self.book.keep(self.clock.now(), &question, &completion.content);
                        kept.map_err(uncounted)?;
                    }
                    return Ok(completion.content);
                }
                Err(Failure::Call(error)) if error.is_refusal() => refusal = Some(error),
                Err(failure) => return Err(self.ended(failure)),
            }
        }
        Err(self.ended(Failure::Call(refusal.unwrap_or(CallError::NoCompletion))))
    }

    /// Asks one model, and once more without JSON mode where the server refuses the request.
    fn ask(&self, model: &str, prompt: &Prompt) -> Result<Completion, Failure> {
        match self.call(model, prompt, true) {
            Err(Failure::Call(error)) if error.is_code(400) => self.call(model, prompt, false),
            asked => asked,
        }
    }

    /// Makes one call, and counts it.
    fn call(&self, model: &str, prompt: &Prompt, is_json: bool) -> Result<Completion, Failure> {
        let now = self.clock.now();
        let counted = tokens(&prompt.text);
        if let Some(rest) = self.book.admit(now, counted)? {
            return Err(Failure::Rest(rest));
        }
        let asked = match &self.asked {
            Asked::Server(server) => {
                server.ask(&Server::request(model, &prompt.text, is_json), now)
            }
            Asked::Client(client) => client.ask(&prompt.text),
        };
        let cost = match &asked {
            Ok(done) => done.cost_micros,
            Err(error) => error.is_free().then_some(0),
        };
        let taken = match &asked {
            Ok(done) => {
                done.tokens.unwrap_or_else(|| counted.saturating_add(tokens(&done.content)))
            }
            Err(error) if error.is_free() => 0,
            Err(_) => counted,
        };
        self.book.settle(now, counted, (taken, cost))?;
        Ok(asked?)
    }

    /// The error of the job after a failure: whether it may be tried again, and when.
    fn ended(&self, failure: Failure) -> ExtractError {
        let now = self.clock.now();
        let what = failure.to_string();
        match failure {
            Failure::Rest(rest) => {
                let wait_us = Some(rest.until.0.saturating_sub(now.0));
                ExtractError::Later { what, wait_us }
            }
            Failure::Call(CallError::Status { wait_us: Some(wait_us), .. }) => {
                // What can't be noted is honoured for this job at least.
                let _ = self.book.leave_alone(now, now.plus_us(wait_us));
                ExtractError::Later { what, wait_us: Some(wait_us) }
            }
            Failure::Call(CallError::TooLong { .. } | CallError::RepeatsKey) => {
                ExtractError::Never { what }
            }
            Failure::Call(_) | Failure::Book(_) => ExtractError::Later { what, wait_us: None },
        }
    }

    /// The turns without secrets, and without the key itself.
    fn cleaned(&self, turns: &[Turn]) -> Vec<Turn> {
        let clean = |text: &str| {
            let text = memlith::write::redact(text).text.into_owned();
            self.key.as_ref().map_or_else(|| text.clone(), |key| key.taken_out_of(&text))
        };
        let cleaned = |turn: &Turn| {
            let what = match &turn.what {
                What::User(text) => What::User(clean(text)),
                What::Assistant(text) => What::Assistant(clean(text)),
                What::Tool { name, arguments, output, ok } => What::Tool {
                    name: clean(name),
                    arguments: clean(arguments),
                    output: clean(output),
                    ok: *ok,
                },
            };
            Turn { what, ..turn.clone() }
        };
        turns.iter().map(cleaned).collect()
    }

    fn prompt(&self, turns: &[Turn]) -> Result<Prompt, ExtractError> {
        let packet = Packet::of(&self.cleaned(turns));
        for _ in 0..MARKERS_MAX {
            let marker = marker()?;
            let text = match &self.settings.instructions {
                Some(instructions) => packet.prompt_with(instructions, &marker),
                None => packet.prompt(&marker),
            };
            if let Some(text) = text {
                let bare = text.replace(&marker, "");
                return Ok(Prompt { text, bare });
            }
        }
        Err(ExtractError::Later { what: "no marker could be made".to_owned(), wait_us: None })
    }

    /// The key under which the reply to a question is kept.
    fn question(&self, model: &str, prompt: &Prompt) -> Vec<u8> {
        let mut question = Vec::new();
        let provider = self.settings.provider.to_string();
        for part in [&provider, model, &prompt.bare] {
            // Each with its length, so that no two questions are the same bytes.
            question.extend((part.len() as u64).to_le_bytes());
            question.extend(part.as_bytes());
        }
        question
    }
}

impl Extractor for ChatExtractor {
    fn name(&self) -> &str {
        &self.name
    }

    fn claim_us(&self) -> i64 {
        let timeout = i64::try_from(self.settings.timeout.as_micros()).unwrap_or(i64::MAX);
        timeout.saturating_mul(CALLS_MAX).saturating_add(AFTERWARDS_US)
    }

    fn extract(&self, _: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError> {
        let prompt = self.prompt(turns)?;
        for model in self.models() {
            let kept = self.book.reply(&self.question(model, &prompt)).map_err(uncounted)?;
            if let Some(reply) = kept {
                return Ok(Extracted::Reply(reply));
            }
        }
        self.answer(turns, &prompt).map(Extracted::Reply)
    }
}

/// The question to a model.
struct Prompt {
    text: String,
    /// The text without the marker, which is another each time.
    bare: String,
}

/// Why a model gave no reply.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{}", .0.why)]
    Rest(Rest),
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Book(#[from] BookError),
}

fn uncounted(error: BookError) -> ExtractError {
    ExtractError::Later { what: error.to_string(), wait_us: None }
}

fn tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(TOKEN_BYTES)
}

/// A line that nobody could write into a turn beforehand.
fn marker() -> Result<String, ExtractError> {
    let mut bytes = [0; 16];
    SystemRng.fill(&mut bytes).map_err(|error| ExtractError::Later {
        what: format!("the system has no randomness: {error}"),
        wait_us: None,
    })?;
    Ok(format!("=== {:032x} ===", u128::from_le_bytes(bytes)))
}
