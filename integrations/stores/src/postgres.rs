use std::error::Error as _;
use std::sync::{Mutex, PoisonError};

use memlith::copy::{SharedError, SharedLog};
use memlith::{LedgerId, Seq};
use tokio_postgres::{Client, Error, NoTls};

use crate::calls::{Calls, READ_LEN};

/// A shared log in a table of PostgreSQL: one row for each frame, under its primary key.
///
/// Durable as the server commits: with `synchronous_commit` on, when a call returns.
pub struct PostgresLog {
    address: String,
    calls: Calls,
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
    /// The server at `address`, as libpq names it, which is reached with the first call. The connection
    /// is not encrypted: take one that is, as of a proxy, beyond this machine.
    ///
    /// # Errors
    /// No thread can be had for it.
    pub fn open(address: &str) -> Result<PostgresLog, SharedError> {
        let (calls, client) = (Calls::new()?, Mutex::new(None));
        Ok(PostgresLog { address: address.to_owned(), calls, client })
    }

    /// Asks on the connection, a new one where the last one was lost.
    fn ask<T>(&self, ask: impl AsyncFnOnce(&Client) -> Result<T, Error>) -> Result<T, SharedError> {
        let mut held = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        // After an error the outcome is looked up on a new connection.
        let client = held.take().filter(|client| !client.is_closed());
        let asked = self.calls.wait_for(READ_LEN, async {
            let client = match client {
                Some(client) => client,
                None => {
                    let (client, connection) =
                        tokio_postgres::connect(&self.address, NoTls).await?;
                    // It ends with its client, which says why.
                    tokio::spawn(async { drop(connection.await) });
                    client
                }
            };
            Ok::<_, Error>((ask(&client).await?, client))
        })?;
        let (answer, client) = asked.map_err(|error| {
            let why = error.source().map(ToString::to_string);
            SharedError::Unreached(why.unwrap_or_else(|| error.to_string()))
        })?;
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
        Ok(self.ask(async |client| client.execute(sql, &[&ledger, &first, &frame]).await)? == 1)
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        let (ledger, first) = key(ledger, first)?;
        let sql = "SELECT frame FROM memlith_frames WHERE ledger = $1 AND first = $2";
        let row = self.ask(async |client| client.query_opt(sql, &[&ledger, &first]).await)?;
        Ok(row.map(|row| row.get(0)))
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        let (ledger, from) = key(ledger, from)?;
        let sql = "SELECT min(first) FROM memlith_frames WHERE ledger = $1 AND first >= $2";
        let row = self.ask(async |client| client.query_one(sql, &[&ledger, &from]).await)?;
        let first: Option<i64> = row.get(0);
        Ok(first.and_then(|first| u64::try_from(first).ok()).map(Seq))
    }

    fn probe(&self) -> Result<(), SharedError> {
        self.ask(async |client| client.batch_execute(TABLE).await)
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        let (ledger, first) = key(ledger, first)?;
        let sql = "UPDATE memlith_frames SET frame = $3 WHERE ledger = $1 AND first = $2";
        self.ask(async |client| client.execute(sql, &[&ledger, &first, &frame]).await).map(drop)
    }
}
