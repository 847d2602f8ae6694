use super::parsed::without_openers;
use super::term::Term;
use super::words::{Section, phrase};

/// A request to the memory itself: it is no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// "Forget what I said about X."
    Forget,
    /// "Don't remember this."
    DontKeep,
    /// "Scratch that.", with nothing in its place.
    TakeBack,
}

/// A longer text says something else as well, in words.
const WORDS_MAX: usize = 16;

/// Verbs of keeping.
const KEEPING: [&str; 9] =
    ["remember", "save", "store", "keep", "memorize", "memorise", "record", "log", "note"];

fn is_of_keeping(term: &Term) -> bool {
    let stem = memlith_text::snowball(&term.text);
    KEEPING.iter().any(|verb| memlith_text::snowball(verb) == stem)
}

/// "Never save that", "no need to remember this", "nothing of this is to be stored".
fn is_not_to_keep(terms: &[Term]) -> bool {
    let is = |at: usize, words: &[&str]| terms.get(at).is_some_and(|term| term.is(words));
    let from =
        terms.iter().take_while(|term| term.is(&["but", "and", "so", "please", "you"])).count();
    let all = |words: &[&[&str]]| words.iter().enumerate().all(|(at, words)| is(from + at, words));
    let openings: [&[&[&str]]; 6] = [
        &[&["from"], &["now"], &["on"], &["do"], &["not"]],
        &[&["nothing"], &["of"], &["this", "that", "it"], &["is"], &["to"], &["be"]],
        &[&["do"], &["not"]],
        &[&["never"]],
        &[&["no"], &["need"], &["to"]],
        &[&["need"], &["not"]],
    ];
    openings.iter().any(|opening| {
        let at = from + opening.len();
        let written = is(at, &["write"]) && is(at + 2, &["down"]);
        let keeps = written || terms.get(at).is_some_and(is_of_keeping);
        let what = opening.last().is_some_and(|last| last.contains(&"be"))
            || is(at + 1, &["this", "that", "it", "any", "anything"]);
        all(opening) && keeps && what
    })
}

/// Whether the writer of a prompt asks, in a clause of their own, that it isn't remembered.
#[must_use]
pub fn is_not_to_be_kept(prompt: &str) -> bool {
    let own = memlith_text::own_words(prompt).into_iter().filter_map(|at| prompt.get(at));
    // "Between us, off-the-record: ...", "It is 4711 (don't save that)."
    let text = own.collect::<String>().replace('-', " ");
    let ends = ['.', '!', '?', '\n', ',', ';', ':', '(', ')', '\u{2014}', '\u{2013}'];
    let whole = memlith_text::sentences(&text).into_iter().filter_map(|at| text.get(at));
    let asks = |part| Instruction::of(part) == Some(Instruction::DontKeep);
    whole.chain(text.split(ends)).any(asks)
}

impl Instruction {
    /// Returns what `text` asks of the memory; none where it says something to remember.
    ///
    /// English alone. "Scratch that, it's 9090" gives a value, and is none.
    ///
    /// ```
    /// use memlith_claims::Instruction;
    ///
    /// assert_eq!(Instruction::of("Forget what I said about Bob."), Some(Instruction::Forget));
    /// assert_eq!(Instruction::of("scratch that"), Some(Instruction::TakeBack));
    /// assert_eq!(Instruction::of("Scratch that, it's 9090."), None);
    /// assert_eq!(Instruction::of("I never forget a face."), None);
    /// assert_eq!(Instruction::of("Don't store tokens in localStorage."), None);
    /// assert_eq!(Instruction::of("Don't remember this: my PIN."), Some(Instruction::DontKeep));
    /// assert_eq!(Instruction::of("Forget it, we go with Kafka."), None);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Option<Instruction> {
        if text.split_whitespace().nth(WORDS_MAX).is_some() {
            return None;
        }
        let terms = Term::all(text).filter(|terms| terms.len() <= WORDS_MAX)?;
        if phrase(terms.iter(), Section::TakeBack) == Some(terms.len()) {
            return Some(Instruction::TakeBack);
        }
        let (terms, _) = without_openers(terms);
        let starts = |section| phrase(terms.iter(), section).is_some();
        if starts(Section::Forget) {
            return Some(Instruction::Forget);
        }
        (starts(Section::NotToKeep) || is_not_to_keep(&terms)).then_some(Instruction::DontKeep)
    }

    /// The commands that do it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Instruction::Forget => {
                "`memlith search WORDS` finds it, `memlith forget ID` takes it out of sight, \
                 `memlith erase ID` out of the files"
            }
            Instruction::DontKeep => "nothing was kept; leave it out, or put it within <private>",
            Instruction::TakeBack => {
                "`memlith list --limit 3` shows what was said last, `memlith undo ID` takes it back"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_that_it_is_not_kept_is_heard_in_any_clause() {
        for text in [
            "Off the record: the merger partner is Xanaduco and we will sign it in the first week \
             of May unless the board says otherwise.",
            "This is off-the-record: it is Xanaduco",
            "The budget is Yankeegold, but don't remember this.",
            "No need to remember this: it is 4711.",
            "It is 4711 (please never save that).",
            "Between us, off the record, it is 4711",
            "Off-record: it is 4711.",
            "This is confidential, don't write it down anywhere: 4711.",
            "Nothing of this is to be remembered: 4711",
            "From now on do not remember anything about the merger.",
            "Keep this between us: it is Xanaduco",
        ] {
            assert!(is_not_to_be_kept(text), "{text}");
        }
        for text in [
            "Keep a record of what was sold.",
            "Don't store tokens in localStorage.",
            "The report says: \"don't remember this, it is not for us to keep\".",
            "I don't remember this.",
            "We never save drafts.",
        ] {
            assert!(!is_not_to_be_kept(text), "{text}");
        }
    }
}
