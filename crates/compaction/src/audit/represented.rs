use std::collections::{BTreeMap, BTreeSet};

use memlith_log::{RecordId, Seq};
use memlith_salience::Log2;

use super::{Share, Wanted};
use crate::Exemplar;
use crate::coverage::rarity;
use crate::exemplars::{DECILE, is_covered};
use crate::vocabulary::read;
use crate::weight::weight;
use crate::words::{push_lower, words};

/// An item, and whether a summary represents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scored {
    level: Log2,
    seq: Seq,
    represented: bool,
}

/// Which of the items are quoted, or have most of their terms quoted.
pub(super) fn scored(wanted: &[Wanted<'_>], exemplars: &[Exemplar]) -> Vec<Scored> {
    let terms: Vec<BTreeSet<String>> =
        wanted.iter().map(|(_, words)| terms(read(&words.text))).collect();
    let mut having: BTreeMap<&str, usize> = BTreeMap::new();
    for term in terms.iter().flatten() {
        *having.entry(term).or_default() += 1;
    }
    let quoted: BTreeSet<RecordId> = exemplars.iter().map(|one| one.source).collect();
    let shown: BTreeSet<String> = exemplars.iter().flat_map(|one| self::terms(&one.text)).collect();
    let rarity_of = |term: &String| {
        let having = having.get(term.as_str()).copied().unwrap_or(1);
        u64::from(rarity(wanted.len(), having))
    };
    let score = |((item, _), own): (&Wanted<'_>, &BTreeSet<String>)| {
        let all = own.iter().map(rarity_of).sum();
        let covered = own.intersection(&shown).map(rarity_of).sum();
        let represented = quoted.contains(&item.id()) || is_covered(covered, all);
        Scored { level: item.level, seq: item.seq, represented }
    };
    wanted.iter().zip(&terms).map(score).collect()
}

/// The weight of the top decile of the items, and of it what is represented.
pub(super) fn top(scored: &[Scored]) -> Share {
    let mut sorted = scored.to_vec();
    sorted.sort_by_key(|one| one.level.order(one.seq));
    let greatest = sorted.first().map_or(Log2::ZERO, |one| one.level);
    let mut share = Share::default();
    for one in sorted.iter().take(scored.len().div_ceil(DECILE)) {
        let weight = weight(one.level, greatest);
        share.whole += weight;
        share.part += if one.represented { weight } else { 0 };
    }
    share
}

fn terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    words(text, &mut |start, end| {
        let mut lower = String::new();
        push_lower(text.get(start..end).unwrap_or_default(), &mut lower);
        terms.insert(lower);
    });
    terms
}
