use std::cell::OnceCell;
use std::collections::BTreeSet;

use memlith_text::{normalised, sentences};

use super::never::Stance;
use super::overlap::{Overlap, is_unspaced};
use super::term::{Kind, Term};
use super::words::{Section, phrase};
use crate::claim::Claim;
use crate::statement::Statement;

/// A sentence, and who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// The sentence.
    pub text: &'a str,
    /// The person that "I" and "my" mean, as "ana" or "user:ana"; empty where nobody is named.
    pub speaker: &'a str,
    /// Whether it was said of one person who is known from elsewhere, so that "she" and "he"
    /// mean that one.
    pub about_one: bool,
}

/// A text taken apart once, to be compared with many.
#[derive(Debug)]
pub struct Parsed<'a> {
    said: Said<'a>,
    normal: OnceCell<String>,
    clauses: Vec<Clause>,
    is_first_person: OnceCell<bool>,
    /// Whether it is too long to be taken apart, or of a script without blanks.
    is_unread: bool,
    overlap: OnceCell<Overlap>,
    /// Its assertions, each clause whole and in its parts.
    asserted: OnceCell<Vec<Clause>>,
    statement: OnceCell<Statement>,
}

/// A part of a text that says something by itself, without openers and without what says why.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) terms: Vec<Term>,
    pub(super) stance: Stance,
    /// Whether it asserts, so that something follows from it.
    pub(super) asserts: bool,
    /// Whether it corrects what was said: "sorry, it's ...".
    pub(super) corrects: bool,
    /// Whether it says what holds from now on: "now", "the new ...", "became".
    pub(super) declares: bool,
    /// Whether a part of it says something more, behind a comma or an "and".
    pub(super) compound: bool,
}

/// Maximum length of a text that says one thing, in bytes: a longer one is worded the same as
/// another, or unrelated.
const BYTES_MAX: usize = 320;

impl<'a> Parsed<'a> {
    /// Takes what was said apart. Cost: linear in it.
    #[must_use]
    pub fn of(said: &Said<'a>) -> Parsed<'a> {
        let text = said.text;
        let clauses = match text.len() <= BYTES_MAX {
            true => sentences(text)
                .into_iter()
                .filter_map(|at| text.get(at))
                .flat_map(Clause::all)
                .collect(),
            false => Vec::new(),
        };
        Parsed {
            said: *said,
            normal: OnceCell::new(),
            clauses,
            is_unread: text.len() > BYTES_MAX || text.chars().any(is_unspaced),
            overlap: OnceCell::new(),
            is_first_person: OnceCell::new(),
            asserted: OnceCell::new(),
            statement: OnceCell::new(),
        }
    }

    /// Returns its claim by the grammar, where that is understood.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        self.statement.get_or_init(|| Statement::of(self.said.text)).claim()
    }

    /// Returns the words that say something, each once, as they are compared.
    #[must_use]
    pub fn words(&self) -> BTreeSet<&str> {
        self.clauses.iter().flat_map(Clause::content).map(|term| term.key.as_str()).collect()
    }

