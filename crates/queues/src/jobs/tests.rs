use memlith_event::{
    Actor, Applied, Attempted, Body, Envelope, Event, Facts, Failed, ItemFacts, Rank, Replied,
    Scope,
};
use memlith_log::RecordId;
use memlith_testkit::histories;
use proptest::prelude::*;

use super::*;

struct NoFacts;

impl Facts for NoFacts {
    fn item(&self, _: Seq) -> Option<ItemFacts> {
        None
    }
}

fn scope(session: &str) -> Scope<'static> {
    Scope { session: Some(session.to_owned().into()), ..Scope::tenant("t") }
}

fn tell(jobs: &mut Jobs, seq: u64, session: &str, event: JobEvent<'static>) {
    let envelope = Envelope::new(scope(session), Actor::new("w", Rank::Engine), Timestamp(0));
    let body = Body { envelope, event: Event::Job(event) };
    let id = RecordId { seq: Seq(seq), ..RecordId::default() };
    let content = Content::Event(Box::new(body));
    jobs.apply(&Stored { id, recorded_at: Timestamp(0), content }, &NoFacts);
}

fn queue(jobs: &mut Jobs, seq: u64, session: &str, (first, last): (u64, u64), due: i64) {
    let queued = Queued { first: Seq(first), last: Seq(last), due: Timestamp(due) };
    tell(jobs, seq, session, JobEvent::Queued(queued));
}

fn attempt(jobs: &mut Jobs, seq: u64, session: &str, job: u64, until: i64) {
    let attempted = Attempted { job: Seq(job), extractor: "x".into(), until: Timestamp(until) };
    tell(jobs, seq, session, JobEvent::Attempted(attempted));
}

fn due(jobs: &Jobs, now: i64) -> Option<(u64, u64, u64)> {
    let job = jobs.next_due(Timestamp(now))?;
    Some((job.id.0, job.first.0, job.last.0))
}

#[test]
fn whoever_looks_ahead_takes_no_job_that_a_worker_has() {
    let mut jobs = Jobs::default();
    queue(&mut jobs, 10, "a", (1, 9), 100);
    queue(&mut jobs, 20, "b", (11, 19), 200);
    let early = |jobs: &Jobs, by| jobs.next_queued(Timestamp(by)).map(|job| job.id.0);
    assert_eq!((early(&jobs, 99), early(&jobs, 500)), (None, Some(10)));
    attempt(&mut jobs, 30, "a", 10, 150);
    assert_eq!((early(&jobs, 199), early(&jobs, 500)), (None, Some(20)));
    let failed = Failed { job: Seq(10), reason: "x".into(), retry_at: Some(Timestamp(160)) };
    tell(&mut jobs, 40, "a", JobEvent::Failed(failed));
    assert_eq!((early(&jobs, 199), due(&jobs, 160)), (None, Some((10, 1, 9))));
}

#[test]
fn turns_are_added_to_a_job_until_a_worker_takes_it() {
    let mut jobs = Jobs::default();
    let key = scope("a").session_key().unwrap();
    queue(&mut jobs, 10, "a", (1, 9), 100);
    queue(&mut jobs, 20, "b", (11, 19), 50);
    queue(&mut jobs, 30, "a", (21, 29), 200);
    assert_eq!((due(&jobs, 49), due(&jobs, 50)), (None, Some((20, 11, 19))));
    assert_eq!(jobs.queue(key, (Seq(1), Seq(29)), Timestamp(300)), None, "it is due before");
    let forced = jobs.queue(key, (Seq(1), Seq(29)), Timestamp(60)).unwrap();
    assert_eq!((forced.first, forced.last, forced.due), (Seq(1), Seq(29), Timestamp(60)));
    attempt(&mut jobs, 40, "b", 20, 1_000);
    assert_eq!((due(&jobs, 199), due(&jobs, 200)), (None, Some((10, 1, 29))));
    attempt(&mut jobs, 41, "a", 10, 1_000);
    let more = jobs.queue(key, (Seq(1), Seq(45)), Timestamp(300)).unwrap();
    assert_eq!((more.first, more.last), (Seq(30), Seq(45)), "what a worker has is its own");
    queue(&mut jobs, 46, "a", (30, 45), 300);
    assert_eq!(due(&jobs, 500), Some((46, 30, 45)));
    assert_eq!(due(&jobs, 1_000), Some((46, 30, 45)), "the oldest first");
}

