use serde::Deserialize;

/// The reply of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    /// The model's words; may be empty.
    pub(crate) content: String,
    /// Tokens that it took, as far as the provider says.
    pub(crate) tokens: Option<u64>,
    /// Its cost in millionths of a US dollar, as far as the provider says.
    pub(crate) cost_micros: Option<u64>,
}

#[derive(Deserialize)]
struct Body {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    total_tokens: Option<u64>,
}

impl Completion {
    /// Reads the body of a reply; `None` where it is no completion, and one without words has
    /// an empty `content`.
    pub(crate) fn read(body: &[u8]) -> Option<Completion> {
        let body: Body = serde_json::from_slice(body).ok()?;
        let tokens = body.usage.and_then(|usage| usage.total_tokens);
        let content = body.choices.into_iter().next()?.message.content.unwrap_or_default();
        Some(Completion { content, tokens, cost_micros: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_completion_is_one() {
        let read = |body: &str| Completion::read(body.as_bytes());
        let whole = r#"{"id": 1, "choices": [{"index": 0, "message": {"role": "assistant",
            "content": "hi"}}], "usage": {"prompt_tokens": 3, "total_tokens": 4}}"#;
        let completion =
            Completion { content: "hi".to_owned(), tokens: Some(4), cost_micros: None };
        assert_eq!(read(whole), Some(completion));
        let empty = read(r#"{"choices": [{"message": {"content": null}}]}"#).unwrap();
        assert_eq!((empty.content.as_str(), empty.tokens), ("", None));
        for none in ["", "<html>", "{}", r#"{"choices": []}"#, r#"{"error": {"message": "x"}}"#] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