    /// Returns the first word that says something: what the text is about.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.clauses.iter().flat_map(Clause::content).map(|term| term.key.as_str()).next()
    }

    /// Whether it tells of a change: "now", "moved to", "no longer", "sorry, it's ...".
    #[must_use]
    pub fn declares(&self) -> bool {
        let changes = |clause: &Clause| {
            clause.declares
                || clause.corrects
                || super::denial::is_denied(clause)
                || super::denial::is_given_up(clause)
                || clause.terms.iter().any(|term| term.known.is_form_of(Section::Change))
        };
        self.clauses.iter().any(|clause| clause.asserts && changes(clause))
    }

    /// Whether no grammar reads it: it is longer than 320 bytes, or of a script without blanks
    /// between words.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        self.is_unread
    }

    /// Whether both say much the same, and each something of its own.
    pub(super) fn overlaps(&self, other: &Parsed<'_>) -> bool {
        let (bytes, others) = (self.said.text.len(), other.said.text.len());
        let overlap = |parsed: &Parsed<'_>| Overlap::of(parsed.said.text);
        // One that is three times as long has more than twice the words.
        bytes.min(others) * 3 >= bytes.max(others)
            && self
                .overlap
                .get_or_init(|| overlap(self))
                .is_near(other.overlap.get_or_init(|| overlap(other)))
    }

    pub(super) fn speaker(&self) -> &str {
        self.said.speaker
    }

    pub(super) fn is_about_one(&self) -> bool {
        self.said.about_one
    }

    /// Returns its assertions, each clause whole and in its parts; taken apart once.
    pub(super) fn asserted(&self) -> &[Clause] {
        let asserts = || self.clauses.iter().filter(|clause| clause.asserts);
        self.asserted.get_or_init(|| asserts().flat_map(Clause::with_parts).collect())
    }

    pub(super) fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// Whether both have a word that says something.
    pub(super) fn shares_a_word(&self, other: &Parsed<'_>) -> bool {
        let mut own = self.clauses.iter().flat_map(Clause::content);
        own.any(|term| other.clauses.iter().any(|clause| clause.has(&term.key)))
    }

    /// Whether two speakers mean one thing: by a name, as "ours", or by two words. "The rent" is
    /// each speaker's own.
    pub(super) fn is_common_with(&self, other: &Parsed<'_>) -> bool {
        let ours = |parsed: &Parsed<'_>| {
            let mut terms = parsed.clauses.iter().flat_map(|clause| &clause.terms);
            terms.any(|term| term.is(&["we", "our", "us"]))
        };
        let words = other.words();
        let shared = || {
            let content = self.clauses.iter().flat_map(Clause::content);
            content.filter(|term| words.contains(term.key.as_str()))
        };
        let named = shared().any(|term| matches!(term.kind, Kind::Name | Kind::Code));
        named || shared().count() > 1 || (ours(self) && ours(other))
    }

    pub(super) fn is_worded_as(&self, other: &Parsed<'_>) -> bool {
        begin_alike(self.said.text, other.said.text)
            && self.normal() == other.normal()
            && memlith_text::exact_values(self.said.text)
                == memlith_text::exact_values(other.said.text)
    }

    /// Whether it corrects what was said last and names nothing: "scratch that, it's 9090".
    #[must_use]
    pub fn corrects_the_last(&self) -> bool {
        let [only] = self.clauses.as_slice() else { return false };
        let mut content = only.content();
        let value = content.next().is_some_and(Term::is_typed);
        only.corrects && value && content.next().is_none()
    }

    fn normal(&self) -> &str {
        self.normal.get_or_init(|| normalised(self.said.text))
    }

    /// Whether it speaks of its own speaker.
    #[must_use]
    pub fn is_first_person(&self) -> bool {
        *self.is_first_person.get_or_init(|| memlith_text::is_first_person(self.said.text))
    }

    /// Whether something follows from what it says now.
    pub(super) fn asserts(&self) -> bool {
        let silent = |clause: &Clause| matches!(clause.stance, Stance::Asks | Stance::Reports);
        !self.clauses.iter().all(silent)
    }

    /// Whether it says more than one thing, or not plainly that one is so.
    pub(super) fn is_compound(&self) -> bool {
        let [only] = self.clauses.as_slice() else { return true };
        only.compound || !only.asserts
    }
}

/// Whether two texts may have one normal form, by their words up to the first that isn't ASCII.
fn begin_alike(one: &str, other: &str) -> bool {
    let mut pairs = one.split_whitespace().zip(other.split_whitespace());
    let bare = |word: &'_ str| -> usize { word.trim_end_matches('.').len() };
    pairs
        .find_map(|(one, other)| match one.is_ascii() && other.is_ascii() {
            true => {
                let (one, other) = (one.get(..bare(one)), other.get(..bare(other)));
                let same =
                    one.zip(other).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other));
                (!same).then_some(false)
            }
            false => Some(true),
        })
        .unwrap_or(true)
}

