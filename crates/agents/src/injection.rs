//! Memories that a prompt is given.

use std::collections::{BTreeMap, BTreeSet};

use memlith::read::{Prompt, is_stop_word};
use memlith::{Caller, Cited, Error, Ledger, Origin, Question, RecordId, Scope};
use memlith_text::snowball;

use crate::brief::is_worth_telling;
use crate::given::Given;
use crate::shown::Shown;
use crate::taught::taught;
use crate::tree::Tree;

/// The most tokens of what a prompt is given, as it is rendered.
pub const INJECTION_TOKENS: u32 = 800;

/// The most tokens that have at most 9,000 characters: longer texts were seen to be cut by a
/// client.
const TOKENS_MAX: u32 = 9_000 / 4;

/// The number of answers that an injection is chosen from.
const CANDIDATES: usize = 32;

/// The most bytes of a prompt that are asked for: what is pasted behind them says little.
const QUESTION_BYTES: usize = 2_000;

/// An answer of less than this share of the best one's score is left out, as a divisor.
const SCORE_SHARE: i64 = 3;

/// A turn answers where it has half of what is asked, in millionths (`docs/model.md`, "Evidence").
const HALF: i64 = 500_000;

/// An item is given where it has so many content words of the prompt, or a name of it.
const WORDS_MIN: usize = 2;

/// The items to the point of `prompt`, within `budget_tokens`, that were not shown to the session
/// yet. Nothing is written.
///
/// # Errors
/// The ledger's.
pub(crate) fn injection(
    ledger: &Ledger,
    caller: &Caller,
    prompt: &str,
    shown: &Shown,
    (budget_tokens, tree): (u32, &Tree),
) -> Result<Given, Error> {
    let tell = |tokens| told(ledger, caller, prompt, shown, tokens);
    Given::with_files((ledger, caller), tree, budget_tokens.min(TOKENS_MAX), &tell)
}

fn told(
    ledger: &Ledger,
    caller: &Caller,
    prompt: &str,
    shown: &Shown,
    budget_tokens: u32,
) -> Result<Given, Error> {
    let end = prompt.floor_char_boundary(QUESTION_BYTES.min(prompt.len()));
    let query = prompt.get(..end).unwrap_or_default().trim();
    if query.is_empty() {
        return Ok(Given::default());
    }
    let question = Question { query: query.to_owned(), as_of: None };
    // Only the session itself sees what it said; it is in its context anyway.
    let mut asked = caller.clone();
    asked.scope.session = None;
    let found = ledger.recall(&asked, &question, CANDIDATES)?;
    let Some(best) = found.iter().map(|item| item.score).max() else {
        return Ok(Given::default());
    };
    let own =
        caller.scope.session.as_deref().map(|name| Scope::session_named(caller.scope.cell(), name));
    let mut text = Prompt::new(budget_tokens);
    let mut given = Vec::new();
    let is_new = |item: &&Cited| {
        let is_own = own.is_some() && item.said_in.map(|(_, session)| session) == own;
        !is_own && !shown.has(item.id)
    };
    let words = Words::of(query);
    let mut chosen: BTreeMap<RecordId, Vec<RecordId>> = BTreeMap::new();
    let mut newer = Vec::new();
    let near = |item: &&Cited| item.score.saturating_mul(SCORE_SHARE) >= best;
    for item in found.iter().filter(is_new).filter(near) {
        if let Some(tells) = words.met_by(item, ledger, caller)?
            && !tells.iter().any(|id| shown.has(*id))
        {
            chosen.insert(item.id, tells);
            newer.extend(item.why.later);
        }
    }
    // What is older is not shown without what may have replaced it.
    let is_given = |item: &&Cited| newer.contains(&item.id) || chosen.contains_key(&item.id);
    for item in found.iter().filter(is_new).filter(is_given) {
        if text.push_cited(item) {
            given.push(item.id);
            given.extend(chosen.get(&item.id).into_iter().flatten());
        }
    }
    Ok(Given { text: text.finish(), shown: given })
}

/// The words of a prompt that something can be searched for with.
struct Words {
    /// The stems of its content words.
    stems: BTreeSet<String>,
    /// Its names of files, ports, tickets, symbols: words with a digit or a sign in them.
    names: BTreeSet<String>,
    /// Whether it is a question.
    ask: bool,
}

impl Words {
    fn of(text: &str) -> Words {
        let (mut stems, mut names) = (BTreeSet::new(), BTreeSet::new());
        for word in text.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if is_name(word) {
                names.insert(word.to_lowercase());
            }
            for part in word.split(|c: char| !c.is_alphanumeric()) {
                let part = part.to_lowercase();
                if !part.is_empty() && !is_stop_word(&part) {
                    stems.insert(snowball(&part));
                }
            }
        }
        Words { stems, names, ask: text.contains('?') }
    }

    /// The memories that an answer tells beside itself, where it stands and shares enough with the
    /// prompt; `None` where it doesn't.
    ///
    /// A turn is as good as what it taught, which recall leaves out beside it. One that taught
    /// nothing of the prompt answers questions alone.
    fn met_by(
        &self,
        item: &Cited,
        ledger: &Ledger,
        caller: &Caller,
    ) -> Result<Option<Vec<RecordId>>, Error> {
        let why = &item.why;
        let is_worth = is_worth_telling(&item.excerpt.text);
        if !why.authority.is_shown() || why.question || !is_worth || !self.meet(&item.excerpt.text)
        {
            return Ok(None);
        }
        if !why.record {
            return Ok(Some(Vec::new()));
        }
        if why.origin != Origin::User {
            return Ok(None);
        }
        let Some(holder) = ledger.holder(item.citation.ledger) else { return Ok(None) };
        let Some(taught) = taught(&holder, caller, item.id)? else { return Ok(None) };
        let answers = self.ask && why.signals.coverage >= HALF;
        let is_met = answers || taught.iter().any(|one| self.meet(&one.text));
        Ok(is_met.then(|| taught.into_iter().map(|one| one.id).collect()))
    }

    /// Whether a text shares enough with the prompt: one common word is shared with many.
    fn meet(&self, text: &str) -> bool {
        let other = Words::of(text);
        self.stems.intersection(&other.stems).count() >= WORDS_MIN
            || self.names.intersection(&other.names).next().is_some()
    }
}

/// Whether a word is more than letters: `i64`, `KES-412`, `stg_`, `deploy.yml`, `make_pg`.
fn is_name(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters > 0 && word.chars().any(|c| c.is_ascii_digit() || matches!(c, '_' | '/' | '.' | '-'))
}
