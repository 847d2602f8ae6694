use memlith_event::{Facts, ItemFacts, Projection, Stored};
use memlith_log::Seq;
use memlith_state::Sections;

/// Every row of a projection: its table's name and its bytes, in order.
#[must_use]
pub fn rows(projection: &impl Projection) -> Vec<(&'static str, Vec<u8>)> {
    let (mut rows, mut settled) = (Vec::new(), projection.clone());
    settled.settle();
    for table in settled.tables() {
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
    stopped.freeze();
    stopped.save(0..1, &mut sections);
    let mut resumed = P::default();
    resumed.replace(0..0, &mut sections).map_err(|error| error.to_string())?;
    sections.finish().map_err(|error| error.to_string())?;
    fold(&mut resumed, after);
    same(&straight::<P>(history), &resumed)
}

/// Freezing the overlay after every event, and merging the runs now and then, changes no
/// row; and the runs taken together are, byte for byte, what one run of everything is.
///
/// # Errors
/// The law doesn't hold.
pub fn undisturbed_by_runs<P: Projection>(history: &[Stored<'_>]) -> Result<(), String> {
    let (mut broken, mut runs) = (P::default(), 0);
    for (stored, count) in history.iter().zip(1_usize..) {
        broken.apply(stored, &NoFacts);
        broken.freeze();
        runs += 1;
        let first = runs / 2;
        if count.is_multiple_of(3) {
            let mut sections = Sections::default();
            broken.save(first..runs, &mut sections);
            let replaced = broken.replace(first..runs, &mut sections);
            replaced.map_err(|error| error.to_string())?;
            runs = first + 1;
        }
    }
    let mut whole = straight::<P>(history);
    same(&whole, &broken)?;
    whole.freeze();
    match bytes(&whole, 1) == bytes(&broken, runs) {
        true => Ok(()),
        false => Err("merged runs are other bytes than one run".to_owned()),
    }
}

/// The sections of the first `runs` runs taken together.
fn bytes(projection: &impl Projection, runs: usize) -> Vec<(String, Vec<u8>)> {
    let mut sections = Sections::default();
    projection.save(0..runs, &mut sections);
    let read = |(name, bytes): (&str, &memlith_state::Bytes)| {
        (name.to_owned(), bytes.get(0, bytes.len()).unwrap_or_default().to_vec())
    };
    sections.iter().map(read).collect()
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