impl Clause {
    /// The clauses of a sentence.
    fn all(sentence: &str) -> Vec<Clause> {
        let Some(terms) = Term::all(sentence) else { return Vec::new() };
        let quotes = sentence.contains(['?', '\u{bf}', '\u{ff1f}', '"', '\u{201c}', '\u{2018}'])
            || sentence.contains(" '");
        let (terms, mut corrects) = without_openers(terms);
        let of_all = Stance::of(&terms);
        let mut clauses: Vec<Clause> = Vec::new();
        for part in parts(terms) {
            let (part, again) = without_openers(part);
            corrects |= again;
            let stance = match of_all {
                _ if quotes => Stance::Asks,
                Stance::Adds | Stance::Reports => of_all,
                Stance::Asserts | Stance::Asks | Stance::Hedges | Stance::Past | Stance::Future => {
                    Stance::of(&part)
                }
            };
            if part.iter().any(|term| term.content) {
                clauses.push(Clause::of(part, stance, corrects));
            }
        }
        clauses
    }

    /// The clause and, where commas or "and" part it, each of its parts; one that begins with "it"
    /// is about what the part before begins with.
    fn with_parts(&self) -> Vec<Clause> {
        let mut all = vec![self.clone()];
        let mut pieces: Vec<Vec<Term>> = vec![Vec::new()];
        for term in &self.terms {
            let joins = term.is(&["and", "so"]);
            if (term.broken || joins) && pieces.last().is_some_and(|last| !last.is_empty()) {
                pieces.push(Vec::new());
            }
            if let Some(piece) = pieces.last_mut().filter(|_| !joins) {
                piece.push(term.clone());
            }
        }
        // Behind "stripped," or "at night," stands what holds under that condition alone.
        let says = |piece: &Vec<Term>| {
            let at_first = piece.first().is_some_and(|first| {
                first.is(&["when", "while", "if", "from"]) || first.known.is(Section::Prepositions)
            });
            !at_first
                && piece.iter().any(|term| {
                    term.known.is(Section::Be)
                        || term.is(&["has", "have", "had", "is", "not", "no"])
                        || term.known.is(Section::PastEvents)
                        || term.known.is_form_of(Section::Change)
                        || term.known.is_form_of(Section::Quits)
                        || term.text.ends_with("ed") && piece.len() > 2
                })
        };
        if pieces.len() < 2 || !pieces.first().is_some_and(says) {
            return all;
        }
        let mut subject: Vec<Term> = Vec::new();
        for piece in pieces {
            let mut terms = piece;
            let stands_for = terms.first().is_some_and(|first| first.is(&["it", "they", "that"]));
            if stands_for {
                terms.splice(..1, subject.iter().cloned());
            } else {
                let lead = terms.iter().skip_while(|term| !term.content);
                subject = lead.take_while(|term| term.content).cloned().collect();
            }
            if terms.iter().any(|term| term.content) && Stance::of(&terms) == self.stance {
                all.push(Clause::of(terms, self.stance, self.corrects));
            }
        }
        all
    }

    /// Whether it tells what happened once: "went on the 2nd", "filled up in May".
    pub(super) fn is_event(&self) -> bool {
        let mut carried = false;
        self.terms.iter().any(|term| {
            let past = term.known.is(Section::PastEvents)
                || (term.text.len() > 4 && term.text.ends_with("ed") && term.kind == Kind::Plain);
            let found = past && !carried;
            carried = term.is(&["is", "are", "am", "be", "been", "have", "has", "get", "gets"])
                || (carried && !term.content);
            found
        })
    }

    fn of(terms: Vec<Term>, stance: Stance, corrects: bool) -> Clause {
        let declares = terms.iter().any(|term| term.known.is_form_of(Section::Now));
        let compound = says_more(&terms);
        let asserts = stance == Stance::Asserts;
        Clause { terms, stance, asserts, corrects, declares, compound }
    }

    /// Whether it tells of the past what the other one says of now, with the same verb: "listened",
    /// "ran". Where it has a word of change as well, that is what it tells.
    pub(super) fn is_past_of(&self, other: &Clause) -> bool {
        let is_past = |term: &Term| {
            let then = other.terms.iter().find(|now| now.key == term.key && now.text != term.text);
            let is_ed =
                then.is_some_and(|now| !now.text.ends_with("ed") && term.text.ends_with("ed"));
            let irregular =
                term.is(&["ran"]) && other.terms.iter().any(|now| now.is(&["run", "runs"]));
            is_ed || irregular
        };
        let changes = |term: &Term| {
            term.known.is_form_of(Section::Change) || term.known.is_form_of(Section::Now)
        };
        let mut passive = false;
        self.terms.iter().any(|term| {
            let found = is_past(term) && !passive;
            passive = term.known.is(Section::Be) || term.is(&["has", "have", "been"]);
            found
        }) && !self.terms.iter().any(changes)
    }

