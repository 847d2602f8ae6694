use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::play::{Played, play};
use super::session::Session;
use super::shrink::shrink;
use super::step::NAMES;
use crate::spread::spread;

/// Which sessions are played.
#[derive(Clone, Debug)]
pub struct Sessions {
    /// Each a session of its own.
    pub seeds: Range<u64>,
    /// Threads; the result does not depend on them.
    pub threads: usize,
    /// Whether no session is begun after one that failed.
    pub until_harm: bool,
}

/// Results of all sessions.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Sessions that were played.
    pub sessions: u64,
    /// Counts over all these sessions.
    pub played: Played,
    /// The sessions that failed, each as short as it gets, and what they showed.
    pub failures: Vec<(Session, String)>,
}

impl Tally {
    /// Of how many kinds steps were done.
    #[must_use]
    pub fn kinds(&self) -> usize {
        self.played.kinds.len()
    }
}

/// Maximum number of failures that are shrunk; the others are only named.
const SHRUNK_MAX: usize = 3;

/// Plays the session of every seed.
#[must_use]
pub fn sessions(sessions: &Sessions) -> Tally {
    let mut tally = Tally::default();
    let play = |seed| {
        let session = Session::of(seed);
        let outcome = safely(&session);
        (outcome.is_err().then_some(session), outcome)
    };
    let is_last = |(failed, _): &(Option<Session>, _)| sessions.until_harm && failed.is_some();
    for (session, outcome) in spread(sessions.seeds.clone(), sessions.threads, &play, &is_last) {
        tally.sessions += 1;
        match outcome {
            Ok(played) => tally.played.add(played),
            Err(what) => tally.failures.extend(session.map(|session| (session, what))),
        }
    }
    for (session, what) in tally.failures.iter_mut().take(SHRUNK_MAX) {
        *session = shrink(session, &|session| safely(session).is_err());
        if let Err(shown) = safely(session) {
            *what = shown;
        }
    }
    tally
}

/// Plays a session; a panic is a failure like any other.
fn safely(session: &Session) -> Result<Played, String> {
    let played = catch_unwind(AssertUnwindSafe(|| play(session)));
    played.unwrap_or_else(|_| Err("wrong: a panic".to_owned()))
}

impl Played {
    fn add(&mut self, other: Played) {
        self.steps += other.steps;
        self.writes += other.writes;
        self.rejections += other.rejections;
        self.barred += other.barred;
        self.errors += other.errors;
        self.crashes += other.crashes;
        self.answers += other.answers;
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Played { steps, writes, rejections, barred, errors, crashes, answers, .. } =
            &self.played;
        writeln!(
            f,
            "{} sessions of {steps} steps: {writes} writes acknowledged, {rejections} refused by \
             the state, {barred} of them as erased, {errors} ended in an error, {crashes} crashes, \
             {answers} answers compared",
            self.sessions
        )?;
        let count = |kind: &str| self.played.kinds.get(kind).copied().unwrap_or_default();
        let each: Vec<String> =
            NAMES.iter().map(|kind| format!("{kind} {}", count(kind))).collect();
        writeln!(f, "{} of {} kinds of steps: {}", self.kinds(), NAMES.len(), each.join(", "))?;
        for (session, what) in self.failures.iter().take(SHRUNK_MAX) {
            let steps = serde_json::to_string(session).unwrap_or_default();
            writeln!(f, "seed {}: {what}\n  {steps}", session.seed)?;
        }
        write!(f, "failed {}", self.failures.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_sessions_do_steps_of_every_kind() {
        let tally = sessions(&Sessions { seeds: 0..80, threads: 2, until_harm: false });
        assert!(tally.failures.is_empty(), "{tally}");
        assert_eq!(tally.kinds(), NAMES.len(), "{tally}");
    }
}
