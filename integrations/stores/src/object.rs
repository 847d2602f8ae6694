use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use memlith::copy::{SharedError, SharedLog};
use memlith::{LedgerId, Seq};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{
    Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload, RetryConfig,
};

use crate::calls::{Calls, READ_LEN};

/// A shared log in a bucket: one object for each frame, put where none is.
///
/// Durability and order are the store's. A bucket with versions keeps what an erasure replaced: take
/// one without.
#[derive(Debug)]
pub struct ObjectLog {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    calls: Calls,
}

impl ObjectLog {
    /// Opens a bucket below `prefix`.
    ///
    /// # Errors
    /// No thread can be had for it.
    pub fn open(store: Arc<dyn ObjectStore>, prefix: &str) -> Result<ObjectLog, SharedError> {
        Ok(ObjectLog { store, prefix: Path::from(prefix), calls: Calls::new()? })
    }

    /// Opens the bucket at `s3://BUCKET/PREFIX`, by the `AWS_` variables of the environment.
    ///
    /// # Errors
    /// Those of [`ObjectLog::open`].
    pub fn at(address: &str) -> Result<ObjectLog, SharedError> {
        let place = address.strip_prefix("s3://").unwrap_or(address);
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        // Who asks for an answer doesn't wait long for a store that is away.
        let retry = RetryConfig {
            max_retries: 2,
            retry_timeout: Duration::from_secs(2),
            ..RetryConfig::default()
        };
        let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry);
        let store = builder.build();
        ObjectLog::open(Arc::new(store.map_err(|error| unreached(&error))?), prefix)
    }

    fn path(&self, ledger: LedgerId, first: Seq) -> Path {
        self.prefix.clone().join(ledger.to_string()).join(name_of(first))
    }

    fn put_once(&self, path: &Path, bytes: &[u8]) -> Result<bool, SharedError> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let payload = PutPayload::from(bytes.to_vec());
        match self.calls.wait_for(bytes.len(), self.store.put_opts(path, payload, options))? {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            Err(error) => Err(unreached(&error)),
        }
    }
}

/// The longest frame that is read, in bytes; none comes near it.
const FRAME_LEN_MAX: u64 = 1 << 30;

/// The name of a frame: names are in the order of records.
fn name_of(first: Seq) -> String {
    format!("{:020}", first.0)
}

fn unreached(error: &Error) -> SharedError {
    SharedError::Unreached(error.to_string())
}

impl SharedLog for ObjectLog {
    fn append_if(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<bool, SharedError> {
        self.put_once(&self.path(ledger, first), frame)
    }

    fn read(&self, ledger: LedgerId, first: Seq) -> Result<Option<Vec<u8>>, SharedError> {
        let path = self.path(ledger, first);
        let read = self.calls.wait_for(READ_LEN, async {
            let got = self.store.get(&path).await?;
            match got.meta.size <= FRAME_LEN_MAX {
                true => got.bytes().await,
                false => Err(Error::NotSupported { source: "it is longer than any frame".into() }),
            }
        })?;
        match read {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(unreached(&error)),
        }
    }

    fn next(&self, ledger: LedgerId, from: Seq) -> Result<Option<Seq>, SharedError> {
        let folder = self.prefix.clone().join(ledger.to_string());
        // The store lists what comes after a name: the one before `from`.
        let after = folder.clone().join(from.previous().map_or_else(String::new, name_of));
        let mut listed = self.store.list_with_offset(Some(&folder), &after);
        let first = self.calls.wait(async {
            while let Some(listed) = listed.next().await.transpose()? {
                // What has another name is no frame.
                if let Some(Ok(first)) = listed.location.filename().map(str::parse) {
                    return Ok(Some(Seq(first)));
                }
            }
            Ok(None)
        })?;
        first.map_err(|error| unreached(&error))
    }

    fn probe(&self) -> Result<(), SharedError> {
        let tried = self.prefix.clone().join(format!("tried-{}", std::process::id()));
        let put = |bytes: &'static [u8]| self.put_once(&tried, bytes);
        let (_, second) = (put(b"first")?, put(b"second")?);
        let _ = self.calls.wait(self.store.delete(&tried))?;
        match second {
            false => Ok(()),
            true => Err(SharedError::NotAllowed(
                "the bucket gives one name to two objects: it can't be shared".to_owned(),
            )),
        }
    }

    fn replace(&self, ledger: LedgerId, first: Seq, frame: &[u8]) -> Result<(), SharedError> {
        let (path, payload) = (self.path(ledger, first), PutPayload::from(frame.to_vec()));
        let put = self.calls.wait_for(frame.len(), self.store.put(&path, payload))?;
        put.map(drop).map_err(|error| unreached(&error))
    }
}
