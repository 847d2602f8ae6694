use std::path::Path;

use memlith_checkout::Cited;
use memlith_event::{IdempotencyKey, Rank};
use memlith_log::{Level, RecordId, Report, Timestamp};
use memlith_memory::{Change, Remember, TaskReport};

use crate::caller::Caller;
use crate::entry::Entry;
use crate::error::Error;
use crate::forget::{Erased, ErasureFilter};
use crate::ledger::Ledger;
use crate::options::Options;
use crate::prove::KeptHead;
use crate::prove::verify::verify_in;
use crate::read::checkout::{Checkout, CheckoutRequest, Question};
use crate::read::{Explained, Listing, Wanted};
use crate::step::Step;
use crate::write::TaskResult;
use crate::write::command::Written;

/// A ledger together with the one who speaks: the library in some twenty calls.
///
/// A clone shares the ledger. [`Memory::user`], [`Memory::project`], [`Memory::agent`] and
/// [`Memory::session`] return one that speaks for somebody else; they open nothing.
/// [`Memory::ledger`] with [`Memory::caller`] reaches all that this type leaves out.
///
/// | call | who speaks | what it is about | who else sees it |
/// |---|---|---|---|
/// | [`Memory::open`] | `user`, of the rank user | nobody: all users and projects share it | all of the tenant `default` |
/// | [`Memory::user`] | the user, of the rank user | the user, or the project where one is named | who names the same user |
/// | [`Memory::project`] | as before | the project | who names the same project |
/// | [`Memory::agent`] | as before | as before | that agent alone |
/// | [`Memory::session`] | as before | as before | as before; the session groups |
/// | [`Memory::speaker`] | the name, with the rank | as before | as before |
///
/// `user` and `speaker` both say who speaks: the later one holds.
/// A write is compared with what has the same user or project and the same agent: a rule that
/// all projects share is not ended by a note of one project, nor the other way round.
///
/// ```
/// use memlith::{Memory, Status};
///
/// # let folder = tempfile::tempdir().unwrap();
/// let memory = Memory::open(folder.path().join("memory"))?;
/// let bob = memory.user("bob");
/// let pune = bob.remember("I live in Pune")?;
/// let oslo = bob.remember("I moved to Oslo")?;
/// assert_eq!(oslo.status(), Status::Replaced);
/// assert_eq!(oslo.superseded(), [pune.id]);
///
/// let pack = bob.checkout("book a flight from where I live")?;
/// println!("{}", pack.prompt()); // for a model: cited, and marked as data
/// bob.report(&pack, true)?;      // it helped: what was shown counts for more
/// # Ok::<(), memlith::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Memory {
    ledger: Ledger,
    caller: Caller,
    user: Option<String>,
    project: Option<String>,
}

/// The tenant of a program that names none.
const TENANT: &str = "default";

/// The speaker where no user is named.
const SOMEBODY: &str = "user";

impl Memory {
    /// Opens the ledger in the folder `dir`, and makes one where there is none.
    ///
    /// # Errors
    /// Those of [`Ledger::open_or_create`].
    pub fn open(dir: impl AsRef<Path>) -> Result<Memory, Error> {
        let ledger = Ledger::open_or_create(dir, Options::default())?;
        Ok(Memory::of(ledger, Caller::user(TENANT, SOMEBODY)))
    }

    /// Returns a memory over a ledger that is open, with the one who speaks.
    #[must_use]
    pub fn of(ledger: Ledger, caller: Caller) -> Memory {
        Memory { ledger, caller, user: None, project: None }
    }

    /// The ledger, for what this type leaves out.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The caller that every call is made for.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns one with which the person `name` speaks: its memories are about that person, or
    /// about the project, where one is named.
    #[must_use]
    pub fn user(&self, name: &str) -> Memory {
        let mut memory = Memory { user: Some(name.to_owned()), ..self.clone() };
        memory.caller.name = name.to_owned();
        memory.caller.rank = Rank::User;
        memory.about()
    }

