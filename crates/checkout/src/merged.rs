//! Answers of several ledgers as one: what each found, in one order.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use memlith_claims::{Parsed, Said, Verdict, verdict};
use memlith_event::LeftOutReason;
use memlith_log::{LedgerId, Timestamp};
use memlith_text::normalised;

use crate::{Cited, Evidence, Excluded, Pack, Prompt, View, prompt};

/// An item of an answer, with what decides between it and those of other ledgers.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// The item.
    pub cited: Cited,
    /// The rank that it is guarded by.
    pub guard: u8,
    /// When it was said, cut at the reader's now.
    pub said_at: Timestamp,
}

/// The number of items of each answer that are compared with those of the others.
const COMPARED_MAX: usize = 24;

impl View<'_> {
    /// The items with what decides between them and those of other ledgers.
    #[must_use]
    pub fn weigh(&self, items: Vec<Cited>, now: Timestamp) -> Vec<Weighed> {
        let weigh = |cited: Cited| {
            let guard = self.memory.item(cited.id.seq).map_or(0, |item| item.guard);
            let said_at = cited.occurred_at.min(now);
            Weighed { cited, guard, said_at }
        };
        items.into_iter().map(weigh).collect()
    }
}

/// Puts the answers of several ledgers into one order: each keeps its own, and the better score goes
/// first. Of items of two ledgers that say the same words one is kept; where one says another value
/// of the same thing later, and is guarded as much, it goes first and the other says so. Nothing of
/// one ledger ends anything of another.
///
/// The order is that of scores, times and ledger ids alone: whoever reads the same ledgers gets the
/// same. Cost: the first 24 items of each answer, each two of different ledgers compared.
#[must_use]
pub fn merge(answers: Vec<Vec<Weighed>>) -> Vec<Cited> {
    let mut all = in_one_order(answers);
    let mut said = BTreeSet::new();
    all.retain(|one| {
        let text = normalised(&one.cited.excerpt.text);
        let key = (one.cited.why.record, text);
        said.insert(key)
    });
    newer_first(&mut all);
    all.into_iter().map(|one| one.cited).collect()
}

/// The items of all answers, each answer in its own order.
fn in_one_order(answers: Vec<Vec<Weighed>>) -> Vec<Weighed> {
    let mut rest: Vec<_> =
        answers.into_iter().map(|answer| answer.into_iter().peekable()).collect();
    let mut all = Vec::new();
    loop {
        let heads = rest.iter_mut().enumerate().filter_map(|(at, answer)| {
            let head = answer.peek()?;
            let cited = &head.cited;
            Some(((Reverse(cited.score), Reverse(head.said_at), cited.citation.ledger), at))
        });
        let Some((_, at)) = heads.min() else { return all };
        all.extend(rest.get_mut(at).and_then(Iterator::next));
    }
}

/// Puts before an item of one ledger the newest of the others that says another value of the same.
fn newer_first(all: &mut Vec<Weighed>) {
    let is_compared = |one: &Weighed| one.cited.excerpt.is_whole() && !one.cited.why.question;
    let places: Vec<usize> = (0..all.len())
        .filter(|at| all.get(*at).is_some_and(is_compared))
        .take(COMPARED_MAX * 2)
        .collect();
    let mut newer: Vec<(usize, usize)> = Vec::new();
    {
        let one = |at: &usize| all.get(*at);
        let items: Vec<&Weighed> = places.iter().filter_map(one).collect();
        let parsed: Vec<Parsed<'_>> = items.iter().map(|one| parse(one)).collect();
        for (old_at, (old, old_parsed)) in items.iter().zip(&parsed).enumerate() {
            let later = items.iter().zip(&parsed).enumerate().filter(|(_, (new, new_parsed))| {
                ledger(new) != ledger(old)
                    && (new.said_at, ledger(new)) > (old.said_at, ledger(old))
                    && new.guard >= old.guard
                    && matches!(verdict(old_parsed, new_parsed), Verdict::Ends | Verdict::MayEnd)
            });
            let newest = later.max_by_key(|(_, (new, _))| (new.said_at, ledger(new)));
            let found = newest.and_then(|(new_at, _)| places.get(old_at).zip(places.get(new_at)));
            newer.extend(found.map(|(old, new)| (*old, *new)));
        }
    }
    let ids: Vec<_> = all.iter().map(|one| (one.cited.id, ledger(one))).collect();
    for (old, new) in newer {
        let (Some(old), Some(new)) = (ids.get(old).copied(), ids.get(new).copied()) else {
            continue;
        };
        let place = |all: &[Weighed], wanted| {
            all.iter().position(|one| (one.cited.id, ledger(one)) == wanted)
        };
        let (Some(old_at), Some(new_at)) = (place(all, old), place(all, new)) else { continue };
        if let Some(one) = all.get_mut(old_at) {
            one.cited.why.later = one.cited.why.later.or(Some(new.0));
        }
        if new_at > old_at {
            let newer = all.remove(new_at);
            all.insert(old_at, newer);
        }
    }
}

