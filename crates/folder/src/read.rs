//! Reads from a ledger what a folder is rendered from.

use std::collections::{BTreeMap, BTreeSet};

use memlith::log::{
    Decided, Event, LinkKind, MemoryEvent, OutcomeEvent, ReconcileEvent, SessionEvent, TurnEvent,
};
use memlith::procedures::Mined;
use memlith::read::{Statement as Said, Walked, WalkedItem, newer_of};
use memlith::write::{Outcome, TaskResult};
use memlith::{AsOf, Authority, Caller, Ledger, Origin, RecordId, Timestamp};

use crate::error::Error;
use crate::inputs::{Class, Ending, Inputs, Part, Procedure, Request, Session, Statement, Work};
use crate::named::Named;
use crate::runs::Runs;
use crate::sorting::{family_of, part_of};

/// The most requests that are kept of a session, and the most bytes of each.
const REQUESTS_MAX: usize = 200;
const REQUEST_BYTES: usize = 2_000;

/// Sessions and records met on the way through the log.
#[derive(Debug, Default)]
struct Found {
    sessions: BTreeMap<String, Met>,
    /// The session in which a record happened, and when it did.
    home: BTreeMap<RecordId, (String, Timestamp)>,
    statements: Vec<Statement>,
    /// The words of each statement, to be compared with the others.
    said: BTreeMap<String, Said>,
    procedures: Vec<Procedure>,
    /// How each memory that was met stood.
    rows: BTreeMap<RecordId, Authority>,
    restatements: Vec<(RecordId, Statement)>,
}

/// A session, as far as it was met.
#[derive(Debug, Default)]
struct Met {
    session: Session,
    first: Option<RecordId>,
    runs: Runs,
    named: Named,
}

/// Reads what the caller's scope sees of a ledger at a position: the memories that stand, what
/// they rest on, the sessions, and the procedures that were accepted.
///
/// What waits for review, was superseded, withdrawn or erased is not among it. A memory that
/// rests on no session is one of the notes of its project. Nothing is written: reading moves no
/// salience.
///
/// Cost: a pass over the log.
///
/// # Errors
/// [`Error::Ledger`].
pub fn read(ledger: &Ledger, caller: &Caller, as_of: Option<AsOf>) -> Result<Inputs, Error> {
    let (view, mut found) =
        ledger.walk(caller, as_of, |found: &mut Found, walked| found.take(&walked))?;
    found.settle();
    let mut inputs = Inputs { view, statements: found.statements, ..Inputs::default() };
    inputs.procedures = found.procedures;
    let supporting: BTreeSet<&str> = inputs
        .statements
        .iter()
        .flat_map(|one| &one.threads)
        .chain(inputs.procedures.iter().flat_map(|one| &one.threads))
        .map(String::as_str)
        .collect();
    for (thread, mut met) in found.sessions {
        let is_told = supporting.contains(thread.as_str()) || !met.session.requests.is_empty();
        if let Some(first) = met.first.filter(|_| is_told) {
            // The ledger doesn't know where a transcript lies. A record's id would differ from one
            // order of imports to the next.
            met.session.transcript = format!("memlith:session/{thread}");
            met.session.first = ledger.cite(first).to_string();
            inputs.sessions.push(met.finish());
        }
    }
    Ok(inputs)
}

