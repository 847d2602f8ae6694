use std::fmt;

/// One place where a rule does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The rule's name, as exceptions spell it.
    pub(crate) rule: &'static str,
    /// Thing that the rule judges: a path, or a path and a name; an exception names it.
    pub(crate) subject: String,
    /// The file, relative to the root.
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// Description of the fault and of its remedy.
    pub(crate) message: String,
}

impl Finding {
    /// A finding whose subject is the file.
    pub(crate) fn new(
        rule: &'static str,
        path: &str,
        line: usize,
        message: impl Into<String>,
    ) -> Finding {
        let message = message.into();
        Finding { rule, subject: path.to_owned(), path: path.to_owned(), line, message }
    }

    /// Returns the finding about a part of the file.
    pub(crate) fn about(self, subject: String) -> Finding {
        Finding { subject, ..self }
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
