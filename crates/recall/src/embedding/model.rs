use std::fmt;

/// The model that a vector is of: vectors of two models are never compared.
///
/// 1 to 96 bytes of printable ASCII without blanks; for the built-in table its name, `@` and
/// the first twelve digits of its digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelId(String);

impl ModelId {
    /// The longest name, in bytes.
    pub const LEN_MAX: usize = 96;

    /// The model called `name`; `None` where no model may be called that.
    #[must_use]
    pub fn new(name: &str) -> Option<ModelId> {
        let fits = (1..=ModelId::LEN_MAX).contains(&name.len());
        (fits && name.bytes().all(|byte| byte.is_ascii_graphic())).then(|| ModelId(name.to_owned()))
    }

    /// The name of a table, which keeps to the rules.
    pub(crate) fn of_table(name: String) -> ModelId {
        ModelId(name)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_printable_and_without_blanks() {
        assert_eq!(ModelId::new("minilm@1").unwrap().as_str(), "minilm@1");
        let longest = "m".repeat(ModelId::LEN_MAX);
        assert!(ModelId::new(&longest).is_some());
        for bad in ["", "a b", "a\n", "\u{e9}", &format!("{longest}m")] {
            assert_eq!(ModelId::new(bad), None, "{bad:?}");
        }
    }
}
