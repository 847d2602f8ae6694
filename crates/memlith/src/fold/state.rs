use std::ops::Range;
use std::sync::Arc;

use memlith_event::{Body, Content, DecodeError, Facts, Kind, Projection, SaliencePolicy, Stored};
use memlith_log::{Digest, FIRST_EVENT_KIND, LogEvent, Payload, Record, Seq};
use memlith_memory::Memory;
use memlith_queues::{Jobs, Outbox};
use memlith_recall::{Reading, Recall};
use memlith_salience::Salience;
use memlith_state::{CheckpointError, Sections, Tabular};

use crate::error::Error;
use crate::fold::span::{RunFile, Span};
use crate::fold::stride::{Stride, groups};

/// The version of the folds: a change of what any of them computes raises it, and
/// checkpoints of another version are not comparable.
pub const FOLD_VERSION: u32 = 17;

/// Everything that is folded from the log, up to one record.
///
/// Cloning is cheap: it is the snapshot that a reader works on.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub(crate) memory: Memory,
    pub(crate) salience: Salience,
    pub(crate) recall: Recall,
    pub(crate) jobs: Jobs,
    pub(crate) outbox: Outbox,
    /// The first record that is not folded in.
    pub(crate) next: Seq,
    /// The chain at the last one that is.
    pub(crate) chain: Digest,
    /// The last erasure that is honoured, genesis where there is none.
    pub(crate) epoch: Seq,
    /// The last record that a fold depends on: an event, or an erasure.
    pub(crate) last_event: Seq,
    /// The last record that a checkpoint covers, as far as this handle knows.
    pub(crate) covered: Seq,
    /// The bytes of the bodies that were folded in since.
    pub(crate) uncovered_len: u64,
    /// The first record that only newer software may write after.
    pub(crate) newer: Option<Seq>,
    /// The runs that all tables have, oldest first; what came after them is in overlays.
    pub(crate) spans: Vec<Span>,
    /// How the log is cut into what runs are made of.
    pub(crate) stride: Stride,
    /// Where this is a glance: the state that it was begun from, before the overlays that
    /// hold all that came after it, whatever strides that is.
    pub(crate) base: Option<Arc<State>>,
}

impl State {
    /// The rows of items, and what decides on writes.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The index.
    #[must_use]
    pub fn recall(&self) -> &Recall {
        &self.recall
    }

    /// The jobs of write-back.
    #[must_use]
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// The records on their way to other stores.
    #[must_use]
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// The state of nothing.
    pub(crate) fn empty(stride: Stride) -> State {
        State::under(SaliencePolicy::default(), stride)
    }

    /// The state of nothing, to be folded under `policy`.
    fn under(policy: SaliencePolicy, stride: Stride) -> State {
        State { salience: Salience::under(policy), stride, ..State::default() }
    }

    /// The state from which the log has to be folded again, where what came since `epoch`
    /// changes what the fold of every record before it is: an erasure, unless that was folded
    /// from the first record, or another policy of salience.
    pub(crate) fn retired(&self, epoch: Seq, fresh: bool) -> Option<State> {
        let policy = self.memory.salience_policy().0;
        let erased = self.epoch != epoch && !fresh;
        let chosen = policy != self.salience.policy();
        (erased || chosen).then(|| State::under(policy, self.stride))
    }

    /// Folds in the next record, with its text taken apart where that was done already.
    pub(crate) fn fold(&mut self, record: &Record, reading: Option<Reading>) {
        debug_assert_eq!(record.seq, self.next, "records are folded in order, each once");
        self.next = record.seq.next();
        let len = record.body().map_or(0, |body| body.len() as u64);
        self.uncovered_len = self.uncovered_len.saturating_add(len);
        self.chain = record.chain;
        if record.kind < FIRST_EVENT_KIND {
            self.note(record);
        } else {
            self.last_event = record.seq;
            let stored = stored(record);
            self.apply(&stored, reading);
        }
        let completes = self.stride.of(self.next) > self.stride.of(self.open_from());
        if completes && record.ends_batch() && self.base.is_none() {
            self.freeze();
        }
    }

    /// Takes note of a checkpoint up to the record `seq`.
    ///
    /// How long the bodies are that came after it isn't known where it isn't the end: then
    /// they count as none, and the next ones from here.
    pub(crate) fn cover(&mut self, seq: Seq) {
        if seq > self.covered {
            (self.covered, self.uncovered_len) = (seq, 0);
        }
    }

    /// Goes on without freezing what strides complete: for a process that answers a question
    /// and goes. Its answers are the same; its runs are not to be written.
    pub(crate) fn glance(&mut self) {
        self.base = Some(Arc::new(self.clone()));
    }

    /// Ends a glance: what came after the base has to be folded again.
    pub(crate) fn look(&mut self) {
        if let Some(base) = self.base.take() {
            *self = State::clone(&base);
        }
    }

    /// The first record that is in no run yet.
    fn open_from(&self) -> Seq {
        self.spans.last().map_or(Seq::GENESIS, |span| span.to.next())
    }

    /// Makes what is in no run yet a run, if there is anything.
    pub(crate) fn freeze(&mut self) {
        let from = self.open_from();
        if let Some(to) = self.next.previous().filter(|to| *to >= from) {
            self.memory.freeze();
            self.salience.freeze();
            self.recall.freeze();
            self.jobs.freeze();
            self.outbox.freeze();
            self.spans.push(Span { from, to, file: None });
        }
    }

    /// Which runs are to be one; see [`groups`].
    pub(crate) fn groups(&self) -> Vec<Range<usize>> {
        let starts: Vec<Seq> = self.spans.iter().map(|span| span.from).collect();
        groups(self.stride, &starts, self.open_from())
    }

