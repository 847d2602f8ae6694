use std::fmt;

/// One place where a rule does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// The file, relative to the root.
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// Description of the fault and of its remedy.
    pub(crate) message: String,
}

impl Finding {
    /// A finding in a file.
    pub(crate) fn new(
        rule: &'static str,
        path: &str,
        line: usize,
        message: impl Into<String>,
    ) -> Finding {
        Finding { rule, path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} [{}]", self.path, self.line, self.message, self.rule)
    }
}

/// The lines and messages of findings, for tests: one `line: message` each.
#[cfg(test)]
pub(crate) fn lines(findings: &[Finding]) -> Vec<usize> {
    findings.iter().map(|finding| finding.line).collect()
}
