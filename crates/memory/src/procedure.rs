//! Procedures: what sessions did again and again, as a command and as a fold.

use std::collections::BTreeSet;

use memlith_event::{
    Body, CandidateKind, Decided, Envelope, Event, Key, Link, LinkKind, Mined, Named, Origin,
    OwnStatus, PendingReason, ProcedureEvent, ReconcileEvent, Stored,
};
use memlith_log::{Digest, RecordId, Seq};
use memlith_state::{Fields, Place, Row};

use crate::assertion::Assertion;
use crate::authority::Authority;
use crate::command::Door;
use crate::item::{Item, ItemFlags};
use crate::memory::Memory;
use crate::quorum::Quorum;
use crate::reconcile::blank;
use crate::rejection::Rejection;
use crate::slot_key::text_key;
use crate::wording::Wording;

/// A procedure that somebody wants to be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ProposedProcedure {
    /// The steps, and what speaks for them.
    pub mined: Mined<'static>,
    /// The records of the runs that it was taken from: each once, of sessions, active.
    pub rests_on: Vec<RecordId>,
}

/// A procedure under its identity within its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcedureRow {
    pub(crate) identity: Key,
    pub(crate) seq: Seq,
    /// In how many sessions it was followed when it was proposed.
    pub(crate) support: u32,
}

impl ProposedProcedure {
    /// The most records that one may rest on.
    pub const SOURCES_MAX: usize = 1_024;

    /// Whether so many sessions are enough more than `before` to propose it again: half as
    /// many more.
    #[must_use]
    pub fn has_grown(support: u32, before: u32) -> bool {
        u64::from(support) * 2 >= u64::from(before) * 3
    }
}

