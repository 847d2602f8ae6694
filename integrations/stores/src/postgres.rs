use std::sync::{Mutex, PoisonError};

use memlith::copy::{SharedError, SharedLog};
use memlith::{LedgerId, Seq};
use postgres::{Client, NoTls};

/// A shared log in a table of PostgreSQL: one row for each frame, under its primary key.
///
/// Durable as the server commits: with `synchronous_commit` on, when a call returns.
pub struct PostgresLog {
    address: String,
    client: Mutex<Option<Client>>,
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS memlith_frames (\
    ledger bytea NOT NULL, first bigint NOT NULL, frame bytea NOT NULL, \
    PRIMARY KEY (ledger, first))";

impl std::fmt::Debug for PostgresLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password.
        f.write_str("PostgresLog")
    }
}

impl PostgresLog {
    /// Connects to the server at `address`, as libpq names it, and makes the table where there is
    /// none. The connection is not encrypted: take one that is, as of a proxy, beyond this machine.
    ///
    /// # Errors
    /// It can't be reached.
    pub fn open(address: &str) -> Result<PostgresLog, SharedError> {
        let log = PostgresLog { address: address.to_owned(), client: Mutex::new(None) };
        log.ask(|client| client.batch_execute(TABLE))?;
        Ok(log)
    }

    /// Asks on the connection, a new one where the last one was lost.
    fn ask<T>(
        &self,
        ask: impl FnOnce(&mut Client) -> Result<T, postgres::Error>,
    ) -> Result<T, SharedError> {
        let unreached = |error: postgres::Error| SharedError::Unreached(error.to_string());
        let mut held = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let mut client = match held.take().filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => Client::connect(&self.address, NoTls).map_err(unreached)?,
        };
        // After an error the outcome is looked up on a new connection.
        let answer = ask(&mut client).map_err(unreached)?;
        *held = Some(client);
        Ok(answer)
    }
}

fn key(ledger: LedgerId, first: Seq) -> Result<(Vec<u8>, i64), SharedError> {
    let first =
        i64::try_from(first.0).map_err(|error| SharedError::Unreached(error.to_string()))?;
    Ok((ledger.0.to_vec(), first))
}

impl SharedLog for PostgresLog {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        let (ledger, first) = key(ledger, first)?;
        let sql = "INSERT INTO memlith_frames VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        Ok(self.ask(|client| client.execute(sql, &[&ledger, &first, &frame]))? == 1)
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        let (ledger, first) = key(ledger, first)?;
        let sql = "SELECT frame FROM memlith_frames WHERE ledger = $1 AND first = $2";
        let row = self.ask(|client| client.query_opt(sql, &[&ledger, &first]))?;
        Ok(row.map(|row| row.get(0)))
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        let (ledger, from) = key(ledger, from)?;
        let sql = "SELECT min(first) FROM memlith_frames WHERE ledger = $1 AND first >= $2";
        let row = self.ask(|client| client.query_one(sql, &[&ledger, &from]))?;
        let first: Option<i64> = row.get(0);
        Ok(first.and_then(|first| u64::try_from(first).ok()).map(Seq))
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        let (ledger, first) = key(ledger, first)?;
        let sql = "UPDATE memlith_frames SET frame = $3 WHERE ledger = $1 AND first = $2";
        self.ask(|client| client.execute(sql, &[&ledger, &first, &frame])).map(drop)
    }
}
