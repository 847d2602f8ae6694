//! Rules S01 to S09, of `memory_summary.md`.

use std::collections::{BTreeMap, BTreeSet};

use memlith::Timestamp;

use super::Findings;
use crate::config::Form;

const SECTIONS: [&str; 4] =
    ["## User Profile", "## User preferences", "## General Tips", "## What's in Memory"];

/// The most days that are recent.
const RECENT_DAYS: usize = 3;

/// A topic: one or more names of groups.
struct Topic<'a> {
    names: Vec<&'a str>,
    keywords: Vec<&'a str>,
    line: usize,
    is_recent: bool,
    has_desc: bool,
    has_learnings: bool,
}

/// The topics and days read of the part on topics.
#[derive(Default)]
struct Topics<'a> {
    topics: Vec<Topic<'a>>,
    days: BTreeSet<&'a str>,
}

/// Checks the summary against the groups of the handbook, and its text.
pub(super) fn check(
    text: &str,
    form: Form,
    (groups, handbook): (&[(String, usize)], Option<&str>),
    found: &mut Findings,
) {
    head(text, form, found);
    sections(text, found);
    profile(text, form, found);
    let last = text.lines().count().max(1);
    if text.len() > form.summary_bytes() {
        found.error(last, "S08", &format!("more than {} bytes", form.summary_bytes()));
    }
    let read = topics(text, found);
    if read.days.len() > RECENT_DAYS {
        found.error(last, "S05", "more than 3 days are recent");
    }
    coverage(&read, groups, found);
    twice(&read, found);
    for topic in &read.topics {
        if !topic.has_desc {
            found.error(topic.line, "S09", "the topic lacks `desc:`");
        }
        if topic.is_recent && !topic.has_learnings {
            found.error(topic.line, "S09", "the recent topic lacks `learnings:`");
        }
        let is_missing = |word: &&&str| handbook.is_some_and(|text| !text.contains(**word));
        for word in topic.keywords.iter().filter(is_missing) {
            found.warn(topic.line, "S07", &format!("MEMORY.md doesn't have `{word}`"));
        }
    }
}

fn head(text: &str, form: Form, found: &mut Findings) {
    let expected: &[&str] = match form {
        Form::Current => &["v1", "", "## User Profile"],
        Form::Seed => &["## User Profile"],
    };
    let lines: Vec<&str> = text.lines().take(expected.len()).collect();
    if lines != expected {
        found.error(1, "S01", &format!("the file begins with {expected:?}"));
    }
}

fn sections(text: &str, found: &mut Findings) {
    let numbered = (1..).zip(text.lines());
    let headings: Vec<(usize, &str)> =
        numbered.filter(|(_, line)| line.starts_with("## ")).collect();
    let names: Vec<&str> = headings.iter().map(|(_, line)| line.trim_end()).collect();
    if names != SECTIONS {
        let line = headings.iter().zip(SECTIONS).find(|((_, name), section)| name != section);
        let line = line.map_or(1, |((line, _), _)| *line);
        found.error(line, "S02", "the sections are those four, in order");
    }
}

fn profile(text: &str, form: Form, found: &mut Findings) {
    let lines = text.lines().skip_while(|line| !line.starts_with("## User Profile")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("## "));
    let words: usize = lines.map(|line| line.split_whitespace().count()).sum();
    if words > form.profile_words() {
        let what = format!("{words} words, more than {}", form.profile_words());
        found.error(1, "S03", &what);
    }
}

fn topics<'a>(text: &'a str, found: &mut Findings) -> Topics<'a> {
    let mut read = Topics::default();
    let mut is_older = false;
    let mut day: Option<&str> = None;
    let numbered = (1..).zip(text.lines());
    for (number, line) in numbered.skip_while(|(_, line)| !line.starts_with("## What's in Memory"))
    {
        if let Some(scope) = line.strip_prefix("### ") {
            is_older = scope.trim() == "Older Memory Topics";
            day = None;
        } else if let Some(heading) = line.strip_prefix("#### ") {
            if !is_older {
                self::day(heading.trim(), number, day, found);
                day = Some(heading.trim());
                read.days.insert(heading.trim());
            }
        } else if let Some(topic) = line.strip_prefix("- ") {
            // A name may have no colon; a topic has one.
            let (names, keywords) = topic.split_once(':').unwrap_or((topic, ""));
            read.topics.push(Topic {
                names: names.split(';').map(str::trim).collect(),
                keywords: keywords
                    .split(',')
                    .map(str::trim)
                    .filter(|word| !word.is_empty())
                    .collect(),
                line: number,
                is_recent: !is_older,
                has_desc: false,
                has_learnings: false,
            });
        } else if let Some(topic) = read.topics.last_mut() {
            topic.has_desc |= line.trim_start().starts_with("- desc:");
            topic.has_learnings |= line.trim_start().starts_with("- learnings:");
        }
    }
    read
}

fn day(heading: &str, number: usize, before: Option<&str>, found: &mut Findings) {
    let is_date =
        heading.len() == 10 && format!("{heading}T00:00:00Z").parse::<Timestamp>().is_ok();
    if !is_date {
        found.error(number, "S05", "the heading is no date");
    } else if before.is_some_and(|before| before <= heading) {
        found.error(number, "S05", "the newest day comes first");
    }
}

fn coverage(read: &Topics<'_>, groups: &[(String, usize)], found: &mut Findings) {
    let covered: BTreeSet<String> =
        read.topics.iter().flat_map(|topic| &topic.names).map(|name| name.to_lowercase()).collect();
    for (title, line) in groups {
        if !covered.contains(&title.to_lowercase()) {
            let what = format!("no topic for the group `{title}` in line {line} of MEMORY.md");
            found.error(1, "S04", &what);
        }
    }
}

fn twice(read: &Topics<'_>, found: &mut Findings) {
    let mut recent: BTreeMap<&str, bool> = BTreeMap::new();
    for topic in &read.topics {
        for name in &topic.names {
            let before = recent.insert(name, topic.is_recent);
            if before.is_some_and(|before| before != topic.is_recent) {
                found.error(topic.line, "S06", "the topic is both recent and older");
            }
        }
    }
}
