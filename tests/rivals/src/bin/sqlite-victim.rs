//! SQLite in WAL mode with `synchronous=FULL`: every commit is synced.

use std::path::Path;
use std::process::ExitCode;

use memlith_rivals::{Store, serve};
use rusqlite::{Connection, Error, OptionalExtension, params};

struct Sqlite(Connection);

impl Store for Sqlite {
    type Error = Error;

    fn open(folder: &Path) -> Result<Sqlite, Error> {
        let connection = Connection::open(folder.join("store.sqlite"))?;
        connection.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=10000;
             CREATE TABLE IF NOT EXISTS texts (step INTEGER PRIMARY KEY, words TEXT, valid INTEGER);",
        )?;
        Ok(Sqlite(connection))
    }

    fn put(&mut self, step: u64, text: &str, is_valid: bool) -> Result<(), Error> {
        let line = "INSERT OR REPLACE INTO texts VALUES (?1, ?2, ?3)";
        self.0.execute(line, params![step as i64, text, is_valid]).map(drop)
    }

    fn delete(&mut self, step: u64) -> Result<(), Error> {
        self.0.execute("DELETE FROM texts WHERE step = ?1", params![step as i64]).map(drop)
    }

    fn get(&self, step: u64) -> Result<Option<(String, bool)>, Error> {
        let line = "SELECT words, valid FROM texts WHERE step = ?1";
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        self.0.query_row(line, params![step as i64], row).optional()
    }

    fn last(&self) -> Result<Option<u64>, Error> {
        let found: Option<i64> =
            self.0.query_row("SELECT max(step) FROM texts", [], |row| row.get(0))?;
        Ok(found.map(|step| step as u64))
    }

    fn check(&mut self) -> Result<Option<String>, Error> {
        let said: String = self.0.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        Ok((said != "ok").then_some(said))
    }
}

fn main() -> ExitCode {
    serve::<Sqlite>()
}
