use std::io::{self, Read};
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

/// An event that a client tells a hook: one JSON object on standard input.
///
/// Both clients send the same fields; what is not known here is passed over. Source: the
/// clients' documentation of hooks, and what they were seen to send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HookEvent {
    /// The name of the event, e.g. `SessionStart`.
    pub hook_event_name: String,
    /// The client's name for the session.
    pub session_id: String,
    /// Where the client writes the session down.
    #[serde(deserialize_with = "lenient")]
    pub transcript_path: Option<PathBuf>,
    /// Where the client writes a sub-agent's part down.
    #[serde(deserialize_with = "lenient")]
    pub agent_transcript_path: Option<PathBuf>,
    /// The folder that the client works in.
    pub cwd: PathBuf,
    /// The text that the person typed.
    #[serde(deserialize_with = "lenient")]
    pub prompt: Option<String>,
    /// How a session began: `startup`, `resume`, `clear` or `compact`.
    #[serde(deserialize_with = "lenient")]
    pub source: Option<String>,
    /// The last message of the assistant.
    #[serde(deserialize_with = "lenient")]
    pub last_assistant_message: Option<String>,
}

/// The input is no hook event.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookEventError {
    /// Standard input could not be read.
    #[error("read the hook's event: {0}")]
    Io(#[from] io::Error),
    /// It is longer than [`HookEvent::BYTES_MAX`].
    #[error("the hook's event is longer than {} bytes: it was passed over", HookEvent::BYTES_MAX)]
    TooLong,
    /// It is not JSON, or not of this shape.
    #[error("the hook's event is not what a client sends: {0}")]
    Json(#[from] serde_json::Error),
    /// It names no session.
    #[error("the hook's event names no session")]
    NoSession,
}

impl HookEvent {
    /// The longest event that is read: a prompt of a megabyte, each byte escaped, has six.
    pub const BYTES_MAX: u64 = 8 << 20;

    /// Reads an event.
    ///
    /// # Errors
    /// [`HookEventError`]. What is too long is read to its end all the same, so that the
    /// client's write does not fail.
    pub fn read(mut input: impl Read) -> Result<HookEvent, HookEventError> {
        let mut bytes = Vec::new();
        input.by_ref().take(HookEvent::BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > HookEvent::BYTES_MAX {
            io::copy(&mut input, &mut io::sink())?;
            return Err(HookEventError::TooLong);
        }
        // A list of fields would do for a struct as well; a client sends an object.
        let object: serde_json::Map<String, Value> = serde_json::from_slice(&bytes)?;
        let event: HookEvent = serde_json::from_value(Value::Object(object))?;
        if event.session_id.is_empty() {
            return Err(HookEventError::NoSession);
        }
        Ok(event)
    }
}

/// A value of the wanted kind; of another kind it counts as absent, as `null` does.
fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_another_kind_and_unknown_ones_are_passed_over() {
        let json = br#"{"hook_event_name":"Stop","session_id":"s","cwd":"/w","prompt":7,
            "transcript_path":null,"later":{"deep":[1]}}"#;
        let event = HookEvent::read(json.as_slice()).unwrap();
        assert_eq!((event.session_id.as_str(), event.prompt), ("s", None));
        assert_eq!(event.transcript_path, None);
    }

    #[test]
    fn what_is_no_event_is_refused() {
        for json in [&b""[..], b"[]", b"{", b"\xff", b"null", b"{\"session_id\":3}"] {
            assert!(matches!(HookEvent::read(json), Err(HookEventError::Json(_))), "{json:?}");
        }
        assert!(matches!(HookEvent::read(&b"{}"[..]), Err(HookEventError::NoSession)));
        let long = io::repeat(b' ').take(HookEvent::BYTES_MAX + 5);
        assert!(matches!(HookEvent::read(long), Err(HookEventError::TooLong)));
    }
}
