use std::fmt;

/// A command line, as a person types it in a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandLine(Vec<String>);

impl CommandLine {
    pub(crate) fn new<T: Into<String>>(words: impl IntoIterator<Item = T>) -> CommandLine {
        CommandLine(words.into_iter().map(Into::into).collect())
    }

    /// Appends a flag and its value.
    pub(crate) fn with(mut self, flag: &str, value: impl ToString) -> CommandLine {
        self.0.extend([flag.to_owned(), value.to_string()]);
        self
    }

    /// Appends a flag.
    pub(crate) fn and(mut self, flag: &str) -> CommandLine {
        self.0.push(flag.to_owned());
        self
    }

    #[cfg(test)]
    pub(crate) fn words(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("memlith")?;
        self.0.iter().try_for_each(|word| write!(f, " {}", quoted(word)))
    }
}

/// A word as a POSIX shell takes it back.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_every_word_back() {
        let words = ["checkout", "who's there?", "", "$HOME `x` \"y\" \\", "--now=2026-05-01"];
        let line = CommandLine::new(words);
        let script = format!("memlith() {{ printf '%s\\n' \"$@\"; }}; {line}");
        let shell = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8(shell.stdout).unwrap(), words.join("\n") + "\n");
    }
}
