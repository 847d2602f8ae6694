//! The patterns that a look begins at, and where in a text the next of them is.
//!
//! The tables are made by the compiler, so that a process pays for nothing before its first
//! byte: three bytes, folded to five bits each, choose one bit of a bitmap of 4 KiB, and
//! where it is set, the patterns that begin with the first two of them are compared.

use std::ops::Range;

use crate::command::{FLAGS, TOOLS, Tool};
use crate::name::NAME_PIECES;
use crate::noun::NOUNS;
use crate::providers::{PROVIDERS, Provider};
use crate::rule::MARK_START;
use crate::shape::Shape;
use crate::shapes::SHAPES;

/// The kind of secret or mark that a pattern leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lead {
    /// A mark of an earlier pass.
    Mark,
    /// A PEM block.
    Pem,
    /// A URL's authority.
    Authority,
    /// A credential after its scheme.
    Scheme,
    /// A provider's token.
    Shape(&'static Shape),
    /// A provider's name, which its token may follow.
    Provider(&'static Provider),
    /// The name of a secret.
    Name,
    /// The name of a secret in prose.
    Noun,
    /// A program that takes a password as an argument.
    Tool(Tool),
    /// A flag that such a password follows.
    Flag,
    /// An entry of a netrc file.
    Machine,
    /// A name and a password with a slash between them.
    Login,
    /// The port in an entry of a pgpass file.
    Port,
}

const FIXED: &[(&str, Lead)] = &[
    (MARK_START, Lead::Mark),
    ("-----BEGIN ", Lead::Pem),
    ("://", Lead::Authority),
    ("bearer", Lead::Scheme),
    ("basic", Lead::Scheme),
    ("machine ", Lead::Machine),
    ("default login ", Lead::Machine),
    ("login: ", Lead::Login),
    ("login is ", Lead::Login),
    (":5432:", Lead::Port),
    (":5433:", Lead::Port),
    (":6432:", Lead::Port),
    (":*:", Lead::Port),
];

const COUNT: usize = FIXED.len()
    + NOUNS.len()
    + SHAPES.len()
    + NAME_PIECES.len()
    + PROVIDERS.len()
    + TOOLS.len()
    + FLAGS.len();

static LEADS: [(&str, Lead); COUNT] = leads();

static INDEX: Index = Index::of(&leads());

#[expect(clippy::indexing_slicing, reason = "the compiler runs it, and stops where it is wrong")]
const fn leads() -> [(&'static str, Lead); COUNT] {
    let mut all = [("", Lead::Mark); COUNT];
    let mut next = 0;
    macro_rules! add {
        ($list:ident, $item:ident => $lead:expr) => {
            let mut at = 0;
            while at < $list.len() {
                let $item = &$list[at];
                all[next] = $lead;
                (at, next) = (at + 1, next + 1);
            }
        };
    }
    add!(FIXED, fixed => *fixed);
    add!(NOUNS, noun => (*noun, Lead::Noun));
    add!(SHAPES, shape => (shape.prefix, Lead::Shape(shape)));
    add!(NAME_PIECES, piece => (*piece, Lead::Name));
    add!(PROVIDERS, provider => (provider.keyword, Lead::Provider(provider)));
    add!(TOOLS, tool => (tool.0, Lead::Tool(tool.1)));
    add!(FLAGS, flag => (*flag, Lead::Flag));
    all
}

/// Bits of a byte that the index looks at: letters of both cases have them in common.
const FOLD: usize = 31;

/// Bits of the first two and of the first three bytes of a pattern.
const PAIRS: usize = 1 << 10;
const TRIPLES: usize = 1 << 15;

/// Where patterns begin.
struct Index {
    /// Whether a pattern begins with these three bytes.
    triples: [u64; TRIPLES / 64],
    /// Where in `order` the patterns are that begin with these two bytes.
    pairs: [u16; PAIRS + 1],
    /// The patterns by their first two bytes, of those the longest first.
    order: [u16; COUNT],
}

impl Index {
    #[expect(
        clippy::indexing_slicing,
        reason = "the compiler runs it, and stops where it is wrong"
    )]
    #[expect(clippy::cast_possible_truncation, reason = "a few hundred patterns")]
    const fn of(leads: &[(&'static str, Lead); COUNT]) -> Index {
        let mut index =
            Index { triples: [0; TRIPLES / 64], pairs: [0; PAIRS + 1], order: [0; COUNT] };
        let mut at = 0;
        while at < COUNT {
            index.pairs[pair(leads[at].0.as_bytes()) + 1] += 1;
            index.add(leads[at].0);
            at += 1;
        }
        let mut at = 0;
        while at < PAIRS {
            index.pairs[at + 1] += index.pairs[at];
            at += 1;
        }
        let mut taken = [0_u16; PAIRS];
        let mut at = 0;
        while at < COUNT {
            let pair = pair(leads[at].0.as_bytes());
            let first = index.pairs[pair] as usize;
            let mut slot = first + taken[pair] as usize;
            while slot > first && leads[index.order[slot - 1] as usize].0.len() < leads[at].0.len()
            {
                index.order[slot] = index.order[slot - 1];
                slot -= 1;
            }
            index.order[slot] = at as u16;
            taken[pair] += 1;
            at += 1;
        }
        index
    }

    /// Sets the bit of a pattern: of one with two bytes, every bit of what may follow.
    #[expect(
        clippy::indexing_slicing,
        reason = "the compiler runs it, and stops where it is wrong"
    )]
    const fn add(&mut self, pattern: &str) {
        let bytes = pattern.as_bytes();
        let mut third = 0;
        while third <= FOLD {
            if bytes.len() == 2 || third == bytes[2] as usize & FOLD {
                let triple = pair(bytes) << 5 | third;
                self.triples[triple >> 6] |= 1 << (triple & 63);
            }
            third += 1;
        }
    }

    fn has(&self, triple: usize) -> bool {
        let word = self.triples.get(triple >> 6).copied().unwrap_or_default();
        word >> (triple & 63) & 1 == 1
    }

    /// The longest pattern that `rest` begins with.
    fn longest(&self, rest: &[u8]) -> Option<&'static (&'static str, Lead)> {
        let pair = pair(rest);
        let from = usize::from(*self.pairs.get(pair)?);
        let to = usize::from(*self.pairs.get(pair + 1)?);
        let mut leads = self.order.get(from..to)?.iter();
        leads.find_map(|&lead| LEADS.get(usize::from(lead)).filter(|lead| begins(rest, lead.0)))
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "a pattern has two bytes, and so has what is looked up"
)]
const fn pair(bytes: &[u8]) -> usize {
    (bytes[0] as usize & FOLD) << 5 | bytes[1] as usize & FOLD
}

