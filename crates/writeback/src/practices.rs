//! Ways of doing something that jobs told of: counted, and proposed as procedures.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use memlith::log::Taught;
use memlith::log::{Event, JobEvent, Link, LinkKind, decode};
use memlith::procedures::ProposedProcedure;
use memlith::procedures::{Call, Confidence, Mined, MinedStanding, MinedStep, ProcedureId, Trials};
use memlith::read::OwnStatus;
use memlith::storage::Durability;
use memlith::transaction::{State, redacted};
use memlith::write::{TaskReport, TaskResult, Via};
use memlith::{Authority, Digest, Error, RecordId, Scope, Seq, Timestamp};
use memlith_queues::{Job, Practice};

use crate::Pattern;
use crate::queue::{JobQueue, worker};

/// A way of doing something that jobs told of, and how it was told last.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedPractice {
    /// How often, and how it went.
    pub practice: Practice,
    /// The scope of the session that told of it last.
    pub scope: Scope<'static>,
    /// The last telling of it.
    pub taught: Taught<'static>,
}

/// The version of how it counts.
const VERSION: u32 = 1;

impl JobQueue<'_> {
    /// Writes down that a job was told of a way of doing something; where it went well often
    /// enough, proposes it as a procedure, or reports how the one went that has the same verbs.
    ///
    /// Whether there was anything to write down.
    pub(crate) fn teach_practice(
        &self,
        job: Job,
        scope: &Scope<'static>,
        pattern: &Pattern,
    ) -> Result<bool, Error> {
        let taught = taught_of(job, pattern);
        if taught.steps.is_empty() {
            return Ok(false);
        }
        let taught = self.note_taught(scope, taught, &pattern.evidence)?;
        let identity = Practice::identity(scope.cell(), &taught);
        if self.report_on_mined(scope, &taught, &pattern.evidence)? {
            return Ok(true);
        }
        let proposed = self.ledger.read(|state| {
            let practice = state.jobs().practice(identity).filter(Practice::is_proven);
            practice.map(|practice| self.proposal(state, practice, &taught)).transpose()
        })?;
        if let Some(proposed) = proposed {
            let mut caller = worker(scope);
            caller.via = Via::Hook;
            // Known, turned down, or of one session alone: it stays what is counted.
            let _: MinedStanding = self.ledger.propose_procedure(&caller, &proposed)?;
        }
        Ok(true)
    }

    /// Lists the practices that jobs told of, of all scopes, most worth at `now` first.
    ///
    /// Cost: a row and a body for each.
    ///
    /// # Errors
    /// The log's.
    pub fn practices(&self, now: Timestamp) -> Result<Vec<ListedPractice>, Error> {
        let mut known: Vec<Practice> =
            self.ledger.read(|state| Ok(state.jobs().practices().collect()))?;
        known.sort_by_key(|one| (Reverse(one.strength_at(now)), one.last));
        let mut listed = Vec::new();
        for practice in known {
            let told = self.taught_at(practice.last)?;
            listed.extend(told.map(|(scope, taught)| ListedPractice { practice, scope, taught }));
        }
        Ok(listed)
    }

    /// One append, unless this job told of it already; what is written, without secrets.
    fn note_taught(
        &self,
        scope: &Scope<'static>,
        taught: Taught<'static>,
        evidence: &[RecordId],
    ) -> Result<Taught<'static>, Error> {
        let caller = worker(scope);
        let event = redacted(Event::Job(JobEvent::Taught(taught)), &caller);
        let Event::Job(JobEvent::Taught(written)) = &event else {
            return Ok(Taught::default());
        };
        let (identity, job) = (Practice::identity(scope.cell(), written), written.job);
        let link = |id: &RecordId| Link { kind: LinkKind::RestsOn, target: *id };
        let links: Vec<Link> = evidence.iter().map(link).collect();
        self.ledger.transaction(|tx| {
            if !tx.state().jobs().has_told(identity, job) {
                tx.append(&caller, links.clone(), event.clone(), Durability::Buffered)?;
            }
            Ok(())
        })?;
        Ok(written.clone())
    }

    /// Where a procedure with the same verbs was mined, that is what it is evidence for:
    /// reports how it went, if that was seen. Whether there is one.
    fn report_on_mined(
        &self,
        scope: &Scope<'static>,
        taught: &Taught<'_>,
        evidence: &[RecordId],
    ) -> Result<bool, Error> {
        let steps = taught.steps.iter().flat_map(|step| Call::steps("sh", step));
        let verbs: Vec<String> = steps.map(|call| call.verb).collect();
        let identity = Digest(ProcedureId::of(verbs.iter().map(String::as_str)).0);
        let mined = self.ledger.read(|state| {
            let last = state.memory().procedures(scope.cell(), identity).last();
            Ok(last.map(|seq| (seq, state.memory().authority(seq, self.ledger.now()))))
        })?;
        let Some((seq, authority)) = mined else { return Ok(false) };
        let (Some(went_well), Some(Authority::Active)) = (taught.verified, authority) else {
            return Ok(true);
        };
        let target = self.ledger.record(seq)?.id();
        let result = if went_well { TaskResult::Success } else { TaskResult::Failure };
        self.teach_report(
            scope,
            evidence,
            TaskReport { targets: vec![target], result, verified: true, ..TaskReport::default() },
        )?;
        Ok(true)
    }

    /// A practice as a procedure for review: resting on what all its tellings rest on.
    fn proposal(
        &self,
        state: &State,
        practice: Practice,
        taught: &Taught<'_>,
    ) -> Result<ProposedProcedure, Error> {
        let mut rests_on = BTreeSet::new();
        for seq in state.jobs().tellings(practice.identity) {
            let record = self.ledger.record(seq)?;
            let Some(body) = decode(&record).ok().flatten() else { continue };
            let stands = |id: &RecordId| {
                state.memory().item(id.seq).is_some_and(|item| {
                    item.id == *id && item.is_record() && item.own == OwnStatus::Active
                })
            };
            let found: Vec<RecordId> =
                body.envelope.linked(LinkKind::RestsOn).filter(stands).collect();
            if rests_on.len() + found.len() > ProposedProcedure::SOURCES_MAX {
                break;
            }
            rests_on.extend(found);
        }
        let mined = mined_of(&practice, taught);
        Ok(ProposedProcedure { mined, rests_on: rests_on.into_iter().collect() })
    }

    fn taught_at(&self, seq: Seq) -> Result<Option<(Scope<'static>, Taught<'static>)>, Error> {
        let record = self.ledger.record(seq)?;
        let body = decode(&record).ok().flatten();
        Ok(body.and_then(|body| {
            let Event::Job(JobEvent::Taught(taught)) = body.event else { return None };
            Some((body.envelope.scope.into_owned(), taught.into_owned()))
        }))
    }
}

