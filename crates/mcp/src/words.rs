/// The words of a command line, made so that no argument is taken for a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    flags: Vec<String>,
    values: Vec<String>,
}

impl Words {
    /// Those of a verb, without arguments.
    pub(crate) fn verb(name: &str) -> Words {
        Words { flags: name.split(' ').map(str::to_owned).collect(), values: Vec::new() }
    }

    /// With a flag that has a value, where there is one. The value is in the flag's own word.
    pub(crate) fn flag(mut self, name: &str, value: Option<impl ToString>) -> Words {
        if let Some(value) = value {
            self.flags.push(format!("--{name}={}", value.to_string()));
        }
        self
    }

    /// With a flag for each value.
    pub(crate) fn flags(self, name: &str, values: Vec<String>) -> Words {
        values.into_iter().fold(self, |words, value| words.flag(name, Some(value)))
    }

    /// With a flag that is there or not.
    pub(crate) fn switch(mut self, name: &str, is_on: bool) -> Words {
        if is_on {
            self.flags.push(format!("--{name}"));
        }
        self
    }

    /// With a value that stands alone, behind all flags.
    pub(crate) fn value(mut self, value: impl Into<String>) -> Words {
        self.values.push(value.into());
        self
    }

    /// With many of them.
    pub(crate) fn values(mut self, values: Vec<String>) -> Words {
        self.values.extend(values);
        self
    }

    /// The whole.
    pub(crate) fn finish(self) -> Vec<String> {
        let Words { mut flags, values } = self;
        if !values.is_empty() {
            flags.push("--".to_owned());
            flags.extend(values);
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_taken_for_a_flag() {
        let words = Words::verb("review show").flag("reason", Some("--as=owner"));
        let words = words.switch("json", false).value("--as").value("owner");
        let expected = ["review", "show", "--reason=--as=owner", "--", "--as", "owner"];
        assert_eq!(words.finish(), expected);
    }
}
