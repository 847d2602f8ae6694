//! Summaries: items that stand for a part of the log, as a command and as a fold.

use std::collections::BTreeSet;

use memlith_event::{
    Body, CompactionEvent, Envelope, Event, Link, LinkKind, Named, OwnStatus, Stored, Summarised,
};
use memlith_log::{Digest, RecordId, Seq, Timestamp};
use memlith_state::{Fields, Place, Row};

use crate::authority::Authority;
use crate::closing::ClosingRow;
use crate::command::{Door, Summarise};
use crate::item::{Item, ItemFlags};
use crate::memory::Memory;
use crate::rejection::Rejection;

/// No summary rests on more items.
pub const SOURCES_MAX: usize = 4_096;

/// Of what sources a summary is: another of the same says nothing new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SummaryRow {
    pub(crate) seq: Seq,
    identity: Digest,
}

impl Memory {
    /// Whether the item at `seq` is a summary that stands in the way of another of the same
    /// sources: it is shown, or somebody took it out.
    #[must_use]
    pub fn bars_summary(&self, seq: Seq) -> bool {
        self.items.get(&seq).is_some_and(|item| {
            item.is_summary()
                && match item.own {
                    OwnStatus::Active => !item.is_stale() && self.closed(seq).is_none(),
                    OwnStatus::Invalidated | OwnStatus::Rejected => true,
                    OwnStatus::Pending | OwnStatus::Retracted | OwnStatus::Erased => false,
                }
        })
    }

    /// Whether all that the summary at `seq` quotes, `quoted`, may itself be shown at `now`.
    ///
    /// A source that is superseded breaks no justification, and its words are not to come
    /// back all the same.
    pub fn tells_nothing_forgotten(
        &self,
        mut quoted: impl Iterator<Item = RecordId>,
        now: Timestamp,
    ) -> bool {
        quoted.all(|id| {
            let item = self.items.get(&id.seq).filter(|item| item.id == id);
            item.is_some_and(|item| self.authority_of(&item, now).is_shown())
        })
    }

    pub(crate) fn decide_summary(
        &self,
        summarise: &Summarise,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let sources = &summarise.sources;
        if sources.is_empty() {
            return Err(Rejection::Unfounded);
        }
        if sources.len() > SOURCES_MAX {
            return Err(Rejection::TooManySources { found: sources.len(), most: SOURCES_MAX });
        }
        for item in self.targets(sources, door)? {
            self.check_source(&item, door)?;
        }
        let summary = &summarise.summary;
        let unfounded = |id: &RecordId| sources.binary_search(id).is_err();
        if let Some(id) = summary.quotes.iter().map(|quote| quote.source).find(unfounded) {
            return Err(Rejection::NotFound { id });
        }
        let mut same = self.summaries_of(sources.iter().map(|id| id.seq).take(1)).into_iter();
        let is_same = |row: &SummaryRow| row.identity == summary.id;
        if let Some(row) = same.find(|row| is_same(row) && self.bars_summary(row.seq)) {
            let id = self.items.get(&row.seq).map(|item| item.id).unwrap_or_default();
            return Err(Rejection::AlreadySummarised { id });
        }
        let links = sources.iter().map(|id| Link { kind: LinkKind::RestsOn, target: *id });
        let event = Event::Compaction(CompactionEvent::Summarised(summary.clone()));
        Ok(vec![Body { envelope: door.envelope(links.collect()), event }])
    }

    /// A source is intact, said by somebody, and of the summary's own scope and session.
    fn check_source(&self, item: &Item, door: &Door) -> Result<(), Rejection> {
        let id = item.id;
        let authority = self.authority_of(item, door.now);
        if authority != Authority::Active {
            return Err(Rejection::Status { id, authority, command: "summarised" });
        }
        if item.is_derived() {
            return Err(Rejection::IsDerived { id });
        }
        let session = door.scope.session_key().unwrap_or_default();
        let only = item.flags.has(ItemFlags::SESSION_ONLY) == door.scope.session_only;
        if item.cell != door.scope.cell() || item.session != session || !only {
            return Err(Rejection::OtherScope { id });
        }
        Ok(())
    }

    /// Folds in a summary: one with which it has a source in common gives way to it.
    ///
    /// It is derived whatever it says of itself, and has no guard but its tier: what it was
    /// made of can always take its place.
    pub(crate) fn fold_summarised(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        named: &Named,
        summary: &Summarised<'_>,
    ) {
        let seq = stored.seq();
        self.put_item(stored, envelope, named, ItemFlags::SUMMARY, OwnStatus::Active);
        let sources: Vec<Seq> = envelope.linked(LinkKind::RestsOn).map(|id| id.seq).collect();
        for earlier in self.summaries_of(sources.iter().copied()) {
            // From its own beginning on: at no instant do both stand.
            let at = Timestamp(i64::MIN);
            self.closings.put(ClosingRow { row: earlier.seq, by: seq, at });
        }
        self.justify(seq, seq, sources);
        self.summaries.put(SummaryRow { seq, identity: summary.id });
        self.settle(seq);
    }

    /// The summaries that rest on any of these items, ascending.
    fn summaries_of(&self, sources: impl Iterator<Item = Seq>) -> Vec<SummaryRow> {
        let citers: BTreeSet<Seq> = sources.flat_map(|source| self.resting_on(source)).collect();
        citers.into_iter().filter_map(|citer| self.summaries.get(&citer)).collect()
    }
}

impl Row for SummaryRow {
    type Key = Seq;
    const NAME: &'static str = "summaries";
    const WIDTH: usize = 8 + 32;

    fn key(&self) -> Seq {
        self.seq
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.seq.0.to_le_bytes());
        out.extend(self.identity.0);
    }

    fn read(fields: &mut Fields<'_>) -> SummaryRow {
        SummaryRow { seq: Seq(fields.u64()), identity: Digest(fields.bytes()) }
    }

    fn read_key(row: &[u8]) -> Seq {
        Seq(Fields::new(row).u64())
    }

    fn place(key: &Seq) -> Place {
        Place::Number(key.0)
    }
}