    /// Whether it names what it is about by a pronoun of the third person.
    pub(super) fn is_of_somebody(&self) -> bool {
        let subject = self.terms.iter().take(2);
        subject.take_while(|term| !term.content).any(|term| {
            term.is(&["he", "she", "they", "it", "his", "her", "their", "its", "that", "this"])
        })
    }

    pub(super) fn content(&self) -> impl Iterator<Item = &Term> + Clone {
        self.terms.iter().filter(|term| term.content)
    }

    /// Whether a word may be the verb of the clause: no possessive, article or preposition stands
    /// before it, and no form of "be" behind it. "The birthday of my wife is" is about the wife.
    pub(super) fn may_be_verb(&self, word: &Term) -> bool {
        let mut rest = self.terms.iter().skip_while(|term| !std::ptr::eq(*term, word)).skip(1);
        let before = self.terms.iter().take_while(|term| !std::ptr::eq(*term, word)).last();
        let is_of_a_noun = |before: &Term| {
            let determines = ["the", "a", "an", "my", "our", "his", "her", "its", "your", "their"];
            let joins = ["of", "to", "from", "this", "that"];
            let is_light = before.is(&determines) || before.is(&joins);
            is_light || before.owner || before.known.is(Section::Prepositions)
        };
        word.kind == Kind::Plain
            && !before.is_some_and(is_of_a_noun)
            && !rest.any(|term| term.known.is(Section::Be))
    }

    /// Number of words that say something, each counted once.
    pub(super) fn distinct(&self) -> usize {
        self.content().map(|term| &term.key).collect::<BTreeSet<_>>().len()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.content().any(|term| term.key == key)
    }

    /// The content that `other` lacks, in order.
    pub(super) fn beyond<'c>(&'c self, other: &Clause) -> Vec<&'c Term> {
        self.content().filter(|term| !other.has(&term.key)).collect()
    }
}

/// Cuts what opens a sentence and says nothing; and whether one of it corrects.
pub(super) fn without_openers(mut terms: Vec<Term>) -> (Vec<Term>, bool) {
    let mut corrects = false;
    loop {
        // "No engineer" turns nothing down.
        let says_no = terms.first().is_some_and(|first| first.is(&["no", "wrong", "wait"]));
        let parted =
            terms.get(1).is_some_and(|next| next.broken || next.known.is(Section::Corrections));
        let correction = phrase(terms.iter(), Section::Corrections).filter(|_| !says_no || parted);
        corrects |= correction.is_some();
        let Some(count) = correction.or_else(|| phrase(terms.iter(), Section::Openers)) else {
            break;
        };
        if count >= terms.len() {
            break;
        }
        terms.drain(..count);
    }
    (terms, corrects)
}

/// Cuts a sentence before "but", ";" and the like, and drops the parts that say why or since when.
fn parts(terms: Vec<Term>) -> Vec<Vec<Term>> {
    let mut parts = vec![Vec::new()];
    let mut dropped = false;
    for term in terms {
        let joins = term.is(&["but", "so", "and"]) && term.broken;
        if joins || term.is(&["but"]) {
            parts.push(Vec::new());
            dropped = false;
            continue;
        }
        let reason = term.known.is(Section::Reasons);
        dropped |= reason && parts.last().is_some_and(|part| !part.is_empty());
        if let Some(part) = parts.last_mut().filter(|_| !dropped) {
            part.push(term);
        }
    }
    parts
}

/// Whether something stands behind a comma or an "and" that is more than a moment.
fn says_more(terms: &[Term]) -> bool {
    let mut seen = false;
    terms.iter().enumerate().any(|(at, term)| {
        let behind = || terms.iter().skip(at).filter(|term| term.content);
        let cuts = term.broken || term.is(&["and", "or", "plus", "&"]);
        let more = seen && cuts && behind().any(|term| !term.is_moment());
        seen |= term.content;
        more
    })
}
