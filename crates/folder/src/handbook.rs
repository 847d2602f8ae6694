//! `MEMORY.md`: the handbook that agents search.

use std::collections::{BTreeMap, BTreeSet};

use memlith::read::is_stop_word;

use crate::date::{day, rfc3339};
use crate::group::{Group, Task};
use crate::inputs::{Part, Session, Statement};
use crate::page::{Ground, Page};
use crate::safe::{id, line, same, value};

/// The most characters of a bullet.
pub(crate) const BULLET_CHARS: usize = 600;

/// The most keywords of a task.
const KEYWORDS_MAX: usize = 12;

/// The most words of a title among the keywords.
const TITLE_WORDS: usize = 4;

/// A bullet: what several statements say alike.
pub(crate) struct Bullet<'a> {
    pub text: String,
    pub statements: Vec<&'a Statement>,
    pub tasks: BTreeSet<usize>,
}

/// Writes the handbook; `stems` has the name of each session's file.
pub(crate) fn handbook(groups: &[Group<'_>], stems: &BTreeMap<&str, String>) -> Page {
    let mut page = Page::default();
    for (number, group) in groups.iter().enumerate() {
        if number > 0 {
            page.push("");
        }
        head(&mut page, group);
        for (number, task) in (1_usize..).zip(&group.tasks) {
            self::task(&mut page, group, task, (number, stems));
        }
        section(&mut page, group, Part::Preference);
        section(&mut page, group, Part::Knowledge);
        section(&mut page, group, Part::Failure);
    }
    page
}

fn head(page: &mut Page, group: &Group<'_>) {
    let cwd = group.cwd();
    let sessions = group.tasks.iter().flat_map(|task| &task.sessions);
    let days: BTreeSet<String> = sessions.map(|session| day(session.updated_at)).collect();
    let first = days.first().map_or("", String::as_str);
    let last = days.last().map_or("", String::as_str);
    let count = group.tasks.len();
    let also = group.worktrees.iter().map(|one| format!(" and {}", value(one, 400)));
    let also: String = also.collect();
    page.push(&format!("# Task Group: {}", group.title));
    page.push("");
    page.push(&format!("scope: {count} task(s) in {cwd}{also}, {first} to {last}"));
    page.push(&format!("applies_to: cwd={cwd}; reuse_rule=re-check paths and versions elsewhere"));
}

fn task(
    page: &mut Page,
    group: &Group<'_>,
    task: &Task<'_>,
    (number, stems): (usize, &BTreeMap<&str, String>),
) {
    let outcome = task.sessions.first().map(|one| one.outcome).unwrap_or_default();
    let all = |of: &[&Session]| of.iter().map(|one| ground(one)).collect::<Vec<_>>();
    page.push("");
    let heading = format!("## Task {number}: {}, {}", task.title, outcome.label());
    page.push_on(&heading, all(&task.sessions));
    page.push("");
    page.push("### rollout_summary_files");
    page.push("");
    for session in &task.sessions {
        let stem = stems.get(session.thread.as_str()).map_or("", String::as_str);
        page.push_on(&reference(session, stem), vec![ground(session)]);
    }
    page.push("");
    page.push("### keywords");
    page.push("");
    let keywords = keywords(group, task);
    page.push_on(&format!("- {}", keywords.join(", ")), all(&task.sessions));
}

fn reference(session: &Session, stem: &str) -> String {
    format!(
        "- rollout_summaries/{stem}.md (cwd={}, rollout_path={}, updated_at={}, thread_id={}, {})",
        value(&session.directory, 400),
        value(&session.transcript, 400),
        rfc3339(session.updated_at),
        id(&session.thread),
        session.outcome.label()
    )
}

/// The ground that a session is among those of a line: its thread.
pub(crate) fn ground(session: &Session) -> Ground {
    Ground::Session(session.thread.clone())
}

/// Words to search for: those of the sessions, the code in what they support, the last name of
/// the directory, and words of the title.
pub(crate) fn keywords(group: &Group<'_>, task: &Task<'_>) -> Vec<String> {
    let threads: Vec<String> = task.sessions.iter().map(|one| one.thread.clone()).collect();
    let supports = |one: &&&Statement| one.threads.iter().any(|id| threads.contains(id));
    let mut found: Vec<String> = Vec::new();
    for session in &task.sessions {
        found.extend(session.keywords.iter().cloned());
    }
    for statement in group.statements.iter().filter(supports) {
        // Code stands between the first backtick and the second, and so on.
        let parts: Vec<&str> = statement.text.split('`').collect();
        let closed = parts.len().saturating_sub(1);
        let code = parts.iter().take(closed).skip(1).step_by(2);
        found.extend(code.map(|code| (*code).to_owned()));
    }
    found.extend(group.directory.rsplit('/').next().map(str::to_owned));
    let words = task.title.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '-'));
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let says = |word: &&str| word.chars().count() > 4 && !is_stop_word(&word.to_lowercase());
    found.extend(words.filter(says).take(TITLE_WORDS).map(str::to_owned));
    let mut taken = BTreeSet::new();
    let mut keywords = Vec::new();
    for word in found {
        let word = line(&word, 48).replace([',', ';', '`', ':'], " ");
        let word = word.split_whitespace().collect::<Vec<_>>().join(" ");
        if !word.is_empty() && keywords.len() < KEYWORDS_MAX && taken.insert(same(&word)) {
            keywords.push(word);
        }
    }
    if keywords.is_empty() {
        keywords.push(group.title.clone());
    }
    keywords
}

