//! Invariants
//!
//! 1. A job that is not dead has one row of [`Due`], at its own instant; a dead one has none.
//! 2. A session has at most one job that is queued and was never taken: turns are added to it.
//! 3. What is applied leaves no row but its session's, which counts.

use memlith_event::{Content, Facts, JobEvent, Key, Projection, Queued, Stored, Taught};
use memlith_log::{Seq, Timestamp};
use memlith_state::{Table, Tabular};

use crate::job::{Due, Job, JobStatus, SessionJobs};
use crate::practice::{Practice, Telling};

/// The jobs of write-back: a fold of the log.
///
/// The queue is the log: nothing is dropped from it, however long it gets, and whoever opens the
/// ledger finds it as it was left.
///
/// Cost: an event is O(log n); a table of the jobs that are not applied, a row of 44 bytes for
/// each session that ever had one, of 56 for each practice, and of 32 for each telling of one.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    jobs: Table<Job>,
    due: Table<Due>,
    sessions: Table<SessionJobs>,
    practices: Table<Practice>,
    tellings: Table<Telling>,
}

impl Jobs {
    /// The job that has been due for longest at `now`, if there is any.
    #[must_use]
    pub fn next_due(&self, now: Timestamp) -> Option<Job> {
        let due = self.due.rows().next().filter(|due| due.at <= now)?;
        self.jobs.get(&(due.session, due.id))
    }

    /// The job that is the first to be due by `by`, of those that nobody has taken yet.
    #[must_use]
    pub fn next_queued(&self, by: Timestamp) -> Option<Job> {
        let due = self.due.rows().take_while(|due| due.at <= by);
        let mut jobs = due.filter_map(|due| self.jobs.get(&(due.session, due.id)));
        jobs.find(|job| job.status == JobStatus::Queued)
    }

    /// The job of a session that has been due for longest at `now`, if there is any.
    #[must_use]
    pub fn next_due_of(&self, session: Key, now: Timestamp) -> Option<Job> {
        let due = |job: &Job| job.status != JobStatus::Dead && job.at <= now;
        self.of(session).filter(due).min_by_key(|job| (job.at, job.id))
    }

    /// The job `id` of a session, if it is not applied yet.
    #[must_use]
    pub fn job(&self, session: Key, id: Seq) -> Option<Job> {
        self.jobs.get(&(session, id))
    }

