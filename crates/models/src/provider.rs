use std::fmt;
use std::str::FromStr;

use memlith_http::Endpoint;

/// Provider that looks at evidence: a client that its person has anyway, or a model server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A coding agent's own program, without its tools and without a session that it keeps.
    Client(Client),
    /// A server with OpenAI's chat completions.
    Server(Models),
}

/// A coding agent that answers one question from a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// `claude -p`.
    ClaudeCode,
    /// `codex exec`.
    Codex,
}

/// A server and its models, the one that is asked first before the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Models {
    pub(crate) endpoint: Endpoint,
    pub(crate) names: Vec<String>,
}

/// Where Ollama answers, unless told otherwise.
const OLLAMA: &str = "http://127.0.0.1:11434/v1";

/// Maximum length of a model's name in bytes.
const NAME_BYTES_MAX: usize = 256;

impl Client {
    /// Its name, as hooks have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::Codex => "codex",
        }
    }
}

impl Provider {
    /// The models that are asked, in order; none where the client chooses.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            Provider::Client(_) => &[][..],
            Provider::Server(models) => &models.names,
        };
        names.iter().map(String::as_str)
    }
}

/// Reads `claude-code`, `codex`, `ollama:MODEL` or `ADDRESS#MODEL`.
impl FromStr for Provider {
    type Err = String;

    fn from_str(text: &str) -> Result<Provider, String> {
        match text {
            "claude-code" => return Ok(Provider::Client(Client::ClaudeCode)),
            "codex" => return Ok(Provider::Client(Client::Codex)),
            _ => {}
        }
        let shape = "it has to be claude-code, codex, ollama:MODEL or ADDRESS#MODEL";
        let (address, model) = match text.strip_prefix("ollama:") {
            Some(model) => (OLLAMA, model),
            None => text.rsplit_once('#').ok_or(shape)?,
        };
        let is_name = (1..=NAME_BYTES_MAX).contains(&model.len())
            && !model.chars().any(|c| c.is_control() || c.is_whitespace());
        if !is_name {
            return Err(shape.to_owned());
        }
        let endpoint = Endpoint::parse(address);
        let endpoint = endpoint.map_err(|wanted| format!("its address has to be {wanted}"))?;
        Ok(Provider::Server(Models { endpoint, names: vec![model.to_owned()] }))
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Provider::Client(client) => f.write_str(client.name()),
            Provider::Server(models) => f.write_str(models.endpoint.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_read_and_what_is_none_says_what_it_has_to_be() {
        let shown = |text: &str| {
            let provider: Provider = text.parse().unwrap();
            let models: Vec<String> = provider.models().map(str::to_owned).collect();
            (provider.to_string(), models.join(","))
        };
        assert_eq!(shown("claude-code"), ("claude-code".to_owned(), String::new()));
        assert_eq!(shown("codex"), ("codex".to_owned(), String::new()));
        assert_eq!(shown("ollama:qwen3:4b"), (OLLAMA.to_owned(), "qwen3:4b".to_owned()));
        let named = ("https://a.test/v1".to_owned(), "small".to_owned());
        assert_eq!(shown("https://a.test/v1#small"), named);
        for none in ["", "claude", "ollama:", "ollama:a b", "https://a.test/v1", "#small"] {
            assert!(none.parse::<Provider>().is_err(), "{none}");
        }
        let error = "http://a.test/v1#small".parse::<Provider>().unwrap_err();
        assert!(error.contains("https"), "{error}");
    }
}