fn ledger(one: &Weighed) -> LedgerId {
    one.cited.citation.ledger
}

fn parse(one: &Weighed) -> Parsed<'_> {
    let (text, speaker) = (&one.cited.excerpt.text, &one.cited.speaker);
    Parsed::of(&Said { text, speaker, about_one: false })
}

/// A pack and what decides between its items and those of other ledgers.
#[derive(Clone, Debug)]
pub struct WeighedPack {
    /// The pack.
    pub pack: Pack,
    /// Its items, weighed: those of the pinned block, then the answers.
    pub items: Vec<Weighed>,
}

/// Makes one pack of those that several ledgers gave to one request, the reader's own first: pinned
/// items first, then the answers in one order, as far as the budget goes. Its receipt is the
/// reader's own.
#[must_use]
pub fn merge_packs(packs: Vec<WeighedPack>, budget_tokens: u32) -> Option<Pack> {
    let mut stable = Vec::new();
    let (mut answers, mut left_out, mut witnesses) = (Vec::new(), Vec::new(), Evidence::default());
    let mut nowhere: Option<Vec<String>> = None;
    let (mut own, mut asked_of) = (None, None);
    for WeighedPack { pack, mut items } in packs {
        let rest = items.split_off(pack.stable_items.min(items.len()));
        stable.push(items);
        answers.push(rest);
        left_out.extend(&pack.left_out);
        witnesses.items = witnesses.items.saturating_add(pack.evidence.items);
        witnesses.witnesses = witnesses.witnesses.saturating_add(pack.evidence.witnesses);
        witnesses.needed = witnesses.needed.max(pack.evidence.needed);
        nowhere = Some(match nowhere {
            None => pack.nowhere.clone(),
            Some(names) => names.into_iter().filter(|name| pack.nowhere.contains(name)).collect(),
        });
        asked_of = asked_of.or(pack.asked_of);
        own = own.or(Some(pack.receipt));
    }
    let stable: Vec<Cited> = in_one_order(stable).into_iter().map(|one| one.cited).collect();
    let mut room = Room { bytes: Prompt::AROUND_BYTES, budget_tokens, is_full: false };
    let mut items: Vec<Cited> = Vec::new();
    for item in stable {
        room.seat(item, &mut items, &mut left_out);
    }
    let stable_items = items.len();
    for item in merge(answers) {
        room.seat(item, &mut items, &mut left_out);
    }
    let tokens = if items.is_empty() { 0 } else { prompt::tokens(room.bytes) };
    let nowhere = nowhere.unwrap_or_default();
    let (evidence, receipt) = (witnesses, own?);
    Some(Pack { items, stable_items, left_out, tokens, evidence, nowhere, asked_of, receipt })
}

/// The room that is left in a pack.
struct Room {
    bytes: usize,
    budget_tokens: u32,
    is_full: bool,
}

impl Room {
    fn seat(&mut self, item: Cited, items: &mut Vec<Cited>, left_out: &mut Vec<Excluded>) {
        let bytes = self.bytes + prompt::line(&item).len();
        self.is_full |= prompt::tokens(bytes) > self.budget_tokens;
        if self.is_full {
            left_out.push(Excluded { id: item.id, reason: LeftOutReason::Budget });
        } else {
            self.bytes = bytes;
            items.push(item);
        }
    }
}