    /// Merges the runs that are due, in memory. Changes no answer.
    pub(crate) fn merge(&mut self) {
        for group in self.groups().into_iter().rev().filter(|group| group.len() > 1) {
            let mut sections = self.sections(group.clone());
            let merged = self.replace(group, None, &mut sections);
            debug_assert!(merged.is_ok(), "what was just saved can be loaded");
        }
    }

    /// Puts one run in the place of these.
    pub(crate) fn replace(
        &mut self,
        runs: Range<usize>,
        file: Option<Arc<RunFile>>,
        sections: &mut Sections,
    ) -> Result<(), CheckpointError> {
        let spans = self.spans.get(runs.clone()).unwrap_or_default();
        if let [first, .., last] | [first @ last] = spans {
            let span = Span { from: first.from, to: last.to, file };
            self.replace_tables(runs.clone(), sections)?;
            self.spans.splice(runs, [span]);
        }
        Ok(())
    }

    /// Appends a run behind all others, to a state that holds nothing else.
    pub(crate) fn push(&mut self, file: Arc<RunFile>) -> Result<(), CheckpointError> {
        let mut sections = file.run.sections.clone();
        let at = self.spans.len();
        self.replace_tables(at..at, &mut sections)?;
        sections.finish()?;
        let (from, to) = (file.run.name.from, file.run.name.to);
        self.spans.push(Span { from, to, file: Some(file) });
        Ok(())
    }

    fn replace_tables(
        &mut self,
        runs: Range<usize>,
        sections: &mut Sections,
    ) -> Result<(), CheckpointError> {
        self.memory.replace(runs.clone(), sections)?;
        self.salience.replace(runs.clone(), sections)?;
        self.recall.replace(runs.clone(), sections)?;
        self.jobs.replace(runs.clone(), sections)?;
        self.outbox.replace(runs, sections)
    }

    /// The first file, by age, of which something read was not what its digest says:
    /// nothing that was computed from this state counts.
    pub(crate) fn damaged(&self) -> Option<&str> {
        let files = self.spans.iter().filter_map(|span| span.file.as_deref());
        files.filter(|file| file.run.is_damaged()).map(|file| file.file.as_str()).next()
    }

    /// Confirms that nothing which this state read was damaged.
    ///
    /// # Errors
    /// Which file is.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let seq = self.next.previous().unwrap_or_default();
        self.damaged().map_or(Ok(()), |file| {
            let source = CheckpointError::Damaged { file: file.to_owned() };
            Err(Error::Checkpoint { seq, source })
        })
    }

    /// Notes a record of the log's own; only one that takes bodies away changes what a fold is.
    fn note(&mut self, record: &Record) {
        let event = record.body().and_then(|body| LogEvent::decode(record.kind, body));
        if event.is_some_and(|(event, _)| event.takes_bodies()) {
            self.epoch = record.seq;
            self.last_event = record.seq;
        }
    }

    fn apply(&mut self, stored: &Stored<'_>, reading: Option<Reading>) {
        // Salience asks what an item was just before the event, so memory comes last.
        self.salience.apply(stored, &self.memory);
        match reading {
            Some(reading) => self.recall.apply_read(stored, reading),
            None => self.recall.apply(stored, &self.memory),
        }
        self.memory.apply(stored, &NoFacts);
        self.jobs.apply(stored, &NoFacts);
        self.outbox.apply(stored, &NoFacts);
    }

    /// Puts into the tables what was put off; changes no answer.
    pub(crate) fn settle(&mut self) {
        self.memory.settle();
        self.salience.settle();
        self.recall.settle();
        self.jobs.settle();
        self.outbox.settle();
    }

    /// Every table of every projection, in the order they are saved and digested in.
    pub(crate) fn tables(&self) -> Vec<&dyn Tabular> {
        let mut tables = self.memory.tables();
        tables.extend(self.salience.tables());
        tables.extend(self.recall.tables());
        tables.extend(self.jobs.tables());
        tables.extend(self.outbox.tables());
        tables
    }

    /// Returns the sections of these runs, taken together.
    pub(crate) fn sections(&self, runs: Range<usize>) -> Sections {
        let mut sections = Sections::default();
        self.memory.save(runs.clone(), &mut sections);
        self.salience.save(runs.clone(), &mut sections);
        self.recall.save(runs.clone(), &mut sections);
        self.jobs.save(runs.clone(), &mut sections);
        self.outbox.save(runs, &mut sections);
        sections
    }
}

/// A record as a fold sees it.
pub(crate) fn stored(record: &Record) -> Stored<'_> {
    let content = match &record.payload {
        Payload::Present { .. } => match body_of(record) {
            Ok(Some(body)) => Content::Event(Box::new(body)),
            Ok(None) | Err(_) => Content::Other,
        },
        Payload::Erased { .. } | Payload::Destroyed => Content::Erased(kind_of(record)),
    };
    Stored { id: record.id(), recorded_at: record.recorded_at, content }
}

/// The body of an event of the vocabulary; `None` for the log's own records and for
/// what was erased.
pub(crate) fn body_of(record: &Record) -> Result<Option<Body<'_>>, DecodeError> {
    let Some(bytes) = record.body().filter(|_| record.kind >= FIRST_EVENT_KIND) else {
        return Ok(None);
    };
    if record.codec != memlith_event::BODY_CODEC {
        return Err(DecodeError::UnknownKind { kind: kind_of(record) });
    }
    Body::decode(kind_of(record), bytes).map(Some)
}

pub(crate) fn kind_of(record: &Record) -> Kind {
    Kind { number: record.kind, version: record.kind_version }
}

struct NoFacts;

impl Facts for NoFacts {
    fn item(&self, _: Seq) -> Option<memlith_event::ItemFacts> {
        None
    }
}