fn section(page: &mut Page, group: &Group<'_>, part: Part) {
    let bullets = bullets(group, part);
    let facts = facts(group, part);
    let procedures = if part == Part::Knowledge { group.procedures.as_slice() } else { &[] };
    if bullets.is_empty() && procedures.is_empty() && facts.is_empty() {
        return;
    }
    page.push("");
    page.push(match part {
        Part::Profile | Part::Preference => "## User preferences",
        Part::Knowledge => "## Reusable knowledge",
        Part::Failure => "## Failures and how to do differently",
    });
    page.push("");
    for bullet in bullets {
        let text = format!("- {} {}", bullet.text, refs(&bullet.tasks));
        page.push_on(&text, bullet.grounds());
    }
    for (text, (tasks, grounds)) in facts {
        page.push_on(&format!("- {text} {}", refs(&tasks)), grounds);
    }
    for procedure in procedures {
        let tasks = group.tasks_of(&procedure.threads).into_iter().collect();
        let text = format!("- Related skill: skills/{}/SKILL.md {}", procedure.name, refs(&tasks));
        page.push_on(&text, vec![Ground::Procedure(procedure.id.clone())]);
    }
}

/// Collects the facts of the sessions, each once, with its tasks and sessions.
fn facts(group: &Group<'_>, part: Part) -> BTreeMap<String, (BTreeSet<usize>, Vec<Ground>)> {
    let mut facts: BTreeMap<String, (BTreeSet<usize>, Vec<Ground>)> = BTreeMap::new();
    for session in group.tasks.iter().flat_map(|task| &task.sessions) {
        for fact in session.facts.iter().filter(|fact| fact.part == part) {
            let (tasks, grounds) = facts.entry(line(&fact.text, BULLET_CHARS)).or_default();
            tasks.extend(group.tasks_of(std::slice::from_ref(&session.thread)));
            grounds.push(ground(session));
        }
    }
    facts
}

fn refs(tasks: &BTreeSet<usize>) -> String {
    tasks.iter().map(|number| format!("[Task {number}]")).collect()
}

/// The bullets of a part: what says the same stands once.
pub(crate) fn bullets<'a>(group: &Group<'a>, part: Part) -> Vec<Bullet<'a>> {
    let mut bullets: Vec<Bullet<'a>> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for statement in group.of_part(part) {
        let text = worded(statement);
        let place = *places.entry(same(&text)).or_insert(bullets.len());
        if place == bullets.len() {
            bullets.push(Bullet { text, statements: Vec::new(), tasks: BTreeSet::new() });
        }
        if let Some(bullet) = bullets.get_mut(place) {
            bullet.statements.push(statement);
            bullet.tasks.extend(group.tasks_of(&statement.threads));
        }
    }
    newest_first(&mut bullets);
    bullets
}

/// The words of a statement as a bullet has them.
pub(crate) fn worded(statement: &Statement) -> String {
    let text = line(&statement.text, BULLET_CHARS);
    // A bullet of this form points to a skill.
    let text = match text.strip_prefix("Related skill:") {
        Some(rest) => format!("related skill{rest}"),
        None => text,
    };
    let text = text.trim_start_matches(['-', '*', '#', ' ']);
    let text = if text.is_empty() { "no words" } else { text };
    if statement.is_contested {
        return format!("{text} (uncertain: something of equal standing says otherwise)");
    }
    if statement.newer.is_some() {
        return format!("{text} (older, {}: a newer one may say otherwise)", day(statement.at));
    }
    text.to_owned()
}

/// Puts what a later bullet says otherwise directly behind that one.
fn newest_first(bullets: &mut Vec<Bullet<'_>>) {
    let mut at = 0;
    while let Some(bullet) = bullets.get(at) {
        let newer: Vec<&String> =
            bullet.statements.iter().filter_map(|one| one.newer.as_ref()).collect();
        let says = |other: &Bullet<'_>| other.statements.iter().any(|one| newer.contains(&&one.id));
        match bullets.iter().skip(at + 1).position(says) {
            Some(behind) => {
                let newer = bullets.remove(at + 1 + behind);
                bullets.insert(at, newer);
            }
            None => at += 1,
        }
    }
}

impl Bullet<'_> {
    /// Grounds it rests on: the statements and their sessions.
    pub(crate) fn grounds(&self) -> Vec<Ground> {
        let mut grounds = BTreeSet::new();
        for statement in &self.statements {
            grounds.insert(Ground::Statement(statement.id.clone()));
            grounds.extend(statement.threads.iter().cloned().map(Ground::Session));
        }
        grounds.into_iter().collect()
    }
}
