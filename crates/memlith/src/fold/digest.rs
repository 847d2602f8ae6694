use std::convert::Infallible;

use memlith_log::Digest;
use memlith_threads::ahead;

use crate::fold::state::State;

impl State {
    /// BLAKE3 over the logical rows of all folds, in table and key order.
    ///
    /// Not over the ledger's id, genesis, seals, or how the rows are stored: a log that
    /// was exported and restored has the same digest. The rows of large tables are put
    /// together on `threads` threads, in parts of a few megabytes.
    pub(crate) fn digest(&self, threads: usize) -> Digest {
        let mut settled = self.clone();
        settled.settle();
        if settled.tables().iter().any(|table| table.parts() > 1) {
            // What is in a run is found where it lies, for each part.
            settled.freeze();
        }
        let tables = settled.tables().into_iter().enumerate();
        let parts: Vec<(usize, u64)> =
            tables.flat_map(|(at, table)| (0..table.parts()).map(move |part| (at, part))).collect();
        let mut hasher = blake3::Hasher::new_derive_key("memlith v1 replay");
        let mut taken = 0;
        let ended = ahead(
            threads,
            parts.len(),
            || (),
            |(), at| rows_of_part(&settled, *parts.get(at)?),
            |rows: Option<Vec<u8>>| {
                let part = parts.get(taken);
                taken += 1;
                match (rows, part) {
                    (Some(rows), _) => drop(hasher.update(&rows)),
                    (None, Some((table, _))) => hash_rows(&settled, *table, &mut hasher),
                    (None, None) => {}
                }
                Ok::<(), Infallible>(())
            },
        );
        match ended {
            Ok(()) => Digest(*hasher.finalize().as_bytes()),
        }
    }
}

/// The rows of a part as they are hashed; `None` for a table that is not cut.
fn rows_of_part(state: &State, (table, part): (usize, u64)) -> Option<Vec<u8>> {
    let table = state.tables().into_iter().nth(table).filter(|table| table.parts() > 1)?;
    let mut bytes = Vec::new();
    table.each_row_of(part, &mut |name, row| frame(name, row, &mut bytes));
    Some(bytes)
}

/// Hashes the rows of a table.
fn hash_rows(state: &State, table: usize, hasher: &mut blake3::Hasher) {
    // Many chunks at a time are hashed at several times the rate of one.
    let mut bytes = Vec::with_capacity(HASHED_LEN);
    for table in state.tables().into_iter().skip(table).take(1) {
        table.each_row(&mut |name, row| {
            frame(name, row, &mut bytes);
            if bytes.len() >= HASHED_LEN - HASHED_ROOM {
                hasher.update(&bytes);
                bytes.clear();
            }
        });
    }
    hasher.update(&bytes);
}

/// A row as it is hashed.
fn frame(name: &str, row: &[u8], bytes: &mut Vec<u8>) {
    for part in [name.as_bytes(), row] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
}

/// Number of bytes hashed at a time.
const HASHED_LEN: usize = 128 * 1024;

/// Bytes that most rows take at most.
const HASHED_ROOM: usize = 1_024;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use memlith_log::{Env, FixedClock, MemoryDisk, SeededRng, Timestamp};

    use super::*;
    use crate::{Caller, Ledger, Options, Remember};

    #[test]
    fn tables_that_are_cut_are_hashed_as_they_would_be_whole() {
        let env = Env {
            storage: Arc::new(MemoryDisk::new().process()),
            clock: Arc::new(FixedClock::new(Timestamp(1_777_636_800_000_000))),
            rng: Arc::new(SeededRng::new(1)),
        };
        let ledger = Ledger::create_in(env, Options::default()).unwrap();
        for number in 0..130 {
            let words = (0..100).map(|word| format!("x{number}y{word}"));
            let text = words.collect::<Vec<_>>().join(" ");
            let _ = ledger
                .remember(&Caller::user("t", "a"), Remember { text, ..Remember::default() })
                .unwrap();
        }
        let mut state = ledger.snapshot().unwrap();
        state.settle();
        state.freeze();
        let tables = state.tables();
        let cut = tables.iter().map(|table| table.parts()).max();
        assert!(cut.is_some_and(|parts| parts >= 4), "{cut:?} parts");
        let mut whole = blake3::Hasher::new_derive_key("memlith v1 replay");
        (0..tables.len()).for_each(|table| hash_rows(&state, table, &mut whole));
        let whole = Digest(*whole.finalize().as_bytes());
        assert_eq!([1, 2, 3].map(|threads| state.digest(threads)), [whole; 3]);
    }
}
