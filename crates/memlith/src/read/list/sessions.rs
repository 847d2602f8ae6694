use std::collections::{BTreeMap, BTreeSet};

use memlith_event::Key;
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_memory::Item;
use serde::Serialize;

use super::{Filter, Listing};
use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::read::cursor::{Cursor, ListOf};

/// A page of sessions.
#[derive(Clone, Debug, Serialize)]
pub struct Sessions {
    /// The sessions: those with the newest items first, or with the oldest.
    pub sessions: Vec<ListedSession>,
    /// Where the next page begins; `None` where there is no more.
    pub next: Option<Cursor>,
}

/// A session, as far as the caller's scope sees it and the filters let its items through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ListedSession {
    /// Its name; `None` where the words of its items are gone.
    #[serde(rename = "session")]
    pub name: Option<String>,
    /// Items of it.
    pub items: u64,
    /// Of these those that are memories.
    pub memories: u64,
    /// The first item that the ledger learned of it.
    pub first: RecordId,
    /// The last one.
    pub last: RecordId,
    /// When the earliest of its items happened.
    pub began: Timestamp,
    /// When the latest happened.
    pub latest: Timestamp,
}

impl Ledger {
    /// A page of the sessions in which there are items that the caller's scope sees and that
    /// the filters of `listing` let through, `what` and `kind` apart.
    ///
    /// Cost: a row of folded state for each item of the ledger, some hundred bytes; one record
    /// is read for each session of the page, and for `entity` and `status` what [`Ledger::list`]
    /// says.
    ///
    /// # Errors
    /// Those of [`Ledger::list`].
    pub fn list_sessions(&self, caller: &Caller, listing: &Listing) -> Result<Sessions, Error> {
        let listing = Listing { what: ListOf::Sessions, ..listing.clone() };
        let list = listing.list(ListOf::Sessions);
        self.read(|state| {
            let head = state.next.previous().unwrap_or_default();
            let behind = self.position(&listing, list, head)?;
            let mut found = self.listed_sessions(state, caller, &listing, head)?;
            let at = |one: &ListedSession| if listing.oldest { one.first } else { one.last };
            found.sort_unstable_by_key(|one| at(one).seq);
            if !listing.oldest {
                found.reverse();
            }
            found.retain(|one| match (behind, listing.oldest) {
                (None, _) => true,
                (Some(behind), true) => at(one).seq > behind,
                (Some(behind), false) => at(one).seq < behind,
            });
            let more = found.len() > listing.limit();
            found.truncate(listing.limit());
            let last = found.last().filter(|_| more);
            let next = last.map(|last| Cursor { ledger: self.id(), list, seq: at(last).seq });
            for one in &mut found {
                one.name = self.name_of_session(one.last.seq)?;
            }
            Ok(Sessions { sessions: found, next })
        })
    }

    fn listed_sessions(
        &self,
        state: &State,
        caller: &Caller,
        listing: &Listing,
        head: Seq,
    ) -> Result<Vec<ListedSession>, Error> {
        let filter = Filter::of(state, caller, listing, self.instant(caller));
        let about = listing.entity.as_ref().map(|entity| {
            let mut seqs = BTreeSet::new();
            self.each_about(state, caller, (entity, None), |record| {
                seqs.insert(record.seq);
            })?;
            Ok::<_, Error>(seqs)
        });
        let about = about.transpose()?;
        let mut found: BTreeMap<Key, ListedSession> = BTreeMap::new();
        for item in state.memory.items_between(Seq::GENESIS, head) {
            let stands = |status| state.memory.authority(item.id.seq, filter.now) == Some(status);
            let lets = filter.lets(&item)
                && about.as_ref().is_none_or(|about| about.contains(&item.id.seq))
                && listing.status.is_none_or(stands);
            if lets && item.session != Key::default() {
                let entry = found.entry(item.session);
                entry.and_modify(|one| one.take(&item)).or_insert_with(|| ListedSession::of(&item));
            }
        }
        Ok(found.into_values().collect())
    }

    pub(super) fn name_of_session(&self, seq: Seq) -> Result<Option<String>, Error> {
        let record = self.log.read(seq)?;
        let body = body_of(&record).ok().flatten();
        Ok(body.and_then(|body| Some(body.envelope.scope.session.as_ref()?.to_string())))
    }
}

impl ListedSession {
    fn of(item: &Item) -> ListedSession {
        ListedSession {
            name: None,
            items: 1,
            memories: u64::from(!item.is_record()),
            first: item.id,
            last: item.id,
            began: item.occurred_at,
            latest: item.occurred_at,
        }
    }

    /// Takes in the next item.
    fn take(&mut self, item: &Item) {
        self.items += 1;
        self.memories += u64::from(!item.is_record());
        self.last = item.id;
        self.began = self.began.min(item.occurred_at);
        self.latest = self.latest.max(item.occurred_at);
    }
}
