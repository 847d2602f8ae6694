use std::io;

use memlith_log::{Durability, Error, Head, Log, LogEvent, LogOptions, Seq};
use memlith_testkit::sim::{At, Chance, Fault, FaultKind, OperationKind, SimDisk, SimStorage};

use crate::known::{Batch, Telling};
use crate::log_workload::{append, body, env, options};
use crate::story::Story;

/// One run over a log, with processes that die and syncs that fail on the way.
pub(crate) struct Script<'a> {
    disk: &'a SimDisk,
    story: &'a mut Story,
    chance: Chance,
    /// The process at work.
    at_work: Option<(SimStorage, Log)>,
    /// Records that are acknowledged as synced and not erased.
    erasable: Vec<Seq>,
    written: Vec<Seq>,
    /// Faults of the script's own, whose errors are asked for.
    expected: bool,
    /// How long segments are.
    segment_len: u64,
    /// How long a body is, at most, but for the long ones.
    body_len: usize,
}

/// The parts of a run; a seed gives their order.
const PARTS: [fn(&mut Script<'_>); 10] = [
    |script| script.appends(),
    |script| script.a_second_process(),
    |script| script.a_death_within_a_write(),
    |script| script.a_failed_sync(),
    |script| script.a_retry_that_is_erased(),
    |script| script.an_erasure(),
    |script| script.a_death_within_an_erasure(),
    |script| script.marks_and_notes(),
    |script| script.a_full_segment(),
    |script| script.a_close(),
];

/// Bytes of a frame beside its body, and those of the footer of a short segment; from
/// `docs/format.md`.
const FRAME_LEN: usize = 88 + 16;
const FOOTER_LEN: usize = 144;

/// How often an opening is tried again after an error.
const TRIES: usize = 3;

impl<'a> Script<'a> {
    pub(crate) fn new(disk: &'a SimDisk, story: &'a mut Story, seed: u64) -> Script<'a> {
        let chance = Chance::of(&[seed, 1]);
        let (erasable, written) = (Vec::new(), Vec::new());
        // A tail of several blocks needs room, which most runs have better not.
        let (segment_len, body_len) =
            if seed % 4 == 3 { (16 << 10, 1_000) } else { (4 << 10, 120) };
        let (at_work, expected) = (None, false);
        Script { disk, story, chance, at_work, erasable, written, expected, segment_len, body_len }
    }

    fn options(&self) -> LogOptions {
        LogOptions { segment_lens: [self.segment_len; 4], ..options() }
    }

    pub(crate) fn run(&mut self) {
        if !self.create() {
            return;
        }
        self.appends();
        let mut parts = PARTS.to_vec();
        while !parts.is_empty() {
            let part = parts.swap_remove(self.chance.below(parts.len()));
            part(self);
            self.over();
        }
        self.a_close();
    }

    /// A part, or a fault of it, is over; who died of the fault without a word is left.
    fn over(&mut self) {
        self.disk.mend_next();
        self.expected = false;
        self.at_work.take_if(|(storage, _)| storage.is_dead());
    }

    fn create(&mut self) -> bool {
        for _ in 0..TRIES {
            let storage = self.disk.process();
            match Log::create(env(storage.clone(), self.chance.bits()), self.options()) {
                Ok(log) => {
                    self.story.tell(Telling::Created);
                    self.at_work = Some((storage, log));
                    return true;
                }
                // The first try may have got as far as that before it failed.
                Err(Error::AlreadyExists { .. }) => return self.open(),
                Err(error) => self.refuse("create", &error),
            }
        }
        false
    }

    /// Makes another process the one at work; the one before lives on if it is kept.
    fn open(&mut self) -> bool {
        for _ in 0..TRIES {
            let storage = self.disk.process();
            match Log::open(env(storage.clone(), self.chance.bits()), self.options()) {
                Ok(log) => {
                    self.story.tell(Telling::Created);
                    self.at_work = Some((storage, log));
                    return true;
                }
                Err(error) => self.refuse("open", &error),
            }
        }
        false
    }

    fn refuse(&mut self, what: &str, error: &dyn std::error::Error) {
        if !std::mem::take(&mut self.expected) {
            let source = error.source().map_or_else(String::new, |source| format!(": {source}"));
            self.story.refuse(format!("{what}: {error}{source}"));
        }
    }

    fn ensure_open(&mut self) -> bool {
        self.at_work.is_some() || self.open()
    }

    fn append(&mut self, count: usize, durability: Durability) {
        if !self.ensure_open() {
            return;
        }
        let more = self.body_len;
        let batch: Batch = (0..count).map(|_| body(&mut self.chance, more)).collect();
        self.append_batch(&batch, durability);
    }

    /// The records, if all of them were acknowledged.
    fn append_batch(&mut self, batch: &Batch, durability: Durability) -> Vec<Seq> {
        if !self.ensure_open() {
            return Vec::new();
        }
        let Some((_, log)) = &self.at_work else { return Vec::new() };
        self.story.tell(Telling::Attempted(batch.clone()));
        match append(log, batch, durability) {
            Ok(Some(first)) => {
                let synced = durability != Durability::Buffered;
                self.story.tell(Telling::Acknowledged(first, synced));
                let records: Vec<Seq> = (first.0..).map(Seq).take(batch.len()).collect();
                self.written.extend(&records);
                if synced {
                    self.erasable.append(&mut self.written);
                }
                return records;
            }
            Ok(None) => self.story.refuse("nothing was appended".to_owned()),
            Err(Error::NoSpace { needed }) => {
                self.story.tell(Telling::Refused);
                self.refuse("append", &Error::NoSpace { needed });
            }
            Err(error) => self.failed("append", &error),
        }
        Vec::new()
    }

    /// An error after which nobody knows what was written.
    fn failed(&mut self, what: &str, error: &Error) {
        self.story.tell(Telling::Failed);
        self.written.clear();
        self.refuse(what, error);
        self.at_work = None;
    }

    fn appends(&mut self) {
        for _ in 0..2 + self.chance.below(3) {
            let count = 1 + self.chance.below(3);
            let durability = match self.chance.below(3) {
                0 => Durability::Buffered,
                1 => Durability::Group,
                _ => Durability::Immediate,
            };
            self.append(count, durability);
        }
        if self.segment_len > 4 << 10 {
            // Of what a cut leaves of it, the first blocks may be missing.
            let batch: Batch = (0..2).map(|_| long_body(&mut self.chance)).collect();
            self.append_batch(&batch, Durability::Buffered);
        }
    }

    /// Two processes take turns, each with what the other left unsynced.
    fn a_second_process(&mut self) {
        self.append(2, Durability::Buffered);
        let first = self.at_work.take();
        self.append(1, Durability::Immediate);
        self.append(1, Durability::Buffered);
        let second = std::mem::replace(&mut self.at_work, first);
        self.append(1, Durability::Immediate);
        drop(second);
        self.append(1, Durability::Buffered);
    }

    /// A process dies in the middle of a write; another one takes over its tail.
    fn a_death_within_a_write(&mut self) {
        self.append(1, Durability::Buffered);
        self.append(2, Durability::Buffered);
        // The holder's name, the mark, and then the frames are written.
        let others = self.chance.below(4);
        self.fault(OperationKind::Write, others, FaultKind::Die);
        self.append(2, Durability::Immediate);
        self.append(1, Durability::Immediate);
    }

    /// A sync fails in one process, then another one appends: a new one, or the one
    /// whose tail the first had taken over.
    fn a_failed_sync(&mut self) {
        self.append(1, Durability::Buffered);
        let first = if self.chance.once_in(2) { self.at_work.take() } else { None };
        if !self.ensure_open() {
            return;
        }
        self.fault(OperationKind::Sync, 0, FaultKind::Fail(io::ErrorKind::Other));
        self.append(1, Durability::Immediate);
        let mut third = None;
        if first.is_some() {
            if self.chance.once_in(2) {
                // A third process goes on in the place of what was taken back.
                let count = 1 + self.chance.below(2);
                self.append(count, Durability::Buffered);
                third = self.at_work.take();
            }
            // Where the system took the bytes back, this process is told that they are gone.
            self.at_work = first;
            self.expected = true;
        }
        self.append(2, Durability::Immediate);
        if third.is_some() {
            // Dropped, it would have nobody to tell that its sync failed.
            self.expected = false;
            self.at_work = third;
            self.append(1, Durability::Immediate);
        }
    }

    /// A process dies within a write, its caller tries again, and what was written then is
    /// erased: no copy of the first try may be left.
    fn a_retry_that_is_erased(&mut self) {
        let batch: Batch = (0..2).map(|_| body(&mut self.chance, 300)).collect();
        let others = self.chance.below(4);
        self.fault(OperationKind::Write, others, FaultKind::Die);
        let mut records = self.append_batch(&batch, Durability::Immediate);
        self.over();
        records.extend(self.append_batch(&batch, Durability::Immediate));
        self.erasable.retain(|seq| !records.contains(seq));
        self.erase_these(records);
    }

    fn an_erasure(&mut self) {
        self.append(2, Durability::Immediate);
        let count = 1 + self.chance.below(2);
        self.erase(count);
    }

    fn a_death_within_an_erasure(&mut self) {
        self.append(1, Durability::Buffered);
        self.append(1, Durability::Immediate);
        let kinds = OperationKind::ALL;
        let kind = kinds.get(self.chance.below(kinds.len())).copied();
        let others = self.chance.below(4);
        self.fault(kind.unwrap_or(OperationKind::Rename), others, FaultKind::Die);
        self.erase(1);
        self.over();
        self.append(1, Durability::Immediate);
    }

    fn erase(&mut self, count: usize) {
        if !self.ensure_open() || self.erasable.is_empty() {
            return;
        }
        let mut targets = Vec::new();
        for _ in 0..count.min(self.erasable.len()) {
            targets.push(self.erasable.swap_remove(self.chance.below(self.erasable.len())));
        }
        self.erase_these(targets);
    }

    fn erase_these(&mut self, targets: Vec<Seq>) {
        if !self.ensure_open() || targets.is_empty() {
            return;
        }
        let Some((_, log)) = &self.at_work else { return };
        // A writer that only takes the lock may still sync what another left.
        self.story.tell(Telling::Erasing(targets.clone()));
        let erased = log.writer().and_then(|mut writer| writer.erase(1, &targets));
        match erased {
            Ok(_) => {
                self.story.tell(Telling::Synced);
                self.erasable.append(&mut self.written);
                self.story.tell(Telling::Erased(targets));
            }
            Err(error) => self.failed("erase", &error),
        }
    }

    fn marks_and_notes(&mut self) {
        self.append(1, Durability::Buffered);
        if !self.ensure_open() {
            return;
        }
        let Some((_, log)) = &self.at_work else { return };
        let noted = log.writer().and_then(|mut writer| {
            writer.leave_mark_slot()?;
            let Head { seq, chain, .. } = writer.head();
            writer.note(&LogEvent::HeadAnchored { seq, chain, receipt: chain })?;
            writer.leave_mark_slot()?;
            writer.leave_mark_slot()
        });
        match noted {
            Ok(()) => {
                self.story.tell(Telling::Synced);
                self.story.tell(Telling::Marked(log.head().seq));
                self.erasable.append(&mut self.written);
            }
            Err(error) => self.failed("note", &error),
        }
    }

    /// A segment is filled so that its footer ends where its file does: such a footer is
    /// found before the file is cut behind it, and so before any sync.
    fn a_full_segment(&mut self) {
        self.append(1, Durability::Buffered);
        self.append(1, Durability::Buffered);
        let len = self.room().and_then(|room| room.checked_sub(FRAME_LEN + FOOTER_LEN));
        if let Some(len) = len {
            let mut body = vec![0; len];
            self.chance.fill(&mut body);
            self.append_batch(&vec![body].into(), Durability::Buffered);
        }
        self.append(1, Durability::Buffered);
    }

    /// How many bytes the last segment has behind its last frame.
    fn room(&self) -> Option<usize> {
        let names = self.disk.names();
        let last =
            names.iter().filter(|name| name.starts_with("seg-") && !name.contains('.')).max()?;
        let bytes = self.disk.bytes(last)?;
        let end = bytes.iter().rposition(|byte| *byte != 0)? + 1;
        Some(bytes.len() - end.next_multiple_of(8).min(bytes.len()))
    }

    fn a_close(&mut self) {
        self.append(1, Durability::Buffered);
        if let Some((_, log)) = self.at_work.take() {
            let last = log.head().seq;
            match log.close() {
                Ok(()) => {
                    self.story.tell(Telling::Synced);
                    self.story.tell(Telling::Marked(last));
                }
                Err(error) => self.failed("close", &error),
            }
        }
        self.append(1, Durability::Immediate);
    }

    /// Has the next operation of a kind go wrong.
    fn fault(&mut self, kind: OperationKind, others: usize, fault: FaultKind) {
        self.expected = true;
        let others = u64::try_from(others).unwrap_or(0);
        self.disk.plan(Fault { at: At::Next(kind, others), kind: fault });
    }
}

/// A body of more than a block.
fn long_body(chance: &mut Chance) -> Vec<u8> {
    let mut body = vec![0; 4_200 + chance.below(1_000)];
    chance.fill(&mut body);
    body
}
