//! Finds what tool calls and programs say about files that are not to be captured.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::withheld::without_reminders;

/// Which files are not captured: neither what touches them nor what comes of it.
#[derive(Clone)]
pub struct IgnoredFiles(Arc<IsIgnored>);

type IsIgnored = dyn Fn(Option<&str>, &str) -> bool + Send + Sync;

/// Arguments of these names hold a file's words, not its name.
const CONTENTS: [&str; 10] = [
    "content",
    "contents",
    "description",
    "file_text",
    "insert_text",
    "new_source",
    "new_str",
    "new_string",
    "old_str",
    "old_string",
];

/// No name of a file is longer, in bytes.
const NAME_MAX: usize = 4096;

impl IgnoredFiles {
    /// The files for which `is_ignored` says so, given the folder that a session was in, where
    /// it is known, and a name that may be relative to it.
    ///
    /// It is asked for every word that may name a file.
    #[must_use]
    pub fn new(
        is_ignored: impl Fn(Option<&str>, &str) -> bool + Send + Sync + 'static,
    ) -> IgnoredFiles {
        IgnoredFiles(Arc::new(is_ignored))
    }

    /// Whether a tool that is called with `arguments` in `directory` touches one.
    pub(crate) fn are_touched(&self, directory: Option<&str>, arguments: &Value) -> bool {
        match arguments {
            Value::String(text) => {
                let whole = [text.as_str()].into_iter();
                // A name with blanks in it stands between quotes.
                let quoted = whole.chain(text.split('"')).chain(text.split('\''));
                let mut names = quoted.chain(words(text).map(|(word, _)| word));
                names.any(|name| self.has(directory, name))
            }
            Value::Array(all) => all.iter().any(|one| self.are_touched(directory, one)),
            Value::Object(all) => all
                .iter()
                .filter(|(name, _)| !CONTENTS.contains(&name.as_str()))
                .any(|(_, value)| self.are_touched(directory, value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Whether a text names one. A word of letters alone is a word, unless a colon follows it,
    /// as it does where a search tells what it found.
    pub(crate) fn are_named(&self, directory: Option<&str>, text: &str) -> bool {
        words(text)
            .filter(|(word, before_colon)| *before_colon || word.contains(['/', '.']))
            .any(|(word, _)| self.has(directory, word))
    }

    /// The rest of what was said: nothing of a program's words that name one, and of a
    /// person's not what the client attached to them.
    pub(crate) fn remains(
        &self,
        directory: Option<&str>,
        said: String,
        is_program: bool,
    ) -> Option<String> {
        if !(is_program || said.contains('<')) || !self.are_named(directory, &said) {
            return Some(said);
        }
        (!is_program).then(|| without_reminders(said))
    }

    fn has(&self, directory: Option<&str>, name: &str) -> bool {
        (1..=NAME_MAX).contains(&name.len()) && (self.0)(directory, name)
    }
}

impl fmt::Debug for IgnoredFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IgnoredFiles")
    }
}

/// The words of a text as a shell divides it, and whether a colon follows.
fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let ends = |c: char| c.is_whitespace() || "\"'`;|&<>(){}[],=:@".contains(c);
    text.split_inclusive(ends).map(move |word| {
        let bare = word.trim_end_matches(ends);
        (bare.trim_end_matches(['.', '?', '!']), word.ends_with(':'))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ignored() -> IgnoredFiles {
        IgnoredFiles::new(|_, name| {
            ["secrets", "secrets/a", "my key", "b.pem"].contains(&name.trim_start_matches("./"))
        })
    }

    #[test]
    fn a_call_touches_what_its_words_name() {
        for touching in [
            json!({"file_path": "secrets/a"}),
            json!({"command": "cat <b.pem|head"}),
            json!({"command": "cat 'my key' \"x\""}),
            json!({"command": ["bash", "-lc", "curl -d@./secrets/a x:1"]}),
            json!("*** Update File: b.pem\n+x"),
            json!({"edits": [{"path": "secrets"}]}),
        ] {
            assert!(ignored().are_touched(None, &touching), "{touching}");
        }
        for other in [
            json!({"file_path": "a", "content": "see b.pem"}),
            json!({"command": "cat my key.pem"}),
            json!([1, null, true, ""]),
        ] {
            assert!(!ignored().are_touched(None, &other), "{other}");
        }
    }

    #[test]
    fn a_text_names_what_looks_like_a_file() {
        for (text, names) in [
            ("secrets/a:3:x", true),
            ("secrets: x", true),
            ("Look at b.pem.", true),
            ("no secrets here", false),
        ] {
            assert_eq!(ignored().are_named(None, text), names, "{text}");
        }
    }

    #[test]
    fn what_a_client_attaches_goes_and_the_persons_words_stay() {
        let remains = |said: &str, is_program| ignored().remains(None, said.into(), is_program);
        let attached = "Why b.pem? <system-reminder>Read: xyzzy</system-reminder>";
        assert_eq!(remains(attached, false).as_deref(), Some("Why b.pem? "));
        assert_eq!(remains(attached, true), None);
        let other = "Why? <system-reminder>c</system-reminder>";
        assert_eq!(remains(other, false).as_deref(), Some(other));
        assert_eq!(remains(other, true).as_deref(), Some(other));
    }
}
