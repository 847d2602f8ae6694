use memlith_event::{Body, Content, DecodeError, Facts, Kind, Projection, Stored};
use memlith_log::{Digest, FIRST_EVENT_KIND, LogEvent, Payload, Record, Seq};
use memlith_memory::Memory;
use memlith_recall::Recall;
use memlith_salience::Salience;
use memlith_state::{CheckpointError, Sections, Tabular};

/// The version of the folds: a change of what any of them computes raises it, and
/// checkpoints of another version are not comparable.
pub const FOLD_VERSION: u32 = 1;

/// Everything that is folded from the log, up to one record.
///
/// Cloning is cheap: it is the snapshot that a reader works on.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) memory: Memory,
    pub(crate) salience: Salience,
    pub(crate) recall: Recall,
    /// The first record that is not folded in.
    pub(crate) next: Seq,
    /// The chain at the last one that is.
    pub(crate) chain: Digest,
    /// The last erasure that is honoured, genesis where there is none.
    pub(crate) epoch: Seq,
    /// The last record that a fold depends on: an event, or an erasure.
    pub(crate) last_event: Seq,
    /// The first record that only newer software may write after.
    pub(crate) newer: Option<Seq>,
}

impl State {
    /// Folds in the next record.
    pub(crate) fn fold(&mut self, record: &Record) {
        debug_assert_eq!(record.seq, self.next, "records are folded in order, each once");
        self.next = record.seq.next();
        self.chain = record.chain;
        if record.kind < FIRST_EVENT_KIND {
            self.note(record);
        } else {
            self.last_event = record.seq;
            let stored = stored(record);
            self.apply(&stored);
        }
    }

    /// Of the log's own records only an erasure changes what a fold is.
    fn note(&mut self, record: &Record) {
        let event = record.body().and_then(|body| LogEvent::decode(record.kind, body));
        if let Some((LogEvent::Erasure { .. }, _)) = event {
            self.epoch = record.seq;
            self.last_event = record.seq;
        }
    }

    fn apply(&mut self, stored: &Stored<'_>) {
        // Salience asks what an item was just before the event, so memory comes last.
        self.salience.apply(stored, &self.memory);
        self.recall.apply(stored, &self.memory);
        self.memory.apply(stored, &NoFacts);
    }

    /// Every table of every projection, in the order they are saved and digested in.
    pub(crate) fn tables(&self) -> Vec<&dyn Tabular> {
        let mut tables = self.memory.tables();
        tables.extend(self.salience.tables());
        tables.extend(self.recall.tables());
        tables
    }

    pub(crate) fn sections(&self) -> Sections {
        let mut sections = Sections::default();
        self.memory.save(&mut sections);
        self.salience.save(&mut sections);
        self.recall.save(&mut sections);
        sections
    }

    pub(crate) fn load(mut sections: Sections) -> Result<State, CheckpointError> {
        let mut state = State::default();
        state.memory.load(&mut sections)?;
        state.salience.load(&mut sections)?;
        state.recall.load(&mut sections)?;
        sections.finish()?;
        Ok(state)
    }

    /// BLAKE3 over the logical rows of all folds, in table and key order.
    ///
    /// Not over the ledger's id, genesis, seals, or how the rows are stored: a log that
    /// was exported and restored has the same digest.
    pub(crate) fn digest(&self) -> Digest {
        let mut hasher = blake3::Hasher::new_derive_key("memlith v1 replay");
        for table in self.tables() {
            table.each_row(&mut |name, row| {
                hasher.update(&(name.len() as u64).to_le_bytes());
                hasher.update(name.as_bytes());
                hasher.update(&(row.len() as u64).to_le_bytes());
                hasher.update(row);
            });
        }
        Digest(*hasher.finalize().as_bytes())
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
