use memlith_event::Body;
use memlith_log::{Record, RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Item};
use memlith_salience::Log2;

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::read::checkout::AsOf;
use crate::read::show::sees_event;

/// A record, and what was known of it at a position of the log.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Walked<'a> {
    /// The record.
    pub record: &'a Record,
    /// Body of the record, decoded.
    pub body: &'a Body<'a>,
    /// The record seen as an item; `None` for what is none.
    pub item: Option<WalkedItem>,
}

/// An item as it was at a position of the log.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WalkedItem {
    /// The fields that every item has.
    pub item: Item,
    /// How it stood at the caller's instant.
    pub authority: Authority,
    /// The items that it rested on and that were still shown, ascending, each once.
    pub rests_on: Vec<RecordId>,
    /// Whether it rested on something of which nothing is shown any more, and stands because it
    /// was said again.
    pub is_orphaned: bool,
    /// How much stronger or weaker events made it than it was at its birth, as a power of 2:
    /// zero where nothing moved it. Time alone changes it not.
    pub gained: Log2,
}

impl Ledger {
    /// Goes, oldest first, through the records that the caller's scope sees and that have words,
    /// as they stood at a position of the log; returns the last record of that position, and what
    /// `visit` made of them.
    ///
    /// Nothing is written, and nothing is learned from it. Where a checkpoint turns out to be
    /// damaged it begins anew, with another `T`.
    ///
    /// Cost: a pass over the log up to the position, and for the past what
    /// [`Ledger::checkout`] needs for it.
    ///
    /// # Errors
    /// [`Error::AfterHead`] and [`Error::BeforeGenesis`] of a position that isn't there, and the
    /// log's.
    pub fn walk<T: Default>(
        &self,
        caller: &Caller,
        as_of: Option<AsOf>,
        visit: impl Fn(&mut T, Walked<'_>),
    ) -> Result<(Seq, T), Error> {
        self.answered(
            || self.state_as_of(as_of),
            |state| {
                let now = self.instant(caller);
                let last = state.next.previous().unwrap_or_default();
                let mut found = T::default();
                for record in self.log.scan(Seq::GENESIS, last) {
                    let record = record?;
                    // What is erased has no words, and what is unknown here none to read.
                    let Some(body) = body_of(&record).ok().flatten() else { continue };
                    if sees_event(&caller.scope, &body.envelope.scope) {
                        let item = walked(state, record.seq, now);
                        visit(&mut found, Walked { record: &record, body: &body, item });
                    }
                }
                Ok((last, found))
            },
        )
    }
}

fn walked(state: &State, seq: Seq, now: Timestamp) -> Option<WalkedItem> {
    let memory = &state.memory;
    let item = memory.item(seq)?;
    let authority = memory.authority(seq, now).unwrap_or(Authority::Erased);
    let mut rests_on = Vec::new();
    let mut is_orphaned = false;
    let mut gained = Log2::ZERO;
    if !item.is_record() && authority.is_shown() {
        let sources: Vec<Seq> =
            memory.justifications(seq).into_iter().flat_map(|(_, members)| members).collect();
        is_orphaned = !sources.is_empty();
        let is_shown = |seq: &Seq| memory.authority(*seq, now).is_some_and(Authority::is_shown);
        let ids = sources.into_iter().filter(is_shown).filter_map(|seq| memory.item(seq));
        rests_on = ids.map(|item| item.id).collect();
        rests_on.sort_unstable();
        rests_on.dedup();
        is_orphaned &= rests_on.is_empty();
        let born = item.occurred_at;
        gained = state.salience.level(seq, born, now).minus(Log2::at(born));
    }
    Some(WalkedItem { item, authority, rests_on, is_orphaned, gained })
}
