use std::fmt;
use std::time::Duration;

use crate::batch::{Batch, ItemResult, Sink, TypeNames, Verdict};
use memlith::Timestamp;
use serde::Deserialize;
use serde_json::json;
use ureq::Agent;
use ureq::http::header::{CONTENT_TYPE, RETRY_AFTER};

use crate::signature::signature;
use memlith_http::Endpoint;
use memlith_http::wait_us;

/// A sink that is an HTTP receiver.
///
/// A batch is one `POST` of `{"batch_id", "items": [{"id", "type", "key", "version", "hash",
/// "data"}]}`, with `X-Webhook-Id` (the batch), `X-Webhook-Timestamp` (seconds since 1970) and
/// `X-Webhook-Signature` ([`signature`]). What the answer means:
///
/// | answer | verdict |
/// |---|---|
/// | 200 with nothing, `{}`, or without `success` | applied |
/// | 200 with `results` | each as it says; one not sent, or more `processed` than sent: again |
/// | 200 with `"success": false` or `failed`, and no `results` that say which | again |
/// | 200 with less `processed` than was sent, and no `results` that say which | again |
/// | 200 with what is no JSON | again |
/// | 201, 202, 204 | applied |
/// | 408, 425, 429 (`Retry-After`), 500 and above | again |
/// | 502, 503, 504 | not reached |
/// | 3xx, any other 4xx | never |
/// | refused, reset, cut, or longer than it may take; a body over 1 MiB | not reached |
pub struct Webhook {
    agent: Agent,
    url: String,
    token: String,
    types: TypeNames,
}

/// Where a person is told that something is dead, or a sink not reached: a POST of a text.
#[derive(Debug)]
pub struct Alert {
    agent: Agent,
    url: String,
}

/// The most bytes of an answer.
const BODY_BYTES_MAX: u64 = 1 << 20;

/// Where a receiver is asked whose address has no path.
///
/// Source: Feature 007 of Dionysus.
const PATH: &str = "/webhook/memory/v1/consolidate";

/// An alert is not waited for longer.
const ALERT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    success: Option<bool>,
    processed: Option<u64>,
    failed: u64,
    nodes_created: u64,
    edges_created: u64,
    results: Vec<Told>,
}

#[derive(Debug, Deserialize)]
struct Told {
    id: String,
    applied: bool,
    #[serde(default)]
    error: Option<String>,
}

impl Webhook {
    /// A receiver at an address: `https`, or `http` on the loopback. Every body is signed with
    /// `token`.
    ///
    /// # Errors
    /// What the address has to be.
    pub fn new(address: &str, token: String, timeout: Duration) -> Result<Webhook, &'static str> {
        let endpoint = Endpoint::parse(address)?;
        let (agent, url) = (agent(timeout), endpoint.with_path(PATH));
        Ok(Webhook { agent, url, token, types: TypeNames::default() })
    }

    /// Returns one that names the types of items so.
    #[must_use]
    pub fn typed(self, types: TypeNames) -> Webhook {
        Webhook { types, ..self }
    }

    fn post(&self, batch: &Batch, now_unix: i64) -> Result<Verdict, ureq::Error> {
        let items = batch.items.iter().map(|item| {
            json!({
                "id": item.id, "type": self.types.of(&item.kind), "key": item.key,
                "version": item.version,
                "hash": item.hash, "data": item.data,
            })
        });
        let items: Vec<_> = items.collect();
        let body = json!({"batch_id": batch.id, "items": items}).to_string();
        let post = self.agent.post(&self.url).header(CONTENT_TYPE, "application/json");
        let post = post.header("X-Webhook-Id", &batch.id);
        let post = post.header("X-Webhook-Timestamp", now_unix.to_string());
        let signed = signature(&self.token, now_unix, body.as_bytes());
        let mut response = post.header("X-Webhook-Signature", signed).send(body)?;
        let code = response.status().as_u16();
        let what = format!("the receiver answered {code}");
        Ok(match code {
            200 => {
                let body = response.body_mut().with_config().limit(BODY_BYTES_MAX).read_to_vec()?;
                told(batch, &body)
            }
            201 | 202 | 204 => applied(Answer::default()),
            502..=504 => Verdict::Unreached { what },
            408 | 425 | 429 | 500.. => {
                let after = response.headers().get(RETRY_AFTER);
                let after = after.and_then(|text| text.to_str().ok());
                let now = Timestamp(now_unix.saturating_mul(1_000_000));
                let wait = after.and_then(|text| u64::try_from(wait_us(text, now)?).ok());
                Verdict::Again { what, wait: wait.map(Duration::from_micros) }
            }
            _ => Verdict::Never { what },
        })
    }
}

