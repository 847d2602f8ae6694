use std::fmt::Write;

use memlith_event::Origin;
use memlith_log::Timestamp;
use memlith_memory::Authority;

use crate::escape::{visible, visible_lines};
use crate::prompt::origin;
use crate::{Cited, Learned};

/// `items` for a terminal: a line with citation, speaker and time, then the words.
///
/// Lines of words are indented and citations are not, so no text can pass for another
/// item; control and invisible characters are written by their numbers.
#[must_use]
pub fn for_people(items: &[Cited]) -> String {
    let mut out = String::new();
    for item in items {
        // Writing to a string can't fail.
        let _ = writeln!(out, "{}  {}", item.citation, header(item));
        for line in visible_lines(&item.excerpt.text) {
            let _ = writeln!(out, "    {line}");
        }
        for former in &item.why.former {
            let (text, until, id) = (visible(&former.text), former.until, former.id);
            let _ = writeln!(out, "    until {until}: {text}  {id}");
        }
    }
    out
}

fn header(item: &Cited) -> String {
    let why = &item.why;
    let mut parts = vec![format!("said by {}, {}", who(item), minute(item.occurred_at))];
    if why.authority != Authority::Active {
        parts.push(why.authority.to_string());
    }
    parts.extend(why.newer.iter().map(|id| format!("newer: {id}")));
    parts.extend(why.contested_with.iter().map(|id| format!("contested with: {id}")));
    parts.extend(why.later.map(|id| format!("older; newer: {id}")));
    let marks = [
        ("pinned", why.pinned),
        ("accepted", why.accepted),
        ("disputed", why.disputed),
        ("a proposal against it waits: `memlith review`", why.waits),
    ];
    parts.extend(marks.into_iter().filter(|mark| mark.1).map(|(mark, _)| mark.to_owned()));
    if why.learned != Learned::default() {
        let Learned { successes, failures } = why.learned;
        parts.push(format!("outcomes: {successes} good, {failures} bad"));
    }
    if !item.excerpt.is_whole() {
        let excerpt = &item.excerpt;
        parts.push(format!("bytes {} to {} of {}", excerpt.start, excerpt.end, excerpt.whole_len));
    }
    parts.join("  ")
}

/// The speaker; of one who is no person, also the kind of source.
fn who(item: &Cited) -> String {
    let speaker = visible(&item.speaker);
    if item.why.origin == Origin::User {
        return speaker;
    }
    format!("{speaker} ({})", origin(item.why.origin))
}

/// An instant to the minute, in UTC.
fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    match text.get(..16) {
        Some(head) => head.replace('T', " "),
        None => text,
    }
}

#[cfg(test)]
mod tests;
