//! Learns between two hooks what sessions taught.

use std::time::{Duration, Instant};

use memlith::{Caller, Error, Ledger, Scope, Timestamp};
use memlith_writeback::{Extractor, JobQueue, QUIET_US, Rules};

use crate::tree::Tree;

/// How long a session that starts waits for what others taught.
pub(crate) const AT_START: Duration = Duration::from_millis(30);

/// When what a session gained is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Once it was quiet for two minutes: more may follow.
    Quiet,
    /// At once: it is over, or about to lose its turns.
    Now,
}

/// Queues what the session called `name` gained, if it is one of a person: whoever prompts a
/// sub-agent is no person.
///
/// # Errors
/// The ledger's.
pub(crate) fn queue(
    ledger: &Ledger,
    scope: Scope<'static>,
    name: &str,
    when: When,
) -> Result<(), Error> {
    if name.is_empty() || name.contains('/') {
        return Ok(());
    }
    let mut caller = Caller::user("default", "user");
    caller.scope = Scope { session: Some(name.to_owned().into()), ..scope };
    let due = match when {
        When::Quiet => ledger.now().plus_us(QUIET_US),
        When::Now => ledger.now(),
    };
    JobQueue::of(ledger).queue(&caller, due).map(drop)
}

/// Does the jobs that are due by `by`, by the rules and for about so long; how many.
///
/// # Errors
/// The ledger's.
pub(crate) fn learn_for(
    ledger: &Ledger,
    tree: &Tree,
    by: Timestamp,
    patience: Duration,
) -> Result<usize, Error> {
    #[expect(clippy::disallowed_methods, reason = "a hook's time is limited")]
    let begun = Instant::now();
    learn(ledger, (&Rules, tree), by, &|| begun.elapsed() >= patience)
}

/// Learns with another extractor, until `is_over`.
///
/// # Errors
/// The ledger's.
pub(crate) fn learn(
    ledger: &Ledger,
    (extractor, tree): (&dyn Extractor, &Tree),
    by: Timestamp,
    is_over: &dyn Fn() -> bool,
) -> Result<usize, Error> {
    let describe = |scope: &Scope<'_>, text: &str| tree.describe(scope, text);
    let jobs = JobQueue::of(ledger).described(&describe);
    let mut done = 0;
    // What is due now first, then what nobody has taken yet; the clock goes on meanwhile.
    while !is_over() {
        let run = match jobs.run(extractor, ledger.now())? {
            Some(run) => Some(run),
            None => jobs.run_early(extractor, by)?,
        };
        if run.is_none() {
            break;
        }
        done += 1;
    }
    Ok(done)
}
