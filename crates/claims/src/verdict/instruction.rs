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
        starts(Section::NotToKeep).then_some(Instruction::DontKeep)
    }

    /// The commands that do it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Instruction::Forget => {
                "`memlith recall WORDS` finds it, `memlith invalidate ID` takes it out of sight, \
                 `memlith erase ID` out of the files"
            }
            Instruction::DontKeep => "nothing was kept; leave it out, or put it within <private>",
            Instruction::TakeBack => {
                "`memlith list --limit 3` shows what was said last, `memlith rollback ID` or \
                 `memlith invalidate ID` takes it back"
            }
        }
    }
}
