use std::cell::OnceCell;

use super::Said;
use super::reading::without_opener;
use super::stance::Stance;
use super::term::Term;
use crate::claim::Claim;
use crate::normalise::normalised;
use crate::statement::Statement;

/// A sentence taken apart once, to be compared with many.
///
/// What a comparison asks for is worked out where it is first asked for, and kept.
#[derive(Debug)]
pub struct Parsed<'a> {
    pub(super) said: Said<'a>,
    normal: String,
    terms: Option<Vec<Term>>,
    statement: OnceCell<Statement>,
    asserts: OnceCell<bool>,
    asserts_behind_opener: OnceCell<bool>,
}

/// A longer text says more than one thing.
const BYTES_MAX: usize = 320;

impl<'a> Parsed<'a> {
    /// The words of what is said. Cost: linear in them; a text above 320 bytes is kept whole.
    #[must_use]
    pub fn of(said: &Said<'a>) -> Parsed<'a> {
        let short = said.text.len() <= BYTES_MAX;
        let terms = if short { Term::all(said) } else { None };
        Parsed {
            said: *said,
            normal: normalised(said.text),
            terms: terms.filter(|terms| !terms.is_empty()),
            statement: OnceCell::new(),
            asserts: OnceCell::new(),
            asserts_behind_opener: OnceCell::new(),
        }
    }

    /// What the grammar reads in it.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        self.statement.get_or_init(|| Statement::of(self.said.text)).claim()
    }

    /// Its words; none where it is too long to be one sentence.
    pub(super) fn terms(&self) -> Option<&[Term]> {
        self.terms.as_deref()
    }

    pub(super) fn is_worded_as(&self, other: &Parsed<'_>) -> bool {
        self.normal == other.normal
    }

    pub(super) fn is_first_person(&self) -> bool {
        self.terms().unwrap_or_default().iter().any(|term| term.first_person)
    }

    /// Whether it says that it is so.
    pub(super) fn asserts(&self) -> bool {
        let terms = self.terms().unwrap_or_default();
        *self.asserts.get_or_init(|| Stance::of(self.said.text, terms) == Stance::Asserts)
    }

    /// Whether it says so without what opens it, and the opener doesn't hedge it.
    pub(super) fn asserts_behind_opener(&self) -> bool {
        let terms = self.terms().unwrap_or_default();
        *self.asserts_behind_opener.get_or_init(|| {
            let (rest, opened) = without_opener(terms);
            Stance::of(self.said.text, rest) == Stance::Asserts
                && !(opened && Stance::of(self.said.text, terms) == Stance::Hedges)
        })
    }
}
