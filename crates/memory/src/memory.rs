use memlith_event::{Actor, Key, Scope};
use memlith_event::{Facts, IdempotencyKey, ItemFacts, Names, OwnStatus, Projection, Stored};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_state::{Lists, Table, Tabular};

use crate::assertion::Assertion;
use crate::chosen::Chosen;
use crate::closing::ClosingRow;
use crate::contest::Contest;
use crate::dispute::{Challenge, Dispute};
use crate::elsewhere::Remark;
use crate::ending::Ending;
use crate::item::{Item, ItemFlags};
use crate::justification::{Justification, Support};
use crate::known_key::KnownKey;
use crate::moved_pin::MovedPin;
use crate::outcomes::{Heard, Tallied};
use crate::pins::Pin;
use crate::procedure::ProcedureRow;
use crate::proposal::Proposal;
use crate::quorum::Quorum;
use crate::slot_row::SlotRow;
use crate::summary::SummaryRow;
use crate::tombstone::{Buried, Standing, TombstoneKeyUse};
use crate::touch::{Repeat, Touch};
use crate::weighed::Weighed;
use crate::wording::Wording;

/// The fold of what exists.
///
/// Invariants
/// 1. Every memory has a row in `items` and one in `assertions`; every record has one
///    in `items` alone; every summary has one in `items` and one in `summaries`.
/// 2. `Item::broken_by` equals the least fixpoint of `docs/model.md`, after every event.
/// 3. Members of a justification come before the memory they support, so the relation
///    has no cycle.
///
/// Cost: an event is O(log n) for each item it names, plus what its cascade reaches.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub(crate) items: Table<Item>,
    pub(crate) assertions: Table<Assertion>,
    pub(crate) closings: Table<ClosingRow>,
    pub(crate) slots: Table<SlotRow>,
    pub(crate) wordings: Table<Wording>,
    pub(crate) justifications: Table<Justification>,
    pub(crate) supports: Table<Support>,
    pub(crate) disputes: Table<Dispute>,
    pub(crate) challenges: Table<Challenge>,
    pub(crate) keys: Lists<KnownKey>,
    pub(crate) touches: Lists<Touch>,
    pub(crate) repeats: Lists<Repeat>,
    pub(crate) policies: Table<Chosen>,
    pub(crate) proposals: Table<Proposal>,
    pub(crate) weighed: Table<Weighed>,
    pub(crate) tallies: Table<Tallied>,
    pub(crate) heard: Table<Heard>,
    pub(crate) summaries: Table<SummaryRow>,
    pub(crate) pins: Table<Pin>,
    pub(crate) quorums: Table<Quorum>,
    pub(crate) procedures: Table<ProcedureRow>,
    pub(crate) endings: Table<Ending>,
    pub(crate) moved_pins: Table<MovedPin>,
    pub(crate) contests: Table<Contest>,
    pub(crate) tombstones: Table<Standing>,
    pub(crate) buried: Table<Buried>,
    pub(crate) tombstone_keys: Table<TombstoneKeyUse>,
    pub(crate) remarks: Table<Remark>,
    pub(crate) names: Names,
}

impl Memory {
    /// The item at `seq`.
    #[must_use]
    pub fn item(&self, seq: Seq) -> Option<Item> {
        self.items.get(&seq)
    }

    /// Says that these items are asked for soon, so that a disk brings those that lie apart at
    /// once. A hint: it changes no answer.
    pub fn will_need(&self, seqs: &[Seq]) {
        self.items.will_need(seqs);
    }

