use crate::token::tokens;
use crate::word::Word;

/// A longer text is not looked through, in words.
const TOKENS_MAX: usize = 160;

/// Returns where `text` says `value`, a value in the form that values are compared in, as it is
/// written there: `01067` for "1067", `Mainz` for "mainz"; none where it doesn't.
///
/// Cost: the product of the words of both.
///
/// ```
/// use memlith_text::as_said;
///
/// assert_eq!(as_said("Her postcode is 01067.", "1067"), Some("01067"));
/// assert_eq!(as_said("Ana moved to New Ulm in May", "new ulm"), Some("New Ulm"));
/// assert_eq!(as_said("Ana moved", "mainz"), None);
/// ```
#[must_use]
pub fn as_said<'t>(text: &'t str, value: &str) -> Option<&'t str> {
    let tokens = tokens(text, TOKENS_MAX)?;
    let mut words = Vec::new();
    let mut at = 0;
    while let (Some(token), Some((word, count))) = (tokens.get(at), Word::at(&tokens, at)) {
        let end = tokens.get(at + count - 1).map_or(token.range.end, |last| last.range.end);
        words.push((word.text, word.lemma, token.range.start..end));
        at += count;
    }
    for first in 0..words.len() {
        let mut rest = value;
        for (text_form, lemma, range) in words.get(first..)? {
            let behind = rest.strip_prefix(text_form.as_str());
            let Some(behind) = behind.or(rest.strip_prefix(lemma.as_str())) else { break };
            if behind.is_empty() {
                let start = words.get(first)?.2.start;
                return text.get(start..range.end);
            }
            let Some(next) = behind.strip_prefix(' ') else { break };
            rest = next;
        }
    }
    None
}
