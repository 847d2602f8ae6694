//! `memory_summary.md`: the one file that stands in every prompt.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::Form;
use crate::date::day;
use crate::group::{Group, Task};
use crate::handbook::{Bullet, bullets, keywords};
use crate::inputs::{Inputs, Part, Work};
use crate::page::{Ground, Page};
use crate::recurring::{Recurring, preferences, profile, tips};
use crate::safe::cut;

/// Number of the newest days with memories whose topics are recent.
const RECENT_DAYS: usize = 3;

/// The most characters of a description and of learnings.
const DESC_CHARS: usize = 300;

/// The most characters of a description and of learnings where the summary is too long.
const SHORT_CHARS: usize = 80;

/// Names of the parts left out to make the summary fit, in this order: each level leaves out what
/// the ones before it do.
const SHED: [&str; 6] = [
    "learnings of the older recent days",
    "descriptions of older topics",
    "preferences that one session supports",
    "the ends of recent descriptions",
    "all keywords but two of older topics, and the last preferences and tips",
    "topics of their own: one line names all of a directory",
];

/// The most bytes of preferences, and of tips, where the summary is far too long.
const LIST_BYTES: usize = 1_500;

/// Writes the summary, with as little left out as its size asks for, and says what was; `None`
/// where even the shortest is too long.
pub(crate) fn summary(
    inputs: &Inputs,
    groups: &[Group<'_>],
    form: Form,
) -> Option<(Page, &'static [&'static str])> {
    let days = recent_days(groups);
    (0..=SHED.len()).find_map(|level| {
        let shed = SHED.get(..level).unwrap_or_default();
        let page = Writer { inputs, groups, form, days: &days, level }.write(shed);
        (page.text().len() <= form.summary_bytes()).then_some((page, shed))
    })
}

fn recent_days(groups: &[Group<'_>]) -> BTreeSet<String> {
    let tasks = groups.iter().flat_map(|group| &group.tasks);
    let days: BTreeSet<String> =
        tasks.flat_map(|task| &task.sessions).map(|one| day(one.updated_at)).collect();
    days.into_iter().rev().take(RECENT_DAYS).collect()
}

struct Writer<'a> {
    inputs: &'a Inputs,
    groups: &'a [Group<'a>],
    form: Form,
    days: &'a BTreeSet<String>,
    level: usize,
}

impl Writer<'_> {
    fn write(&self, shed: &[&str]) -> Page {
        let mut page = Page::default();
        if self.form == Form::Current {
            page.push("v1");
            page.push("");
        }
        let lists_bytes = if self.level >= 5 { LIST_BYTES } else { usize::MAX };
        page.push("## User Profile");
        page.push("");
        let words = self.form.profile_words();
        page.extend(within(profile(self.inputs, words), lists_bytes));
        page.push("");
        page.push("## User preferences");
        page.push("");
        let preferences = preferences(self.inputs);
        let is_kept = |one: &Recurring| self.level < 3 || one.support > 1 || one.is_pinned;
        page.extend(listed(preferences.into_iter().filter(is_kept), lists_bytes));
        page.push("");
        page.push("## General Tips");
        page.push("");
        page.extend(listed(tips(self.inputs).into_iter(), lists_bytes));
        if !shed.is_empty() {
            page.push(&format!(
                "- This summary was shortened; MEMORY.md has it all. Left out: {}.",
                shed.join("; ")
            ));
        }
        page.push("");
        page.push("## What's in Memory");
        self.recent(&mut page);
        self.older(&mut page);
        page
    }

    fn recent(&self, page: &mut Page) {
        let is_recent = |group: &&Group<'_>| self.days.contains(&day_of(group));
        for (scope, groups) in scopes(self.groups.iter().filter(is_recent)) {
            page.push("");
            page.push(&format!("### {scope}"));
            let mut days: BTreeMap<String, Vec<&Group<'_>>> = BTreeMap::new();
            for group in groups {
                days.entry(day_of(group)).or_default().push(group);
            }
            for (day, groups) in days.into_iter().rev() {
                page.push("");
                page.push(&format!("#### {day}"));
                page.push("");
                self.topics(page, &groups, self.days.last() == Some(&day));
            }
        }
    }

    /// The topics of a day: one each, or all in one line.
    fn topics(&self, page: &mut Page, groups: &[&Group<'_>], is_newest: bool) {
        if self.level >= 6 && groups.len() > 1 {
            collapsed(page, groups);
            page.push("  - learnings: see MEMORY.md");
            return;
        }
        let chars = if self.level >= 4 { SHORT_CHARS } else { DESC_CHARS };
        for group in groups {
            topic(page, group, 5);
            desc(page, group, chars);
            let is_told = is_newest || self.level < 1;
            let learning = learning(group).filter(|_| is_told);
            let (text, grounds) = learning.map_or_else(
                || ("see MEMORY.md".to_owned(), Vec::new()),
                |bullet| (cut(&bullet.text, chars), bullet.grounds()),
            );
            page.push_on(&format!("  - learnings: {text}"), grounds);
        }
    }

    fn older(&self, page: &mut Page) {
        let is_older = |group: &&Group<'_>| !self.days.contains(&day_of(group));
        let scopes = scopes(self.groups.iter().filter(is_older));
        if scopes.is_empty() {
            return;
        }
        page.push("");
        page.push("### Older Memory Topics");
        for (scope, groups) in scopes {
            page.push("");
            page.push(&format!("#### {scope}"));
            page.push("");
            if self.level >= 6 {
                collapsed(page, &groups);
                continue;
            }
            for group in groups {
                topic(page, group, if self.level >= 5 { 2 } else { 5 });
                if self.level >= 2 {
                    page.push("  - desc: see MEMORY.md");
                } else {
                    desc(page, group, DESC_CHARS);
                }
            }
        }
    }
}

