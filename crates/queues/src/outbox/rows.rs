use memlith_event::Key;
use memlith_log::{Seq, Timestamp};
use memlith_state::{Fields, Row};

/// A record that is to be delivered, or one that was and is erased now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemRow {
    pub(crate) seq: Seq,
    /// The kind of record it is; of an erased note which one is not known any more.
    pub(crate) what: Deliverable,
    /// Whether it is erased: whoever has it is told so.
    pub(crate) gone: bool,
}

/// The kind of record that a sink is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Deliverable {
    /// A prediction and what came of it.
    PredictionResolved,
    /// A session that ended: its summary.
    SessionEnded,
    /// A mental model that was revised.
    ModelRevised,
    /// A basin that was strengthened.
    BasinStrengthened,
    /// A memory.
    Memory,
}

/// How a sink stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SinkRow {
    /// The sink, by its name.
    pub sink: Key,
    /// Everything up to this record was attempted.
    pub through: Seq,
    /// When the last attempt was recorded; 0 before the first.
    pub last: Timestamp,
    /// Nothing is sent before; where the sink could not be reached.
    pub not_before: Timestamp,
    /// Whether somebody paused it.
    pub paused: bool,
    /// The record by which somebody last paused or resumed it.
    pub switched: Seq,
    /// Items that were applied.
    pub applied: u64,
    /// Attempts, and those that failed in part or whole.
    pub attempts: u64,
    /// See `attempts`.
    pub failures: u64,
}

/// A record that was attempted and is not applied yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The sink.
    pub sink: Key,
    /// The record.
    pub seq: Seq,
    /// The attempt that named it last: those of one are sent together again.
    pub attempt: Seq,
    /// When it may be sent again: the end of a claim, or of a wait.
    pub at: Timestamp,
    /// How many attempts were begun.
    pub attempts: u8,
    /// The next step of it.
    pub state: OpenState,
    /// Whether it is the erasure of the record that is told.
    pub gone: bool,
}

/// The next step of an open record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpenState {
    /// It was sent, and nothing is known yet.
    Sent,
    /// It failed, and is tried again.
    Retrying,
    /// It failed for good.
    Dead,
}

/// How long a sink took over one of its last batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timing {
    pub(crate) sink: Key,
    /// A later batch takes the place of one long past.
    pub(crate) slot: u8,
    pub(crate) ms: u32,
}

/// A sink that may have a record that is erased, and was not told so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Having {
    pub(crate) sink: Key,
    pub(crate) seq: Seq,
}

impl Deliverable {
    /// All, in order.
    pub const ALL: [Deliverable; 5] = [
        Deliverable::PredictionResolved,
        Deliverable::SessionEnded,
        Deliverable::ModelRevised,
        Deliverable::BasinStrengthened,
        Deliverable::Memory,
    ];

    /// The name on the wire and in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Deliverable::PredictionResolved => "prediction.resolved",
            Deliverable::SessionEnded => "session.ended",
            Deliverable::ModelRevised => "model.revised",
            Deliverable::BasinStrengthened => "basin.strengthened",
            Deliverable::Memory => "memory",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn of(name: &str) -> Option<Deliverable> {
        Deliverable::ALL.into_iter().find(|what| what.name() == name)
    }

    fn code(self) -> u8 {
        match self {
            Deliverable::PredictionResolved => 0,
            Deliverable::SessionEnded => 1,
            Deliverable::ModelRevised => 2,
            Deliverable::BasinStrengthened => 3,
            Deliverable::Memory => 4,
        }
    }
}

impl OpenState {
    fn code(self) -> u8 {
        match self {
            OpenState::Sent => 0,
            OpenState::Retrying => 1,
            OpenState::Dead => 2,
        }
    }
}

impl Row for ItemRow {
    type Key = Seq;
    const NAME: &'static str = "outbox.items";
    const WIDTH: usize = 8 + 2;

    fn key(&self) -> Seq {
        self.seq
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.seq.0.to_le_bytes());
        out.extend([self.what.code(), u8::from(self.gone)]);
    }

    fn read(fields: &mut Fields<'_>) -> ItemRow {
        let (seq, code) = (Seq(fields.u64()), usize::from(fields.u8()));
        let what = Deliverable::ALL.get(code).copied().unwrap_or(Deliverable::Memory);
        ItemRow { seq, what, gone: fields.u8() != 0 }
    }
}

impl Row for SinkRow {
    type Key = Key;
    const NAME: &'static str = "outbox.sinks";
    const WIDTH: usize = Key::WIDTH + 7 * 8 + 1;

    fn key(&self) -> Key {
        self.sink
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.sink.0);
        out.extend(self.through.0.to_le_bytes());
        out.extend(self.last.0.to_le_bytes());
        out.extend(self.not_before.0.to_le_bytes());
        for count in [self.applied, self.attempts, self.failures] {
            out.extend(count.to_le_bytes());
        }
        out.push(u8::from(self.paused));
        out.extend(self.switched.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> SinkRow {
        let (sink, through) = (Key::read(fields), Seq(fields.u64()));
        let (last, not_before) = (Timestamp(fields.i64()), Timestamp(fields.i64()));
        let (applied, attempts, failures) = (fields.u64(), fields.u64(), fields.u64());
        let (paused, switched) = (fields.u8() != 0, Seq(fields.u64()));
        SinkRow { sink, through, last, not_before, paused, switched, applied, attempts, failures }
    }
}

impl Row for Open {
    type Key = (Key, u8, Seq);
    const NAME: &'static str = "outbox.open";
    const WIDTH: usize = Key::WIDTH + 3 * 8 + 3;

    fn key(&self) -> (Key, u8, Seq) {
        (self.sink, u8::from(self.gone), self.seq)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.sink.0);
        out.push(u8::from(self.gone));
        out.extend(self.seq.0.to_le_bytes());
        out.extend(self.attempt.0.to_le_bytes());
        out.extend(self.at.0.to_le_bytes());
        out.extend([self.attempts, self.state.code()]);
    }

    fn read(fields: &mut Fields<'_>) -> Open {
        let (sink, gone) = (Key::read(fields), fields.u8() != 0);
        let (seq, attempt) = (Seq(fields.u64()), Seq(fields.u64()));
        let at = Timestamp(fields.i64());
        let attempts = fields.u8();
        let state = match fields.u8() {
            0 => OpenState::Sent,
            1 => OpenState::Retrying,
            _ => OpenState::Dead,
        };
        Open { sink, seq, attempt, at, attempts, state, gone }
    }
}

impl Row for Having {
    type Key = (Key, Seq);
    const NAME: &'static str = "outbox.having";
    const WIDTH: usize = Key::WIDTH + 8;

    fn key(&self) -> (Key, Seq) {
        (self.sink, self.seq)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.sink.0);
        out.extend(self.seq.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Having {
        Having { sink: Key::read(fields), seq: Seq(fields.u64()) }
    }
}

impl Row for Timing {
    type Key = (Key, u8);
    const NAME: &'static str = "outbox.timings";
    const WIDTH: usize = Key::WIDTH + 5;

    fn key(&self) -> (Key, u8) {
        (self.sink, self.slot)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.sink.0);
        out.push(self.slot);
        out.extend(self.ms.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Timing {
        Timing { sink: Key::read(fields), slot: fields.u8(), ms: fields.u32() }
    }
}
