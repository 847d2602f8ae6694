//! What a person keeps from memory, and what memory itself put into the conversation.

/// What stands between these is never stored: the person marked it, or it came from a ledger.
const TAGS: [(&str, &str); 2] =
    [("<private>", "</private>"), ("<memlith-memory>", "</memlith-memory>")];

/// The text without what is withheld; what was opened and never closed goes to its end.
///
/// Tags are compared without regard to case, as a person types them.
pub(crate) fn without_withheld(text: String) -> String {
    if !text.contains('<') {
        return text;
    }
    TAGS.into_iter().fold(text, |text, (open, close)| without(text, open, close))
}

fn without(text: String, open: &str, close: &str) -> String {
    // Lower case of ASCII alone moves no offset.
    let lower = text.to_ascii_lowercase();
    let Some(first) = lower.find(open) else { return text };
    let mut kept = String::with_capacity(text.len());
    let (mut from, mut next) = (0, Some(first));
    while let Some(start) = next {
        kept.push_str(text.get(from..start).unwrap_or_default());
        let inside = start + open.len();
        let end = lower.get(inside..).and_then(|rest| rest.find(close));
        from = end.map_or(text.len(), |end| inside + end + close.len());
        next = lower.get(from..).and_then(|rest| rest.find(open)).map(|at| from + at);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
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
    }

    #[test]
    fn what_is_never_closed_goes_to_the_end() {
        assert_eq!(kept("a <private>b"), "a ");
        assert_eq!(kept("a </private> b"), "a </private> b");
    }
}
