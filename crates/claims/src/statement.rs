use crate::claim::Claim;
use crate::grammar::claim_of;
use crate::guard::{Difference, Guard, differences, veto};
use crate::name::{name_at, numbered};
use crate::opposites::opposite_at;
use memlith_text::Feature;
use memlith_text::Quantity;
use memlith_text::moment_at;
use memlith_text::{Token, tokens};
use memlith_text::{is_filler, stem};

/// A text taken apart once, to be compared with many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Absent where the text is too long to be taken apart.
    pub(crate) words: Option<Words>,
    pub(crate) claim: Option<Claim>,
}

/// The words of a text, and what must not differ.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Words {
    pub(crate) tokens: Vec<Token>,
    /// Each two neighbours as one word, for names that are written so elsewhere.
    pub(crate) pairs: Vec<String>,
    pub(crate) negations: Vec<Feature>,
    pub(crate) quantities: Vec<Quantity>,
    pub(crate) moments: Vec<Feature>,
    pub(crate) names: Vec<Feature>,
    pub(crate) turns: Vec<Feature>,
    /// The stems of all words but fillers, in order.
    pub(crate) stems: Vec<String>,
}

/// A longer text is not taken apart.
const TOKENS_MAX: usize = 512;

impl Statement {
    /// Takes `text` apart. Cost: linear in it.
    #[must_use]
    pub fn of(text: &str) -> Statement {
        let tokens = tokens(text, TOKENS_MAX);
        let claim = tokens.as_ref().and_then(|tokens| claim_of(text, tokens));
        Statement { words: tokens.map(Words::of), claim }
    }

    /// The claim of the text, where it is understood.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        self.claim.as_ref()
    }

    /// In what the two differ that no restatement may, at most once for each guard, in the
    /// order of [`Guard`]; nothing where one of them is too long to be taken apart.
    pub(crate) fn differences(&self, other: &Statement) -> Vec<Difference> {
        match (&self.words, &other.words) {
            (Some(own), Some(others)) => differences(own, others),
            (_, _) => Vec::new(),
        }
    }

    /// The guard that keeps `new` from restating this one, however alike they are. Cost: linear in
    /// both.
    #[must_use]
    pub fn veto(&self, new: &Statement) -> Option<Guard> {
        veto(self, new, &self.differences(new))
    }

    /// Whether it is too long to be taken apart.
    pub(crate) fn is_unread(&self) -> bool {
        self.words.is_none()
    }

    /// Whether the two are the same but for one word, in whose place the other has another: a
    /// synonym or the very opposite, which no likeness of words or vectors tells apart.
    pub(crate) fn differs_in_one_word(&self, other: &Statement) -> bool {
        let (Some(own), Some(others)) = (&self.words, &other.words) else { return false };
        own.stems.len() == others.stems.len()
            && own.stems.iter().zip(&others.stems).filter(|(own, other)| own != other).count() == 1
    }
}

impl Words {
    fn of(tokens: Vec<Token>) -> Words {
        let mut words = Words::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += words.take(&tokens, at, token);
        }
        let pair = |pair: &[Token]| match pair {
            [one, two] => format!("{}{}", one.lower, two.lower),
            _ => String::new(),
        };
        words.pairs = tokens.windows(2).map(pair).collect();
        words.tokens = tokens;
        words
    }

    /// Takes what begins at `at`, and says how many tokens that is.
    fn take(&mut self, tokens: &[Token], at: usize, token: &Token) -> usize {
        if let Some((moment, count)) = moment_at(tokens, at) {
            self.stems.push(moment.form.clone());
            self.moments.push(moment);
            return count;
        }
        if let Some(quantity) = Quantity::at(tokens, at) {
            self.stems.push(quantity.feature.form.clone());
            let count = quantity.tokens;
            match numbered(tokens, at, &quantity) {
                Some(name) => self.names.push(name),
                None => self.quantities.push(quantity),
            }
            return count;
        }
        if is_negation(&token.lower) {
            self.negations.push(Feature { form: "not".to_owned(), range: token.range.clone() });
        } else if let Some(turn) = opposite_at(token) {
            self.turns.push(turn);
        } else if let Some(name) = name_at(tokens, at) {
            self.names.push(name);
        }
        if !is_filler(token) {
            let stem = if is_negation(&token.lower) {
                "not".to_owned()
            } else {
                memlith_text::squeezed(&stem(&token.lower))
            };
            self.stems.push(stem);
        }
        1
    }
}

/// Words that say that something is not so, also without their apostrophes.
pub(crate) fn is_negation(word: &str) -> bool {
    word.ends_with("n't") || NEGATIONS.contains(&word)
}

#[rustfmt::skip]
const NEGATIONS: &[&str] = &[
    "not", "no", "nor", "never", "none", "nothing", "nobody", "nowhere", "neither", "without",
    "cannot", "hardly", "except", "unless", "aint", "arent", "cant", "couldnt", "didnt",
    "doesnt", "dont", "hadnt", "hasnt", "havent", "isnt", "mustnt", "shouldnt", "wasnt",
    "werent", "wont", "wouldnt", "lacks", "stopped", "ceased", "quit", "avoids", "refuses",
];
