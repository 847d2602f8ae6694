use std::time::Duration;

use memlith::Timestamp;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::StatusCode;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};

use crate::completion::Completion;
use crate::key::ApiKey;
use memlith_http::Endpoint;
use memlith_http::wait_us;

/// A model server: one question, one reply, no state between them.
#[derive(Debug)]
pub(crate) struct Server {
    agent: Agent,
    url: String,
    key: Option<ApiKey>,
    timeout: Duration,
}

/// Why there is no reply. No variant carries a word of what was sent or received.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    #[error(
        "the model server can't be reached, or can't prove who it is: see endpoint in writeback.toml"
    )]
    Unreachable,
    #[error("the model took longer than {seconds} s")]
    TimedOut { seconds: u64 },
    #[error("the model server ended the connection within its reply")]
    Cut,
    #[error("the model server redirects ({code}): name its last address in writeback.toml")]
    Redirected { code: u16 },
    #[error("the model server answered {code}: {}", advice(*code))]
    Status { code: u16, wait_us: Option<i64> },
    #[error("the model server's reply is longer than {bytes_max} bytes")]
    TooLong { bytes_max: u64 },
    #[error("the model server's reply is no chat completion: see endpoint in writeback.toml")]
    NoCompletion,
    #[error("the model server's reply is empty")]
    Empty,
    #[error("the model server's reply repeats the key")]
    RepeatsKey,
    #[error("{client} can't be started: see that its program is in PATH")]
    NoProgram { client: &'static str },
    #[error("{client} gave no reply: see that it is signed in and answers by itself")]
    Ended { client: &'static str },
}

/// Maximum length of a model's words in bytes, as of the reply of a program.
pub(crate) const WORDS_BYTES_MAX: usize = 64 << 10;

/// Maximum length of the body around them in bytes: every byte escaped, and what servers add.
const BODY_BYTES_MAX: u64 = 512 << 10;

/// Advice on what to do about a status.
fn advice(code: u16) -> &'static str {
    match code {
        401 | 403 => "see that the variable of key_env has a valid key",
        404 => "see endpoint and model in writeback.toml",
        429 => "it has had too many calls",
        400..=499 => "it refuses the request; see model in writeback.toml",
        _ => "it is in trouble itself",
    }
}

impl CallError {
    /// Whether this model was refused, so that another may be asked.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, CallError::Status { code: 400..=499, .. }) && !self.is_code(429)
    }

    /// Whether the server answered with this status.
    pub(crate) fn is_code(&self, status: u16) -> bool {
        matches!(self, CallError::Status { code, .. } if *code == status)
    }

    /// Whether the call took no tokens.
    pub(crate) fn is_free(&self) -> bool {
        match self {
            CallError::Unreachable
            | CallError::Redirected { .. }
            | CallError::Status { .. }
            | CallError::NoProgram { .. } => true,
            CallError::TimedOut { .. }
            | CallError::Cut
            | CallError::TooLong { .. }
            | CallError::NoCompletion
            | CallError::Empty
            | CallError::RepeatsKey
            | CallError::Ended { .. } => false,
        }
    }
}

impl Server {
    pub(crate) fn new(endpoint: &Endpoint, key: Option<ApiKey>, timeout: Duration) -> Server {
        let config = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            // What was agreed to is one server, reached directly.
            .max_redirects(0)
            .proxy(None)
            .max_idle_connections(0)
            .user_agent(concat!("memlith/", env!("CARGO_PKG_VERSION")))
            .build();
        Server { agent: config.new_agent(), url: endpoint.chat_url(), key, timeout }
    }

    /// The request that is sent: one message, and whether the reply has to be a JSON object.
    pub(crate) fn request(model: &str, prompt: &str, is_json: bool) -> Value {
        let mut body = json!({
            "model": model,
            "messages": [{"role": "user", "content": prompt}],
            "stream": false,
        });
        if is_json && let Some(body) = body.as_object_mut() {
            body.insert("response_format".to_owned(), json!({"type": "json_object"}));
        }
        body
    }

    /// Asks, and waits for the reply.
    pub(crate) fn ask(&self, request: &Value, now: Timestamp) -> Result<Completion, CallError> {
        let mut post = self.agent.post(&self.url);
        post = post.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json");
        if let Some(key) = &self.key {
            post = post.header(AUTHORIZATION, key.authorization());
        }
        let sent = post.send(request.to_string());
        let mut response = sent.map_err(|error| self.failure(&error, CallError::Unreachable))?;
        let status = response.status();
        if status != StatusCode::OK {
            let code = status.as_u16();
            let after = response.headers().get(RETRY_AFTER).and_then(|text| text.to_str().ok());
            let wait_us = after.and_then(|text| wait_us(text, now));
            return Err(match status.is_redirection() {
                true => CallError::Redirected { code },
                false => CallError::Status { code, wait_us },
            });
        }
        let body = response.body_mut().with_config().limit(BODY_BYTES_MAX).read_to_vec();
        let body = body.map_err(|error| self.failure(&error, CallError::Cut))?;
        self.checked(Completion::read(&body).ok_or(CallError::NoCompletion)?)
    }

    fn checked(&self, completion: Completion) -> Result<Completion, CallError> {
        let content = &completion.content;
        match () {
            () if content.trim().is_empty() => Err(CallError::Empty),
            () if content.len() > WORDS_BYTES_MAX => {
                Err(CallError::TooLong { bytes_max: WORDS_BYTES_MAX as u64 })
            }
            () if self.key.as_ref().is_some_and(|key| key.is_in(content)) => {
                Err(CallError::RepeatsKey)
            }
            () => Ok(completion),
        }
    }

    /// The failure without its words, which may be the server's.
    fn failure(&self, error: &ureq::Error, otherwise: CallError) -> CallError {
        if matches!(error, ureq::Error::Timeout(_)) {
            return CallError::TimedOut { seconds: self.timeout.as_secs() };
        }
        if matches!(error, ureq::Error::BodyExceedsLimit(_)) {
            return CallError::TooLong { bytes_max: BODY_BYTES_MAX };
        }
        otherwise
    }
}
