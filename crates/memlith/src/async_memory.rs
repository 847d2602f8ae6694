use std::path::Path;

use memlith_checkout::Cited;
use memlith_event::Rank;
use memlith_log::{RecordId, Report, Timestamp};
use memlith_memory::Remember;

use crate::entry::Entry;
use crate::error::Error;
use crate::forget::{Erased, ErasureFilter};
use crate::memory::Memory;
use crate::prove::KeptHead;
use crate::read::checkout::{Checkout, CheckoutRequest, Question};
use crate::read::{Explained, Listing};
use crate::step::Step;
use crate::write::command::Written;

/// [`Memory`] for programs on tokio: the same calls, each on the runtime's blocking threads.
///
/// A call that has begun ends, even where its future is dropped: a write is then made, and
/// nobody is told. Name a write with [`Memory::keyed`] to be able to repeat it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use memlith::AsyncMemory;
///
/// # let folder = tempfile::tempdir().unwrap();
/// let memory = AsyncMemory::open(folder.path().join("memory")).await?;
/// let bob = memory.user("bob").agent("support");
/// bob.remember("I live in Pune").await?;
/// assert_eq!(bob.search("where does bob live?", 5).await?.len(), 1);
/// # Ok::<(), memlith::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct AsyncMemory {
    memory: Memory,
}

impl From<Memory> for AsyncMemory {
    fn from(memory: Memory) -> AsyncMemory {
        AsyncMemory { memory }
    }
}

impl AsyncMemory {
    /// [`Memory::open`].
    ///
    /// # Errors
    /// Those of [`Memory::open`], and so for each call.
    pub async fn open(dir: impl AsRef<Path>) -> Result<AsyncMemory, Error> {
        let dir = dir.as_ref().to_owned();
        Ok(blocking(move || Memory::open(dir)).await?.into())
    }

    /// [`Memory::user`]; it and its like open nothing and wait for nothing.
    #[must_use]
    pub fn user(&self, name: &str) -> AsyncMemory {
        self.memory.user(name).into()
    }

    /// [`Memory::project`].
    #[must_use]
    pub fn project(&self, name: &str) -> AsyncMemory {
        self.memory.project(name).into()
    }

    /// [`Memory::agent`].
    #[must_use]
    pub fn agent(&self, name: &str) -> AsyncMemory {
        self.memory.agent(name).into()
    }

    /// [`Memory::session`].
    #[must_use]
    pub fn session(&self, name: &str) -> AsyncMemory {
        self.memory.session(name).into()
    }

    /// [`Memory::speaker`].
    #[must_use]
    pub fn speaker(&self, name: &str, rank: Rank) -> AsyncMemory {
        self.memory.speaker(name, rank).into()
    }

    /// [`Memory::at`].
    #[must_use]
    pub fn at(&self, now: Timestamp) -> AsyncMemory {
        self.memory.at(now).into()
    }

    /// The memory that blocks.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// [`Memory::keyed`].
    #[must_use]
    pub fn keyed(&self, key: &str) -> AsyncMemory {
        self.memory.keyed(key).into()
    }

    /// Makes any call of [`Memory`] on a blocking thread.
    pub async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Memory) -> T + Send + 'static,
    ) -> T {
        let memory = self.memory.clone();
        blocking(move || call(&memory)).await
    }

    /// [`Memory::remember`].
    pub async fn remember(&self, what: impl Into<Remember>) -> Result<Written, Error> {
        let what = what.into();
        self.call(move |memory| memory.remember(what)).await
    }

    /// [`Memory::update`].
    pub async fn update(&self, id: RecordId, with: impl Into<Remember>) -> Result<Written, Error> {
        let with = with.into();
        self.call(move |memory| memory.update(id, with)).await
    }

    /// [`Memory::confirm`].
    pub async fn confirm(&self, ids: impl Into<Vec<RecordId>>) -> Result<Written, Error> {
        let ids = ids.into();
        self.call(move |memory| memory.confirm(ids)).await
    }

    /// [`Memory::forget`].
    pub async fn forget(
        &self,
        ids: impl Into<Vec<RecordId>>,
        reason: &str,
    ) -> Result<Written, Error> {
        let (ids, reason) = (ids.into(), reason.to_owned());
        self.call(move |memory| memory.forget(ids, &reason)).await
    }

    /// [`Memory::erase`].
    pub async fn erase(&self, filter: ErasureFilter) -> Result<Option<Erased>, Error> {
        self.call(move |memory| memory.erase(&filter)).await
    }

    /// [`Memory::search`].
    pub async fn search(
        &self,
        question: impl Into<Question>,
        limit: usize,
    ) -> Result<Vec<Cited>, Error> {
        let question = question.into();
        self.call(move |memory| memory.search(question, limit)).await
    }

    /// [`Memory::checkout`].
    pub async fn checkout(&self, request: impl Into<CheckoutRequest>) -> Result<Checkout, Error> {
        let request = request.into();
        self.call(move |memory| memory.checkout(request)).await
    }

    /// [`Memory::report`].
    pub async fn report(&self, pack: &Checkout, helped: bool) -> Result<Written, Error> {
        let pack = pack.clone();
        self.call(move |memory| memory.report(&pack, helped)).await
    }

    /// [`Memory::get`].
    pub async fn get(&self, id: RecordId) -> Result<Entry, Error> {
        self.call(move |memory| memory.get(id)).await
    }

    /// [`Memory::list`].
    pub async fn list(&self, listing: Listing) -> Result<Vec<Entry>, Error> {
        self.call(move |memory| memory.list(&listing)).await
    }

    /// [`Memory::facts`].
    pub async fn facts(&self, entity: &str) -> Result<Vec<Entry>, Error> {
        let entity = entity.to_owned();
        self.call(move |memory| memory.facts(&entity)).await
    }

    /// [`Memory::history`].
    pub async fn history(&self, id: RecordId) -> Result<Vec<Step>, Error> {
        self.call(move |memory| memory.history(id)).await
    }

    /// [`Memory::explain`].
    pub async fn explain(&self, id: RecordId) -> Result<Explained, Error> {
        self.call(move |memory| memory.explain(id)).await
    }

    /// [`Memory::head`].
    pub async fn head(&self) -> Result<KeptHead, Error> {
        self.call(Memory::head).await
    }

    /// [`Memory::verify`].
    pub async fn verify(&self) -> Result<Report, Error> {
        self.call(Memory::verify).await
    }

    /// [`Memory::close`].
    pub async fn close(self) -> Result<(), Error> {
        blocking(move || self.memory.close()).await
    }
}

/// A panic of the call is the caller's.
async fn blocking<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> T {
    let ended = tokio::task::spawn_blocking(call).await;
    ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
