//! One campaign on all processors.

use std::num::NonZero;
use std::thread;

use anyhow::anyhow;

use crate::row::Row;

/// Calls `each` for every item, on as many threads as there are processors, and adds up
/// what it counted.
///
/// # Errors
/// The first that `each` gave.
pub(crate) fn share<T: Sync>(
    name: &str,
    items: &[T],
    each: impl Fn(usize, &T, &mut Row) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<Row> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let numbered: Vec<(usize, &T)> = items.iter().enumerate().collect();
    let each = &each;
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let mine: Vec<_> = numbered.iter().skip(worker).step_by(threads).copied().collect();
                scope.spawn(move || -> anyhow::Result<Row> {
                    let mut row = Row::new(name);
                    for (at, item) in mine {
                        each(at, item, &mut row)?;
                    }
                    Ok(row)
                })
            })
            .collect();
        let mut row = Row::new(name);
        for worker in workers {
            row.add(worker.join().map_err(|_| anyhow!("a worker of {name} panicked"))??);
        }
        Ok(row)
    })
}
