//! The turns of a session, as evidence.

use std::collections::BTreeMap;

use memlith::log::{Event, MemoryEvent, TurnEvent, decode};
use memlith::read::Key;
use memlith::transaction::State;
use memlith::{Error, Origin, RecordId, Scope, Seq, Timestamp};
use memlith_queues::Job;

use crate::queue::JobQueue;
use crate::{Turn, What};

/// The evidence that a job has to go by.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// The turns, oldest first.
    pub(crate) turns: Vec<Turn>,
    /// Speaker of each turn, and when it was said.
    pub(crate) speakers: BTreeMap<RecordId, Speaker>,
    /// Items of the ledger that the session was shown in that time, each once, ascending.
    pub(crate) shown: Vec<RecordId>,
}

/// Speaker of a turn, and when it was said.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) occurred_at: Timestamp,
}

/// The first and last record that a session gained since its last job.
pub(crate) fn gained(state: &State, scope: &Scope<'_>, session: Key) -> Option<(Seq, Seq)> {
    let through = state.jobs().session(session).map_or(Seq::GENESIS, |known| known.through);
    let end = state.recall().session_end(scope.room(), session)?;
    let new = state.recall().back_from(end).take_while(|seq| *seq > through);
    let is_record = |seq: &Seq| state.memory().item(*seq).is_some_and(|item| item.is_record());
    // Memories are not what a session gains: they were made of its turns.
    let mut records = new.filter(is_record);
    let last = records.next().or((through > Seq::GENESIS).then_some(through))?;
    Some((records.last().unwrap_or(last), last))
}

impl JobQueue<'_> {
    /// The turns of a job that are there and stand, and what its session was shown meanwhile.
    ///
    /// Cost: the session's items since the job's first record, and the bodies of those of the
    /// job.
    pub(crate) fn evidence(&self, job: Job, scope: &Scope<'static>) -> Result<Evidence, Error> {
        let (seqs, before) = self.ledger.read(|state| {
            let end = state.recall().session_end(scope.room(), job.session);
            let items = end.into_iter().flat_map(|end| state.recall().back_from(end));
            let mut items = items.peekable();
            let within: Vec<Seq> =
                std::iter::from_fn(|| items.next_if(|seq| *seq >= job.first)).collect();
            let before = items.next();
            let stands = |seq: &Seq| {
                let item = state.memory().item(*seq).filter(|item| item.is_record());
                let now = self.ledger.now();
                item.is_some()
                    && state.memory().authority(*seq, now).is_some_and(|it| it.is_shown())
            };
            let within = within.into_iter().filter(|seq| *seq <= job.last);
            Ok((within.filter(stands).collect::<Vec<Seq>>(), before))
        })?;
        let mut evidence = Evidence::default();
        for seq in seqs.into_iter().rev() {
            self.take_turn(seq, &mut evidence)?;
        }
        // A hook shows before the prompt that it is for is written down.
        let from = before.map_or(Seq::GENESIS, |seq| Seq(seq.0 + 1));
        evidence.shown = self.shown_to((from, job.last), scope)?;
        Ok(evidence)
    }

    fn take_turn(&self, seq: Seq, evidence: &mut Evidence) -> Result<(), Error> {
        let record = self.ledger.record(seq)?;
        let Some(body) = decode(&record).ok().flatten() else { return Ok(()) };
        let Event::Turn(event) = body.event else { return Ok(()) };
        let envelope = body.envelope;
        let what = match event {
            // What a client put there is nobody's word.
            TurnEvent::Said(said) if said.context => return Ok(()),
            TurnEvent::Said(said) => match envelope.origin {
                Origin::User => What::User(said.text.to_string()),
                Origin::Assistant => What::Assistant(said.text.to_string()),
                Origin::Tool | Origin::Web | Origin::File | Origin::Derived => return Ok(()),
            },
            TurnEvent::ToolRan(ran) => What::Tool {
                name: ran.tool.to_string(),
                arguments: ran.arguments.to_string(),
                output: ran.output.to_string(),
                ok: ran.ok.or(ran.exit_code.map(|code| code == 0)),
            },
        };
        let (id, occurred_at) = (record.id(), envelope.occurred_at);
        let name = envelope.actor.name.to_string();
        evidence.speakers.insert(id, Speaker { name, origin: envelope.origin, occurred_at });
        evidence.turns.push(Turn { id, occurred_at, what });
        Ok(())
    }

    /// Lists the items that the scope's session was shown between two records.
    ///
    /// Cost: the records between them, whoever's they are, at most [`SHOWN_WITHIN`].
    fn shown_to(
        &self,
        (first, last): (Seq, Seq),
        scope: &Scope<'static>,
    ) -> Result<Vec<RecordId>, Error> {
        let mut shown = Vec::new();
        let first = Seq(first.0.max(last.0.saturating_sub(SHOWN_WITHIN)));
        for record in self.ledger.records(first, Some(last.0 - first.0 + 1))? {
            let record = record?;
            if record.kind != memlith::log::Kind::SURFACED.number {
                continue;
            }
            let Some(body) = decode(&record).ok().flatten() else { continue };
            let Event::Memory(MemoryEvent::Surfaced(surfaced)) = body.event else { continue };
            if body.envelope.scope.session == scope.session
                && body.envelope.scope.cell() == scope.cell()
            {
                shown.extend(surfaced.targets);
            }
        }
        shown.sort_unstable();
        shown.dedup();
        Ok(shown)
    }
}

/// Showings are looked for among so many records before the end of a job.
const SHOWN_WITHIN: u64 = 4_096;
