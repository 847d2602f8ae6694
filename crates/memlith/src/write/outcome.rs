//! Outcomes: what acting on an answer came to.

use std::collections::BTreeMap;

use memlith_event::{Body, Event, MemoryEvent, Purpose};
use memlith_log::RecordId;
use memlith_memory::{Authority, Command, TaskReport};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::body_of;
use crate::ledger::Ledger;
use crate::read::show::sees_event;
use crate::write::command::{Written, clean};

impl Ledger {
    /// Writes down what an answer came to that cited items: what they are worth follows.
    ///
    /// # Errors
    /// [`Error::Rejected`], [`Error::NoShowing`] for a `shown_in` that shows nothing to the
    /// caller's scope, [`Error::NoCheckout`] for one that no checkout wrote, and the log's.
    pub fn report(&self, caller: &Caller, report: TaskReport) -> Result<Written, Error> {
        if let Some(shown) = report.shown_in {
            self.shown_by(caller, shown)?;
        }
        let mut redacted = BTreeMap::new();
        let report =
            TaskReport { note: report.note.map(|text| clean(text, &mut redacted)), ..report };
        self.command(caller, &Command::Report(report), redacted)
    }

    /// Writes down what came of an answer that rested on the checkout `shown`, by the record
    /// of its observation: for those of its items that may still be shown, and its purpose.
    ///
    /// # Errors
    /// [`Error::NoShowing`] where that record shows nothing to the caller's scope,
    /// [`Error::NoCheckout`] where no checkout wrote it, and those of [`Ledger::report`].
    pub fn report_shown(
        &self,
        caller: &Caller,
        shown: RecordId,
        report: TaskReport,
    ) -> Result<Written, Error> {
        let (targets, purpose) = self.shown_by(caller, shown)?;
        let purpose = report.purpose.or(purpose);
        self.report(caller, TaskReport { targets, purpose, shown_in: Some(shown), ..report })
    }

    /// Returns the items of the observation `shown` that may still be shown, and its purpose.
    fn shown_by(
        &self,
        caller: &Caller,
        shown: RecordId,
    ) -> Result<(Vec<RecordId>, Option<Purpose>), Error> {
        let no_showing = || Error::NoShowing { id: shown };
        if shown.seq > self.refresh()?.seq {
            return Err(no_showing());
        }
        let record = self.log.read(shown.seq)?;
        let body = body_of(&record).ok().flatten().filter(|_| record.id() == shown);
        let Some(Body { envelope, event: Event::Memory(MemoryEvent::Surfaced(surfaced)) }) = body
        else {
            return Err(no_showing());
        };
        if !sees_event(&caller.scope, &envelope.scope) {
            return Err(no_showing());
        }
        // What was only said again, or shown elsewhere, answered nothing that could do well.
        let Some(receipt) = surfaced.receipt else { return Err(Error::NoCheckout { id: shown }) };
        let now = self.instant(caller);
        self.read(|state| {
            let shown = |id: &&RecordId| {
                state.memory.authority(id.seq, now).is_some_and(Authority::is_shown)
            };
            Ok(surfaced.targets.iter().filter(shown).copied().collect())
        })
        .map(|targets| (targets, receipt.purpose.parse().ok()))
    }
}