#[test]
fn a_claim_ends_and_an_applied_job_leaves_a_count() {
    let mut jobs = Jobs::default();
    let key = scope("a").session_key().unwrap();
    queue(&mut jobs, 10, "a", (1, 9), 100);
    attempt(&mut jobs, 11, "a", 10, 150);
    assert_eq!((due(&jobs, 149), due(&jobs, 150)), (None, Some((10, 1, 9))));
    let reply = Replied { job: Seq(10), reply: "{}".into() };
    tell(&mut jobs, 12, "a", JobEvent::Replied(reply));
    assert_eq!(jobs.next_due(Timestamp(150)).unwrap().reply, Seq(12));
    let applied = Applied { job: Seq(10), memories: 2, procedures: 1, dropped: 4, outcome: true };
    tell(&mut jobs, 13, "b", JobEvent::Applied(applied));
    assert!(due(&jobs, 150).is_some(), "another session's");
    tell(&mut jobs, 14, "a", JobEvent::Applied(applied));
    tell(&mut jobs, 15, "a", JobEvent::Applied(applied));
    assert_eq!((due(&jobs, i64::MAX), jobs.jobs().count()), (None, 0));
    let known = jobs.session(key).unwrap();
    assert_eq!((known.applied, known.taught, known.dropped, known.through), (1, 3, 4, Seq(9)));
}

#[test]
fn what_failed_is_tried_again_or_dead_until_it_is_queued_again() {
    let mut jobs = Jobs::default();
    queue(&mut jobs, 10, "a", (1, 9), 100);
    attempt(&mut jobs, 11, "a", 10, 150);
    let failed = |retry_at: Option<i64>| {
        JobEvent::Failed(Failed {
            job: Seq(10),
            reason: "refused".into(),
            retry_at: retry_at.map(Timestamp),
        })
    };
    tell(&mut jobs, 12, "a", failed(Some(400)));
    assert_eq!((due(&jobs, 399), due(&jobs, 400)), (None, Some((10, 1, 9))));
    tell(&mut jobs, 13, "a", failed(None));
    assert_eq!(due(&jobs, i64::MAX), None);
    let dead: Vec<Job> = jobs.jobs().collect();
    assert_eq!((dead.len(), dead[0].status, dead[0].attempts), (1, JobStatus::Dead, 1));
    attempt(&mut jobs, 14, "a", 10, 150);
    assert_eq!(due(&jobs, i64::MAX), None, "dead is dead");
    queue(&mut jobs, 15, "a", (1, 9), 500);
    assert_eq!((due(&jobs, 500), jobs.jobs().count()), (Some((15, 1, 9)), 1));
}

proptest! {
    /// Invariants 1 and 2, and that the next one due is the first of all.
    #[test]
    fn what_waits_is_found_in_due_order(history in histories(200), now in 0i64..400) {
        let mut jobs = Jobs::default();
        for stored in &history {
            jobs.apply(stored, &NoFacts);
        }
        let live = || jobs.jobs().filter(|job| job.status != JobStatus::Dead);
        prop_assert_eq!(jobs.due.rows().count(), live().count());
        let first = live().filter(|job| job.at.0 <= now).min_by_key(|job| (job.at, job.id));
        prop_assert_eq!(jobs.next_due(Timestamp(now)), first);
        for session in jobs.sessions() {
            let of_it = || jobs.jobs().filter(|job| job.session == session.session);
            let open = of_it().filter(|job| job.status == JobStatus::Queued).count();
            prop_assert!(open <= 1, "{} jobs of one session are queued", open);
            prop_assert!(of_it().all(|job| job.last <= session.through));
        }
    }
}
