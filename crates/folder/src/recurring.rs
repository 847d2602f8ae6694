//! Statements that hold beyond one task: who the person is, what they want, what failed in many
//! places.

use std::collections::{BTreeMap, BTreeSet};

use crate::date::day;
use crate::handbook::worded;
use crate::inputs::{Class, Inputs, Part, Statement};
use crate::page::{Ground, Page};
use crate::safe::{cut, same, value};

/// The most characters of a bullet.
const BULLET_CHARS: usize = 240;

/// The most directories that the profile names.
const DIRECTORIES_MAX: usize = 5;

/// A bullet of the summary.
pub(crate) struct Recurring {
    pub text: String,
    pub grounds: Vec<Ground>,
    /// Number of sessions that support it.
    pub support: usize,
    pub is_pinned: bool,
}

/// Statements of the same words.
struct Said<'a> {
    text: String,
    statements: Vec<&'a Statement>,
    threads: BTreeSet<&'a str>,
    directories: BTreeSet<&'a str>,
}

/// The preferences, and whatever is pinned: the pinned first, then by the number of sessions that
/// support one, then the newest.
pub(crate) fn preferences(inputs: &Inputs) -> Vec<Recurring> {
    let is_told = |one: &Statement| {
        one.part == Part::Preference || (one.class == Class::Pinned && one.part != Part::Profile)
    };
    let mut said = said(inputs, is_told);
    said.sort_by_cached_key(|one| {
        let reversed = (one.is_pinned(), one.threads.len(), one.day());
        (std::cmp::Reverse(reversed), one.text.clone())
    });
    let told = |one: Said<'_>| {
        let mut why = vec![match one.threads.len() {
            1 => "1 session".to_owned(),
            count => format!("{count} sessions"),
        }];
        let directories: Vec<&str> = one.directories.iter().copied().collect();
        match directories.as_slice() {
            [] => {}
            [""] => why.push("no directory".to_owned()),
            [only] => why.push(format!("cwd={}", value(only, 120))),
            many => why.push(format!("{} directories", many.len())),
        }
        if one.is_pinned() {
            why.insert(0, "pinned".to_owned());
        }
        one.told(&why.join("; "))
    };
    said.into_iter().map(told).collect()
}

/// Failures that happened in more than one directory.
pub(crate) fn tips(inputs: &Inputs) -> Vec<Recurring> {
    let mut said = said(inputs, |one| one.part == Part::Failure);
    said.retain(|one| one.directories.len() > 1);
    said.sort_by_cached_key(|one| (std::cmp::Reverse(one.directories.len()), one.text.clone()));
    let told = |one: Said<'_>| {
        let why = format!("seen in {} directories", one.directories.len());
        one.told(&why)
    };
    said.into_iter().map(told).collect()
}

/// Profile of the person: what is counted, and what they said of themself.
pub(crate) fn profile(inputs: &Inputs, words_max: usize) -> Page {
    let mut page = Page::default();
    let mut words = 0_usize;
    let mut push = |text: &str, grounds: Vec<Ground>| {
        let more = text.split_whitespace().count();
        if words.saturating_add(more) <= words_max {
            words = words.saturating_add(more);
            page.push_on(text, grounds);
        }
    };
    push(&counted(inputs), Vec::new());
    let mut said = said(inputs, |one| one.part == Part::Profile);
    said.sort_by_cached_key(|one| {
        (std::cmp::Reverse((one.is_pinned(), one.threads.len(), one.day())), one.text.clone())
    });
    for one in said {
        let told = one.plain();
        push(&format!("- {}", told.text), told.grounds);
    }
    page
}

fn counted(inputs: &Inputs) -> String {
    let days: BTreeSet<String> = inputs.sessions.iter().map(|one| day(one.updated_at)).collect();
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return "- Nothing is known yet.".to_owned();
    };
    let mut directories: BTreeMap<&str, usize> = BTreeMap::new();
    for session in &inputs.sessions {
        *directories.entry(&session.directory).or_default() += 1;
    }
    let count = directories.len();
    let mut directories: Vec<(&str, usize)> = directories.into_iter().collect();
    directories.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let named: Vec<String> = directories
        .iter()
        .take(DIRECTORIES_MAX)
        .map(|(name, count)| format!("{} ({count})", value(name, 80)))
        .collect();
    format!(
        "- {} session(s) in {count} director{} from {first} to {last}, most of them in {}.",
        inputs.sessions.len(),
        if count == 1 { "y" } else { "ies" },
        named.join(", ")
    )
}

/// The statements that `is_of` lets through, by their words.
fn said<'a>(inputs: &'a Inputs, is_of: impl Fn(&Statement) -> bool) -> Vec<Said<'a>> {
    let directories: BTreeMap<&str, &str> =
        inputs.sessions.iter().map(|one| (one.thread.as_str(), one.directory.as_str())).collect();
    let mut by_words: BTreeMap<String, Said<'_>> = BTreeMap::new();
    let mut statements: Vec<&Statement> = inputs.statements.iter().collect();
    statements.sort_by(|one, other| one.id.cmp(&other.id));
    for statement in statements.into_iter().filter(|one| is_of(one)) {
        let text = worded(statement);
        let said = by_words.entry(same(&text)).or_insert_with(|| Said {
            text,
            statements: Vec::new(),
            threads: BTreeSet::new(),
            directories: BTreeSet::new(),
        });
        said.statements.push(statement);
        for thread in &statement.threads {
            // A session that isn't in the folder supports nothing in it.
            if let Some(directory) = directories.get(thread.as_str()) {
                said.threads.insert(thread);
                said.directories.insert(directory);
            }
        }
    }
    by_words.into_values().filter(|one| !one.threads.is_empty()).collect()
}

impl Said<'_> {
    fn is_pinned(&self) -> bool {
        self.statements.iter().any(|one| one.class == Class::Pinned)
    }

    fn day(&self) -> String {
        self.statements.iter().map(|one| day(one.at)).max().unwrap_or_default()
    }

    fn told(&self, why: &str) -> Recurring {
        let mut told = self.plain();
        told.text = format!("{} ({why})", told.text);
        told
    }

    fn plain(&self) -> Recurring {
        let sessions = self.threads.iter().map(|one| Ground::Session((*one).to_owned()));
        let statements = self.statements.iter().map(|one| Ground::Statement(one.id.clone()));
        Recurring {
            text: cut(&self.text, BULLET_CHARS),
            grounds: statements.chain(sessions).collect(),
            support: self.threads.len(),
            is_pinned: self.is_pinned(),
        }
    }
}
