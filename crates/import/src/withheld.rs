//! Withholds what a person keeps from memory, and what memory itself put into the conversation.

use std::ops::Range;

/// Names of the tags whose content is never stored: the person marked it, or it came
/// from a ledger.
const TAGS: [&str; 2] = ["private", "memlith-memory"];

/// The text without what is withheld; what was opened and never closed goes to its end.
///
/// Tags are read as a person types them: in any case, with blanks in them, and one within the
/// other.
pub(crate) fn without_withheld(text: String) -> String {
    if !text.contains('<') {
        return text;
    }
    TAGS.into_iter().fold(text, without)
}

/// The text without what a client attached to it.
pub(crate) fn without_reminders(text: String) -> String {
    without(text, "system-reminder")
}

fn without(text: String, name: &str) -> String {
    // Lower case of ASCII alone moves no offset.
    let lower = text.to_ascii_lowercase();
    let mut tags = lower.match_indices('<').filter_map(|(at, _)| tag(&lower, at, name)).peekable();
    if tags.peek().is_none() {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let (mut from, mut depth) = (0, 0_usize);
    for (range, opens) in tags {
        if depth == 0 && opens {
            kept.push_str(text.get(from..range.start).unwrap_or_default());
        }
        match (opens, depth) {
            (true, _) => depth += 1,
            // Nothing was opened: it is a word like any other.
            (false, 0) => continue,
            (false, _) => depth -= 1,
        }
        from = range.end;
    }
    if depth == 0 {
        kept.push_str(text.get(from..).unwrap_or_default());
    }
    kept
}

/// The tag of this name that begins at `at`, and whether it opens.
fn tag(lower: &str, at: usize, name: &str) -> Option<(Range<usize>, bool)> {
    let inside = lower.get(at + 1..)?;
    let end = inside.find(['>', '<'])?;
    inside.get(end..)?.strip_prefix('>')?;
    let words = inside.get(..end)?.trim();
    let (words, opens) = match words.strip_prefix('/') {
        Some(words) => (words.trim_start(), false),
        None => (words, true),
    };
    let is_named = words.split_whitespace().next() == Some(name);
    is_named.then(|| (at..at + 1 + end + 1, opens))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        without_withheld(text.to_owned())
    }

    #[test]
    fn what_stands_between_the_tags_goes() {
        assert_eq!(kept("a <private>b</private> c"), "a  c");
        assert_eq!(kept("<Private>b</PRIVATE>c<private>d</private>"), "c");
        assert_eq!(kept("ä<private>ö</private>ü"), "äü");
        assert_eq!(kept("x <memlith-memory>\ny\n</memlith-memory> z"), "x  z");
        assert_eq!(kept("a <b> c"), "a <b> c");
        assert_eq!(kept("a<private >b< / private>c"), "ac");
        assert_eq!(kept("a<private>b<private>c</private>d</private>e"), "ae");
        assert_eq!(kept("a <privateer> b <"), "a <privateer> b <");
    }

    #[test]
    fn what_is_never_closed_goes_to_the_end() {
        assert_eq!(kept("a <private>b"), "a ");
        assert_eq!(kept("a </private> b"), "a </private> b");
    }
}
