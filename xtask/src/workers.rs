use std::sync::Mutex;

use anyhow::anyhow;

/// Does `work` for every item on some threads; the results are in the items' order.
///
/// # Errors
/// The first that `work` gave.
pub(crate) fn by_workers<T: Send, R: Send>(
    workers: u32,
    items: Vec<T>,
    work: &(dyn Fn(T) -> anyhow::Result<R> + Sync),
) -> anyhow::Result<Vec<R>> {
    let waiting = Mutex::new(items.into_iter().enumerate());
    let next = || waiting.lock().ok()?.next();
    let run = || -> anyhow::Result<Vec<(usize, R)>> {
        let mut done = Vec::new();
        while let Some((at, item)) = next() {
            done.push((at, work(item)?));
        }
        Ok(done)
    };
    let mut done = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers.max(1)).map(|_| scope.spawn(run)).collect();
        workers.into_iter().try_fold(Vec::new(), |mut done, worker| {
            done.extend(worker.join().map_err(|_| anyhow!("a worker panicked"))??);
            anyhow::Ok(done)
        })
    })?;
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
