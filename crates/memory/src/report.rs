//! Outcomes: what acting on items came to, as a command and as a fold.

use memlith_event::{
    Body, Envelope, Event, Link, LinkKind, OutcomeEvent, OwnStatus, Purpose, Rank, Reported,
    Stored, TaskResult, Text,
};
use memlith_log::RecordId;

use crate::command::{Change, Door};
use crate::memory::Memory;
use crate::rejection::Rejection;

/// How an answer did that cited items: success confirms them, failure doubts them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TaskReport {
    /// The items that the answer cited: each once, at least one.
    pub targets: Vec<RecordId>,
    /// How it did.
    pub result: TaskResult,
    /// Whether it was checked: an exit code, a test result.
    pub verified: bool,
    /// How likely success was held to be before, in millionths; at most 1,000,000.
    pub expected: Option<u32>,
    /// The purpose of the answer: a purpose of checkouts.
    pub purpose: Option<Purpose>,
    /// An account of what happened, in words.
    pub note: Option<String>,
    /// The record of the checkout that had shown them.
    pub shown_in: Option<RecordId>,
}

/// Certainty, in millionths.
const CERTAIN: u32 = 1_000_000;

impl Memory {
    /// The event of `report`. What may be reported on is what may be confirmed.
    pub(crate) fn decide_report(
        &self,
        report: &TaskReport,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let items = self.targets(&report.targets, door)?;
        if let Some(found) = report.expected.filter(|expected| *expected > CERTAIN) {
            return Err(Rejection::Expectation { millionths: found });
        }
        let change = Change::Confirm { weight: None, verified: report.verified };
        self.check_all(&items, &change, door)?;
        let reported = Reported {
            targets: items.iter().map(|item| item.id).collect(),
            result: report.result,
            verified: report.verified,
            expected: report.expected,
            purpose: report.purpose.map(|purpose| purpose.name().into()),
            note: report.note.clone().map(Text::from),
        };
        let shown_in = report.shown_in.map(|target| Link { kind: LinkKind::ShownIn, target });
        let envelope = door.envelope(shown_in.into_iter().collect());
        Ok(vec![Body { envelope, event: Event::Outcome(OutcomeEvent::Reported(reported)) }])
    }

    /// Folds in a report: its purpose learns from it first, of the items as they were.
    ///
    /// A success is heard as a confirmation is. A verified failure from below an item's guard
    /// disputes the item; what one from above it weakens is salience, not authority.
    pub(crate) fn fold_reported(
        &mut self,
        stored: &Stored<'_>,
        envelope: &Envelope<'_>,
        reported: &Reported<'_>,
    ) {
        let actor = &envelope.actor;
        for target in &reported.targets {
            self.touch(*target, stored.seq());
            self.learn(stored, envelope, reported, target.seq);
            match reported.result {
                TaskResult::Success => {
                    self.hear(stored.seq(), target.seq, (actor, None), reported.verified);
                }
                TaskResult::Failure if reported.verified => {
                    self.doubt(stored, target.seq, actor.rank);
                }
                TaskResult::Failure | TaskResult::Partial => {}
            }
        }
    }

    fn doubt(&mut self, stored: &Stored<'_>, target: memlith_log::Seq, rank: Rank) {
        let item = self.items.get(&target);
        let below =
            item.is_some_and(|item| item.own == OwnStatus::Active && rank.level() < item.guard);
        if below {
            self.put_dispute(target, stored.seq());
        }
    }
}
