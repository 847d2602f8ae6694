use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail};

/// The words, `--name value` pairs and flags after a command; each is taken once.
pub(crate) struct Options {
    words: Vec<String>,
    values: BTreeMap<String, String>,
    flags: BTreeSet<String>,
}

/// The names that take no value.
const FLAGS: [&str; 9] =
    ["again", "check", "json", "long", "planted", "quick", "report", "small", "write"];

impl Options {
    /// Splits arguments into words, pairs and flags.
    ///
    /// # Errors
    /// A `--name` without a value.
    pub(crate) fn parse(arguments: &[String]) -> anyhow::Result<Options> {
        let mut options =
            Options { words: Vec::new(), values: BTreeMap::new(), flags: BTreeSet::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.strip_prefix("--") {
                None => options.words.push(argument.clone()),
                Some(name) if FLAGS.contains(&name) => {
                    options.flags.insert(name.to_owned());
                }
                Some(name) => {
                    let value = rest.next().with_context(|| format!("--{name} needs a value"))?;
                    options.values.insert(name.to_owned(), value.clone());
                }
            }
        }
        Ok(options)
    }

    /// Takes the last word.
    pub(crate) fn word(&mut self) -> Option<String> {
        self.words.pop()
    }

    /// Takes the number given as `--name`.
    ///
    /// # Errors
    /// The value is no whole number.
    pub(crate) fn number(&mut self, name: &str) -> anyhow::Result<Option<u32>> {
        let Some(text) = self.values.remove(name) else { return Ok(None) };
        let number = text.parse().with_context(|| format!("--{name} {text}: not a number"))?;
        Ok(Some(number))
    }

    /// Takes the text given as `--name`.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        self.values.remove(name)
    }

    /// Takes the flag `--name`; whether it was given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        self.flags.remove(name)
    }

    /// Confirms that every argument was taken.
    ///
    /// # Errors
    /// Names the first argument that the command does not know.
    pub(crate) fn done(&self) -> anyhow::Result<()> {
        if let Some(word) = self.words.first() {
            bail!("unexpected argument `{word}`");
        }
        if let Some(name) = self.values.keys().chain(&self.flags).next() {
            bail!("unexpected option `--{name}`");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> anyhow::Result<Options> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn words_and_numbers_are_taken_once() {
        let mut options = options("timestamp --seconds 5").unwrap();
        assert!(options.done().is_err());
        assert_eq!(options.word().as_deref(), Some("timestamp"));
        assert_eq!(options.number("seconds").unwrap(), Some(5));
        assert_eq!(options.number("seed").unwrap(), None);
        assert!(options.done().is_ok());
    }

    #[test]
    fn a_flag_takes_no_value() {
        let mut options = options("--json --seconds 5").unwrap();
        assert_eq!(options.number("seconds").unwrap(), Some(5));
        assert!(options.done().is_err());
        assert!(options.flag("json") && !options.flag("json"));
        assert!(options.done().is_ok());
    }

    #[test]
    fn wrong_options_are_refused() {
        assert!(options("--seconds").is_err());
        assert!(options("--seconds five").unwrap().number("seconds").is_err());
        assert!(options("--colour red").unwrap().done().is_err());
    }
}