impl Found {
    fn take(&mut self, walked: &Walked<'_>) {
        let envelope = &walked.body.envelope;
        // What a session keeps to itself is for no other.
        if envelope.scope.session_only {
            return;
        }
        // A sub-agent's session is a part of another.
        let session = envelope.scope.session.as_deref();
        let session =
            session.and_then(|name| name.split('/').next()).filter(|name| !name.is_empty());
        if let Some(thread) = session {
            let met = self.met(thread, envelope.scope.subject.as_deref());
            if let Event::Session(SessionEvent::Started(started)) = &walked.body.event {
                if let Some(directory) = &started.directory {
                    met.session.directory = directory.to_string();
                }
                met.session.branch = started.branch.as_ref().map(|one| one.to_string());
                if let Some(title) = started.title.as_ref().filter(|_| started.parent.is_none()) {
                    met.session.title = title.to_string();
                }
            }
        }
        if let Event::Outcome(OutcomeEvent::Reported(reported)) = &walked.body.event
            && let Some(thread) = session
        {
            self.met(thread, None).session.outcome = ending(reported.result);
        }
        if let Event::Reconcile(ReconcileEvent::Decided(decided)) = &walked.body.event {
            self.restated(walked, decided, session);
        }
        let Some(item) = &walked.item else { return };
        if !item.item.is_record() {
            self.rows.insert(item.item.id, item.authority);
        }
        if !item.authority.is_shown() {
            return;
        }
        if let Some(thread) = session {
            self.home.insert(item.item.id, (thread.to_owned(), envelope.occurred_at));
            let met = self.met(thread, None);
            met.first.get_or_insert(item.item.id);
            met.session.updated_at = met.session.updated_at.max(envelope.occurred_at);
            met.turn(&walked.body.event, item);
        }
        match &walked.body.event {
            Event::Memory(MemoryEvent::Remembered(remembered)) => {
                let is_personal = envelope.scope.subject.is_none();
                let part = part_of(&remembered.text, item.item.origin, is_personal);
                let scope = (session, envelope.scope.subject.as_deref());
                self.said(item, &remembered.text, &envelope.actor.name);
                self.statement(item, part, remembered.text.to_string(), scope);
            }
            Event::Procedure(memlith::log::ProcedureEvent::Mined(mined)) => {
                let scope = (session, envelope.scope.subject.as_deref());
                self.procedure(item, mined, scope);
            }
            Event::Turn(_)
            | Event::Memory(_)
            | Event::Session(_)
            | Event::Outcome(_)
            | Event::Reconcile(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Compaction(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_)
            | Event::Foreign(_) => {}
        }
    }

    fn met(&mut self, thread: &str, project: Option<&str>) -> &mut Met {
        let met = self.sessions.entry(thread.to_owned()).or_insert_with(|| Met {
            session: Session {
                thread: thread.to_owned(),
                updated_at: Timestamp(i64::MIN),
                ..Session::default()
            },
            ..Met::default()
        });
        if met.session.project.is_empty() {
            project.unwrap_or_default().clone_into(&mut met.session.project);
        }
        if met.session.directory.is_empty() {
            project.unwrap_or_default().clone_into(&mut met.session.directory);
        }
        met
    }

    fn statement(
        &mut self,
        item: &WalkedItem,
        part: Part,
        text: String,
        (session, project): (Option<&str>, Option<&str>),
    ) {
        // What is outdated stands, but rests on what has a newer value.
        if item.authority == Authority::Outdated || item.item.is_summary() {
            return;
        }
        let threads = self.threads(item, session, project);
        let newest = item.rests_on.iter().filter_map(|id| self.home.get(id)).map(|(_, at)| *at);
        let at = newest.max().unwrap_or(item.item.occurred_at);
        self.statements.push(Statement {
            id: item.item.id.to_string(),
            part,
            text,
            threads,
            at,
            class: class_of(item),
            is_contested: item.authority == Authority::Contested,
            newer: None,
            evidence: item.rests_on.iter().map(ToString::to_string).collect(),
        });
    }

    /// Takes in a write that said again what a memory says: its sources support that memory too.
    fn restated(&mut self, walked: &Walked<'_>, decided: &Decided<'_>, session: Option<&str>) {
        let target = match &decided.outcome {
            Outcome::Restated(target) | Outcome::Revived(target) => *target,
            Outcome::Added
            | Outcome::Superseded(_)
            | Outcome::Corrected(_)
            | Outcome::Skipped
            | Outcome::Settled(_)
            | Outcome::Reopened(_)
            | Outcome::Proposed(_)
            | Outcome::Disputed(_) => return,
        };
        let envelope = &walked.body.envelope;
        let sources: Vec<RecordId> = envelope.linked(LinkKind::RestsOn).collect();
        let standing: Vec<&RecordId> =
            sources.iter().filter(|id| self.home.contains_key(id)).collect();
        let homes = standing.iter().filter_map(|id| self.home.get(id));
        let mut threads: Vec<String> = homes.clone().map(|(thread, _)| thread.clone()).collect();
        if sources.is_empty() {
            threads.extend(session.map(str::to_owned));
        }
        threads.sort();
        threads.dedup();
        let statement = Statement {
            id: walked.record.id().to_string(),
            part: part_of(&decided.text, envelope.origin, envelope.scope.subject.is_none()),
            text: decided.text.to_string(),
            threads,
            at: homes.map(|(_, at)| *at).max().unwrap_or(envelope.occurred_at),
            evidence: standing.into_iter().map(ToString::to_string).collect(),
            ..Statement::default()
        };
        if !statement.threads.is_empty() {
            self.restatements.push((target, statement));
        }
    }

    /// Gives what was said again to the memory that says it; where that is gone with its sources,
    /// and not because it was wrong, the words stand by themselves.
    fn settle(&mut self) {
        let places: BTreeMap<String, usize> =
            self.statements.iter().enumerate().map(|(at, one)| (one.id.clone(), at)).collect();
        for (target, again) in std::mem::take(&mut self.restatements) {
            let place = places.get(&target.to_string());
            if let Some(had) = place.and_then(|place| self.statements.get_mut(*place)) {
                had.at = had.at.max(again.at);
                had.threads.extend(again.threads);
                had.threads.sort();
                had.threads.dedup();
                had.evidence.extend(again.evidence);
            } else if matches!(self.rows.get(&target), None | Some(Authority::Stale))
                && !again.text.is_empty()
            {
                self.statements.push(again);
            }
        }
        self.statements.retain(|one| !one.threads.is_empty());
        self.mark_older();
    }

    /// Takes in a memory's words, to be compared with others.
    fn said(&mut self, item: &WalkedItem, text: &str, speaker: &str) {
        let item = &item.item;
        let (text, speaker) = (text.to_owned(), speaker.to_owned());
        let when = (item.occurred_at, item.id.seq);
        let said = Said { id: item.id, text, speaker, when, guard: item.guard };
        self.said.insert(item.id.to_string(), said);
    }

    fn mark_older(&mut self) {
        let said: Vec<Said> =
            self.statements.iter().filter_map(|one| self.said.get(&one.id).cloned()).collect();
        let newer = newer_of(&said)
            .into_iter()
            .zip(&said)
            .filter_map(|(at, old)| Some((old.id.to_string(), said.get(at?)?.id.to_string())));
        let newer: BTreeMap<String, String> = newer.collect();
        for one in &mut self.statements {
            one.newer = newer.get(&one.id).cloned();
        }
    }

    /// The sessions that support an item: those of what it rests on, else its own, else the
    /// notes of its project.
    fn threads(
        &mut self,
        item: &WalkedItem,
        session: Option<&str>,
        project: Option<&str>,
    ) -> Vec<String> {
        // What is left of its support are those who said it again.
        if item.is_orphaned {
            return Vec::new();
        }
        let homes = item.rests_on.iter().filter_map(|id| self.home.get(id));
        let mut threads: Vec<String> = homes.map(|(thread, _)| thread.clone()).collect();
        if let Some(session) = session.filter(|_| threads.is_empty()) {
            threads.push(session.to_owned());
        }
        if threads.is_empty() {
            let thread = format!("notes-{}", project.unwrap_or("all"));
            let met = self.met(&thread, project);
            met.first.get_or_insert(item.item.id);
            met.session.updated_at = met.session.updated_at.max(item.item.occurred_at);
            met.session.title = "What was noted by hand".to_owned();
            met.session.outcome = Ending::Success;
            threads.push(thread);
        }
        threads.sort();
        threads.dedup();
        threads
    }

    fn procedure(
        &mut self,
        item: &WalkedItem,
        mined: &Mined<'_>,
        (session, project): (Option<&str>, Option<&str>),
    ) {
        if item.authority != Authority::Active {
            return;
        }
        let verbs: Vec<&str> = mined.steps.iter().map(|step| step.verb.as_str()).collect();
        if mined.failed > mined.succeeded {
            let (failed, went_well) = (mined.failed, mined.succeeded);
            let told = verbs.join("`, then `");
            let text = format!("`{told}` failed in {failed} sessions and went well in {went_well}");
            self.statement(item, Part::Failure, text, (session, project));
            return;
        }
        let threads = self.threads(item, session, project);
        self.procedures.push(told(item.item.id, mined, threads));
    }
}

/// A procedure as a skill tells it.
fn told(id: RecordId, mined: &Mined<'_>, threads: Vec<String>) -> Procedure {
    let skill = memlith::procedures::Skill::of(mined, None, &[], &|_| None);
    let step = |step: &memlith::procedures::MinedStep<'_>| {
        format!("{} {}", step.verb.as_str(), step.parameters.as_str()).trim_end().to_owned()
    };
    let pitfalls = skill.text.lines().skip_while(|line| !line.starts_with("## What failed"));
    let pitfalls = pitfalls.filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect();
    let steps: Vec<String> = mined.steps.iter().map(step).collect();
    let description = format!("Use it for {}: {}.", mined.title, steps.join(", then "));
    Procedure {
        id: id.to_string(),
        name: skill.name,
        description,
        steps,
        pitfalls,
        support: mined.support,
        succeeded: mined.succeeded,
        failed: mined.failed,
        threads,
    }
}

