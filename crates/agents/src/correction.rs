//! Corrections that a prompt makes.

use memlith::claims::{Parsed, Said, Verdict, is_not_to_be_kept, verdict};
use memlith::write::IdempotencyKey;
use memlith::{Authority, Caller, Cited, Error, Ledger, Origin, Question, Remember};

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
    let is_kept_away = prompt.contains("<private>") || is_not_to_be_kept(prompt);
    if prompt.len() > PROMPT_BYTES || is_kept_away {
        return Ok(0);
    }
    let mut corrected = 0;
    // A word that turns down what was said before ("no, ...") is a part of what a sentence ends.
    for sentence in memlith_text::own_sentences(prompt).into_iter().take(SENTENCES) {
        if !ends_a_memory(ledger, caller, &sentence)? {
            continue;
        }
        let session = caller.scope.session.as_deref().unwrap_or_default();
        let mut caller = caller.clone();
        caller.key = Some(IdempotencyKey::of(&["prompt", session, &sentence]));
        let remember = Remember { text: sentence, ..Remember::default() };
        // What waits for review, or only disputes, has ended nothing yet.
        corrected += usize::from(ledger.remember(&caller, remember)?.is_in_force());
    }
    Ok(corrected)
}

/// Whether a sentence says that a memory which stands, or a turn that tells of one, is no longer so.
fn ends_a_memory(ledger: &Ledger, caller: &Caller, sentence: &str) -> Result<bool, Error> {
    let mut asked = caller.clone();
    asked.scope.session = None;
    let question = Question { query: sentence.to_owned(), as_of: None };
    let mut found = ledger.recall(&asked, &question, COMPARED)?;
    // What another machine wrote is corrected by what is written here.
    found.retain(|one| one.citation.ledger == ledger.id());
    let new = Parsed::of(&Said { text: sentence, speaker: &caller.name, about_one: false });
    let ends = |text: &str, speaker: &str| {
        let old = Parsed::of(&Said { text, speaker, about_one: false });
        verdict(&old, &new) == Verdict::Ends
    };
    let stands = |item: &&Cited| item.why.authority == Authority::Active;
    Ok(found.iter().filter(stands).any(|item| match (item.why.record, item.why.origin) {
        (false, _) => ends(&item.excerpt.text, &item.speaker),
        // A turn may stand for the memory that was lifted from it.
        (true, Origin::User) => memlith_text::own_sentences(&item.excerpt.text)
            .iter()
            .any(|said| ends(said, &item.speaker)),
        (true, _) => false,
    }))
}
