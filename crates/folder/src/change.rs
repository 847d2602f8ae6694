//! Differences between two folders.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::inputs::Inputs;
use crate::mechanical::stems;
use crate::page::Folder;

/// Differences between the folders of two positions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FolderDiff {
    /// Sessions that are new, or of which something newer is known.
    pub added: Vec<String>,
    /// Sessions that are as they were.
    pub retained: Vec<String>,
    /// Sessions that are gone.
    pub removed: Vec<String>,
    /// Files by what became of them: `A`, `M`, `D` and the path.
    pub files: Vec<String>,
    /// The diff in words, as the seed's prompt has it.
    pub text: String,
}

/// Compares two positions: what was read at each, and the folder of it.
#[must_use]
pub fn diff(from: (&Inputs, &Folder), to: (&Inputs, &Folder)) -> FolderDiff {
    let mut diff = FolderDiff::default();
    let known: BTreeMap<&str, _> =
        from.0.sessions.iter().map(|one| (one.thread.as_str(), one.updated_at)).collect();
    let (stems, before) = (stems(&to.0.sessions), stems(&from.0.sessions));
    let mut lines = Vec::new();
    for (thread, stem) in &stems {
        let session = to.0.sessions.iter().find(|one| one.thread == *thread);
        let is_same = session.is_some_and(|one| known.get(thread) == Some(&one.updated_at));
        let label = if is_same { "retained" } else { "added" };
        lines.push(entry(&format!("[{label}] "), thread, stem));
        if is_same { &mut diff.retained } else { &mut diff.added }.push((*thread).to_owned());
    }
    let gone = before.iter().filter(|(thread, _)| !stems.contains_key(*thread));
    let gone: Vec<String> = gone
        .map(|(thread, stem)| {
            diff.removed.push((*thread).to_owned());
            entry("", thread, stem)
        })
        .collect();
    let or_none = |lines: &[String]| match lines {
        [] => "- none".to_owned(),
        lines => lines.join("\n"),
    };
    diff.text = format!(
        "- selected inputs this run: {}\n- newly added since the last successful Phase 2 run: {}\n\
         - retained from the last successful Phase 2 run: {}\n\
         - removed from the last successful Phase 2 run: {}\n\n\
         Current selected Phase 1 inputs:\n{}\n\n\
         Removed from the last successful Phase 2 selection:\n{}",
        stems.len(),
        diff.added.len(),
        diff.retained.len(),
        diff.removed.len(),
        or_none(&lines),
        or_none(&gone)
    );
    diff.files = changed_files(from.1, to.1);
    diff
}

fn entry(label: &str, thread: &str, stem: &str) -> String {
    format!("- {label}thread_id={thread}, rollout_summary_file=rollout_summaries/{stem}.md")
}

fn changed_files(from: &Folder, to: &Folder) -> Vec<String> {
    let paths: BTreeSet<&String> = from.files.keys().chain(to.files.keys()).collect();
    let changed = paths.into_iter().filter_map(|path| match (from.text(path), to.text(path)) {
        (None, _) => Some(format!("A {path}")),
        (_, None) => Some(format!("D {path}")),
        (Some(before), Some(after)) => (before != after).then(|| format!("M {path}")),
    });
    changed.collect()
}

/// The lines that somebody added to a file, without the mark of a bullet.
#[must_use]
pub fn added_lines(before: &str, after: &str) -> Vec<String> {
    let known: BTreeSet<&str> = before.lines().map(str::trim).collect();
    let lines = after.lines().map(str::trim).filter(|line| !known.contains(line));
    let words = lines.map(|line| line.trim_start_matches(['-', '*', '#', ' ']).to_owned());
    words.filter(|line| !line.is_empty()).collect()
}
