//! Checks of a folder, ours or foreign.

mod handbook;
mod raw;
mod skills;
mod summary;

use std::collections::BTreeMap;

use memlith::write::find_secrets;
use serde::{Serialize, Serializer};

use crate::config::Form;
use crate::safe::{OVERRIDES, find_phrase};

/// The files of a folder, by path with `/` between names.
pub type Files = BTreeMap<String, String>;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A reader may misunderstand the folder, or miss something in it.
    Error,
    /// It could be better.
    Warning,
}

/// A place where a folder breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The rule, e.g. `M05`.
    pub rule: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// The text of it: what is wrong, and what is asked for.
    pub message: String,
}

/// The result of a check of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Linted {
    /// The form that was recognised.
    #[serde(serialize_with = "write_form")]
    pub form: Form,
    /// The findings by path, line and rule.
    pub findings: Vec<Finding>,
}

/// The most lines, and bytes, of a `MEMORY.md` of Claude Code.
const CLIENT_LINES: usize = 200;
const CLIENT_BYTES: usize = 25_000;

impl Linted {
    /// Number of findings of this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|one| one.severity == severity).count()
    }
}

/// Checks a folder by all rules.
///
/// The form is `form`, or what the first line of the summary says. A folder of one `MEMORY.md`
/// that isn't made of task groups is one of Claude Code, and is checked for its size.
///
/// Cost: a pass over the text, and for secrets another.
#[must_use]
pub fn lint(files: &Files, form: Option<Form>) -> Linted {
    let summary = files.get("memory_summary.md").map(String::as_str);
    let is_seed = summary.is_some_and(|text| text.starts_with("## User Profile"));
    let form = form.unwrap_or(if is_seed { Form::Seed } else { Form::Current });
    let mut found = Findings::default();
    let handbook = files.get("MEMORY.md").map(String::as_str);
    if summary.is_none() && handbook.is_some_and(|text| text.starts_with("# Memory\n")) {
        found.path = "MEMORY.md".to_owned();
        client(handbook.unwrap_or_default(), &mut found);
    } else {
        found.path = "MEMORY.md".to_owned();
        let groups = handbook::check(handbook.unwrap_or_default(), files, &mut found);
        found.path = "memory_summary.md".to_owned();
        match summary {
            Some(text) => summary::check(text, form, (&groups, handbook), &mut found),
            None => found.error(1, "S01", "the file is missing"),
        }
        raw::check(files, &mut found);
        skills::check(files, &mut found);
    }
    for (path, text) in files {
        found.path.clone_from(path);
        unsafe_text(text, &mut found);
    }
    let mut findings = found.all;
    findings.sort_by(|one, other| {
        (&one.path, one.line, one.rule).cmp(&(&other.path, other.line, other.rule))
    });
    Linted { form, findings }
}

fn client(text: &str, found: &mut Findings) {
    let lines = text.lines().count();
    if lines > CLIENT_LINES {
        found.error(lines, "C01", "the client reads 200 lines");
    }
    if text.len() > CLIENT_BYTES {
        found.error(lines, "C02", "the client reads 25,000 bytes");
    }
}

/// Secrets, and phrases that tell a model to drop its instructions.
fn unsafe_text(text: &str, found: &mut Findings) {
    for secret in find_secrets(text) {
        let line = usize::try_from(secret.line).unwrap_or(usize::MAX);
        found.error(line, "M16", &format!("a secret ({}): take it out", secret.name));
    }
    for (number, line) in (1..).zip(text.lines()) {
        if OVERRIDES.iter().any(|phrase| find_phrase(line, phrase).is_some()) {
            found.warn(number, "X01", "a phrase that tells a model to drop its instructions");
        }
    }
}

fn write_form<S: Serializer>(form: &Form, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(form.label())
}

/// Findings so far, and the file in which the next is.
#[derive(Debug, Default)]
struct Findings {
    path: String,
    all: Vec<Finding>,
}

impl Findings {
    fn error(&mut self, line: usize, rule: &'static str, message: &str) {
        self.push(line, rule, Severity::Error, message);
    }

    fn warn(&mut self, line: usize, rule: &'static str, message: &str) {
        self.push(line, rule, Severity::Warning, message);
    }

    fn push(&mut self, line: usize, rule: &'static str, severity: Severity, message: &str) {
        let (path, message) = (self.path.clone(), message.to_owned());
        self.all.push(Finding { path, line, rule, severity, message });
    }
}

/// Whether a text is an RFC 3339 instant.
fn is_instant(text: &str) -> bool {
    text.parse::<memlith::Timestamp>().is_ok()
}