fn begins(rest: &[u8], pattern: &str) -> bool {
    rest.get(..pattern.len()).is_some_and(|head| head.eq_ignore_ascii_case(pattern.as_bytes()))
}

/// The first lead from `at` on, the longest of those that begin there, and where it is.
pub(crate) fn next(text: &str, at: usize) -> Option<(Lead, Range<usize>)> {
    let rest = text.as_bytes().get(at..)?;
    let mut head = rest.iter();
    let mut triple = 0;
    for byte in head.by_ref().take(2) {
        triple = triple << 5 | usize::from(*byte) & FOLD;
    }
    for (offset, byte) in head.enumerate() {
        triple = (triple << 5 | usize::from(*byte) & FOLD) & (TRIPLES - 1);
        if INDEX.has(triple)
            && let Some((pattern, lead)) = INDEX.longest(rest.get(offset..)?)
        {
            return Some((*lead, at + offset..at + offset + pattern.len()));
        }
    }
    None
}

/// Every pattern.
#[cfg(test)]
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    LEADS.iter().map(|(pattern, _)| *pattern)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece() -> impl Strategy<Value = String> {
        let leads: Vec<&str> = LEADS.iter().map(|(pattern, _)| *pattern).collect();
        let lead = prop::sample::select(leads);
        prop_oneof![
            lead.clone().prop_map(str::to_owned),
            lead.clone().prop_map(str::to_uppercase),
            (lead, 0_usize..9).prop_map(|(lead, len)| lead.chars().take(len).collect()),
            any::<String>(),
        ]
    }

    /// The lead that `next` has to find: every pattern compared at every place.
    fn by_comparing(text: &str, at: usize) -> Option<(&'static str, usize)> {
        (at..text.len()).find_map(|start| {
            let rest = text.as_bytes().get(start..)?;
            let fits = LEADS.iter().map(|(pattern, _)| *pattern);
            // What has two bytes is looked for before a third.
            let fits = fits.filter(|pattern| rest.len() > 2 && begins(rest, pattern));
            fits.max_by_key(|pattern| pattern.len()).zip(Some(start))
        })
    }

    proptest! {
        #[test]
        fn the_tables_find_what_comparing_finds(pieces in prop::collection::vec(piece(), 0..6)) {
            let text = pieces.concat();
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let found = next(&text, at).map(|(_, place)| (place.start, place.len()));
                let expected = by_comparing(&text, at).map(|(pattern, start)| (start, pattern.len()));
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn no_pattern_hides_another() {
        let mut patterns: Vec<String> =
            LEADS.iter().map(|(pattern, _)| pattern.to_ascii_lowercase()).collect();
        patterns.sort_unstable();
        let twice = patterns.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None);
    }
}
