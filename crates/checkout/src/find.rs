use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{Actor, Hints, Key, LeftOutReason, Origin, Purpose, Rank};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Item, Memory, Sight, Visibility};
use memlith_recall::{Hit, Search, Signals};
use memlith_salience::{Log2, Multiplier};

use crate::candidate::{Candidate, Crowd, may_fade};
use crate::evidence::SIGNAL_WHOLE;
use crate::hinted::Contexts;
use crate::{Ask, AskedOf, Hinted, Learned, View, purpose, standing};

/// Items that a query finds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Items that may be shown, in order.
    pub(crate) candidates: Vec<Candidate>,
    /// Items that may not be shown, by sequence, each with the reason.
    pub(crate) refused: BTreeMap<Seq, (RecordId, LeftOutReason)>,
    /// Names and identifiers of the question that nothing which may be shown has.
    pub(crate) nowhere: Vec<String>,
    /// Margin of the person that the question names over everybody else; `None` where none is named.
    pub(crate) asked_of: Option<AskedOf>,
}

/// Maximum number of candidates ranked of each crowd.
///
/// Source: specs/recall.md, the scorer, 8.
pub(crate) const CANDIDATES_MAX: usize = 200;

/// The purpose and the hints of a query.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct End<'a> {
    pub(crate) purpose: Purpose,
    pub(crate) hints: Option<&'a Hints<'a>>,
}

/// Decides whether an item may be shown, by who asks, when and what for.
struct Judge<'a> {
    memory: &'a Memory,
    sight: Sight,
    now: Timestamp,
    purpose: Purpose,
}

impl Judge<'_> {
    /// Outcomes of `item` for the purpose: nothing of what is derived, and nothing
    /// for a general one, which reads nothing for it.
    fn learned(&self, item: &Item) -> Learned {
        if self.purpose == Purpose::General || item.is_derived() {
            return Learned::default();
        }
        Learned::from(self.memory.tally(item.id.seq, self.purpose))
    }

    fn visibility(&self, item: &Item) -> Visibility {
        let visibility = self.memory.visibility(item, self.now, true);
        let Visibility::Shown(authority) = visibility else { return visibility };
        purpose::left_out(self.purpose, self.memory, item, authority, self.now)
            .map_or(visibility, Visibility::LeftOut)
    }
}

/// The verdicts on the items that a search asked for.
#[derive(Default)]
struct Verdicts {
    shown: BTreeMap<Seq, (Item, Authority)>,
    refused: BTreeMap<Seq, (RecordId, LeftOutReason)>,
    unseen: BTreeSet<Seq>,
    crowds: BTreeSet<Crowd>,
}

impl View<'_> {
    /// Finds what answers `ask` to this end: up to `limit` items of each crowd, in order.
    ///
    /// The crowds are searched one by one, so neither a flood of web text nor what was
    /// derived moves what a primary item's place is, or whether it has one. A crowd of
    /// which no item came up is not searched.
    pub(crate) fn find(&self, ask: &Ask<'_>, end: End<'_>, limit: usize) -> Found {
        let purpose = end.purpose;
        let contexts = Contexts::of(self.recall, end.hints, ask.scope, ask.now);
        let verdicts = RefCell::new(Verdicts::default());
        let judge =
            Judge { memory: self.memory, sight: Sight::of(ask.scope), now: ask.now, purpose };
        let (mut candidates, mut asked_of, mut all) = (Vec::new(), None, Vec::new());
        let mut search = Search::of(self.recall, ask.query, ask.scope, ask.now);
        if let Some(vector) = ask.vector {
            search = search.with_vector(vector);
        }
        let oneself = ask.of_oneself();
        if let Some(asker) = oneself {
            search = search.about(asker);
        }
        for crowd in Crowd::ALL {
            if crowd != Crowd::Primary && !verdicts.borrow().crowds.contains(&crowd) {
                continue;
            }
            let eligible = |seq| verdicts.borrow_mut().crowd(&judge, seq) == Some(crowd);
            let hits = search.hits(limit, &eligible, &|seqs| {
                self.memory.will_need(seqs);
                // Most of them become hits: what salience has is checked while they are scored.
                self.salience.will_need(seqs);
            });
            self.salience.will_need(&hits.iter().map(|hit| hit.seq).collect::<Vec<_>>());
            let verdicts = verdicts.borrow();
            if crowd == Crowd::Primary && oneself.is_none() {
                let id = |hit: &Hit| verdicts.shown.get(&hit.seq).map(|(item, _)| item.id);
                let known = hits.iter().filter_map(|hit| Some((hit, id(hit)?)));
                asked_of = AskedOf::of(search.only_name(), known);
            }
            candidates.extend(hits.iter().filter_map(|hit| {
                let (item, authority) = verdicts.shown.get(&hit.seq)?;
                let hinted = contexts.met(hit);
                let level = self.salience.level(hit.seq, item.occurred_at, ask.now);
                // "I" names nobody: what else the asker said is on no point for that.
                let is_named = oneself.is_none() && hit.is_named;
                Some(Candidate {
                    item: *item,
                    authority: *authority,
                    relevance: hit.relevance,
                    signals: hit.signals,
                    own: hit.own,
                    level,
                    multiplier: self.multiplier(item, level, ask.now),
                    learned: judge.learned(item),
                    hinted,
                    attenuated: may_fade(item) && level.attenuated(ask.now),
                    circumstance: is_named || hit.signals.day >= SIGNAL_WHOLE,
                    is_question: hit.is_question,
                    anothers: oneself.is_some_and(|asker| is_of_another(item, asker)),
                    later: None,
                    least: 0,
                })
            }));
            all.extend(hits);
        }
        candidates.sort_by_cached_key(Candidate::order);
        let nowhere = search.nowhere(ask.query, &all);
        Found { candidates, refused: verdicts.into_inner().refused, nowhere, asked_of }
    }
}