impl Sink for Webhook {
    fn deliver(&self, batch: &Batch, now_unix: i64) -> Verdict {
        // The error's own words may be the receiver's.
        self.post(batch, now_unix).unwrap_or_else(|error| {
            let what = if matches!(error, ureq::Error::Timeout(_)) {
                "the receiver took too long"
            } else if matches!(error, ureq::Error::BodyExceedsLimit(_)) {
                "the receiver's answer is too long"
            } else {
                "the receiver can't be reached, or ended the connection"
            };
            Verdict::Unreached { what: what.to_owned() }
        })
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Alert {
    /// An address that takes a POST.
    ///
    /// # Errors
    /// What the address has to be.
    pub fn new(address: &str) -> Result<Alert, &'static str> {
        let endpoint = Endpoint::parse(address)?;
        Ok(Alert { agent: agent(ALERT_TIMEOUT), url: endpoint.as_str().to_owned() })
    }

    /// Sends an alert; whether it was taken.
    #[must_use]
    pub fn send(&self, sink: &str, reason: &str) -> bool {
        let body = json!({"alert": "delivery", "sink": sink, "reason": reason}).to_string();
        let post = self.agent.post(&self.url).header(CONTENT_TYPE, "application/json");
        post.send(body).is_ok_and(|response| response.status().is_success())
    }
}

fn agent(timeout: Duration) -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(timeout))
        .http_status_as_error(false)
        // What is named in the settings is one receiver, reached directly.
        .max_redirects(0)
        .proxy(None)
        .max_idle_connections(0)
        .user_agent(concat!("memlith/", env!("CARGO_PKG_VERSION")))
        .build();
    config.new_agent()
}

/// The verdict that a body of status 200 gives.
fn told(batch: &Batch, body: &[u8]) -> Verdict {
    if body.trim_ascii().is_empty() {
        return applied(Answer::default());
    }
    let Ok(answer) = serde_json::from_slice::<Answer>(body) else {
        return Verdict::Again { what: "the receiver's answer is no JSON".to_owned(), wait: None };
    };
    let sent = batch.items.len() as u64;
    let refused = answer.results.iter().filter(|one| !one.applied).count() as u64;
    let is_short = answer.processed.is_some_and(|count| count.saturating_add(refused) < sent);
    let is_unsaid = answer.success == Some(false) && answer.results.is_empty();
    if is_unsaid || is_short || answer.failed > refused {
        // Which of them it has isn't said; it knows those by the batch's id.
        return Verdict::Again { what: "the receiver says that it failed".to_owned(), wait: None };
    }
    if answer.processed.is_some_and(|count| count > sent) {
        let what = "the receiver says that it processed more than was sent".to_owned();
        return Verdict::Again { what, wait: None };
    }
    applied(answer)
}

fn applied(answer: Answer) -> Verdict {
    let results = answer.results.into_iter();
    let results =
        results.map(|one| ItemResult { id: one.id, applied: one.applied, error: one.error });
    Verdict::Done {
        results: results.collect(),
        nodes_created: answer.nodes_created,
        edges_created: answer.edges_created,
    }
}
