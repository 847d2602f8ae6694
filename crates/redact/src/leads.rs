//! The patterns that a look begins at, and where in a text the next of them is.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use crate::rule::MARK_START;
use crate::shape::{SHAPES, Shape};

/// What a pattern leads to.
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
    /// The name of a secret.
    Name,
}

/// Pieces of which every secret's name has one.
const NAME_PIECES: &[&str] = &[
    "passw",
    "passphrase",
    "passcode",
    "pgpass",
    "_pass",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "accountkey",
    "account_key",
    "authkey",
    "auth_key",
    "encryption_key",
    "encryptionkey",
    "signing_key",
    "signing-key",
    "signingkey",
    "sharedkey",
    "shared_key",
    "_key=",
    "_key:",
    "credential",
    "creds",
    "authorization",
    "cookie",
];

static LEADS: LazyLock<Vec<(&str, Lead)>> = LazyLock::new(|| {
    let mut leads = vec![
        (MARK_START, Lead::Mark),
        ("-----BEGIN ", Lead::Pem),
        ("://", Lead::Authority),
        ("bearer", Lead::Scheme),
        ("basic", Lead::Scheme),
    ];
    leads.extend(SHAPES.iter().map(|shape| (shape.prefix, Lead::Shape(shape))));
    leads.extend(NAME_PIECES.iter().map(|piece| (*piece, Lead::Name)));
    leads
});

/// A way to find leads.
pub(crate) enum Leads {
    /// All at once; built on first use, in about a millisecond.
    Automaton(&'static AhoCorasick),
    /// One by one at every place.
    OneByOne,
}

/// A process looks through so many bytes before it builds the automaton, which costs more
/// than that: many a process only ever looks at a few names and a question.
const BYTES_WITHOUT: usize = 2_048;

impl Leads {
    /// How to find the leads of `text`; the ways differ in nothing but their cost.
    pub(crate) fn of(text: &str) -> Leads {
        static BUILT: OnceLock<AhoCorasick> = OnceLock::new();
        static LOOKED_THROUGH: AtomicUsize = AtomicUsize::new(0);
        // The counter can't wrap: it grows by no more than what is still allowed.
        let fits =
            |before: usize| before.checked_add(text.len()).filter(|after| *after <= BYTES_WITHOUT);
        let built = BUILT.get();
        let without = built.is_none()
            && LOOKED_THROUGH.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        if without { Leads::OneByOne } else { Leads::Automaton(BUILT.get_or_init(automaton)) }
    }

    /// The first lead from `at` on, the longest of those that begin there, and where it is.
    pub(crate) fn next(&self, text: &str, at: usize) -> Option<(Lead, Range<usize>)> {
        let Leads::Automaton(automaton) = self else { return one_by_one(text, at) };
        let hit = automaton.find(Input::new(text).range(at..))?;
        let (_, lead) = LEADS.get(hit.pattern().as_usize())?;
        Some((*lead, hit.range()))
    }
}

/// A prefilter costs more than it saves, as hits are frequent in code.
fn automaton() -> AhoCorasick {
    let built = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .prefilter(false)
        .build(LEADS.iter().map(|(pattern, _)| pattern));
    #[expect(clippy::expect_used, reason = "a hundred fixed patterns are far below every limit")]
    built.expect("the patterns are fixed and few")
}

fn one_by_one(text: &str, at: usize) -> Option<(Lead, Range<usize>)> {
    let places = at..text.len();
    places.into_iter().find_map(|start| {
        let rest = text.as_bytes().get(start..)?;
        let begins = |pattern: &str| {
            let head = rest.get(..pattern.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(pattern.as_bytes()))
        };
        let mut longest: Option<&(&str, Lead)> = None;
        for lead in LEADS.iter().filter(|(pattern, _)| begins(pattern)) {
            if longest.is_none_or(|(pattern, _)| pattern.len() < lead.0.len()) {
                longest = Some(lead);
            }
        }
        longest.map(|(pattern, lead)| (*lead, start..start + pattern.len()))
    })
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

    proptest! {
        #[test]
        fn both_ways_find_the_same(pieces in prop::collection::vec(piece(), 0..6)) {
            let text = pieces.concat();
            let built = automaton();
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let all_at_once = built.find(Input::new(&text).range(at..));
                let expected = all_at_once.map(|hit| (hit.pattern().as_usize(), hit.range()));
                let expected = expected.map(|(lead, place)| (format!("{:?}", LEADS[lead].1), place));
                let found = one_by_one(&text, at);
                prop_assert_eq!(found.map(|(lead, place)| (format!("{lead:?}"), place)), expected);
            }
        }
    }
}
