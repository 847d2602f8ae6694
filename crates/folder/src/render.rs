//! The folder, rendered.

use std::collections::{BTreeMap, BTreeSet};

use memlith::Timestamp;

use crate::client;
use crate::config::{Config, Reader};
use crate::group::groups;
use crate::handbook::handbook;
use crate::inputs::{Inputs, Statement};
use crate::mechanical::{raw_memories, rollout_summary, stems};
use crate::page::Folder;
use crate::skills::skill;
use crate::summary::summary;

/// Renders the folder of what was read.
///
/// It is a pure function: the same inputs, in any order, and the same configuration give the same
/// bytes on any machine. It calls no model and reads no clock.
///
/// Cost: a few passes over the sessions that are kept, and as many renderings of the summary as it
/// takes to make it fit.
#[must_use]
pub fn render(inputs: &Inputs, config: &Config) -> Folder {
    let mut limit = config.sessions_max.max(1);
    let mut is_coarse = false;
    loop {
        let (kept, mut shed) = selected(inputs, config, limit);
        let groups = groups(&kept, is_coarse);
        if config.reader == Reader::ClaudeCode {
            let (page, left) = client::memory(&kept, &groups);
            if left > 0 {
                shed.push(format!("{left} line(s) of MEMORY.md for its limits"));
            }
            return Folder { files: BTreeMap::from([("MEMORY.md".to_owned(), page)]), shed };
        }
        let Some((page, left_out)) = summary(&kept, &groups, config.form) else {
            // First families become one group, then the oldest sessions leave.
            if is_coarse {
                limit = limit.min(kept.sessions.len()).saturating_mul(3) / 4;
            }
            is_coarse = true;
            continue;
        };
        shed.extend(left_out.iter().map(|what| format!("of the summary: {what}")));
        if is_coarse {
            shed.push("of the handbook: groups for families of tasks".to_owned());
        }
        let mut folder = Folder { files: BTreeMap::new(), shed };
        folder.files.insert("memory_summary.md".to_owned(), page);
        let stems = stems(&kept.sessions);
        folder.files.insert("MEMORY.md".to_owned(), handbook(&groups, &stems));
        mechanical(&mut folder, &kept, &stems, config);
        for procedure in &kept.procedures {
            let path = format!("skills/{}/SKILL.md", procedure.name);
            folder.files.insert(path, skill(procedure));
        }
        return folder;
    }
}

fn mechanical(
    folder: &mut Folder,
    inputs: &Inputs,
    stems: &BTreeMap<&str, String>,
    config: &Config,
) {
    let mut statements: BTreeMap<&str, Vec<&Statement>> = BTreeMap::new();
    for statement in &inputs.statements {
        for thread in &statement.threads {
            statements.entry(thread).or_default().push(statement);
        }
    }
    for own in statements.values_mut() {
        own.sort_by(|one, other| {
            (one.at, &one.text, &one.id).cmp(&(other.at, &other.text, &other.id))
        });
    }
    let raw = raw_memories(&inputs.sessions, &statements, stems, config.form);
    folder.files.insert("raw_memories.md".to_owned(), raw);
    for session in &inputs.sessions {
        let stem = stems.get(session.thread.as_str()).map_or("", String::as_str);
        let own = statements.get(session.thread.as_str()).map_or(&[][..], Vec::as_slice);
        let path = format!("rollout_summaries/{stem}.md");
        folder.files.insert(path, rollout_summary(session, own));
    }
}

/// The newest sessions, with what they support, and what was left out.
fn selected(inputs: &Inputs, config: &Config, limit: usize) -> (Inputs, Vec<String>) {
    let mut kept = inputs.clone();
    let mut shed = Vec::new();
    if config.days_max > 0 {
        let age_us = i64::from(config.days_max).saturating_mul(Timestamp::DAY_US);
        let since = config.now.plus_us(age_us.saturating_neg());
        let newest = newest_evidence(inputs);
        kept.sessions.retain(|one| {
            newest.get(one.thread.as_str()).is_some_and(|at| *at >= since)
                || one.updated_at >= since
        });
        let left = inputs.sessions.len().saturating_sub(kept.sessions.len());
        if left > 0 {
            shed.push(format!("{left} session(s) older than {} days", config.days_max));
        }
    }
    kept.sessions.sort_by(|one, other| {
        other.updated_at.cmp(&one.updated_at).then_with(|| other.thread.cmp(&one.thread))
    });
    if kept.sessions.len() > limit {
        let left = kept.sessions.len().saturating_sub(limit);
        shed.push(format!("{left} session(s) beyond the newest {limit}"));
        kept.sessions.truncate(limit);
    }
    let threads: BTreeSet<String> = kept.sessions.iter().map(|one| one.thread.clone()).collect();
    for statement in &mut kept.statements {
        statement.threads.retain(|thread| threads.contains(thread));
    }
    kept.statements.retain(|one| !one.threads.is_empty());
    kept.procedures.retain(|one| one.threads.iter().any(|thread| threads.contains(thread)));
    (kept, shed)
}

fn newest_evidence(inputs: &Inputs) -> BTreeMap<&str, Timestamp> {
    let mut newest: BTreeMap<&str, Timestamp> = BTreeMap::new();
    for statement in &inputs.statements {
        for thread in &statement.threads {
            let at = newest.entry(thread).or_insert(statement.at);
            *at = (*at).max(statement.at);
        }
    }
    newest
}
