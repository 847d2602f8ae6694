//! The grammar: what a sentence claims, where it is of a form that is known.
//!
//! It reads one short sentence without a condition, a doubt or a second clause: who or what
//! it is about, a verb or "is", and the rest as value. The verbs and nouns that it knows are
//! tables; what is in none of them makes no claim of a known number of values. Sources: the
//! tables are our own, from the notes that assistants take of people and projects.

mod attribute;
mod clause;
mod copula;
mod frame;
mod frames;
mod nouns;
mod preference;
mod roles;
mod subject;
mod tool;
mod value;

use crate::claim::Claim;
use memlith_text::Token;

use clause::Clause;

/// A longer text says more than one thing.
const BYTES_MAX: usize = 240;

/// The claim of `text`, of these tokens. Cost: linear in it, times the length of the tables.
pub(crate) fn claim_of(text: &str, tokens: &[Token]) -> Option<Claim> {
    if text.len() > BYTES_MAX || text.contains(['?', '"', '`']) {
        return None;
    }
    let clause = Clause::of(text, tokens)?;
    // The earliest verb rules; at one place the narrower reading goes first.
    for at in 0..clause.words.len() {
        let read = preference::claim_at(&clause, at)
            .or_else(|| tool::claim_at(&clause, at))
            .or_else(|| frame::claim_at(&clause, at))
            .or_else(|| copula::claim_at(&clause, at));
        if read.is_some() {
            return read;
        }
        if clause.is_verb(at) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests;