/// The day of a group's newest session.
fn day_of(group: &Group<'_>) -> String {
    let sessions = group.tasks.iter().flat_map(|task| &task.sessions);
    sessions.map(|one| day(one.updated_at)).max().unwrap_or_default()
}

/// Groups by directory, each where its first group stands.
fn scopes<'a, 'b>(groups: impl Iterator<Item = &'a Group<'b>>) -> Vec<(String, Vec<&'a Group<'b>>)>
where
    'b: 'a,
{
    let mut scopes: Vec<(String, Vec<&Group<'_>>)> = Vec::new();
    for group in groups {
        let cwd = group.cwd();
        match scopes.iter_mut().find(|(scope, _)| *scope == cwd) {
            Some((_, groups)) => groups.push(group),
            None => scopes.push((cwd, vec![group])),
        }
    }
    scopes
}

fn collapsed(page: &mut Page, groups: &[&Group<'_>]) {
    let titles: Vec<&str> = groups.iter().map(|group| group.title.as_str()).collect();
    let sessions = groups.iter().flat_map(|group| grounds(group)).collect();
    let word = groups.iter().find_map(|group| topic_keywords(group, 1).pop());
    let word = word.unwrap_or_default();
    page.push_on(&format!("- {}: {word}", titles.join("; ")), sessions);
    page.push("  - desc: see MEMORY.md");
}

fn topic(page: &mut Page, group: &Group<'_>, words: usize) {
    let keywords = topic_keywords(group, words).join(", ");
    page.push_on(&format!("- {}: {keywords}", group.title), grounds(group));
}

fn topic_keywords(group: &Group<'_>, words: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for task in &group.tasks {
        for word in keywords(group, task) {
            if found.len() < words && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found
}

fn desc(page: &mut Page, group: &Group<'_>, chars: usize) {
    let tasks: Vec<&str> = group.tasks.iter().map(|task: &Task<'_>| task.title.as_str()).collect();
    let text = cut(&tasks.join("; "), chars);
    page.push_on(&format!("  - desc: {text}; cwd={}", group.cwd()), grounds(group));
}

/// The sessions of a group.
fn grounds(group: &Group<'_>) -> Vec<Ground> {
    let sessions = group.tasks.iter().flat_map(|task| &task.sessions);
    sessions.map(|one| Ground::Session(one.thread.clone())).collect()
}

/// The bullet told first of a group, by what its newest session was about.
fn learning<'a>(group: &Group<'a>) -> Option<Bullet<'a>> {
    let newest = group.tasks.iter().flat_map(|task| &task.sessions).max_by(|one, other| {
        one.updated_at.cmp(&other.updated_at).then_with(|| one.thread.cmp(&other.thread))
    });
    let order = match newest.map(|one| one.work).unwrap_or_default() {
        Work::Coding => [Part::Failure, Part::Knowledge, Part::Preference],
        Work::Browsing => [Part::Knowledge, Part::Failure, Part::Preference],
        Work::Reasoning => [Part::Preference, Part::Knowledge, Part::Failure],
    };
    order.into_iter().find_map(|part| bullets(group, part).into_iter().next())
}

/// The bullets of a list, as far as they fit.
fn listed(bullets: impl Iterator<Item = Recurring>, bytes_max: usize) -> Page {
    let mut page = Page::default();
    for bullet in bullets {
        page.push_on(&format!("- {}", bullet.text), bullet.grounds);
    }
    within(page, bytes_max)
}

/// The first lines of a page, as far as they fit.
fn within(page: Page, bytes_max: usize) -> Page {
    if page.text().len() <= bytes_max {
        return page;
    }
    let mut kept = Page::default();
    for (number, line) in (1..).zip(page.text().lines()) {
        let size = kept.text().len().saturating_add(line.len()).saturating_add(1);
        if size > bytes_max {
            break;
        }
        kept.push_on(line, page.grounds(number).to_vec());
    }
    kept
}
