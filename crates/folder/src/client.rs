//! `MEMORY.md` as Claude Code reads it: one file within its limits.

use crate::group::Group;
use crate::handbook::bullets;
use crate::inputs::{Inputs, Part};
use crate::page::Page;
use crate::recurring::{preferences, profile, tips};
use crate::safe::cut;

/// The most lines, and the most bytes, of which the client reads its file.
const LINES_MAX: usize = 200;
const BYTES_MAX: usize = 25_000;

/// Number of bytes kept free for the line that says what was left out.
const LAST_BYTES: usize = 120;

/// The most characters of a bullet.
const BULLET_CHARS: usize = 300;

/// Number of words of the profile.
const PROFILE_WORDS: usize = 200;

/// The most bullets of a group.
const GROUP_BULLETS: usize = 12;

/// Writes the file, and counts the lines that didn't fit.
pub(crate) fn memory(inputs: &Inputs, groups: &[Group<'_>]) -> (Page, usize) {
    let mut all = Page::default();
    all.push("# Memory");
    all.push("");
    all.push("## User Profile");
    all.push("");
    all.extend(profile(inputs, PROFILE_WORDS));
    for (heading, list) in
        [("## User preferences", preferences(inputs)), ("## General Tips", tips(inputs))]
    {
        if list.is_empty() {
            continue;
        }
        all.push("");
        all.push(heading);
        all.push("");
        for one in list {
            all.push_on(&format!("- {}", one.text), one.grounds);
        }
    }
    for group in groups {
        all.push("");
        all.push(&format!("## {} (cwd={})", group.title, group.cwd()));
        all.push("");
        let parts = [Part::Failure, Part::Knowledge].into_iter();
        for bullet in parts.flat_map(|part| bullets(group, part)).take(GROUP_BULLETS) {
            let grounds = bullet.grounds();
            all.push_on(&format!("- {}", cut(&bullet.text, BULLET_CHARS)), grounds);
        }
        let tasks: Vec<&str> = group.tasks.iter().map(|task| task.title.as_str()).collect();
        all.push(&format!("- tasks: {}", cut(&tasks.join("; "), BULLET_CHARS)));
    }
    within_limits(&all)
}

fn within_limits(all: &Page) -> (Page, usize) {
    if all.len() <= LINES_MAX && all.text().len() <= BYTES_MAX {
        return (all.clone(), 0);
    }
    let mut page = Page::default();
    for (number, line) in (1..).zip(all.text().lines()) {
        let bytes = page.text().len().saturating_add(line.len());
        let is_over = bytes > BYTES_MAX.saturating_sub(LAST_BYTES);
        if is_over || page.len().saturating_add(2) > LINES_MAX {
            break;
        }
        page.push_on(line, all.grounds(number).to_vec());
    }
    let left = all.len().saturating_sub(page.len());
    page.push(&format!("- {left} more line(s) didn't fit; ask Memlith for them."));
    (page, left)
}
