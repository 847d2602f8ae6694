use memlith_event::Key;
use memlith_log::{Seq, Timestamp};
use memlith_state::{Fields, Row};
use serde::Serialize;

/// A job that is not applied yet: the turns of one session between two records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The session.
    pub session: Key,
    /// The record that queued it first: its name.
    pub id: Seq,
    /// The first record of its range; those of other sessions in it are none of the job's.
    pub first: Seq,
    /// The last one.
    pub last: Seq,
    /// When it may be taken: due, free of a claim, or to be tried again; nothing to a dead job.
    pub at: Timestamp,
    /// The next step of it.
    pub status: JobStatus,
    /// How many attempts were begun.
    pub attempts: u8,
    /// The record of the reply that waits to be applied; genesis where there is none.
    pub reply: Seq,
}

/// The next step of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// It waits to be due, and more turns may be added to it.
    #[default]
    Queued,
    /// A worker has it, until its claim ends.
    Claimed,
    /// An attempt failed; it is tried again.
    Retrying,
    /// It failed for good, and waits for somebody to queue it again.
    Dead,
}

impl JobStatus {
    /// The word for it in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            JobStatus::Queued => "queued",
            JobStatus::Claimed => "claimed",
            JobStatus::Retrying => "retrying",
            JobStatus::Dead => "dead",
        }
    }

    fn code(self) -> u8 {
        match self {
            JobStatus::Queued => 0,
            JobStatus::Claimed => 1,
            JobStatus::Retrying => 2,
            JobStatus::Dead => 3,
        }
    }

    fn from_code(code: u8) -> JobStatus {
        match code {
            0 => JobStatus::Queued,
            1 => JobStatus::Claimed,
            2 => JobStatus::Retrying,
            _ => JobStatus::Dead,
        }
    }
}

impl Row for Job {
    type Key = (Key, Seq);
    const NAME: &'static str = "jobs";
    const WIDTH: usize = Key::WIDTH + 5 * 8 + 2;

    fn key(&self) -> (Key, Seq) {
        (self.session, self.id)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.session.0);
        for seq in [self.id, self.first, self.last, self.reply] {
            out.extend(seq.0.to_le_bytes());
        }
        out.extend(self.at.0.to_le_bytes());
        out.extend([self.status.code(), self.attempts]);
    }

    fn read(fields: &mut Fields<'_>) -> Job {
        let session = Key::read(fields);
        let mut seq = || Seq(fields.u64());
        let (id, first, last, reply) = (seq(), seq(), seq(), seq());
        let at = Timestamp(fields.i64());
        let (status, attempts) = (JobStatus::from_code(fields.u8()), fields.u8());
        Job { session, id, first, last, at, status, attempts, reply }
    }
}

/// A job that can be taken from an instant on; it stands for presence alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) at: Timestamp,
    pub(crate) id: Seq,
    pub(crate) session: Key,
}

impl Row for Due {
    type Key = (Timestamp, Seq);
    const NAME: &'static str = "jobs.due";
    const WIDTH: usize = 8 + 8 + Key::WIDTH;

    fn key(&self) -> (Timestamp, Seq) {
        (self.at, self.id)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.at.0.to_le_bytes());
        out.extend(self.id.0.to_le_bytes());
        out.extend(self.session.0);
    }

    fn read(fields: &mut Fields<'_>) -> Due {
        let (at, id) = (Timestamp(fields.i64()), Seq(fields.u64()));
        Due { at, id, session: Key::read(fields) }
    }
}

/// The jobs of a session, as far as write-back knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SessionJobs {
    /// The session.
    pub session: Key,
    /// The record that queued its last job.
    pub queued_by: Seq,
    /// The last record that any of its jobs covers.
    pub through: Seq,
    /// The number of jobs that were applied.
    pub applied: u32,
    /// The number of memories and procedures that they taught.
    pub taught: u32,
    /// The number of items that were left out.
    pub dropped: u32,
}

impl Row for SessionJobs {
    type Key = Key;
    const NAME: &'static str = "jobs.sessions";
    const WIDTH: usize = Key::WIDTH + 2 * 8 + 3 * 4;

    fn key(&self) -> Key {
        self.session
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.session.0);
        for seq in [self.queued_by, self.through] {
            out.extend(seq.0.to_le_bytes());
        }
        for count in [self.applied, self.taught, self.dropped] {
            out.extend(count.to_le_bytes());
        }
    }

    fn read(fields: &mut Fields<'_>) -> SessionJobs {
        let session = Key::read(fields);
        let (queued_by, through) = (Seq(fields.u64()), Seq(fields.u64()));
        let (applied, taught, dropped) = (fields.u32(), fields.u32(), fields.u32());
        SessionJobs { session, queued_by, through, applied, taught, dropped }
    }
}