impl Memory {
    /// Lists proposals of the procedure `identity` in the cell of a scope, oldest first.
    pub fn procedures(&self, cell: Key, identity: Digest) -> impl Iterator<Item = Seq> + '_ {
        self.procedure_rows(cell, identity).map(|row| row.seq)
    }

    /// How many of the sessions that it cites the procedure at `seq` needs; `None` of any
    /// other item.
    #[must_use]
    pub fn required(&self, seq: Seq) -> Option<usize> {
        Some(self.quorums.get(&(seq, seq))?.least())
    }

    /// The proposal, unless the same stands, waits or was turned down already. One whose
    /// evidence has grown considers those before it; what still waits of them is moot, and a
    /// decision says so.
    pub(crate) fn decide_procedure(
        &self,
        proposed: &ProposedProcedure,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let mined = &proposed.mined;
        if mined.steps.is_empty() {
            return Err(Rejection::EmptyText);
        }
        let sources = self.sources(proposed, door)?;
        let before = self.proposed_before(mined, door)?;
        let waits = |id: &RecordId| {
            self.items.get(&id.seq).is_some_and(|item| item.own == OwnStatus::Pending)
        };
        let settled: Vec<RecordId> = before.iter().copied().filter(waits).collect();
        let rests_on = sources.iter().map(|item| Link { kind: LinkKind::RestsOn, target: item.id });
        let considered =
            before.into_iter().map(|target| Link { kind: LinkKind::Considered, target });
        let mut envelope = door.envelope(rests_on.chain(considered).collect());
        // Whoever mined it, it says no more than its sources do.
        envelope.origin = Origin::Derived;
        let event = Event::Procedure(ProcedureEvent::Mined(mined.clone()));
        let proposal = Body { envelope, event };
        if settled.is_empty() {
            return Ok(vec![proposal]);
        }
        // Written down for itself: it outlives an erasure of what made them moot.
        let decided = Decided { settled, ..blank(&[]) };
        let mut envelope = door.envelope(Vec::new());
        envelope.key = None;
        let event = Event::Reconcile(ReconcileEvent::Decided(decided));
        Ok(vec![Body { envelope, event }, proposal])
    }

    /// The records that it rests on: of enough sessions.
    fn sources(&self, proposed: &ProposedProcedure, door: &Door) -> Result<Vec<Item>, Rejection> {
        let found = proposed.rests_on.len();
        if found == 0 {
            return Err(Rejection::Unfounded);
        }
        if found > ProposedProcedure::SOURCES_MAX {
            return Err(Rejection::TooManySources { found, most: ProposedProcedure::SOURCES_MAX });
        }
        let sources = self.targets(&proposed.rests_on, door)?;
        for item in &sources {
            let authority = self.authority(item.id.seq, door.now).unwrap_or(Authority::Erased);
            if !item.is_record() || authority != Authority::Active {
                return Err(Rejection::Status { id: item.id, authority, command: "rested on" });
            }
        }
        let sessions: BTreeSet<Key> = sources.iter().map(|item| item.session).collect();
        let of_none = sessions.contains(&Key::default());
        let found = sessions.len() - usize::from(of_none);
        let quorum = Quorum { memory: Seq(0), given_by: Seq(0), required: proposed.mined.required };
        if found < quorum.least() || of_none {
            return Err(Rejection::TooFewSessions { found, needed: quorum.least() });
        }
        Ok(sources)
    }

    /// Those of the same identity that the proposal goes beyond.
    fn proposed_before(&self, mined: &Mined<'_>, door: &Door) -> Result<Vec<RecordId>, Rejection> {
        let mut before = Vec::new();
        for row in self.procedure_rows(door.scope.cell(), mined.identity) {
            let Some(item) = self.items.get(&row.seq) else { continue };
            let known = |authority| Err(Rejection::KnownProcedure { id: item.id, authority });
            match item.own {
                // What was turned down doesn't come back under a new id, however often it is
                // done.
                OwnStatus::Rejected => return known(Authority::Rejected),
                OwnStatus::Invalidated => return known(Authority::Invalidated),
                OwnStatus::Pending | OwnStatus::Active => {
                    let grown = ProposedProcedure::has_grown(mined.support, row.support);
                    if !grown && !item.is_stale() {
                        return known(self.authority_of(&item, door.now));
                    }
                    before.push(item.id);
                }
                OwnStatus::Retracted | OwnStatus::Erased => {}
            }
        }
        Ok(before)
    }

    fn procedure_rows(
        &self,
        cell: Key,
        identity: Digest,
    ) -> impl Iterator<Item = ProcedureRow> + '_ {
        let identity = identity_key(cell, identity);
        self.procedures.range((identity, Seq(0))..=(identity, Seq::MAX))
    }

    /// A procedure waits for review, whoever proposes it.
    pub(crate) fn fold_mined(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        named: &Named,
        mined: &Mined<'_>,
    ) {
        let (seq, cell) = (stored.seq(), named.cell);
        let text = text_key(named.room, &mined.text(), "");
        self.assertions.put(Assertion {
            seq,
            text,
            slot: Key::default(),
            value: Key::default(),
            valid_from: envelope.occurred_at,
            valid_until: Assertion::OPEN,
            restated: 0,
        });
        self.wordings.put(Wording { says: text, seq });
        let identity = identity_key(cell, mined.identity);
        self.procedures.put(ProcedureRow { identity, seq, support: mined.support });
        self.put_item(stored, envelope, named, ItemFlags::default(), OwnStatus::Pending);
        let reason = PendingReason::Candidate(CandidateKind::Procedure);
        self.put_proposal(seq, reason, envelope);
        self.quorums.put(Quorum { memory: seq, given_by: seq, required: mined.required });
        self.justify(seq, seq, envelope.linked(LinkKind::RestsOn).map(|id| id.seq));
        for before in envelope.linked(LinkKind::Considered) {
            self.touch(before, seq);
        }
        self.settle(seq);
    }
}

fn identity_key(cell: Key, identity: Digest) -> Key {
    Key::of("procedure", &[&cell.0, &identity.0])
}

impl Row for ProcedureRow {
    type Key = (Key, Seq);
    const NAME: &'static str = "procedures";
    const WIDTH: usize = Key::WIDTH + 12;

    fn key(&self) -> (Key, Seq) {
        (self.identity, self.seq)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.identity.0);
        out.extend(self.seq.0.to_le_bytes());
        out.extend(self.support.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> ProcedureRow {
        let (identity, seq) = (Key::read(fields), Seq(fields.u64()));
        ProcedureRow { identity, seq, support: fields.u32() }
    }

    fn place(key: &(Key, Seq)) -> Place {
        Place::Even(key.0.place())
    }
}
