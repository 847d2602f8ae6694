use super::finding::Finding;
use super::tracked::OF_GIT;
use super::tree::Tree;

/// The file with the places where a rule does not hold, one `RULE SUBJECT -- reason` a line.
const EXCEPTIONS: &str = "xtask/tidy/exceptions.txt";

/// The exceptions of a tree.
pub(super) struct Exceptions<'a> {
    lines: Vec<Exception<'a>>,
    malformed: Vec<Finding>,
}

struct Exception<'a> {
    line: usize,
    rule: &'a str,
    subject: &'a str,
}

impl Exceptions<'_> {
    /// Reads the file, if there is one.
    pub(super) fn of(tree: &Tree) -> Exceptions<'_> {
        let mut exceptions = Exceptions { lines: Vec::new(), malformed: Vec::new() };
        let text = tree.text(EXCEPTIONS).unwrap_or("");
        let lines = (1..).zip(text.lines());
        for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
            match parse(text) {
                // Outside of a repository nothing is known of what git keeps.
                Some((rule, _)) if OF_GIT.contains(&rule) && tree.tracked().is_empty() => {}
                Some((rule, subject)) => {
                    exceptions.lines.push(Exception { line, rule, subject });
                }
                None => {
                    let message = "write `RULE SUBJECT -- reason`";
                    exceptions.malformed.push(Finding::new("exception", EXCEPTIONS, line, message));
                }
            }
        }
        exceptions
    }

    /// Takes out the findings that are excepted; adds one for each exception that is not needed.
    pub(super) fn lift(self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let Exceptions { lines, malformed: mut found } = self;
        for Exception { line, rule, subject } in lines {
            let before = findings.len();
            findings.retain(|finding| finding.rule != rule || finding.subject != subject);
            if findings.len() == before {
                let message = format!("`{rule} {subject}` lifts nothing: remove or correct it");
                found.push(Finding::new("exception", EXCEPTIONS, line, message));
            }
        }
        findings.append(&mut found);
        findings
    }
}

fn parse(line: &str) -> Option<(&str, &str)> {
    let (what, reason) = line.split_once(" -- ")?;
    let (rule, subject) = what.split_once(' ')?;
    (!reason.trim().is_empty() && !subject.is_empty()).then_some((rule, subject))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(exceptions: &str) -> Vec<String> {
        let tree = Tree::of(&[(EXCEPTIONS, exceptions)]);
        let findings = vec![
            Finding::new("ascii", "a.rs", 3, "x"),
            Finding::new("ascii", "a.rs", 4, "x"),
            Finding::new("length", "a.rs", 800, "x"),
        ];
        let left = Exceptions::of(&tree).lift(findings);
        left.into_iter().map(|finding| format!("{} {}", finding.rule, finding.line)).collect()
    }

    #[test]
    fn an_exception_lifts_its_rule_for_its_subject() {
        assert_eq!(left("# Why.\n\nascii a.rs -- it is a table of letters\n"), ["length 800"]);
    }

    #[test]
    fn without_a_repository_what_git_keeps_needs_no_exception() {
        assert_eq!(left("binary golden -- files of version 1\n").len(), 3);
        let tree = Tree::of(&[(EXCEPTIONS, "binary golden -- files of version 1\n")]);
        let tracked = super::super::tracked::Tracked {
            path: "a".into(),
            is_ignored: false,
            is_binary: false,
        };
        let tree = tree.with_tracked(vec![tracked]);
        assert_eq!(Exceptions::of(&tree).lift(Vec::new()).len(), 1);
    }

    #[test]
    fn an_exception_without_use_or_reason_is_found() {
        let all = ["ascii 3", "ascii 4", "length 800", "exception 1"];
        assert_eq!(left("ascii b.rs -- a table\n"), all);
        assert_eq!(left("ascii a.rs\n"), all);
        assert_eq!(left("ascii a.rs -- \n"), all);
    }
}
