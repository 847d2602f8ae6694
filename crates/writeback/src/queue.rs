//! The jobs of a ledger: queued, claimed, done, and applied.

use std::collections::BTreeMap;
use std::fmt;

use memlith::log::{Applied, Attempted, Failed, Queued, Replied};
use memlith::log::{Event, JobEvent, decode};
use memlith::storage::Durability;
use memlith::transaction::{State, Transaction};
use memlith::{Caller, Error, Ledger, Rank, RecordId, Scope, Seq, Timestamp};
use memlith_queues::{ATTEMPTS_MAX, Job, JobStatus, SessionJobs, retry_at};

use crate::session::{self, Evidence};
use crate::{ExtractError, Extracted, Extraction, Extractor, Turn, read_reply};

/// Result of a job that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobRun {
    /// The job.
    pub job: Job,
    /// The session's name.
    pub session: String,
    /// The result of the attempt.
    pub end: JobEnd,
}

/// Result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// The job's findings are written down; most often there are none.
    Applied(Applied),
    /// It failed, and is tried again at that instant.
    Retrying {
        /// The reason of the failure.
        reason: String,
        /// When.
        at: Timestamp,
    },
    /// It failed for good; [`JobQueue::retry`] gives it another life.
    Dead {
        /// The reason of the failure.
        reason: String,
    },
}

/// A job that is not applied yet, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedJob {
    /// The job.
    pub job: Job,
    /// The scope of its session.
    pub scope: Scope<'static>,
}

/// A reply is kept up to this many bytes.
const REPLY_MAX: usize = 64 << 10;

/// The actor of what is noted of jobs.
pub(crate) const WORKER: &str = "memlith";

/// The jobs of one ledger: what its sessions gained and that is not looked at yet.
///
/// ```
/// use memlith::{Caller, Ledger, Options};
/// use memlith_writeback::{JobQueue, Rules};
///
/// # let dir = tempfile::tempdir().unwrap();
/// let ledger = Ledger::create(dir.path().join("ledger"), Options::default())?;
/// let ana = Caller::user("default", "ana").session("s1");
/// // The session's turns are imported, and about to leave the model's window.
/// let runs = JobQueue::of(&ledger).run_before(&ana, &Rules, ledger.now())?;
/// assert!(runs.is_empty(), "a session without turns taught nothing");
/// # Ok::<(), memlith::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct JobQueue<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) describe: Option<Describe<'a>>,
}

/// Gives the metadata of a memory that is learned of a session: of its scope and its text.
pub type Describe<'a> = &'a dyn Fn(&Scope<'_>, &str) -> BTreeMap<String, String>;

impl fmt::Debug for JobQueue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobQueue").field("ledger", &self.ledger).finish_non_exhaustive()
    }
}

