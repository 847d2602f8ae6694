use memlith::{Seq, storage::Durability};
use memlith_testkit::sim::{At, Chance, Fault, FaultKind, OperationKind, SimDisk};

use super::bytes::{frames, u64_at};
use super::kind::Files;
use super::subject::{Hand, Subject};

/// A ledger to be damaged, and what it can be damaged with.
#[derive(Clone, Debug)]
pub struct Sample {
    pub(super) subject: Subject,
    /// Its name in what is told.
    pub(super) label: String,
    pub(super) files: Files,
    /// The records that were acknowledged as synced.
    pub(super) synced: usize,
    /// As it was before: before its erasure, and after.
    pub(super) older: Vec<Files>,
    /// Another history of it: the last batches are others.
    pub(super) fork: Files,
    /// Another ledger in which everything is as long.
    pub(super) other: Files,
}

/// Where a process that was to die did so in a write, after this many others.
const WRITES_BEFORE_FRAMES: [u64; 4] = [2, 1, 3, 0];

/// No segment of a sample takes as many short batches.
const BATCHES_TO_A_SEGMENT: usize = 24;

impl Sample {
    /// The ledgers of a seed: of the log and the engine, each closed and unclean.
    pub const COUNT: u64 = 4;

    /// The ledger of this number, of all seeds'.
    ///
    /// # Errors
    /// It can't be made.
    pub fn numbered(number: u64) -> Result<Sample, String> {
        let (seed, turn) = (number / Sample::COUNT, number % Sample::COUNT);
        let subject = if turn < 2 { Subject::Log } else { Subject::Engine };
        Sample::of(subject, seed, !turn.is_multiple_of(2))
    }

    fn of(subject: Subject, seed: u64, unclean: bool) -> Result<Sample, String> {
        let made = Made::of(subject, seed, seed << 8 | 1)?;
        let other = Made::of(subject, seed, seed << 8 | 2)?.go_on(seed, 3, unclean)?;
        let fork = made.go_on(seed, 4, false)?;
        let files = made.go_on(seed, 3, unclean)?;
        let ending = if unclean { "unclean" } else { "closed" };
        Ok(Sample {
            subject,
            label: format!("{subject:?} {ending} seed {seed}"),
            synced: files.1,
            files: files.0,
            older: made.older,
            fork: fork.0,
            other: other.0,
        })
    }

    /// The names of the segments, in order.
    pub(super) fn segments(&self) -> Vec<String> {
        segments(&self.files)
    }

    pub(super) fn checkpoints(&self) -> Vec<String> {
        self.files.keys().filter(|name| is_checkpoint(name)).cloned().collect()
    }

    pub(super) fn runs(&self) -> Vec<String> {
        self.files.keys().filter(|name| is_run(name)).cloned().collect()
    }

    pub(super) fn file(&self, name: &str) -> Vec<u8> {
        self.files.get(name).cloned().unwrap_or_default()
    }
}

pub(super) fn is_checkpoint(name: &str) -> bool {
    name.starts_with("ckpt-")
}

pub(super) fn is_run(name: &str) -> bool {
    name.starts_with("run-")
}

pub(super) fn segments(files: &Files) -> Vec<String> {
    files.keys().filter(|name| name.starts_with("seg-")).cloned().collect()
}

/// A disk with these files.
pub(super) fn disk_of(files: &Files) -> SimDisk {
    SimDisk::holding(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
}

pub(super) fn files_of(disk: &SimDisk) -> Files {
    let names = disk.names().into_iter();
    names.filter_map(|name| disk.bytes(&name).map(|bytes| (name, bytes))).collect()
}

/// A ledger up to where its histories part.
struct Made {
    subject: Subject,
    seed: u64,
    files: Files,
    older: Vec<Files>,
}

impl Made {
    fn of(subject: Subject, seed: u64, random: u64) -> Result<Made, String> {
        let disk = SimDisk::new();
        let mut chance = Chance::of(&[seed, 7]);
        let mut older = Vec::new();
        let hand = subject.open(&disk, random, true)?;
        let mut written = Vec::new();
        for _ in 0..6 {
            written.push(hand.write(&mut chance, false)?);
        }
        let at = |index: usize| written.get(index).copied().unwrap_or(Seq(1));
        hand.use_and_invalidate(at(1))?;
        hand.checkpoint()?;
        older.push(files_of(&disk));
        for _ in 0..3 {
            hand.write(&mut chance, true)?;
        }
        hand.checkpoint()?;
        older.push(files_of(&disk));
        hand.erase(at(3))?;
        hand.checkpoint()?;
        older.push(files_of(&disk));
        for long in [false, true, false] {
            hand.write(&mut chance, long)?;
        }
        hand.checkpoint()?;
        hand.write(&mut chance, false)?;
        hand.close()?;
        die_in_a_write(subject, &disk, random, &mut chance)?;
        Ok(Made { subject, seed: random, files: files_of(&disk), older })
    }

    /// Goes on in a way that `branch` tells from others; the files, and the records that
    /// are synced then.
    fn go_on(&self, seed: u64, branch: u64, unclean: bool) -> Result<(Files, usize), String> {
        let disk = disk_of(&self.files);
        let mut chance = Chance::of(&[seed, branch]);
        let hand = self.subject.open(&disk, self.seed << 8 | branch, false)?;
        hand.write(&mut chance, true)?;
        // The last segment shall be nearly empty, with more than a block behind its end.
        let before = segments(&files_of(&disk)).len();
        for _ in 0..BATCHES_TO_A_SEGMENT {
            hand.write(&mut chance, false)?;
            if segments(&files_of(&disk)).len() > before {
                break;
            }
        }
        let count = |hand: &Hand| usize::try_from(hand.count()).unwrap_or(0);
        let synced = count(&hand);
        hand.close()?;
        if !unclean {
            return Ok((files_of(&disk), synced));
        }
        let buffered = Durability::Buffered;
        let hand = self.subject.open_as(&disk, self.seed << 8 | branch | 64, false, buffered)?;
        hand.write_as(&mut chance, false, buffered)?;
        hand.write_as(&mut chance, false, buffered)?;
        let files = files_of(&disk);
        drop(hand);
        Ok((files, synced))
    }
}

/// A process dies in the middle of a write, and what it left goes to the quarantine.
fn die_in_a_write(
    subject: Subject,
    disk: &SimDisk,
    random: u64,
    chance: &mut Chance,
) -> Result<(), String> {
    for (turn, others) in (0..).zip(WRITES_BEFORE_FRAMES) {
        let hand = subject.open(disk, random << 4 | turn | 8, false)?;
        let at = At::Next(OperationKind::Write, others);
        disk.plan(Fault { at, kind: FaultKind::Die });
        let _ = hand.write(chance, false);
        disk.mend();
        drop(hand);
        subject.open(disk, random << 4 | turn, false)?.write(chance, false)?;
        if disk.names().iter().any(|name| name.starts_with("quarantine/")) {
            return Ok(());
        }
    }
    Err("nothing came to the quarantine".to_owned())
}

/// The bytes of the frames of `segment` that begin with the record `seq`.
pub(super) fn frames_from(segment: &[u8], seq: u64) -> Vec<u8> {
    let from = |range: &std::ops::Range<usize>| u64_at(segment, range.start + 56) >= seq;
    let frames = frames(segment).into_iter().filter(from);
    frames.flat_map(|range| super::bytes::part(segment, range).to_vec()).collect()
}