impl View<'_> {
    /// The pinned block as candidates: with what the query makes of those that it found.
    pub(crate) fn block(&self, ask: &Ask<'_>, purpose: Purpose, found: &Found) -> Vec<Candidate> {
        let unasked = |item: Item| {
            let authority = self.memory.authority(item.id.seq, ask.now)?;
            let level = self.salience.level(item.id.seq, item.occurred_at, ask.now);
            Some(Candidate {
                item,
                authority,
                relevance: 0,
                signals: Signals::default(),
                own: 0,
                level,
                multiplier: self.multiplier(&item, level, ask.now),
                learned: Learned::default(),
                hinted: Hinted::default(),
                attenuated: false,
                circumstance: false,
                is_question: false,
                anothers: false,
                later: None,
                least: 0,
            })
        };
        let block = standing::block(self.memory, ask, purpose).into_iter();
        let candidate = |item: Item| {
            let found = found.candidates.iter().find(|found| found.item.id == item.id);
            // The same words whatever is asked.
            let found = found.map(|found| Candidate { later: None, ..found.clone() });
            found.or_else(|| unasked(item))
        };
        block.filter_map(candidate).collect()
    }

    /// The factor of salience of an item, whose level at `now` is known.
    ///
    /// What is later than `now` is read at its own time: that it comes after what was asked
    /// for is no sign that it answers better.
    fn multiplier(&self, item: &Item, level: Log2, now: Timestamp) -> Multiplier {
        if now >= item.occurred_at {
            return level.multiplier(now);
        }
        let level = self.salience.level(item.id.seq, item.occurred_at, item.occurred_at);
        level.multiplier(item.occurred_at)
    }
}

/// Whether a person said it who has another name than `asker`. Transcripts name nobody: the
/// person in them may be anybody.
fn is_of_another(item: &Item, asker: Key) -> bool {
    let nameless = ["", "user"].map(|name| Actor::new(name, Rank::User).key());
    item.origin == Origin::User && item.actor != asker && !nameless.contains(&item.actor)
}

impl Verdicts {
    /// The crowd of the item at `seq`, or `None` where it may not be shown.
    fn crowd(&mut self, judge: &Judge<'_>, seq: Seq) -> Option<Crowd> {
        if let Some((item, _)) = self.shown.get(&seq) {
            return Some(Crowd::of(item));
        }
        if self.refused.contains_key(&seq) || self.unseen.contains(&seq) {
            return None;
        }
        // What lies outside the scope isn't even counted: that would tell of it.
        let Some(item) = judge.memory.item(seq).filter(|item| judge.sight.has(item)) else {
            self.unseen.insert(seq);
            return None;
        };
        match judge.visibility(&item) {
            Visibility::Shown(authority) => {
                let crowd = Crowd::of(&item);
                self.shown.insert(seq, (item, authority));
                self.crowds.insert(crowd);
                Some(crowd)
            }
            Visibility::LeftOut(reason) => {
                self.refused.insert(seq, (item.id, reason));
                None
            }
        }
    }
}
