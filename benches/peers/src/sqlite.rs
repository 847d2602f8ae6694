//! SQLite in WAL mode: `synchronous=FULL` where a sync is asked for, else `OFF`.

use std::path::Path;

use anyhow::Result;
use rusqlite::Connection;

use crate::store::{Store, Sync};

struct Sqlite(Connection);

pub(crate) fn open(folder: &Path) -> Result<Box<dyn Store>> {
    let connection = Connection::open(folder.join("store.sqlite"))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.execute("CREATE TABLE log (seq INTEGER PRIMARY KEY, payload BLOB NOT NULL)", [])?;
    Ok(Box::new(Sqlite(connection)))
}

impl Store for Sqlite {
    fn mode(&mut self, sync: Sync) -> Result<()> {
        let synchronous = if sync == Sync::Yes { "FULL" } else { "OFF" };
        Ok(self.0.pragma_update(None, "synchronous", synchronous)?)
    }

    fn append(&mut self, first: u64, payloads: &[Vec<u8>], _: Sync) -> Result<()> {
        let transaction = self.0.transaction()?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO log VALUES (?1, ?2)")?;
            for (seq, payload) in (first..).zip(payloads) {
                insert.execute((seq as i64, payload))?;
            }
        }
        Ok(transaction.commit()?)
    }

    fn count(&self) -> Result<u64> {
        let count: i64 = self.0.query_row("SELECT count(*) FROM log", [], |row| row.get(0))?;
        Ok(u64::try_from(count)?)
    }
}