    /// Returns one whose memories are about the project `name`, whoever speaks.
    #[must_use]
    pub fn project(&self, name: &str) -> Memory {
        Memory { project: Some(name.to_owned()), ..self.clone() }.about()
    }

    fn about(mut self) -> Memory {
        let subject = self.project.as_ref().or(self.user.as_ref());
        self.caller.scope.subject = subject.map(|name| name.clone().into());
        self
    }

    /// Returns one whose memories only the agent `name` sees; it sees what all share, too.
    #[must_use]
    pub fn agent(&self, name: &str) -> Memory {
        Memory { caller: self.caller.clone().agent(name), ..self.clone() }
    }

    /// Returns one that writes and asks in the session `name`.
    #[must_use]
    pub fn session(&self, name: &str) -> Memory {
        Memory { caller: self.caller.clone().session(name), ..self.clone() }
    }

    /// Returns one with which somebody of this name and rank speaks: an agent of the rank
    /// assistant, whose words don't displace a person's, or the owner, who alone erases.
    #[must_use]
    pub fn speaker(&self, name: &str, rank: Rank) -> Memory {
        Memory {
            caller: Caller { name: name.to_owned(), rank, ..self.caller.clone() },
            ..self.clone()
        }
    }

    /// Returns one that reads as of `now` and writes what was said then. Reads go by all that the
    /// ledger knows today: [`CheckoutRequest::as_of`] asks what was known then.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Memory {
        Memory { caller: self.caller.at(now), ..self.clone() }
    }

    /// Returns one for a single write, which has this key: repeated, it writes nothing; another
    /// write under the key is refused.
    #[must_use]
    pub fn keyed(&self, key: &str) -> Memory {
        let key = Some(IdempotencyKey::of(&["caller", key]));
        Memory { caller: Caller { key, ..self.caller.clone() }, ..self.clone() }
    }

    /// Writes a text, or a [`Remember`], compared with what is remembered already:
    /// [`Written::status`] says what became of it.
    ///
    /// # Errors
    /// Those of [`Ledger::remember`].
    #[doc(alias = "add")]
    pub fn remember(&self, what: impl Into<Remember>) -> Result<Written, Error> {
        self.ledger.remember(&self.caller, what)
    }

    /// Replaces a memory that was wrong from its start.
    ///
    /// # Errors
    /// Those of [`Ledger::correct`].
    pub fn update(&self, id: RecordId, with: impl Into<Remember>) -> Result<Written, Error> {
        self.ledger.correct(&self.caller, id, with)
    }

    /// Says that memories are right, which strengthens them.
    ///
    /// # Errors
    /// Those of [`Ledger::change`].
    pub fn confirm(&self, ids: impl AsRef<[RecordId]>) -> Result<Written, Error> {
        self.ledger.change(&self.caller, Change::confirm(), ids)
    }

    /// Takes memories out of sight, for a reason. They stay in the files: see [`Memory::erase`].
    ///
    /// # Errors
    /// Those of [`Ledger::change`].
    #[doc(alias = "delete")]
    pub fn forget(&self, ids: impl AsRef<[RecordId]>, reason: &str) -> Result<Written, Error> {
        self.ledger.change(&self.caller, Change::invalidate(reason), ids)
    }

    /// Takes words out of the ledger's files: what a filter takes of this user, project, agent
    /// and session, or of the filter's own scope. `None` where nothing fits.
    ///
    /// A default filter takes all of it; without an agent, every agent's notes too. What others
    /// said of a user stays: a filter that `mentions` them takes that. The speaker must have the
    /// rank owner: see [`Memory::speaker`].
    ///
    /// # Errors
    /// Those of [`Erasure::erase_matching`](crate::forget::Erasure::erase_matching).
    #[doc(alias = "delete_all")]
    pub fn erase(&self, filter: &ErasureFilter) -> Result<Option<Erased>, Error> {
        let scope = filter.scope.clone().or_else(|| Some(self.caller.scope.clone()));
        self.ledger
            .erasure()
            .erase_matching(&self.caller, &ErasureFilter { scope, ..filter.clone() })
    }

    /// Returns the `limit` best answers. Nothing is written down, and nothing learned.
    ///
    /// # Errors
    /// Those of [`Ledger::recall`].
    pub fn search(&self, question: impl Into<Question>, limit: usize) -> Result<Vec<Cited>, Error> {
        self.ledger.recall(&self.caller, question, limit)
    }

    /// Answers with a pack of cited items within a budget, and writes down what was shown.
    ///
    /// # Errors
    /// Those of [`Ledger::checkout`].
    #[doc(alias = "context")]
    pub fn checkout(&self, request: impl Into<CheckoutRequest>) -> Result<Checkout, Error> {
        self.ledger.checkout(&self.caller, request)
    }

    /// Says whether acting on a pack went well: its items count for more, or for less.
    ///
    /// # Errors
    /// Those of [`Ledger::report`]; a pack without items is refused.
    pub fn report(&self, pack: &Checkout, helped: bool) -> Result<Written, Error> {
        let result = if helped { TaskResult::Success } else { TaskResult::Failure };
        let report = TaskReport { result, ..TaskReport::default() };
        match pack.observed {
            Ok(shown) => self.ledger.report_shown(&self.caller, shown, report),
            Err(_) => {
                let targets = pack.pack.items.iter().map(|item| item.id).collect();
                self.ledger.report(&self.caller, TaskReport { targets, ..report })
            }
        }
    }

    /// Returns one entry, whatever became of it.
    ///
    /// # Errors
    /// Those of [`Ledger::show`].
    pub fn get(&self, id: RecordId) -> Result<Entry, Error> {
        Ok(Entry::of(&self.ledger.show(&self.caller, id)?))
    }

    /// Returns a page of entries, the newest first and 50 of them unless the listing says
    /// otherwise; [`Ledger::list`] also says where the next page begins.
    ///
    /// # Errors
    /// Those of [`Ledger::list`].
    #[doc(alias = "get_all")]
    pub fn list(&self, listing: &Listing) -> Result<Vec<Entry>, Error> {
        let page = self.ledger.list(&self.caller, listing)?.items;
        page.into_iter().map(|one| self.get(one.item.id)).collect()
    }

    /// Returns what is known now of an entity, as values of its properties.
    ///
    /// # Errors
    /// Those of [`Ledger::get`].
    pub fn facts(&self, entity: &str) -> Result<Vec<Entry>, Error> {
        let wanted = Wanted { entity: entity.to_owned(), ..Wanted::default() };
        let values = self.ledger.get(&self.caller, &wanted)?;
        values.into_iter().map(|value| self.get(value.item.id)).collect()
    }

    /// Returns the life of an entry and of what it took the place of, the oldest event first.
    ///
    /// # Errors
    /// Those of [`Ledger::lineage`].
    pub fn history(&self, id: RecordId) -> Result<Vec<Step>, Error> {
        let past = self.ledger.lineage(&self.caller, id)?.into_iter();
        Ok(past.map(|one| Step::of(&one.record)).collect())
    }

    /// Returns why an entry is as salient as it is.
    ///
    /// # Errors
    /// Those of [`Ledger::explain`].
    pub fn explain(&self, id: RecordId) -> Result<Explained, Error> {
        self.ledger.explain(&self.caller, id)
    }

    /// Returns the ledger's head: a line to keep where nobody who writes its files can reach.
    ///
    /// # Errors
    /// The log's.
    pub fn head(&self) -> Result<KeptHead, Error> {
        self.ledger.audit().head()
    }

    /// Reads every byte of the ledger, and checks its chain and every kept state of its folds.
    ///
    /// # Errors
    /// Those of [`verify()`](crate::verify()).
    pub fn verify(&self) -> Result<Report, Error> {
        self.ledger.settle()?;
        verify_in(self.ledger.log.env(), Level::Full)
    }

    /// Writes down what is still buffered, and ends the use of the ledger here.
    ///
    /// # Errors
    /// The log's.
    pub fn close(self) -> Result<(), Error> {
        self.ledger.close()
    }
}
