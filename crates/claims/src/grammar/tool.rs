use super::clause::Clause;
use super::frame::claim;
use super::subject::{SELF, Subject, plain};
use super::value::Value;
use crate::claim::{About, Cardinality, Claim};
use memlith_text::{Sort, Word};

/// The tool that runs or builds something, where it has one of a kind: a tool for a purpose, the
/// version of a program, the plan that it is on.
pub(crate) fn claim_at(clause: &Clause, at: usize) -> Option<Claim> {
    let before = clause.words.get(..at)?;
    let pattern = VERBS.iter().find(|pattern| clause.matches(at, pattern))?;
    let rest = clause.words.get(at + pattern.len()..)?;
    let subject = Subject::of(before)?;
    if let Some((name, version)) = versioned(rest) {
        let value = Value { text: version, detail: String::new() };
        // "We use Python 3.12" is about Python.
        let ours = subject.entity == "we" || subject.entity == SELF;
        let (subject, predicate) = if ours {
            (Subject { entity: name, about: About::Named }, "version".to_owned())
        } else {
            (subject, format!("{name}_version"))
        };
        return Some(claim(clause, subject, &predicate, value, Cardinality::Single));
    }
    let (predicate, value) = indented(rest)
        .or_else(|| purposed(rest).filter(|_| pattern.contains(&"use")))
        .or_else(|| one_of_its_kind(rest, pattern))
        .or_else(|| planned(rest).filter(|_| pattern.contains(&"on")))?;
    let value = Value { text: value, detail: String::new() };
    Some(claim(clause, subject, &predicate, value, Cardinality::Single))
}

/// "tabs", "four spaces", with or without "for indentation".
fn indented(words: &[Word]) -> Option<(String, String)> {
    let words = match words {
        [words @ .., over, other] if over.is_in(&["over"]) && other.is_in(&["tabs", "spaces"]) => {
            words
        }
        [words @ .., last, what] if last.is_in(&["for"]) && what.is_in(&["indentation"]) => words,
        words => words,
    };
    let value = match words {
        [one] if one.is_in(&["tabs", "spaces"]) => one.lemma.clone(),
        [count, spaces] if count.sort == Sort::Amount && spaces.lemma == "space" => {
            format!("{} space", count.text)
        }
        _ => return None,
    };
    Some(("indentation".to_owned(), value))
}

/// "Postgres 15".
fn versioned(words: &[Word]) -> Option<(String, String)> {
    let [name, version] = words else { return None };
    let known = name.sort == Sort::Plain && name.proper && version.sort == Sort::Amount;
    let whole = version.text.split(' ').count() == 1;
    (known && whole).then(|| (name.lemma.clone(), version.text.clone()))
}

/// "Jenkins for CI", "Firefox as my browser".
fn purposed(words: &[Word]) -> Option<(String, String)> {
    let at = words.iter().position(|word| word.is_in(&["for", "as"]))?;
    let (tool, purpose) = (words.get(..at)?, words.get(at + 1..)?);
    let purpose = match purpose {
        [my, purpose] if my.is_in(&["my", "our", "his", "her", "their"]) => purpose,
        [purpose] => purpose,
        _ => return None,
    };
    let one = ONE_AT_A_TIME.contains(&purpose.lemma.as_str());
    one.then(|| plain(tool).map(|tool| (purpose.lemma.clone(), tool)))?
}

/// "pnpm", "Emacs": a tool that takes the place of another of its kind. What one may well
/// use beside another of its kind has to be preferred to it.
fn one_of_its_kind(words: &[Word], verb: &[&str]) -> Option<(String, String)> {
    let [tool] = words else { return None };
    let (kind, used, _) = KINDS.iter().find(|(_, _, tools)| tools.contains(&tool.text.as_str()))?;
    let chosen = verb.contains(&"prefer") || verb.contains(&"switched");
    (chosen || (*used && verb.contains(&"use"))).then(|| ((*kind).to_owned(), tool.text.clone()))
}

/// "the Pro plan".
fn planned(words: &[Word]) -> Option<(String, String)> {
    let (last, name) = words.split_last()?;
    (last.lemma == "plan").then(|| plain(name).map(|name| ("plan".to_owned(), name)))?
}

/// Verbs that put a tool to use.
const VERBS: &[&[&str]] = &[
    &["be", "upgraded", "to"],
    &["be", "downgraded", "to"],
    &["be", "updated", "to"],
    &["be", "migrated", "to"],
    &["be", "running"],
    &["upgraded", "to"],
    &["switched", "to"],
    &["be", "on"],
    &["indent", "with"],
    &["run", "on"],
    &["run"],
    &["use"],
    &["prefer"],
];

/// Kinds of tools, whether using one is using no other, and the tools.
const KINDS: &[(&str, bool, &[&str])] = &[
    ("package_manager", true, &["npm", "yarn", "pnpm", "bun"]),
    ("editor", false, &["vim", "neovim", "emacs", "helix", "nano", "vscode", "zed", "sublime"]),
    ("browser", false, &["chrome", "firefox", "safari", "edge", "brave", "opera"]),
    ("shell", false, &["bash", "zsh", "fish", "nushell", "powershell"]),
];

/// Purposes that one has one tool for.
const ONE_AT_A_TIME: &[&str] = &[
    "ci",
    "hosting",
    "browser",
    "editor",
    "shell",
    "terminal",
    "ide",
    "os",
    "bank",
    "carrier",
    "calendar",
    "payroll",
    "indentation",
];
