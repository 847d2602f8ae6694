//! Writing down what a job taught: as memories, a report, and proposals.

use memlith::log::{Applied, decode};
use memlith::read::{ListOf, Listing};
use memlith::write::{IdempotencyKey, TaskReport, Via};
use memlith::{Caller, Error, Origin, Rank, RecordId, Remember, Scope};
use memlith_queues::Job;
use memlith_text::normalised;

use crate::cue::without_openers;
use crate::queue::JobQueue;
use crate::session::{Evidence, Speaker};
use crate::{Extraction, Pattern, Statement, TaskOutcome};

/// Trust cap of what is lifted out of a turn: as much as of what is read, and no more.
const TIER_CAP: u8 = 3;

/// The newest memories of a session that a statement is compared with.
const COMPARED: usize = 64;

impl JobQueue<'_> {
    /// Writes down what was found.
    pub(crate) fn teach(
        &self,
        job: Job,
        scope: &Scope<'static>,
        evidence: &Evidence,
        found: &Extraction,
    ) -> Result<Applied, Error> {
        let mut applied = Applied { job: job.id, ..Applied::default() };
        // What people say of themselves follows them into every project.
        let own = Scope { subject: None, ..scope.clone() };
        let facts = found.facts.iter().map(|fact| (scope, fact));
        for (into, statement) in facts.chain(found.user_facts.iter().map(|fact| (&own, fact))) {
            if self.teach_statement((into, scope), evidence, statement)? {
                applied.memories = applied.memories.saturating_add(1);
            } else {
                applied.dropped = applied.dropped.saturating_add(1);
            }
        }
        for pattern in &found.patterns {
            let text = in_words(pattern);
            let evidence_ids = pattern.evidence.clone();
            let statement = Statement { text, evidence: evidence_ids, lifted: false };
            let is_new = self.teach_practice(job, scope, pattern)?;
            if self.teach_statement((scope, scope), evidence, &statement)? || is_new {
                applied.procedures = applied.procedures.saturating_add(1);
            } else {
                applied.dropped = applied.dropped.saturating_add(1);
            }
        }
        if let Some(outcome) = &found.outcome {
            applied.outcome = self.teach_outcome(scope, evidence, outcome)?;
            if outcome.worded {
                let text = outcome.summary.clone();
                let episode = Statement { text, evidence: outcome.evidence.clone(), lifted: false };
                if self.teach_statement((scope, scope), evidence, &episode)? {
                    applied.memories = applied.memories.saturating_add(1);
                }
            }
        }
        let dropped = found.dropped.total();
        applied.dropped = applied.dropped.saturating_add(dropped);
        Ok(applied)
    }

    /// Writes one statement, unless somebody declared it wrong, or it was erased.
    fn teach_statement(
        &self,
        (scope, sources): (&Scope<'static>, &Scope<'static>),
        evidence: &Evidence,
        statement: &Statement,
    ) -> Result<bool, Error> {
        let speaker = statement.evidence.last().and_then(|turn| evidence.speakers.get(turn));
        let Some(speaker) = speaker else { return Ok(false) };
        let mut caller = self.voice(scope, speaker, statement);
        caller.sources = Some(sources.clone());
        if self.stands_with_opener(&caller, statement)? {
            return Ok(false);
        }
        let metadata = self.describe.map(|describe| describe(scope, &statement.text));
        let mut said = Remember::new(statement.text.as_str()).rests_on(statement.evidence.clone());
        said.metadata = metadata.unwrap_or_default();
        match self.ledger.remember_new(&caller, said) {
            Ok(_) => Ok(true),
            Err(Error::Rejected(_) | Error::KeyReused { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a memory of the session says the same behind an opener ("No, we use pnpm"): a
    /// prompt's correction is kept at once.
    fn stands_with_opener(&self, caller: &Caller, statement: &Statement) -> Result<bool, Error> {
        let session = caller.scope.session.as_ref().map(ToString::to_string);
        let listing =
            Listing { what: ListOf::Memories, session, limit: COMPARED, ..Listing::default() };
        let own = normalised(&statement.text);
        for one in self.ledger.list(caller, &listing)?.items {
            let Some(body) = decode(&one.record)? else { continue };
            let Some(text) = body.event.item_text() else { continue };
            if normalised(&text) != own && normalised(without_openers(&text)) == own {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Chooses the voice of a statement: the speaker's where it stands so in the turn, else
    /// derived.
    fn voice(&self, scope: &Scope<'static>, speaker: &Speaker, statement: &Statement) -> Caller {
        let rank = match speaker.origin {
            Origin::User if statement.lifted => Rank::User,
            Origin::User
            | Origin::Assistant
            | Origin::Tool
            | Origin::Web
            | Origin::File
            | Origin::Derived => Rank::Assistant,
        };
        let mut caller = Caller::new("", &speaker.name, rank);
        caller.scope = scope.clone();
        caller.origin = Some(if statement.lifted { speaker.origin } else { Origin::Derived });
        caller.via = Via::Hook;
        caller.tier_cap = Some(TIER_CAP);
        caller.now = Some(speaker.occurred_at.min(self.ledger.now()));
        let turns: Vec<String> = statement.evidence.iter().map(ToString::to_string).collect();
        let mut parts = vec!["writeback", statement.text.as_str()];
        parts.extend(turns.iter().map(String::as_str));
        caller.key = Some(IdempotencyKey::of(&parts));
        caller
    }

    /// Reports how the session's task ended, of what it was shown, or where that is nothing of the
    /// turns that say so; whether there was anything.
    fn teach_outcome(
        &self,
        scope: &Scope<'static>,
        evidence: &Evidence,
        outcome: &TaskOutcome,
    ) -> Result<bool, Error> {
        let is_shown = !evidence.shown.is_empty();
        let of = if is_shown { &evidence.shown } else { &outcome.evidence };
        let report = TaskReport {
            targets: of.clone(),
            result: outcome.result,
            // A turn that says how it went did neither well nor badly itself.
            verified: outcome.verified && is_shown,
            note: Some(outcome.summary.clone()).filter(|note| !note.is_empty()),
            ..TaskReport::default()
        };
        self.teach_report(scope, &outcome.evidence, report)
    }

    /// Reports an outcome as the session's assistant, of these targets by these turns once.
    pub(crate) fn teach_report(
        &self,
        scope: &Scope<'static>,
        evidence: &[RecordId],
        report: TaskReport,
    ) -> Result<bool, Error> {
        let mut caller = Caller::new("", "assistant", Rank::Assistant);
        caller.scope = scope.clone();
        caller.via = Via::Hook;
        let about: Vec<String> =
            evidence.iter().chain(&report.targets).map(ToString::to_string).collect();
        let mut parts = vec!["writeback", "outcome"];
        parts.extend(about.iter().map(String::as_str));
        caller.key = Some(IdempotencyKey::of(&parts));
        match self.ledger.report(&caller, report) {
            Ok(_) => Ok(true),
            // What was shown may be gone meanwhile, or was nothing that does well or badly.
            Err(Error::Rejected(_) | Error::KeyReused { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// A pattern as a text that is found by what it is for: derived, as a model worded it.
fn in_words(pattern: &Pattern) -> String {
    let mut text = pattern.name.clone();
    let mut say = |label: &str, words: &str| {
        if !words.is_empty() {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(label);
            text.push_str(words);
        }
    };
    say("When: ", &pattern.trigger);
    say("Before: ", &pattern.preconditions.join("; "));
    for (number, step) in (1..).zip(&pattern.steps) {
        say(&format!("{number}. "), step);
    }
    say("Mind: ", &pattern.gotchas.join("; "));
    say("Done when: ", &pattern.success_criteria.join("; "));
    text
}
