use std::fmt;

use serde::{Serialize, Serializer};

/// The kind of secret that was found; names are stable and only added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// A key of Anthropic.
    Anthropic,
    /// A value assigned to a secret's name: `API_TOKEN=...`, `password: ...`, `--token ...`.
    Assignment,
    /// An access key of Amazon Web Services.
    Aws,
    /// A credential after `Bearer` or `Basic`.
    Bearer,
    /// A password among the arguments of a program: `curl -u`, `mysql -p`.
    CommandLine,
    /// A token of GitHub.
    GitHub,
    /// A token of GitLab.
    GitLab,
    /// An API key of Google.
    Google,
    /// A token of Hugging Face.
    HuggingFace,
    /// The value of a secret-named key of JSON.
    JsonKey,
    /// A JSON Web Token.
    Jwt,
    /// A token of the npm registry.
    Npm,
    /// A key of `OpenAI`, or of a service that copied its shape.
    OpenAi,
    /// A password in an entry of a netrc or pgpass file.
    PasswordFile,
    /// A key of another provider with a published prefix.
    ProviderKey,
    /// A private key in PEM.
    PrivateKey,
    /// A password told in a sentence: "my password is ...".
    Prose,
    /// An upload token of the Python package index.
    PyPi,
    /// A token or webhook of Slack.
    Slack,
    /// A key of Stripe.
    Stripe,
    /// A token of a Telegram bot.
    Telegram,
    /// A key of Twilio.
    Twilio,
    /// A text whose redaction did not come to rest, replaced whole.
    Unstable,
    /// The password of a URL.
    UrlPassword,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 24] = [
        Rule::Anthropic,
        Rule::Assignment,
        Rule::Aws,
        Rule::Bearer,
        Rule::CommandLine,
        Rule::GitHub,
        Rule::GitLab,
        Rule::Google,
        Rule::HuggingFace,
        Rule::JsonKey,
        Rule::Jwt,
        Rule::Npm,
        Rule::OpenAi,
        Rule::PasswordFile,
        Rule::ProviderKey,
        Rule::PrivateKey,
        Rule::Prose,
        Rule::PyPi,
        Rule::Slack,
        Rule::Stripe,
        Rule::Telegram,
        Rule::Twilio,
        Rule::Unstable,
        Rule::UrlPassword,
    ];

    /// The name that stands in the mark and in counts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rule::Anthropic => "anthropic",
            Rule::Assignment => "assignment",
            Rule::Aws => "aws",
            Rule::Bearer => "bearer",
            Rule::CommandLine => "command-line",
            Rule::GitHub => "github",
            Rule::GitLab => "gitlab",
            Rule::Google => "google",
            Rule::HuggingFace => "huggingface",
            Rule::JsonKey => "json-key",
            Rule::Jwt => "jwt",
            Rule::Npm => "npm",
            Rule::OpenAi => "openai",
            Rule::PasswordFile => "password-file",
            Rule::ProviderKey => "provider-key",
            Rule::PrivateKey => "private-key",
            Rule::Prose => "prose",
            Rule::PyPi => "pypi",
            Rule::Slack => "slack",
            Rule::Stripe => "stripe",
            Rule::Telegram => "telegram",
            Rule::Twilio => "twilio",
            Rule::Unstable => "unstable",
            Rule::UrlPassword => "url-password",
        }
    }

    /// The mark in the secret's place: `[REDACTED:rule]`.
    #[must_use]
    pub fn mark(self) -> String {
        format!("{MARK_START}{}]", self.name())
    }

    /// The length of the mark that `text` starts with, if it starts with one.
    pub(crate) fn mark_len(text: &str) -> Option<usize> {
        let rest = text.strip_prefix(MARK_START)?;
        // The longest name has fewer bytes, so a stray opening costs nothing.
        let close = rest.bytes().take(24).position(|byte| byte == b']')?;
        let name = rest.get(..close)?;
        let known = Rule::ALL.iter().any(|rule| rule.name() == name);
        known.then_some(MARK_START.len() + close + 1)
    }
}

/// How every mark starts.
pub(crate) const MARK_START: &str = "[REDACTED:";

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_rule_makes_a_mark() {
        for rule in Rule::ALL {
            assert_eq!(Rule::mark_len(&rule.mark()), Some(rule.mark().len()), "{rule}");
        }
        for text in ["[REDACTED:", "[REDACTED:]", "[REDACTED:what]", "[REDACTED:jwt", "REDACTED"] {
            assert_eq!(Rule::mark_len(text), None, "{text}");
        }
    }
}
