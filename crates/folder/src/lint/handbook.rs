//! Rules M01 to M15, of `MEMORY.md`.

use std::collections::BTreeSet;

use super::{Files, Findings, is_instant};
use crate::group::PLACEHOLDERS;
use crate::safe::same;

/// The sections of a block behind its tasks, in order.
const SECTIONS: [&str; 3] =
    ["## User preferences", "## Reusable knowledge", "## Failures and how to do differently"];

/// The part of the handbook that the next lines are of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    Task,
    References,
    Keywords,
    Section,
}

/// A block, as far as it was read.
struct Block {
    line: usize,
    head: Vec<String>,
    place: Place,
    tasks: usize,
    task_line: usize,
    references: usize,
    keywords: usize,
    section: usize,
    said: BTreeSet<String>,
    cited: Vec<(usize, usize)>,
}

/// Checks the handbook; returns the titles of its groups, each with its line.
pub(super) fn check(text: &str, files: &Files, found: &mut Findings) -> Vec<(String, usize)> {
    let mut titles: Vec<(String, usize)> = Vec::new();
    let mut block: Option<Block> = None;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("# ") || line == "#" {
            if let Some(block) = block.take() {
                block.end(found);
            }
            let title = line.strip_prefix("# Task Group:").map(str::trim).unwrap_or_default();
            heading(title, number, &mut titles, found);
            block = Some(Block::new(number));
            continue;
        }
        marks(line, number, found);
        match &mut block {
            Some(block) => block.line(line, number, files, found),
            None if line.trim().is_empty() => {}
            None => found.error(number, "M01", "text before the first `# Task Group: NAME`"),
        }
    }
    if let Some(block) = block {
        block.end(found);
    }
    titles
}

fn heading(title: &str, line: usize, titles: &mut Vec<(String, usize)>, found: &mut Findings) {
    if title.is_empty() {
        found.error(line, "M01", "a heading of this level is `# Task Group: NAME`");
        return;
    }
    if PLACEHOLDERS.contains(&title.to_lowercase().as_str()) {
        found.error(line, "M12", "the name says nothing");
    }
    if titles.iter().any(|(had, _)| had.eq_ignore_ascii_case(title)) {
        found.warn(line, "M14", "another group has the same name");
    }
    titles.push((title.to_owned(), line));
}

fn marks(line: &str, number: usize, found: &mut Findings) {
    if line.trim_start().starts_with("* ") {
        found.error(number, "M11", "a bullet begins with `-`");
    }
    let parts = line.split('`').count();
    // The part behind an unpaired backtick is no code.
    let is_text = |at: usize| at.is_multiple_of(2) || at.saturating_add(1) == parts;
    if line.split('`').enumerate().any(|(at, part)| is_text(at) && part.contains("**")) {
        found.error(number, "M11", "no bold text");
    }
}

impl Block {
    fn new(line: usize) -> Block {
        Block {
            line,
            head: Vec::new(),
            place: Place::Head,
            tasks: 0,
            task_line: line,
            references: 0,
            keywords: 0,
            section: 0,
            said: BTreeSet::new(),
            cited: Vec::new(),
        }
    }

    fn line(&mut self, line: &str, number: usize, files: &Files, found: &mut Findings) {
        if let Some(rest) = line.strip_prefix("## ") {
            self.second_level(line, rest, number, found);
        } else if line.starts_with("### ") {
            self.third_level(line, number, found);
        } else if let Some(bullet) = line.strip_prefix("- ") {
            self.bullet(bullet, number, files, found);
        } else if self.place == Place::Head && !line.trim().is_empty() {
            self.head.push(line.to_owned());
        }
    }

    fn second_level(&mut self, line: &str, rest: &str, number: usize, found: &mut Findings) {
        let task = rest.strip_prefix("Task ").and_then(|rest| rest.split_once(':'));
        if let Some((count, title)) = task {
            self.end_task(found);
            if self.section > 0 {
                found.error(number, "M08", "tasks stand before the other sections");
            }
            self.tasks = self.tasks.saturating_add(1);
            if count.parse() != Ok(self.tasks) {
                found.error(number, "M03", &format!("this is task {}", self.tasks));
            }
            let name = title.rsplit_once(',').map_or(title, |(name, _)| name).trim();
            if name.is_empty() || PLACEHOLDERS.contains(&name.to_lowercase().as_str()) {
                found.error(number, "M12", "the name says nothing");
            }
            (self.place, self.task_line) = (Place::Task, number);
            return;
        }
        self.end_task(found);
        self.place = Place::Section;
        match SECTIONS.iter().position(|section| *section == line.trim_end()) {
            None => found.error(number, "M08", "no such section"),
            Some(at) if at < self.section => found.error(number, "M08", "sections out of order"),
            Some(at) => self.section = at.saturating_add(1),
        }
    }

