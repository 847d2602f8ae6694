use std::fmt;

/// A server's key. It shows in no output.
#[derive(Clone)]
pub(crate) struct ApiKey(String);

/// Maximum length of a key in bytes.
const KEY_BYTES_MAX: usize = 4_096;

/// A shorter key, such as the `none` or `ollama` that servers without keys are given, is no
/// secret, and stands in ordinary text.
const SECRET_BYTES_MIN: usize = 8;

impl ApiKey {
    /// The key in `text`; `None` where it can't stand in a header.
    pub(crate) fn new(text: &str) -> Option<ApiKey> {
        let text = text.trim();
        let is_key = (1..=KEY_BYTES_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_key.then(|| ApiKey(text.to_owned()))
    }

    /// The value of the header `Authorization`.
    pub(crate) fn authorization(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Whether `text` tells the key.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.len() >= SECRET_BYTES_MIN && text.contains(&self.0)
    }

    /// `text` without the key.
    pub(crate) fn taken_out_of(&self, text: &str) -> String {
        if self.is_in(text) { text.replace(&self.0, "[REDACTED:key]") } else { text.to_owned() }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_and_shows_nowhere() {
        for none in ["", "  ", "two words", "a\nb", "\u{e9}"] {
            assert!(ApiKey::new(none).is_none(), "{none:?}");
        }
        let key = ApiKey::new("sk-test-123456\n").unwrap();
        assert_eq!(format!("{key:?}"), "ApiKey");
        assert_eq!(key.taken_out_of("a sk-test-123456 b"), "a [REDACTED:key] b");
        assert!(!ApiKey::new("ollama").unwrap().is_in("I run ollama"));
    }
}
