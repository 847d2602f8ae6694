use memlith_event::{Facts, ItemFacts, Projection, Stored};
use memlith_log::Seq;
use memlith_state::Sections;

/// Every row of a projection: its table's name and its bytes, in order.
#[must_use]
pub fn rows(projection: &impl Projection) -> Vec<(&'static str, Vec<u8>)> {
    let mut rows = Vec::new();
    for table in projection.tables() {
        table.each_row(&mut |name, bytes| rows.push((name, bytes.to_vec())));
    }
    rows
}

/// Checkpoint transparency: saved and loaded after `cut` events, then folded on, is
/// what folding without a stop gives. Says the first row that differs.
///
/// # Errors
/// The law doesn't hold, or the saved state can't be loaded.
pub fn transparent<P: Projection>(history: &[Stored<'_>], cut: usize) -> Result<(), String> {
    let (before, after) = history.split_at_checked(cut).unwrap_or((history, &[]));
    let mut stopped = P::default();
    fold(&mut stopped, before);
    let mut sections = Sections::default();
    stopped.save(&mut sections);
    let mut resumed = P::default();
    resumed.load(&mut sections).map_err(|error| error.to_string())?;
    sections.finish().map_err(|error| error.to_string())?;
    fold(&mut resumed, after);
    same(&straight::<P>(history), &resumed)
}

/// Folding the overlay into the base after every event changes no row.
///
/// # Errors
/// The law doesn't hold.
pub fn undisturbed_by_rebasing<P: Projection>(history: &[Stored<'_>]) -> Result<(), String> {
    let mut rebased = P::default();
    for stored in history {
        rebased.apply(stored, &NoFacts);
        rebased.tables_mut().into_iter().for_each(|table| table.rebase());
    }
    same(&straight::<P>(history), &rebased)
}

fn straight<P: Projection>(history: &[Stored<'_>]) -> P {
    let mut projection = P::default();
    fold(&mut projection, history);
    projection
}

fn fold<P: Projection>(projection: &mut P, history: &[Stored<'_>]) {
    for stored in history {
        projection.apply(stored, &NoFacts);
    }
}

fn same<P: Projection>(expected: &P, found: &P) -> Result<(), String> {
    let (expected, found) = (rows(expected), rows(found));
    let differs = expected.iter().zip(&found).find(|(a, b)| a != b);
    match differs {
        Some((a, b)) => Err(format!("{a:?} became {b:?}")),
        None if expected.len() != found.len() => {
            Err(format!("{} rows became {}", expected.len(), found.len()))
        }
        None => Ok(()),
    }
}

/// For projections that need no facts; [`crate::Paired`] gives facts to those that do.
struct NoFacts;

impl Facts for NoFacts {
    fn item(&self, _: Seq) -> Option<ItemFacts> {
        None
    }
}