    fn third_level(&mut self, line: &str, number: usize, found: &mut Findings) {
        let is_in_task = matches!(self.place, Place::Task | Place::References | Place::Keywords);
        self.place = match line.trim_end() {
            "### rollout_summary_files" if is_in_task => Place::References,
            "### keywords" if is_in_task => Place::Keywords,
            _ => return found.error(number, "M08", "no such section of a task"),
        };
    }

    fn bullet(&mut self, bullet: &str, number: usize, files: &Files, found: &mut Findings) {
        match self.place {
            Place::References => {
                self.references = self.references.saturating_add(1);
                reference(bullet, number, files, found);
            }
            Place::Keywords => self.keywords = self.keywords.saturating_add(1),
            Place::Section => self.statement(bullet, number, files, found),
            Place::Head => self.head.push(bullet.to_owned()),
            Place::Task => {}
        }
    }

    fn statement(&mut self, bullet: &str, number: usize, files: &Files, found: &mut Findings) {
        let mut words = String::new();
        let mut has_ref = false;
        for (at, part) in bullet.split("[Task ").enumerate() {
            let cited = part.split_once(']').filter(|_| at > 0);
            let count = cited.and_then(|(count, _)| count.parse::<usize>().ok());
            match (cited, count) {
                (Some((_, rest)), Some(count)) => {
                    has_ref = true;
                    self.cited.push((count, number));
                    words.push_str(rest);
                }
                (Some(_), None) | (None, _) => words.push_str(part),
            }
        }
        if !has_ref {
            found.warn(number, "M10", "no `[Task n]` says what it rests on");
        }
        if !self.said.insert(same(&words)) {
            found.warn(number, "M13", "the block says the same before");
        }
        if let Some(target) = words.strip_prefix("Related skill:")
            && !files.contains_key(target.trim())
        {
            found.error(number, "M15", "there is no such skill");
        }
    }

    fn end_task(&mut self, found: &mut Findings) {
        if self.place != Place::Section && self.tasks > 0 {
            if self.references == 0 {
                let what = "the task has no bullet under `### rollout_summary_files`";
                found.error(self.task_line, "M04", what);
            }
            if self.keywords != 1 {
                let what = "the task has one bullet under `### keywords`";
                found.error(self.task_line, "M04", what);
            }
        }
        (self.references, self.keywords) = (0, 0);
    }

    fn end(mut self, found: &mut Findings) {
        self.end_task(found);
        let line = |at: usize| self.head.get(at).map_or("", String::as_str);
        let scope = line(0).strip_prefix("scope:").map(str::trim).unwrap_or_default();
        let applies = line(1).strip_prefix("applies_to: cwd=").unwrap_or_default();
        let reuse = applies.split_once("; reuse_rule=");
        if scope.is_empty() || reuse.is_none_or(|(cwd, rule)| cwd.is_empty() || rule.is_empty()) {
            let what = "`scope: ...` and `applies_to: cwd=...; reuse_rule=...` come first";
            found.error(self.line, "M02", what);
        }
        if self.tasks == 0 {
            found.error(self.line, "M03", "the group has no task");
        }
        for (count, line) in &self.cited {
            if *count == 0 || *count > self.tasks {
                found.error(*line, "M09", &format!("the block has no task {count}"));
            }
        }
    }
}

fn reference(bullet: &str, number: usize, files: &Files, found: &mut Findings) {
    let Some((path, updated_at, thread)) = parts_of_reference(bullet) else {
        let shape = "`rollout_summaries/NAME.md (cwd=, rollout_path=, updated_at=, thread_id=)` is asked for";
        return found.error(number, "M05", shape);
    };
    let Some(file) = files.get(path) else {
        return found.error(number, "M06", "there is no such file");
    };
    let of =
        |key: &str| file.lines().take(5).find_map(|line| line.strip_prefix(key)).map(str::trim);
    if of("thread_id:").is_some_and(|own| thread.is_some_and(|thread| own != thread))
        || of("updated_at:") != Some(updated_at)
    {
        found.error(number, "M07", "the file says another thread_id or updated_at");
    }
}

/// The path, `updated_at` and `thread_id` of a reference.
fn parts_of_reference(bullet: &str) -> Option<(&str, &str, Option<&str>)> {
    let (path, rest) = bullet.split_once(" (cwd=")?;
    let is_path = path.starts_with("rollout_summaries/") && path.ends_with(".md");
    let inner = rest.trim_end().strip_suffix(')')?;
    let (cwd, rest) = inner.split_once(", rollout_path=")?;
    let (transcript, rest) = rest.split_once(", updated_at=")?;
    let mut rest = rest.split(", ");
    let updated_at = rest.next()?;
    let thread = rest.find_map(|part| part.strip_prefix("thread_id="));
    let is_whole = is_path && !cwd.is_empty() && !transcript.is_empty() && is_instant(updated_at);
    is_whole.then_some((path, updated_at, thread))
}
