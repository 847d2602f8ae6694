//! What a prompt corrects.

use memlith::claims::{Instruction, Parsed, Said, Verdict, verdict};
use memlith::write::IdempotencyKey;
use memlith::{Authority, Caller, Error, Ledger, Question, Remember};

/// A prompt that is longer, in bytes, is pasted text and no correction.
const PROMPT_BYTES: usize = 2_000;

/// The number of sentences of a prompt that may correct something: its first.
const SENTENCES: usize = 6;

/// The number of memories that a sentence is compared with.
const COMPARED: usize = 8;

/// Writes down, as the person's own word, what of `prompt` ends a memory that stands; how many
/// sentences that are.
///
/// So that the next pack is right. The prompt itself is captured with its transcript, whatever
/// it says.
///
/// # Errors
/// The ledger's.
pub(crate) fn correction(ledger: &Ledger, caller: &Caller, prompt: &str) -> Result<usize, Error> {
    let own = memlith_text::own_words(prompt).into_iter().filter_map(|at| prompt.get(at));
    let own: String = own.collect();
    let asks = |sentence: &str| Instruction::of(sentence) == Some(Instruction::DontKeep);
    let is_kept_away = prompt.contains("<private>") || sentences(&own).any(asks);
    if prompt.len() > PROMPT_BYTES || is_kept_away {
        return Ok(0);
    }
    let mut corrected = 0;
    for sentence in sentences(&own).take(SENTENCES) {
        if !ends_a_memory(ledger, caller, sentence)? {
            continue;
        }
        let session = caller.scope.session.as_deref().unwrap_or_default();
        let mut caller = caller.clone();
        caller.key = Some(IdempotencyKey::of(&["prompt", session, sentence]));
        let remember = Remember { text: sentence.to_owned(), ..Remember::default() };
        // What waits for review, or only disputes, has ended nothing yet.
        corrected += usize::from(ledger.remember(&caller, remember)?.is_in_force());
    }
    Ok(corrected)
}

/// Whether a sentence says that a memory which stands is no longer so.
fn ends_a_memory(ledger: &Ledger, caller: &Caller, sentence: &str) -> Result<bool, Error> {
    let mut asked = caller.clone();
    asked.scope.session = None;
    let question = Question { query: sentence.to_owned(), as_of: None };
    let found = ledger.recall(&asked, &question, COMPARED)?;
    let new = Parsed::of(&Said { text: sentence, speaker: &caller.name, about_one: false });
    Ok(found.iter().any(|item| {
        let old = Said { text: &item.excerpt.text, speaker: &item.speaker, about_one: false };
        let old = Parsed::of(&old);
        !item.why.record
            && item.why.authority == Authority::Active
            && verdict(&old, &new) == Verdict::Ends
    }))
}

/// The sentences of a prompt that say something, whole. A word that turns down what was said
/// before ("no, ...") stays: it is a part of what the sentence ends.
fn sentences(prompt: &str) -> impl Iterator<Item = &str> {
    let parts = memlith_text::sentences(prompt).into_iter().filter_map(|at| prompt.get(at));
    let parts = parts.map(|part| part.trim_end_matches(['.', '!', ';']));
    parts.filter(|part| part.contains(' ') && !part.ends_with('?'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_single_words_correct_nothing() {
        let prompt = "No, we use pnpm 9.1. Actually: the port is 9090!\nwhy is it red? ok.";
        let expected = ["No, we use pnpm 9.1", "Actually: the port is 9090"];
        assert_eq!(sentences(prompt).collect::<Vec<_>>(), expected);
    }
}
