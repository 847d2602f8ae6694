//! Memlith's log alone: framed, hashed, chained, checked; no folds, as the others have none.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use memlith_log::{
    Durability, Env, FIRST_EVENT_KIND, Flags, LocalStorage, Log, LogOptions, NewRecord,
};

use crate::store::{Store, Sync};

struct Memlith(Log);

pub(crate) fn open(folder: &Path) -> Result<Box<dyn Store>> {
    let options = LogOptions { lock_timeout: Duration::from_secs(1), ..LogOptions::default() };
    Ok(Box::new(Memlith(Log::create(Env::system(LocalStorage::create(folder)?), options)?)))
}

impl Store for Memlith {
    fn append(&mut self, _: u64, payloads: &[Vec<u8>], sync: Sync) -> Result<()> {
        let record = |body| NewRecord {
            kind: FIRST_EVENT_KIND,
            kind_version: 0,
            codec: 1,
            flags: Flags::NONE,
            body,
        };
        let records: Vec<NewRecord<'_>> = payloads.iter().map(|body| record(body)).collect();
        let durability = match sync {
            Sync::Yes => Durability::Immediate,
            // Synced at 4 MiB all the same.
            Sync::No => Durability::Buffered,
        };
        self.0.append(&records, durability)?;
        Ok(())
    }

    fn count(&self) -> Result<u64> {
        // Without the genesis.
        Ok(self.0.head().seq.0)
    }
}