impl<'a> JobQueue<'a> {
    /// The jobs of `ledger`.
    #[must_use]
    pub fn of(ledger: &'a Ledger) -> JobQueue<'a> {
        JobQueue { ledger, describe: None }
    }

    /// Returns one that keeps metadata beside what it learns.
    #[must_use]
    pub fn described(self, describe: Describe<'a>) -> JobQueue<'a> {
        JobQueue { describe: Some(describe), ..self }
    }

    /// Queues what the caller's session gained, to be looked at from `due` on: one append, or
    /// none where nothing was gained that isn't queued already. Whether it appended.
    ///
    /// Buffered: a queue that is lost with the power is queued anew by the next call.
    /// Cost: a row for each item that the session gained.
    ///
    /// # Errors
    /// The log's.
    pub fn queue(&self, caller: &Caller, due: Timestamp) -> Result<bool, Error> {
        let Some(session) = caller.scope.session_key() else { return Ok(false) };
        self.ledger.transaction(|tx| {
            let state = tx.state();
            let Some(range) = session::gained(state, &caller.scope, session) else {
                return Ok(false);
            };
            let Some(queued) = state.jobs().queue(session, range, due) else { return Ok(false) };
            note_job(tx, &caller.scope, JobEvent::Queued(queued))?;
            Ok(true)
        })
    }

    /// Takes the job that has been due for longest at `now`, if there is any, and does it.
    ///
    /// A job is done by one worker at a time. What it writes is named by the turn and the words,
    /// so that nothing is written twice however often it is begun anew; an extractor's reply is
    /// kept before it is applied, so that a further attempt applies the same.
    ///
    /// Buffered, as a job that is lost is done again.
    ///
    /// # Errors
    /// The log's. That the extractor failed is an answer.
    pub fn run(&self, extractor: &dyn Extractor, now: Timestamp) -> Result<Option<JobRun>, Error> {
        self.run_next(extractor, now, |state| state.jobs().next_due(now))
    }

    /// Does a job before it is due: the first one that is due by `by` and that nobody has taken yet.
    /// One that another worker has, or that waits to be tried again, is left alone.
    ///
    /// # Errors
    /// Those of [`JobQueue::run`].
    pub fn run_early(
        &self,
        extractor: &dyn Extractor,
        by: Timestamp,
    ) -> Result<Option<JobRun>, Error> {
        self.run_next(extractor, self.ledger.now(), |state| state.jobs().next_queued(by))
    }

    /// Whether a job that nobody has taken yet is due by `by`.
    ///
    /// # Errors
    /// The log's.
    pub fn is_queued(&self, by: Timestamp) -> Result<bool, Error> {
        self.ledger.read(|state| Ok(state.jobs().next_queued(by).is_some()))
    }

    /// Applies what the caller's session gained so far, before the caller drops those turns from
    /// where it keeps them: queues them, and does the session's jobs that are due at `now`.
    ///
    /// What is not done afterwards, because the extractor failed or another worker is at it,
    /// waits in the queue; the turns themselves are in the log all the same.
    ///
    /// # Errors
    /// The log's. That the extractor failed is an answer.
    pub fn run_before(
        &self,
        caller: &Caller,
        extractor: &dyn Extractor,
        now: Timestamp,
    ) -> Result<Vec<JobRun>, Error> {
        let mut runs = Vec::new();
        let Some(session) = caller.scope.session_key() else { return Ok(runs) };
        self.queue(caller, now)?;
        let next = |state: &State| state.jobs().next_due_of(session, now);
        while let Some(run) = self.run_next(extractor, now, next)? {
            runs.push(run);
        }
        Ok(runs)
    }

    fn run_next(
        &self,
        extractor: &dyn Extractor,
        now: Timestamp,
        next: impl Fn(&State) -> Option<Job>,
    ) -> Result<Option<JobRun>, Error> {
        let Some((job, scope)) = self.claim(extractor, now, next)? else { return Ok(None) };
        let session = scope.session.as_deref().unwrap_or_default().to_owned();
        let end = self.attempt_job(extractor, job, &scope, now);
        let end = match end {
            Err(Error::Log(error)) => return Err(Error::Log(error)),
            Err(error) => {
                self.fail(job, &scope, &error.to_string(), retry_at(job.attempts, now, None))?
            }
            Ok(end) => end,
        };
        Ok(Some(JobRun { job, session, end }))
    }

    /// Whether a job is due at `now`.
    ///
    /// # Errors
    /// The log's.
    pub fn is_due(&self, now: Timestamp) -> Result<bool, Error> {
        self.ledger.read(|state| Ok(state.jobs().next_due(now).is_some()))
    }

    /// The jobs that are not applied yet, of all scopes: by session, then in the order they were
    /// queued.
    ///
    /// # Errors
    /// The log's.
    pub fn list(&self) -> Result<Vec<ListedJob>, Error> {
        let jobs: Vec<Job> = self.ledger.read(|state| Ok(state.jobs().jobs().collect()))?;
        let listed = |job: Job| Ok(ListedJob { job, scope: self.scope_of_job(job.id)? });
        jobs.into_iter().map(listed).collect()
    }

    /// The turns of a job, oldest first, as an extractor gets them.
    ///
    /// # Errors
    /// The log's.
    pub fn turns(&self, job: &ListedJob) -> Result<Vec<Turn>, Error> {
        Ok(self.evidence(job.job, &job.scope)?.turns)
    }

    /// Lists what write-back knows of each session that ever had a job, and its scope.
    ///
    /// # Errors
    /// The log's.
    pub fn sessions(&self) -> Result<Vec<(SessionJobs, Scope<'static>)>, Error> {
        let known: Vec<SessionJobs> =
            self.ledger.read(|state| Ok(state.jobs().sessions().collect()))?;
        known.into_iter().map(|one| Ok((one, self.scope_of_job(one.queued_by)?))).collect()
    }

    /// Gives a dead job another life, due at `now`; whether there was one.
    ///
    /// # Errors
    /// The log's.
    pub fn retry(&self, job: &Job, now: Timestamp) -> Result<bool, Error> {
        let scope = self.scope_of_job(job.id)?;
        self.ledger.transaction(|tx| {
            let found = tx.state().jobs().job(job.session, job.id);
            let Some(dead) = found.filter(|job| job.status == JobStatus::Dead) else {
                return Ok(false);
            };
            let queued = Queued { first: dead.first, last: dead.last, due: now };
            note_job(tx, &scope, JobEvent::Queued(queued))?;
            Ok(true)
        })
    }

    /// Claims the next job. One whose attempts all ended without a word is dead.
    fn claim(
        &self,
        extractor: &dyn Extractor,
        now: Timestamp,
        next: impl Fn(&State) -> Option<Job>,
    ) -> Result<Option<(Job, Scope<'static>)>, Error> {
        // Most often there is none, and nobody has to wait for a lock to know.
        while self.ledger.read(|state| Ok(next(state)))?.is_some() {
            let claimed = self.ledger.transaction(|tx| {
                let Some(job) = next(tx.state()) else { return Ok(None) };
                let scope = self.scope_of_job(job.id)?;
                let until = now.plus_us(extractor.claim_us());
                let (event, claimed) = claim_or_bury(job, extractor.name(), until);
                note_job(tx, &scope, event)?;
                Ok(claimed.map(|job| (job, scope)))
            })?;
            if claimed.is_some() {
                return Ok(claimed);
            }
        }
        Ok(None)
    }

    /// Does a job that was claimed.
    fn attempt_job(
        &self,
        extractor: &dyn Extractor,
        job: Job,
        scope: &Scope<'static>,
        now: Timestamp,
    ) -> Result<JobEnd, Error> {
        let evidence = self.evidence(job, scope)?;
        let found = match self.found(extractor, job, scope, &evidence)? {
            Ok(found) => found,
            Err(error) => {
                let retry_at = if let ExtractError::Later { wait_us, .. } = error {
                    retry_at(job.attempts, now, wait_us)
                } else {
                    None
                };
                let given_up = extractor.fallback().filter(|_| retry_at.is_none());
                match given_up.map(|other| self.found(other, job, scope, &evidence)).transpose()? {
                    Some(Ok(found)) => found,
                    Some(Err(_)) | None => {
                        return self.fail(job, scope, &error.to_string(), retry_at);
                    }
                }
            }
        };
        let applied = self.teach(job, scope, &evidence, &found)?;
        self.note_of(scope, JobEvent::Applied(applied))?;
        Ok(JobEnd::Applied(applied))
    }

    /// Returns what the extractor finds, or has found in an attempt before.
    fn found(
        &self,
        extractor: &dyn Extractor,
        job: Job,
        scope: &Scope<'static>,
        evidence: &Evidence,
    ) -> Result<Result<Extraction, ExtractError>, Error> {
        if evidence.turns.is_empty() {
            return Ok(Ok(Extraction::default()));
        }
        let reply = match self.kept_reply(job)? {
            Some(reply) => reply,
            None => match extractor.extract(scope, &evidence.turns) {
                Err(error) => return Ok(Err(error)),
                Ok(Extracted::Found(found)) => return Ok(Ok(found)),
                Ok(Extracted::Reply(reply)) => {
                    let kept = memlith::write::redact(cut(&reply)).text.into_owned();
                    // One that can't be read is not kept: the next attempt asks anew.
                    if let Err(error) = read_reply(&kept, &evidence.turns) {
                        let what = error.to_string();
                        return Ok(Err(ExtractError::Later { what, wait_us: None }));
                    }
                    let replied = Replied { job: job.id, reply: kept.clone().into() };
                    self.note_of(scope, JobEvent::Replied(replied))?;
                    kept
                }
            },
        };
        let read = read_reply(&reply, &evidence.turns);
        Ok(read.map_err(|error| ExtractError::Never { what: error.to_string() }))
    }

    /// The reply that an attempt before this one got.
    fn kept_reply(&self, job: Job) -> Result<Option<String>, Error> {
        if job.reply == Seq::GENESIS {
            return Ok(None);
        }
        let record = self.ledger.record(job.reply)?;
        let body = decode(&record).ok().flatten();
        Ok(body.and_then(|body| {
            let Event::Job(JobEvent::Replied(replied)) = body.event else { return None };
            Some(replied.reply.to_string())
        }))
    }

    fn fail(
        &self,
        job: Job,
        scope: &Scope<'static>,
        reason: &str,
        retry_at: Option<Timestamp>,
    ) -> Result<JobEnd, Error> {
        let reason = memlith::write::redact(reason).text.into_owned();
        let failed = Failed { job: job.id, reason: reason.clone().into(), retry_at };
        self.note_of(scope, JobEvent::Failed(failed))?;
        Ok(match retry_at {
            Some(at) => JobEnd::Retrying { reason, at },
            None => JobEnd::Dead { reason },
        })
    }

    fn note_of(&self, scope: &Scope<'static>, event: JobEvent<'_>) -> Result<(), Error> {
        self.ledger.transaction(|tx| note_job(tx, scope, event.clone()).map(drop))
    }

    /// The scope of a job, by the record that queued it.
    fn scope_of_job(&self, id: Seq) -> Result<Scope<'static>, Error> {
        let record = self.ledger.record(id)?;
        let body = decode(&record)?;
        Ok(body.map(|body| body.envelope.scope.into_owned()).unwrap_or_default())
    }
}

/// Notes what became of a job, in the scope of its session.
pub(crate) fn note_job(
    tx: &mut Transaction<'_, '_>,
    scope: &Scope<'static>,
    event: JobEvent<'_>,
) -> Result<RecordId, Error> {
    tx.append(&worker(scope), Vec::new(), Event::Job(event), Durability::Buffered)
}

/// The engine, in the scope of a session.
pub(crate) fn worker(scope: &Scope<'static>) -> Caller {
    let mut worker = Caller::new("", WORKER, Rank::Engine);
    worker.scope = scope.clone();
    worker
}

/// The claim on a job until `until`; where all its attempts ended without a word, its end.
fn claim_or_bury(job: Job, extractor: &str, until: Timestamp) -> (JobEvent<'_>, Option<Job>) {
    if job.attempts >= ATTEMPTS_MAX {
        let reason = "no attempt came to an end: the workers were killed, or crashed";
        let dead = Failed { job: job.id, reason: reason.into(), retry_at: None };
        return (JobEvent::Failed(dead), None);
    }
    let attempted = Attempted { job: job.id, extractor: extractor.into(), until };
    let attempts = job.attempts.saturating_add(1);
    (JobEvent::Attempted(attempted), Some(Job { attempts, at: until, ..job }))
}

/// At most [`REPLY_MAX`] bytes of a reply, whole characters.
fn cut(reply: &str) -> &str {
    let end = (0..=reply.len().min(REPLY_MAX)).rev().find(|at| reply.is_char_boundary(*at));
    reply.get(..end.unwrap_or_default()).unwrap_or_default()
}