    /// All jobs that are not applied, by session.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        self.jobs.rows()
    }

    /// Every session that ever had a job.
    pub fn sessions(&self) -> impl Iterator<Item = SessionJobs> + '_ {
        self.sessions.rows()
    }

    /// The state of a session's jobs.
    #[must_use]
    pub fn session(&self, session: Key) -> Option<SessionJobs> {
        self.sessions.get(&session)
    }

    /// Every way of doing something that jobs were told of, or saw.
    pub fn practices(&self) -> impl Iterator<Item = Practice> + '_ {
        self.practices.rows()
    }

    /// The state of one practice.
    #[must_use]
    pub fn practice(&self, identity: Key) -> Option<Practice> {
        self.practices.get(&identity)
    }

    /// The records that tell of it, of each job one, oldest job first.
    pub fn tellings(&self, identity: Key) -> impl Iterator<Item = Seq> + '_ {
        let all = (identity, Seq(0))..=(identity, Seq::MAX);
        self.tellings.range(all).map(|telling| telling.seq)
    }

    /// Whether a job told of it already.
    #[must_use]
    pub fn has_told(&self, identity: Key, job: Seq) -> bool {
        self.tellings.get(&(identity, job)).is_some()
    }

    /// The job to queue so that all items of a session through `last` are looked at by `due`, given
    /// its first item; nothing where a job covers them that is due no later.
    #[must_use]
    pub fn queue(&self, session: Key, (first, last): (Seq, Seq), due: Timestamp) -> Option<Queued> {
        let known = self.sessions.get(&session);
        let through = known.map_or(Seq::GENESIS, |known| known.through);
        if last > through {
            return Some(Queued { first: first.max(through.next()), last, due });
        }
        let open = self.open(known?)?;
        (open.at > due).then_some(Queued { first: open.first, last: open.last, due })
    }

    /// The job that turns of the session are still added to.
    fn open(&self, known: SessionJobs) -> Option<Job> {
        let job = self.jobs.get(&(known.session, known.queued_by))?;
        (job.status == JobStatus::Queued).then_some(job)
    }

    fn queued(&mut self, session: Key, id: Seq, queued: &Queued) {
        let known = self.sessions.get(&session);
        let mut known = known.unwrap_or(SessionJobs { session, ..SessionJobs::default() });
        let mut job = Job {
            session,
            id,
            first: queued.first,
            last: queued.last,
            at: queued.due,
            status: JobStatus::Queued,
            attempts: 0,
            reply: Seq::GENESIS,
        };
        if let Some(open) = self.open(known) {
            self.forget(&open);
            job = Job {
                id: open.id,
                first: open.first.min(job.first),
                last: open.last.max(job.last),
                ..job
            };
        }
        let covered = |old: &Job| old.first >= job.first && old.last <= job.last;
        let dead: Vec<Job> = self.of(session).filter(|old| old.status == JobStatus::Dead).collect();
        dead.iter().filter(|old| covered(old)).for_each(|old| self.forget(old));
        known.queued_by = job.id;
        known.through = known.through.max(job.last);
        self.sessions.put(known);
        self.put(job);
    }

    /// The jobs of a session that are not applied.
    fn of(&self, session: Key) -> impl Iterator<Item = Job> + '_ {
        self.jobs.range((session, Seq(0))..=(session, Seq::MAX))
    }

    fn put(&mut self, job: Job) {
        self.jobs.put(job);
        if job.status != JobStatus::Dead {
            self.due.put(Due { at: job.at, id: job.id, session: job.session });
        }
    }

    fn forget(&mut self, job: &Job) {
        self.jobs.remove(&(job.session, job.id));
        self.due.remove(&(job.at, job.id));
    }

    fn taught(&mut self, stored: &Stored<'_>, cell: Key, taught: &Taught<'_>) {
        let identity = Practice::identity(cell, taught);
        if self.has_told(identity, taught.job) {
            return;
        }
        self.tellings.put(Telling { identity, job: taught.job, seq: stored.seq() });
        let known = self.practices.get(&identity);
        let told = (stored.seq(), stored.recorded_at);
        self.practices.put(match known {
            Some(known) => known.told_again(told, taught.verified),
            None => Practice::first(identity, told, taught.verified),
        });
    }

    fn applied(&mut self, job: &Job, (taught, dropped): (u32, u32)) {
        self.forget(job);
        if let Some(mut known) = self.sessions.get(&job.session) {
            known.applied = known.applied.saturating_add(1);
            known.taught = known.taught.saturating_add(taught);
            known.dropped = known.dropped.saturating_add(dropped);
            self.sessions.put(known);
        }
    }
}

impl Projection for Jobs {
    fn apply(&mut self, stored: &Stored<'_>, _: &dyn Facts) {
        let Content::Event(body) = &stored.content else { return };
        let memlith_event::Event::Job(event) = &body.event else { return };
        let Some(session) = body.envelope.scope.session_key() else { return };
        if let JobEvent::Queued(queued) = event {
            self.queued(session, stored.seq(), queued);
            return;
        }
        if let JobEvent::Taught(taught) = event {
            self.taught(stored, body.envelope.scope.cell(), taught);
            return;
        }
        let found = event.job().and_then(|id| self.jobs.get(&(session, id)));
        let Some(job) = found.filter(|job| job.status != JobStatus::Dead) else { return };
        match event {
            JobEvent::Queued(_) | JobEvent::Taught(_) => {}
            JobEvent::Attempted(event) => {
                let attempts = job.attempts.saturating_add(1);
                self.forget(&job);
                self.put(Job { status: JobStatus::Claimed, at: event.until, attempts, ..job });
            }
            JobEvent::Replied(_) => self.put(Job { reply: stored.seq(), ..job }),
            JobEvent::Applied(event) => {
                let taught = event.memories.saturating_add(event.procedures);
                self.applied(&job, (taught, event.dropped));
            }
            JobEvent::Failed(event) => {
                self.forget(&job);
                let (status, at) = match event.retry_at {
                    Some(at) => (JobStatus::Retrying, at),
                    None => (JobStatus::Dead, job.at),
                };
                self.put(Job { status, at, ..job });
            }
        }
    }

    fn tables(&self) -> Vec<&dyn Tabular> {
        vec![&self.jobs, &self.due, &self.sessions, &self.practices, &self.tellings]
    }

    fn tables_mut(&mut self) -> Vec<&mut dyn Tabular> {
        let Jobs { jobs, due, sessions, practices, tellings } = self;
        vec![jobs, due, sessions, practices, tellings]
    }
}

#[cfg(test)]
mod tests;
