use crate::Rule;

/// A secret that redaction takes out of a text, without the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret {
    /// The line it begins in, from 1; of a JSON document, the line of the string.
    pub line: u64,
    /// The rule that found it.
    pub rule: Rule,
    /// The name of its kind: for tokens of providers the name of gitleaks' rule, like
    /// `twilio-api-key`; for others the name of the rule.
    pub name: &'static str,
    /// Its first two characters, if it has eight bytes or more and they can be printed,
    /// and `***`.
    pub masked: String,
}

/// The text for a secret where it must not be shown.
pub(crate) fn masked(secret: &str) -> String {
    let shown = secret.get(..2).filter(|head| head.bytes().all(|byte| byte.is_ascii_graphic()));
    format!("{}***", shown.filter(|_| secret.len() >= 8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_two_characters_are_shown() {
        for (secret, shown) in [
            ("hunter22", "hu***"),
            ("hunter2", "***"),
            ("", "***"),
            ("ünter-und-über", "***"),
            ("a\nbcdefgh", "***"),
        ] {
            assert_eq!(masked(secret), shown);
        }
    }
}
