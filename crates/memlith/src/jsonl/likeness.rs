//! What was like what, copied: nobody is asked again.

use memlith_event::{Arbitration, Cosine, Difference, Near, Reply, Thresholds};
use memlith_log::RecordId;
use memlith_memory::Likeness;

/// How a copied write stands to rows that were copied before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stood {
    /// It said them again.
    Again,
    /// It took their place.
    Instead,
}

/// That a write stands so to `rows`, as it did where it was written; the door here judges
/// what its actor may.
pub(super) fn as_there(rows: &[RecordId], stood: Stood) -> Option<Likeness> {
    let first = *rows.first()?;
    let thresholds = Thresholds::default();
    let (cosine, reply) = match stood {
        Stood::Again => (Cosine(Cosine::ONE), None),
        Stood::Instead => (thresholds.midpoint, Some(Reply::Update(first))),
    };
    let near = |id: &RecordId| Near { id: *id, cosine, differs: None::<Difference> };
    let by = || "copy".into();
    Some(Likeness {
        model: "copy".to_owned(),
        thresholds,
        near: rows.iter().map(near).collect(),
        arbitration: reply.map(|reply| Arbitration { by: by(), reply }),
    })
}
