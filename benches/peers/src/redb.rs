//! redb: `Durability::Immediate` where a sync is asked for, else `None`.

use std::path::Path;

use anyhow::Result;
use redb::{Database, Durability, ReadableDatabase, ReadableTableMetadata, TableDefinition};

use crate::store::{Store, Sync};

const LOG: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("log");

struct Redb(Database);

pub(crate) fn open(folder: &Path) -> Result<Box<dyn Store>> {
    Ok(Box::new(Redb(Database::create(folder.join("store.redb"))?)))
}

impl Store for Redb {
    fn append(&mut self, first: u64, payloads: &[Vec<u8>], sync: Sync) -> Result<()> {
        let mut transaction = self.0.begin_write()?;
        let durability = if sync == Sync::Yes { Durability::Immediate } else { Durability::None };
        transaction.set_durability(durability)?;
        {
            let mut table = transaction.open_table(LOG)?;
            for (seq, payload) in (first..).zip(payloads) {
                table.insert(seq, payload.as_slice())?;
            }
        }
        Ok(transaction.commit()?)
    }

    fn count(&self) -> Result<u64> {
        Ok(self.0.begin_read()?.open_table(LOG)?.len()?)
    }
}
