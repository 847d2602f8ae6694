//! Verdict of a new sentence on an older one, by their words alone.
//!
//! Invariants
//! 1. Nothing true is ended: what isn't sure is [`Verdict::MayEnd`], and both stand.
//! 2. Five rules, in this order: the same slot ([`slot`]), the same words around another value
//!    ([`template`]), the old value named ([`named`]), a denial ([`denial`]); the rest is near or
//!    not ([`near`]).
//! 3. Of what adds, hedges, asks, reports, plans or tells of the past nothing follows ([`never`]).
//! 4. What no grammar reads, long texts and scripts without blanks, is near by the words that both
//!    share, and ends nothing ([`overlap`]).
//! 5. Pure and total. Words are data (`verdict/words.txt`), stemmed when they are loaded.

mod denial;
mod instruction;
mod named;
mod near;
mod never;
mod overlap;
mod parsed;
mod slot;
mod template;
mod term;
mod words;

pub use instruction::{Instruction, is_not_to_be_kept};
pub use parsed::{Parsed, Said};

use parsed::Clause;

/// The verdict of a new sentence on an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It says the same.
    Same,
    /// It says that what the older one says is no longer so.
    Ends,
    /// It is near and says otherwise; whether the older one ended isn't sure.
    MayEnd,
    /// It says something else, or both are true.
    Unrelated,
}

/// Says what `new` makes of `old`, which was said before it.
///
/// Pure and total. A text longer than 320 bytes, or of a script without blanks between words, ends
/// nothing: at most both say another value of one thing. Cost: the product of the words of shorter
/// texts; of longer ones linear, at most 4,096 words.
///
/// ```
/// use memlith_claims::{Parsed, Said, Verdict, verdict};
///
/// let said = |text| Parsed::of(&Said { text, speaker: "user:mo", about_one: false });
/// let old = said("The kiln is set to 1,060 degrees.");
/// assert_eq!(verdict(&old, &said("We lowered the kiln to 1,020 degrees.")), Verdict::Ends);
/// assert_eq!(verdict(&said("Use Jina for search"), &said("Use Exa for search")), Verdict::MayEnd);
/// assert_eq!(verdict(&old, &said("The kiln is from Otto.")), Verdict::Unrelated);
/// ```
#[must_use]
pub fn verdict(old: &Parsed<'_>, new: &Parsed<'_>) -> Verdict {
    let one_speaker = old.speaker() == new.speaker();
    // The "I" of two speakers, or of one of them, is about two people.
    if !one_speaker && (old.is_first_person() || new.is_first_person()) {
        return Verdict::Unrelated;
    }
    if old.is_worded_as(new) {
        return Verdict::Same;
    }
    if old.is_unread() || new.is_unread() {
        return if old.overlaps(new) { Verdict::MayEnd } else { Verdict::Unrelated };
    }
    if !one_speaker && !old.is_common_with(new) {
        return Verdict::Unrelated;
    }
    if !old.asserts() || !(old.shares_a_word(new) || slot::is_shared(old, new)) {
        return Verdict::Unrelated;
    }
    let found = new.asserted().iter().map(|clause| of_clause(old, new, clause));
    found.min().unwrap_or(Verdict::Unrelated)
}

fn of_clause(old: &Parsed<'_>, new: &Parsed<'_>, clause: &Clause) -> Verdict {
    if old.clauses().iter().any(|before| clause.is_past_of(before)) {
        return Verdict::Unrelated;
    }
    let [before] = old.clauses() else {
        // What says several things is ended by nothing less than all of it.
        let near = old.clauses().iter().any(|before| near::is_near(before, clause));
        return if near { Verdict::MayEnd } else { Verdict::Unrelated };
    };
    // Who "she" is nobody can tell, so that another one may be meant each time.
    let about_one = old.is_about_one() && new.is_about_one();
    let first = before.content().next().is_some_and(|first| clause.has(&first.key));
    let known = about_one || !(before.is_of_somebody() || (clause.is_of_somebody() && !first));
    let is_whole = !old.is_compound();
    let ends = slot::ends(old, new, (before, clause))
        || template::ends(before, clause)
        || named::ends(before, clause)
        || denial::ends(before, clause);
    if ends && known && is_whole {
        return Verdict::Ends;
    }
    let near = (ends && known) || near::is_near(before, clause);
    if near { Verdict::MayEnd } else { Verdict::Unrelated }
}

#[cfg(test)]
mod tests;
