//! Settling a parcel by what its sink answered.

use std::collections::BTreeSet;

use memlith::log::Settled;
use memlith::{Seq, Timestamp};
use memlith_queues::Parcel;

use crate::batch::{Batch, Verdict};
use crate::delivery::Route;
use crate::terms::{PROBE_US, retry_at};

/// Returns what a verdict makes of a parcel, and whether a person should know.
pub(crate) fn settled(
    parcel: &Parcel,
    batch: &Batch,
    verdict: Verdict,
    route: &Route,
    now: Timestamp,
) -> (Settled<'static>, bool) {
    let all = || -> Vec<Seq> {
        let items = parcel.items.iter().map(|(seq, _)| *seq);
        let all: BTreeSet<Seq> = items.chain(parcel.gone.iter().copied()).collect();
        all.into_iter().collect()
    };
    let retries = route.terms.retries;
    let later = |wait_us| retry_at(parcel.attempts, retries, now, wait_us);
    let mut settled = Settled { sink: route.name.clone().into(), ..Settled::default() };
    let mut fail = |failed, reason: String, retry_at| {
        settled.failed = failed;
        settled.reason = cut(reason).into();
        settled.retry_at = retry_at;
    };
    let is_alarming = match verdict {
        Verdict::Done { results, nodes_created, edges_created } => {
            let named = |id: &str| batch.items.iter().find(|item| item.id == id);
            let unknown = results.iter().find(|result| named(&result.id).is_none());
            let refused: Vec<_> = results.iter().filter(|result| !result.applied).collect();
            if let Some(unknown) = unknown {
                let id: String = unknown.id.chars().take(80).collect();
                fail(all(), format!("it names {id:?}, which it was not sent"), later(None));
            } else if let Some(first) = refused.first() {
                let failed: BTreeSet<Seq> =
                    refused.iter().filter_map(|one| Some(Seq(named(&one.id)?.version))).collect();
                let reason = first.error.clone().unwrap_or_else(|| "no reason given".to_owned());
                fail(failed.into_iter().collect(), reason, later(None));
            }
            settled.nodes = nodes_created;
            settled.edges = edges_created;
            !settled.failed.is_empty() && settled.retry_at.is_none()
        }
        Verdict::Again { what, wait } => {
            let wait = wait.map(|wait| i64::try_from(wait.as_micros()).unwrap_or(i64::MAX));
            fail(all(), what, later(wait));
            settled.retry_at.is_none()
        }
        Verdict::Unreached { what } => {
            // It is no item's fault: they wait for it however long it takes.
            let at = later(None).unwrap_or_else(|| now.plus_us(PROBE_US));
            fail(all(), what, Some(at));
            settled.unreached = true;
            parcel.attempts == retries
        }
        Verdict::Never { what } => {
            fail(all(), what, None);
            true
        }
    };
    (settled, is_alarming)
}

/// The most bytes of a reason that are kept.
const REASON_BYTES: usize = 500;

fn cut(mut reason: String) -> String {
    reason.truncate(reason.floor_char_boundary(REASON_BYTES));
    reason
}
