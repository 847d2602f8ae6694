//! Reads the bullets of a folder that another program wrote.

use std::collections::BTreeSet;
use std::path::Path;

use memlith::{Caller, Ledger, Status, Timestamp};
use serde::Serialize;

use crate::error::Error;
use crate::lint::Files;
use crate::load::load;
use crate::manifest::{Manifest, digest};

/// A bullet of a folder: a preference, a piece of knowledge, or what failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bullet {
    /// Its words, without the tasks that it refers to.
    pub text: String,
    /// The session it stands under.
    pub thread: Option<String>,
    /// The folder that session, or its group of tasks, is about.
    pub directory: Option<String>,
    /// When that session was last changed.
    pub at: Option<Timestamp>,
}

/// The result of reading the bullets of a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Ingested {
    /// Bullets that were found.
    pub found: usize,
    /// Bullets that are memories now.
    pub added: usize,
    /// Bullets that wait for a person.
    pub waiting: usize,
}

/// The most bytes of one bullet that are taken in.
const BULLET_BYTES: usize = 16 << 10;

/// The lists whose bullets are statements; all else is order, evidence and names.
///
/// Source: the layout of Codex's `raw_memory` and of its `MEMORY.md`.
const LISTS: [&str; 6] = [
    "Preference signals",
    "User preferences",
    "Reusable knowledge",
    "General Tips",
    "Failures and how to do differently",
    "Failures",
];

