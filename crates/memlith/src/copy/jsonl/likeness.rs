//! Likeness of rows to others, copied as it was: nobody is asked again.

use memlith_event::{
    Arbitration, Body, Cosine, Difference, Event, Near, ReconcileEvent, Reply, Thresholds,
};
use memlith_log::{RecordId, Seq};
use memlith_memory::Likeness;

/// How a copied write stands to rows that were copied before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stood {
    /// The copied write restated the rows.
    Again,
    /// The copied write took the place of the rows.
    Instead,
}

/// The rows that the row or acceptance behind a decision contradicts, where it was written.
#[derive(Debug, Default)]
pub(super) struct Contests {
    /// The record that follows.
    row: Seq,
    /// The other sides, and what keeps them apart.
    with: Vec<(RecordId, Option<Difference>)>,
    /// All that was compared.
    near: Vec<Near>,
}

impl Contests {
    /// Those that the record at `seq` decided, where it is a decision.
    pub(super) fn decided(seq: Seq, body: &Body<'_>) -> Contests {
        let Event::Reconcile(ReconcileEvent::Decided(decided)) = &body.event else {
            return Contests::default();
        };
        let near = decided.weighing.as_ref().map(|weighing| weighing.near.clone());
        let contests =
            Contests { row: seq.next(), with: Vec::new(), near: near.unwrap_or_default() };
        let with = decided.contests().iter().map(|id| (*id, contests.differs(id))).collect();
        Contests { with, ..contests }
    }

    /// Those of the row at `seq`.
    pub(super) fn of(&self, seq: Seq) -> &[(RecordId, Option<Difference>)] {
        if self.row == seq { &self.with } else { &[] }
    }

    /// Those of the acceptance at `seq`, which names the other sides itself.
    pub(super) fn of_acceptance(
        &self,
        seq: Seq,
        sides: impl Iterator<Item = RecordId>,
    ) -> Vec<(RecordId, Option<Difference>)> {
        let own = self.row == seq;
        sides.map(|id| (id, self.differs(&id).filter(|_| own))).collect()
    }

    fn differs(&self, id: &RecordId) -> Option<Difference> {
        self.near.iter().find(|one| one.id == *id)?.differs
    }
}

/// Builds a likeness by which a write stands so to `rows`, and beside what it contradicts, as it
/// did where it was written; the door here judges what its actor may.
pub(super) fn as_there(
    rows: &[RecordId],
    stood: Stood,
    against: &[(RecordId, Option<Difference>)],
) -> Option<Likeness> {
    if rows.is_empty() && against.is_empty() {
        return None;
    }
    let thresholds = Thresholds::default();
    let (cosine, reply) = match (stood, rows.first()) {
        (Stood::Instead, Some(first)) => (thresholds.midpoint, Some(Reply::Update(*first))),
        (Stood::Again | Stood::Instead, _) => (Cosine(Cosine::ONE), None),
    };
    let near = rows.iter().map(|id| Near { id: *id, cosine, differs: None });
    let apart = |(id, differs): &(RecordId, Option<Difference>)| {
        // It is as near as it can be: with less a word in another's place contests nothing.
        let differs = Some(differs.unwrap_or(Difference::Value));
        Near { id: *id, cosine: Cosine(Cosine::ONE), differs }
    };
    Some(Likeness {
        model: "copy".to_owned(),
        thresholds,
        near: near.chain(against.iter().map(apart)).collect(),
        arbitration: reply.map(|reply| Arbitration { by: "copy".into(), reply }),
    })
}
