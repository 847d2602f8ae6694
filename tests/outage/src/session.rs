//! The scripted session: what step number `n` does, whoever runs it and however often.
//!
//! The script is a function of the number alone, so that a process that takes over knows
//! what the dead one did, and a survey knows what has to be there.

/// One command of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Writes a text of its own.
    Remember,
    /// Declares wrong what an earlier step wrote.
    Invalidate {
        /// The step that wrote it.
        target: u64,
    },
    /// Asks, and lets the ledger learn from it.
    Checkout,
    /// Writes the state down and seals it.
    Checkpoint,
    /// Erases what an earlier step wrote.
    Erase {
        /// The step that wrote it.
        target: u64,
    },
}

/// The session repeats itself after so many steps.
const PERIOD: u64 = 16;

/// The steps of a period that write a text.
const WRITING: [u64; 12] = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15];

impl Step {
    /// The command of step `number`.
    pub(crate) fn of(number: u64) -> Step {
        match number % PERIOD {
            4 => Step::Checkout,
            7 => Step::Invalidate { target: number - 4 },
            10 => Step::Checkpoint,
            13 => Step::Erase { target: number - 8 },
            _ => Step::Remember,
        }
    }
}

/// How many texts the steps before `step` wrote.
pub(crate) fn texts_before(step: u64) -> u64 {
    let part = WRITING.iter().filter(|&&at| at < step % PERIOD).count() as u64;
    step / PERIOD * WRITING.len() as u64 + part
}

/// The step that wrote text number `text`.
pub(crate) fn step_of(text: u64) -> u64 {
    let period = WRITING.len() as u64;
    let at = usize::try_from(text % period).ok().and_then(|at| WRITING.get(at));
    text / period * PERIOD + at.copied().unwrap_or_default()
}

/// Returns the text of step `number`: its own words, and between 0 and 600 bytes more.
pub(crate) fn text_of(number: u64) -> String {
    let mark = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let padding = "and so on ".repeat(usize::try_from(mark >> 32).unwrap_or(0) % 60);
    format!("Step {number} of the session wrote the words w{mark:016x}. {padding}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_steps_are_numbered_alike() {
        let mut texts = 0;
        for number in 0..200 {
            assert_eq!(texts_before(number), texts, "{number}");
            if Step::of(number) == Step::Remember {
                assert_eq!(step_of(texts), number);
                texts += 1;
            }
        }
    }

    #[test]
    fn targets_are_texts_of_their_own() {
        let mut taken = std::collections::BTreeSet::new();
        for number in 0..200 {
            if let Step::Invalidate { target } | Step::Erase { target } = Step::of(number) {
                assert_eq!(Step::of(target), Step::Remember);
                assert!(target < number && taken.insert(target), "{number}");
            }
        }
        assert!(!taken.is_empty());
    }
}