/// Takes the bullets of a folder that another program wrote into a ledger, each once.
///
/// A model worded them: what is written has `caller`'s authority, so let it be an assistant's. The
/// session and the day are those that the folder names, the project what `project` makes of the
/// directory that it names. What was forgotten or declared wrong since stays away.
///
/// Source: sections 2.2 and 2.5 of the description of Codex's memories; both its forms.
///
/// # Errors
/// [`Error::OwnFolder`] of a folder that this ledger rendered, those of [`load`], and the
/// ledger's; what came before it stands.
pub fn ingest(
    dir: &Path,
    ledger: &Ledger,
    caller: &Caller,
    project: &dyn Fn(&str) -> Option<String>,
) -> Result<Ingested, Error> {
    let own = ledger.id().to_string();
    if Manifest::of(dir)?.is_some_and(|manifest| manifest.ledger == own) {
        return Err(Error::OwnFolder { path: dir.to_owned() });
    }
    let now = caller.now.unwrap_or_else(|| ledger.now());
    let mut ingested = Ingested::default();
    for bullet in bullets(&load(dir)?) {
        ingested.found += 1;
        let before = ledger.refresh()?.seq;
        let place = bullet.thread.as_deref().or(bullet.directory.as_deref()).unwrap_or_default();
        let words = digest(bullet.text.as_bytes());
        let mut caller = caller.keyed(&format!("folder ingest {place} {words}"));
        caller.now = Some(bullet.at.map_or(now, |at| at.min(now)));
        if let Some(directory) = &bullet.directory {
            caller.scope.subject = project(directory).map(Into::into);
        }
        if let Some(thread) = bullet.thread {
            caller = caller.session(thread);
        }
        match ledger.remember_new(&caller, bullet.text) {
            Ok(written) if written.id.seq > before && written.status() == Status::Waiting => {
                ingested.waiting += 1;
            }
            Ok(written) if written.id.seq > before => ingested.added += 1,
            Ok(_) | Err(memlith::Error::Rejected(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(ingested)
}

/// The bullets of a folder, each words once: first those of sessions, then what the handbook and
/// the summary add.
#[must_use]
pub fn bullets(files: &Files) -> Vec<Bullet> {
    let sessions = files.iter().filter(|(path, _)| path.starts_with("rollout_summaries/"));
    let texts = files.get("raw_memories.md").into_iter().chain(sessions.map(|(_, text)| text));
    let rest = ["MEMORY.md", "memory_summary.md"].into_iter().filter_map(|path| files.get(path));
    let mut found = Vec::new();
    let mut said = BTreeSet::new();
    for text in texts.chain(rest) {
        for bullet in bullets_of(text) {
            if said.insert(bullet.text.clone()) {
                found.push(bullet);
            }
        }
    }
    found
}

/// The bullets of one file.
fn bullets_of(text: &str) -> Vec<Bullet> {
    let mut found = Vec::new();
    let mut under = Bullet::default();
    let mut is_listing = false;
    for line in text.lines() {
        if let Some(bullet) = line.strip_prefix("- ") {
            let text = without_tasks(bullet.trim());
            if is_listing && !text.is_empty() && text.len() <= BULLET_BYTES {
                found.push(Bullet { text: text.to_owned(), ..under.clone() });
            }
        } else if !line.trim().is_empty() {
            is_listing = is_list(line);
            if !is_listing {
                under.read(line);
            }
        }
    }
    found
}

/// Whether a line heads a list of statements: `Reusable knowledge:`, or as a heading.
fn is_list(line: &str) -> bool {
    let name = line.strip_prefix("## ").or_else(|| line.strip_suffix(':')).unwrap_or_default();
    LISTS.contains(&name.trim())
}

/// A bullet without the tasks at its end: `[Task 1][Task 2]`.
pub(crate) fn without_tasks(mut text: &str) -> &str {
    while let Some((rest, task)) = text.rsplit_once("[Task ") {
        let number = task.strip_suffix(']');
        if !number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            break;
        }
        text = rest.trim_end();
    }
    text
}

impl Bullet {
    /// Takes in a line that says what the next bullets are about.
    fn read(&mut self, line: &str) {
        let thread = line.strip_prefix("## Thread `").and_then(|rest| rest.strip_suffix('`'));
        let thread = thread.or_else(|| line.strip_prefix("thread_id: "));
        if let Some(thread) = thread {
            *self = Bullet { thread: Some(thread.trim().to_owned()), ..Bullet::default() };
        } else if line.starts_with("# Task Group:") {
            *self = Bullet::default();
        } else if let Some(at) = line.strip_prefix("updated_at: ") {
            self.at = at.trim().replace("+00:00", "Z").parse().ok();
        } else if let Some(directory) =
            line.strip_prefix("cwd: ").or_else(|| line.strip_prefix("applies_to: cwd="))
        {
            let directory = directory.split(';').next().unwrap_or_default().trim();
            if directory.starts_with('/') {
                self.directory = Some(directory.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "\
# Raw Memories\n\nMerged stage-1 raw memories (latest first):\n\n\
## Thread `t-1`\nupdated_at: 2026-05-01T12:00:00+00:00\ncwd: /home/ana/shop\n\
rollout_path: /r.jsonl\nrollout_summary_file: a.md\n\n\
---\ndescription: ports\ncwd: unknown\n---\n\n### Task 1: move\n\ntask: move\n\n\
Preference signals:\n- when asked to move, the user said \"ask first\" -> ask\n\n\
Reusable knowledge:\n- The API listens on port 9090.\n\nReferences:\n- cargo run\n";

    fn files(list: &[(&str, &str)]) -> Files {
        list.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn bullets_keep_the_session_and_the_day_they_stand_under() {
        let found = bullets(&files(&[("raw_memories.md", RAW)]));
        let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        let said = "when asked to move, the user said \"ask first\" -> ask";
        assert_eq!(texts, [said, "The API listens on port 9090."]);
        assert!(found.iter().all(|one| one.thread.as_deref() == Some("t-1")));
        assert!(found.iter().all(|one| one.directory.as_deref() == Some("/home/ana/shop")));
        assert_eq!(found[0].at, "2026-05-01T12:00:00Z".parse().ok());
    }

    #[test]
    fn the_handbook_adds_what_no_session_says() {
        let handbook = "# Task Group: shop\n\nscope: all\napplies_to: cwd=/shop; reuse_rule=safe\n\n\
            ## Task 1: move, success\n\n### keywords\n\n- port, api\n\n## Reusable knowledge\n\
            - The API listens on port 9090. [Task 1][Task 2]\n- Only here [Task x]\n\n\
            # Task Group: other\n\n## Failures and how to do differently\n- It broke. [Task 1]\n";
        let found = bullets(&files(&[("raw_memories.md", RAW), ("MEMORY.md", handbook)]));
        let rest: Vec<_> =
            found[2..].iter().map(|one| (&*one.text, one.directory.as_deref())).collect();
        assert_eq!(rest, [("Only here [Task x]", Some("/shop")), ("It broke.", None)]);
    }
}