impl Met {
    fn turn(&mut self, event: &Event<'_>, item: &WalkedItem) {
        let Event::Turn(turn) = event else { return };
        match turn {
            TurnEvent::Said(said) => {
                if !said.context {
                    self.named.take(&said.text);
                }
                let is_request = item.item.origin == Origin::User && !said.context;
                if !is_request || said.text.trim().is_empty() {
                    return;
                }
                let text = said.text.trim();
                let end = text.floor_char_boundary(REQUEST_BYTES.min(text.len()));
                let text = text.get(..end).unwrap_or_default().to_owned();
                if self.session.title.is_empty() {
                    self.session.title.clone_from(&text);
                }
                if self.session.requests.len() < REQUESTS_MAX {
                    self.session.requests.push(Request { id: item.item.id.to_string(), text });
                }
            }
            TurnEvent::ToolRan(ran) => {
                let name = ran.tool.to_lowercase();
                let is_web =
                    ["web", "browser", "fetch", "search"].iter().any(|one| name.contains(one));
                let work = if is_web { Work::Browsing } else { Work::Coding };
                if self.session.work != Work::Coding {
                    self.session.work = work;
                }
                self.named.take(&ran.arguments);
                self.named.take(&ran.output);
                self.runs.take(ran);
            }
        }
    }

    fn finish(self) -> Session {
        let mut session = self.session;
        session.keywords = self.named.told();
        session.keywords.extend(self.runs.keywords());
        session.facts = self.runs.facts();
        session.family = family_of(&session.title);
        session
    }
}

fn ending(result: TaskResult) -> Ending {
    match result {
        TaskResult::Success => Ending::Success,
        TaskResult::Partial => Ending::Partial,
        TaskResult::Failure => Ending::Fail,
    }
}

fn class_of(item: &WalkedItem) -> Class {
    if item.item.is_pinned() {
        return Class::Pinned;
    }
    // A half more or less than at its birth.
    let [weaker, stronger] = [666_667, 1_500_000].map(memlith::read::Log2::of_millionths);
    match item.gained {
        gained if gained < weaker => Class::Faded,
        gained if gained >= stronger => Class::Used,
        _ => Class::Plain,
    }
}
