//! The mechanical files: `raw_memories.md` and `rollout_summaries/`.

use std::collections::BTreeMap;

use crate::config::Form;
use crate::date::rfc3339;
use crate::group::title;
use crate::handbook::{ground, worded};
use crate::inputs::{Part, Session, Statement, Work};
use crate::page::{Ground, Page};
use crate::safe::{cut, id, line, value};
use crate::stem::{slug, stem};

/// The most requests that a summary tells.
const REQUESTS_MAX: usize = 40;

/// The most characters of a title in the name of a file.
const NAME_CHARS: usize = 32;

/// The most characters of a request.
const REQUEST_CHARS: usize = 400;

/// The most characters of what a command came to.
const FACT_CHARS: usize = 600;

/// The sections of a session, by part.
const SECTIONS: [(&[Part], &str); 3] = [
    (&[Part::Profile, Part::Preference], "Preference signals:"),
    (&[Part::Knowledge], "Reusable knowledge:"),
    (&[Part::Failure], "Failures and how to do differently:"),
];

/// The name of each session's file, without its ending; no two are the same.
pub(crate) fn stems(sessions: &[Session]) -> BTreeMap<&str, String> {
    let mut order: Vec<&Session> = sessions.iter().collect();
    order.sort_by(|one, other| one.thread.cmp(&other.thread));
    let mut taken = BTreeMap::new();
    let mut stems = BTreeMap::new();
    for session in order {
        let mut named = session.clone();
        if named.slug.is_none() && named.written.is_none() {
            named.slug = Some(slug(&cut(&title(session), NAME_CHARS)));
        }
        named.thread = id(&session.thread);
        let stem = stem(&named);
        let count: &mut usize = taken.entry(stem.clone()).or_default();
        *count += 1;
        let stem = if *count > 1 { format!("{stem}_{count}") } else { stem };
        stems.insert(session.thread.as_str(), stem);
    }
    stems
}

/// Writes `raw_memories.md`.
pub(crate) fn raw_memories(
    sessions: &[Session],
    statements: &BTreeMap<&str, Vec<&Statement>>,
    stems: &BTreeMap<&str, String>,
    form: Form,
) -> Page {
    let mut page = Page::default();
    page.push("# Raw Memories");
    page.push("");
    if sessions.is_empty() {
        page.push("No raw memories yet.");
        return page;
    }
    let mut order: Vec<&Session> = sessions.iter().collect();
    order.sort_by(|one, other| one.thread.cmp(&other.thread));
    page.push(match form {
        Form::Current => "Merged stage-1 raw memories (stable ascending thread-id order):",
        Form::Seed => "Merged stage-1 raw memories (latest first):",
    });
    if form == Form::Seed {
        order.sort_by_key(|session| std::cmp::Reverse(session.updated_at));
    }
    page.push("");
    for session in order {
        let on = [ground(session)];
        let stem = stems.get(session.thread.as_str()).map_or("", String::as_str);
        let head = format!(
            "## Thread `{}`\nupdated_at: {}\ncwd: {}\nrollout_path: {}\nrollout_summary_file: \
             {stem}.md",
            id(&session.thread),
            rfc3339(session.updated_at),
            path(session, &session.directory),
            path(session, &session.transcript)
        );
        page.extend(Page::whole(&head, &on));
        page.push("");
        let own = statements.get(session.thread.as_str()).map_or(&[][..], Vec::as_slice);
        match &session.written {
            Some(written) => page.extend(Page::whole(written.raw_memory.trim(), &on)),
            None => raw_memory(&mut page, session, own),
        }
        page.push("");
    }
    page
}

/// Paths of what a first phase wrote stay as they came.
fn path(session: &Session, path: &str) -> String {
    if session.written.is_some() { path.to_owned() } else { value(path, 400) }
}

/// Writes a session as a first phase would have: front matter, and one task.
fn raw_memory(page: &mut Page, session: &Session, statements: &[&Statement]) {
    let on = vec![ground(session)];
    let (title, outcome) = (title(session), session.outcome.label());
    let cwd = value(&session.directory, 400);
    let group = if session.family.is_empty() { cwd.clone() } else { line(&session.family, 60) };
    let keywords: Vec<String> = session.keywords.iter().map(|word| value(word, 48)).collect();
    for text in [
        "---".to_owned(),
        format!("description: {title}, {outcome}; {} statement(s) kept", statements.len()),
        format!("task: {title}"),
        format!("task_group: {group}"),
        format!("task_outcome: {outcome}"),
        format!("cwd: {cwd}"),
        format!("keywords: {}", keywords.join(", ")),
        "---".to_owned(),
        String::new(),
        format!("### Task 1: {title}"),
        String::new(),
        format!("task: {title}"),
        format!("task_group: {group}"),
        format!("task_outcome: {outcome}"),
    ] {
        page.push_on(text.trim_end(), on.clone());
    }
    sections(page, session, statements);
}

fn sections(page: &mut Page, session: &Session, statements: &[&Statement]) {
    for (parts, heading) in SECTIONS {
        let own: Vec<_> = statements.iter().filter(|one| parts.contains(&one.part)).collect();
        let facts: Vec<_> = session.facts.iter().filter(|one| parts.contains(&one.part)).collect();
        if own.is_empty() && facts.is_empty() {
            continue;
        }
        page.push("");
        page.push(heading);
        for statement in own {
            let grounds = vec![Ground::Statement(statement.id.clone()), ground(session)];
            page.push_on(&format!("- {}", worded(statement)), grounds);
        }
        for fact in facts {
            page.push_on(&format!("- {}", line(&fact.text, FACT_CHARS)), vec![ground(session)]);
        }
    }
}

/// Writes the summary of a session.
pub(crate) fn rollout_summary(session: &Session, statements: &[&Statement]) -> Page {
    let on = vec![ground(session)];
    let mut page = Page::default();
    for text in [
        format!("thread_id: {}", id(&session.thread)),
        format!("updated_at: {}", rfc3339(session.updated_at)),
        format!("rollout_path: {}", path(session, &session.transcript)),
        format!("cwd: {}", path(session, &session.directory)),
    ] {
        page.push_on(&text, on.clone());
    }
    if let Some(branch) = &session.branch {
        page.push_on(&format!("git_branch: {}", value(branch, 200)), on.clone());
    }
    page.push("");
    if let Some(written) = &session.written {
        page.extend(Page::whole(&written.summary, &on));
        return page;
    }
    let title = title(session);
    page.push_on(&format!("# {title}"), on.clone());
    page.push("");
    let work = match session.work {
        Work::Coding => "code was run or changed",
        Work::Browsing => "pages were looked at",
        Work::Reasoning => "a conversation",
    };
    let requests = session.requests.len();
    page.push_on(&format!("Rollout context: {work}; {requests} request(s)"), on.clone());
    page.push("");
    page.push_on(&format!("## Task 1: {title}"), on.clone());
    page.push("");
    page.push_on(&format!("Outcome: {}", session.outcome.label()), on.clone());
    if !session.requests.is_empty() {
        page.push("");
        page.push("Key steps:");
        for request in session.requests.iter().take(REQUESTS_MAX) {
            let text = format!("- asked: {}", line(&request.text, REQUEST_CHARS));
            page.push_on(&text, on.clone());
        }
        if requests > REQUESTS_MAX {
            let left = requests.saturating_sub(REQUESTS_MAX);
            page.push_on(&format!("- {left} more request(s) are in the transcript"), on);
        }
    }
    sections(&mut page, session, statements);
    page
}
