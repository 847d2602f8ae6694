//! fjall: `PersistMode::SyncData` where a sync is asked for, else `Buffer`.

use std::path::Path;

use anyhow::Result;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use crate::store::{Store, Sync};

struct Fjall {
    database: Database,
    log: Keyspace,
}

pub(crate) fn open(folder: &Path) -> Result<Box<dyn Store>> {
    let database = Database::builder(folder).open()?;
    let log = database.keyspace("log", KeyspaceCreateOptions::default)?;
    Ok(Box::new(Fjall { database, log }))
}

impl Store for Fjall {
    fn append(&mut self, first: u64, payloads: &[Vec<u8>], sync: Sync) -> Result<()> {
        let mode = if sync == Sync::Yes { PersistMode::SyncData } else { PersistMode::Buffer };
        let mut batch = self.database.batch().durability(Some(mode));
        for (seq, payload) in (first..).zip(payloads) {
            batch.insert(&self.log, seq.to_be_bytes(), payload.as_slice());
        }
        Ok(batch.commit()?)
    }

    fn count(&self) -> Result<u64> {
        Ok(self.log.len()? as u64)
    }
}