fn taught_of(job: Job, pattern: &Pattern) -> Taught<'static> {
    let texts = |list: &[String]| list.iter().map(|text| text.clone().into()).collect();
    Taught {
        job: job.id,
        name: pattern.name.clone().into(),
        trigger: pattern.trigger.clone().into(),
        preconditions: texts(&pattern.preconditions),
        steps: texts(&pattern.steps),
        gotchas: texts(&pattern.gotchas),
        success_criteria: texts(&pattern.success_criteria),
        verified: pattern.verified,
    }
}

/// Makes the procedure to be proposed: under its name, else its trigger, else its first step.
fn mined_of(practice: &Practice, taught: &Taught<'_>) -> Mined<'static> {
    let blank = |text: &str| text.trim().is_empty();
    let titles = [Some(&taught.name), Some(&taught.trigger), taught.steps.first()];
    let title = titles.into_iter().flatten().find(|text| !blank(text));
    let step = |text: &memlith::log::Text<'_>| MinedStep {
        verb: text.clone().into_owned(),
        parameters: "".into(),
    };
    let trials = Trials { succeeded: practice.succeeded, failed: practice.failed };
    // No verb begins so: it is the identity of no procedure that is mined.
    let key: String = practice.identity.0.iter().map(|byte| format!("{byte:02x}")).collect();
    let identity = format!("\0practice {key}");
    Mined {
        title: title.cloned().unwrap_or_default().into_owned(),
        identity: Digest(ProcedureId::of([identity.as_str()]).0),
        steps: taught.steps.iter().map(step).collect(),
        support: practice.seen,
        complete: practice.seen,
        succeeded: practice.succeeded,
        failed: practice.failed,
        confidence: Confidence::of(trials).0,
        required: Mined::REQUIRED_LEAST,
        method: Practice::METHOD.into(),
        version: VERSION,
        ..Mined::default()
    }
}
