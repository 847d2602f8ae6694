use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use memlith_event::LeftOutReason;
use memlith_log::{RecordId, Seq};
use memlith_memory::{Authority, Item, Memory, Sight, Visibility};
use memlith_recall::Search;

use crate::candidate::{Candidate, Crowd, may_fade};
use crate::{Ask, View};

/// What a query finds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// What may be shown, in order.
    pub(crate) candidates: Vec<Candidate>,
    /// What may not, by sequence.
    pub(crate) refused: BTreeMap<Seq, (RecordId, LeftOutReason)>,
}

/// So many candidates of each crowd are ranked.
///
/// Source: specs/recall.md, the scorer, 8.
pub(crate) const CANDIDATES_MAX: usize = 200;

/// What is known of the items that a search asked for.
#[derive(Default)]
struct Verdicts {
    shown: BTreeMap<Seq, (Item, Authority)>,
    refused: BTreeMap<Seq, (RecordId, LeftOutReason)>,
    unseen: BTreeSet<Seq>,
    crowds: BTreeSet<Crowd>,
}

impl View<'_> {
    /// Finds what answers `ask`: up to `limit` items of each crowd, in order.
    ///
    /// The crowds are searched one by one, so neither a flood of web text nor what was
    /// derived moves what a primary item's place is, or whether it has one. A crowd of
    /// which no item came up is not searched.
    pub(crate) fn find(&self, ask: &Ask<'_>, limit: usize) -> Found {
        let (verdicts, sight) = (RefCell::new(Verdicts::default()), Sight::of(ask.scope));
        let mut candidates = Vec::new();
        let mut search = Search::of(self.recall, ask.query, ask.scope, ask.now);
        for crowd in Crowd::ALL {
            if crowd != Crowd::Primary && !verdicts.borrow().crowds.contains(&crowd) {
                continue;
            }
            let eligible =
                |seq| verdicts.borrow_mut().crowd(self.memory, &sight, ask, seq) == Some(crowd);
            let hits = search.hits(limit, &eligible, &|seqs| self.memory.will_need(seqs));
            self.salience.will_need(&hits.iter().map(|hit| hit.seq).collect::<Vec<_>>());
            let verdicts = verdicts.borrow();
            candidates.extend(hits.into_iter().filter_map(|hit| {
                let (item, authority) = verdicts.shown.get(&hit.seq)?;
                let level = self.salience.level(hit.seq, item.occurred_at, ask.now);
                Some(Candidate {
                    item: *item,
                    authority: *authority,
                    relevance: hit.relevance,
                    signals: hit.signals,
                    level,
                    multiplier: level.multiplier(ask.now),
                    attenuated: may_fade(item) && level.attenuated(ask.now),
                })
            }));
        }
        candidates.sort_by_cached_key(Candidate::order);
        Found { candidates, refused: verdicts.into_inner().refused }
    }
}

impl Verdicts {
    /// The crowd of the item at `seq`, or `None` where it may not be shown.
    fn crowd(&mut self, memory: &Memory, sight: &Sight, ask: &Ask<'_>, seq: Seq) -> Option<Crowd> {
        if let Some((item, _)) = self.shown.get(&seq) {
            return Some(Crowd::of(item));
        }
        if self.refused.contains_key(&seq) || self.unseen.contains(&seq) {
            return None;
        }
        // What lies outside the scope isn't even counted: that would tell of it.
        let Some(item) = memory.item(seq).filter(|item| sight.has(item)) else {
            self.unseen.insert(seq);
            return None;
        };
        match memory.visibility(&item, ask.now, true) {
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