    /// All items, in the order they were recorded.
    pub fn items(&self) -> impl Iterator<Item = Item> + '_ {
        self.items.rows()
    }

    /// The items from `first` through `last`, in the order they were recorded.
    pub fn items_between(&self, first: Seq, last: Seq) -> impl Iterator<Item = Item> + '_ {
        self.items.range(first..=last)
    }

    /// The memories from `first` through `last` that are not erased, summaries among them, in
    /// the order they were recorded.
    #[must_use]
    pub fn memories_between(&self, first: Seq, last: Seq) -> Vec<Seq> {
        let asserted = self.assertions.range(first..=last).map(|row| row.seq);
        let summaries = self.summaries.range(first..=last).map(|row| row.seq);
        let mut seqs: Vec<Seq> = asserted.chain(summaries).collect();
        seqs.sort_unstable();
        seqs
    }

    /// The memories from `first` through `last` that have a slot, in the order they were
    /// recorded.
    pub fn slotted_between(&self, first: Seq, last: Seq) -> impl Iterator<Item = Seq> + '_ {
        let rows = self.assertions.range(first..=last);
        rows.filter(|row| row.slot != Key::default()).map(|row| row.seq)
    }

    /// Returns the assertion of the memory at `seq`; `None` for a record.
    #[must_use]
    pub fn assertion(&self, seq: Seq) -> Option<Assertion> {
        self.assertions.get(&seq)
    }

    /// The earliest end that another memory sets to this one: who, and when.
    #[must_use]
    pub fn closed(&self, seq: Seq) -> Option<(Seq, Timestamp)> {
        let closings = self.closings.range((seq, Seq(0))..=(seq, Seq::MAX));
        closings.min_by_key(|closing| (closing.at, closing.by)).map(|row| (row.by, row.at))
    }

    /// Returns the justifications of the memory, each with its members. A justification without
    /// members is a person's word.
    #[must_use]
    pub fn justifications(&self, seq: Seq) -> Vec<(Seq, Vec<Seq>)> {
        let mut given: Vec<(Seq, Vec<Seq>)> = Vec::new();
        for row in self.justifications.range((seq, Seq(0), Seq(0))..=(seq, Seq::MAX, Seq::MAX)) {
            if given.last().is_none_or(|(given_by, _)| *given_by != row.given_by) {
                given.push((row.given_by, Vec::new()));
            }
            if row.member != row.given_by
                && let Some((_, members)) = given.last_mut()
            {
                members.push(row.member);
            }
        }
        given
    }

    /// The memories that rest on the item at `seq`, ascending.
    pub fn resting_on(&self, seq: Seq) -> impl Iterator<Item = Seq> + '_ {
        self.supports.range((seq, Seq(0))..=(seq, Seq::MAX)).map(|support| support.memory)
    }

    /// Lists the records that dispute the memory at `seq`, ascending.
    pub fn disputed_by(&self, seq: Seq) -> impl Iterator<Item = Seq> + '_ {
        self.disputes.range((seq, Seq(0))..=(seq, Seq::MAX)).map(|dispute| dispute.by)
    }

    /// Whether something speaks against the memory at `seq` that is no mere proposal, and whether a
    /// proposal against it waits for review.
    #[must_use]
    pub fn is_disputed(&self, seq: Seq) -> (bool, bool) {
        let waits = |by: Seq| {
            self.item(by).is_some_and(|item| !item.is_record() && item.own == OwnStatus::Pending)
        };
        let (mut is_disputed, mut is_waiting) = (false, false);
        for by in self.disputed_by(seq) {
            if waits(by) { is_waiting = true } else { is_disputed = true }
        }
        (is_disputed, is_waiting)
    }

    /// The events that concern the item at `seq`, its own first.
    pub fn touches(&self, seq: Seq) -> impl Iterator<Item = Seq> + use<> {
        self.touches.list(&seq).into_iter().map(|touch| touch.event)
    }

    /// The record that `actor` already filed under `key`.
    #[must_use]
    pub fn known(
        &self,
        key: IdempotencyKey,
        scope: &Scope<'_>,
        actor: &Actor<'_>,
    ) -> Option<RecordId> {
        self.keys.list(&key.for_actor(scope, actor)).first().map(|known| known.id)
    }

    /// Whether `item` lies in a cell that `scope` sees; a session-only item is seen by
    /// its own session alone.
    #[must_use]
    pub fn sees(scope: &Scope<'_>, item: &Item) -> bool {
        Sight::of(scope).has(item)
    }
}

/// Items that a scope sees, for many lookups: its names are hashed once.
#[derive(Clone, Debug)]
pub struct Sight {
    cells: Vec<Key>,
    session: Option<Key>,
    everywhere: bool,
}

impl Sight {
    /// Computes the sight of `scope`.
    #[must_use]
    pub fn of(scope: &Scope<'_>) -> Sight {
        let (cells, session) = (scope.visible_cells(), scope.session_key());
        Sight { cells, session, everywhere: scope.everywhere }
    }

    /// The cells that it sees; `None` where these are all.
    pub(crate) fn cells(&self) -> Option<&[Key]> {
        (!self.everywhere).then_some(&self.cells)
    }

    /// Whether it sees `item`: see [`Memory::sees`].
    #[must_use]
    pub fn has(&self, item: &Item) -> bool {
        let own_session = || self.session == Some(item.session);
        let is_in_cells = || {
            self.cells.contains(&item.cell)
                && (!item.flags.has(ItemFlags::SESSION_ONLY) || own_session())
        };
        self.everywhere || is_in_cells()
    }
}

impl Facts for Memory {
    fn item(&self, seq: Seq) -> Option<ItemFacts> {
        let item = self.items.get(&seq)?;
        Some(ItemFacts {
            own: item.own,
            occurred_at: item.occurred_at,
            derived: item.is_derived(),
            accepted: item.flags.has(ItemFlags::ACCEPTED),
            guard: item.guard,
        })
    }
}

impl Projection for Memory {
    fn apply(&mut self, stored: &Stored<'_>, _facts: &dyn Facts) {
        self.fold(stored);
    }

    fn tables(&self) -> Vec<&dyn Tabular> {
        vec![
            &self.items,
            &self.assertions,
            &self.closings,
            &self.slots,
            &self.wordings,
            &self.justifications,
            &self.supports,
            &self.disputes,
            &self.challenges,
            &self.keys,
            &self.touches,
            &self.repeats,
            &self.policies,
            &self.proposals,
            &self.weighed,
            &self.tallies,
            &self.heard,
            &self.summaries,
            &self.pins,
            &self.quorums,
            &self.procedures,
            &self.endings,
            &self.moved_pins,
            &self.contests,
            &self.tombstones,
            &self.buried,
            &self.tombstone_keys,
            &self.remarks,
        ]
    }

    fn tables_mut(&mut self) -> Vec<&mut dyn Tabular> {
        vec![
            &mut self.items,
            &mut self.assertions,
            &mut self.closings,
            &mut self.slots,
            &mut self.wordings,
            &mut self.justifications,
            &mut self.supports,
            &mut self.disputes,
            &mut self.challenges,
            &mut self.keys,
            &mut self.touches,
            &mut self.repeats,
            &mut self.policies,
            &mut self.proposals,
            &mut self.weighed,
            &mut self.tallies,
            &mut self.heard,
            &mut self.summaries,
            &mut self.pins,
            &mut self.quorums,
            &mut self.procedures,
            &mut self.endings,
            &mut self.moved_pins,
            &mut self.contests,
            &mut self.tombstones,
            &mut self.buried,
            &mut self.tombstone_keys,
            &mut self.remarks,
        ]
    }
}
