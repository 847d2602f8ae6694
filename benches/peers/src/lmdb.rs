//! LMDB through heed: keys appended in order; `MDB_NOSYNC` where no sync is asked for.

use std::path::Path;

use anyhow::Result;
use heed::types::Bytes;
use heed::{Database, Env, EnvFlags, EnvOpenOptions, FlagSetMode, PutFlags};

use crate::store::{Store, Sync};

struct Lmdb {
    env: Env,
    log: Database<Bytes, Bytes>,
}

/// The most that it may hold; the file is sparse.
const MAP_LEN: usize = 16 << 30;

pub(crate) fn open(folder: &Path) -> Result<Box<dyn Store>> {
    // SAFETY: the folder is this run's own; nobody else opens or changes the file.
    let env = unsafe { EnvOpenOptions::new().map_size(MAP_LEN).open(folder)? };
    let mut transaction = env.write_txn()?;
    let log = env.create_database(&mut transaction, None)?;
    transaction.commit()?;
    Ok(Box::new(Lmdb { env, log }))
}

impl Store for Lmdb {
    fn mode(&mut self, sync: Sync) -> Result<()> {
        let mode = if sync == Sync::Yes { FlagSetMode::Disable } else { FlagSetMode::Enable };
        // SAFETY: no transaction is open, and one thread has the environment.
        unsafe { self.env.set_flags(EnvFlags::NO_SYNC, mode)? };
        Ok(())
    }

    fn append(&mut self, first: u64, payloads: &[Vec<u8>], _: Sync) -> Result<()> {
        let mut transaction = self.env.write_txn()?;
        for (seq, payload) in (first..).zip(payloads) {
            self.log.put_with_flags(
                &mut transaction,
                PutFlags::APPEND,
                &seq.to_be_bytes(),
                payload,
            )?;
        }
        Ok(transaction.commit()?)
    }

    fn count(&self) -> Result<u64> {
        let transaction = self.env.read_txn()?;
        Ok(self.log.len(&transaction)?)
    }
}
