//! The bytes of a checkpoint file; `docs/format.md`, "Checkpoint", is normative.
//!
//! Invariants
//! 1. The root covers fold version, configuration, and the start and root of every run, and
//!    nothing else: it is the same for every ledger and every way of checkpointing.
//! 2. The last digest covers every byte before it.
//! 3. Places in the log are hints: whoever follows one looks whether it is true.

use memlith_log::{Digest, LedgerId, Seq};

use crate::digests::digest_of;
use crate::{CheckpointError, Fields, RunName};

const MAGIC: [u8; 4] = *b"MLC1";
const LAYOUT: u32 = 3;
const HEADER_LEN: usize = 4 + 4 + 16 + 8 + 32 + 4 + 4 + 32 + 8 + 32 + 8 + 8 + 8 + 4;
const RUN_LEN: usize = 8 + 8 + 32;
const RUNS_MAX: u32 = 1_024;
const FRAME_LEN: usize = 8 + 8;

/// No checkpoint names more frames: as many as a segment of 4 GiB has at one for 64 KiB.
const FRAMES_MAX: usize = 1 << 16;

const _: () = assert!(HEADER_LEN == 172, "docs/format.md, checkpoint header");

/// Identity of a checkpoint; the log's seal repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointName {
    /// The ledger.
    pub ledger: LedgerId,
    /// The last sequence folded in; a synced batch end.
    pub n: Seq,
    /// The chain value at `n`.
    pub chain: Digest,
    /// The version of the folds.
    pub fold_version: u32,
    /// The digest of the configuration they ran under.
    pub configuration: Digest,
    /// The last erasure honoured, [`Seq::GENESIS`] where there is none.
    pub epoch: Seq,
    /// The canonical root of the state.
    pub root: Digest,
}

/// A state that was saved: its name, and the runs that hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The identity of the checkpoint.
    pub name: CheckpointName,
    /// The segment that held record `n`, and the offset of its frame there: where a walk of
    /// the log may begin. A hint, which the record itself confirms.
    pub place: (u64, u64),
    /// Records to a stride of the log, of which runs are made; a part of the configuration.
    pub stride: u64,
    /// The runs, oldest first; together they cover every record up to `n`, each once.
    pub runs: Vec<RunName>,
    /// Frames of that segment up to `n`, ascending, about one for every 64 KiB: their records
    /// and their offsets, so that looking one up reads little. Hints, which the frames
    /// themselves confirm. At most 65,536 are saved.
    pub frames: Vec<(Seq, u64)>,
}

impl Checkpoint {
    /// The canonical root of these runs under this fold version and configuration.
    #[must_use]
    pub fn root_of(fold_version: u32, configuration: &Digest, runs: &[RunName]) -> Digest {
        let mut bytes = Vec::with_capacity(44 + runs.len() * RUN_LEN);
        bytes.extend(fold_version.to_le_bytes());
        bytes.extend(configuration.0);
        bytes.extend((runs.len() as u64).to_le_bytes());
        for run in runs {
            bytes.extend(run.from.0.to_le_bytes());
            bytes.extend(run.root.0);
        }
        digest_of(&bytes)
    }

    /// The file's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let name = &self.name;
        let frames = self.frames.get(..FRAMES_MAX).unwrap_or(&self.frames);
        let lists_len = self.runs.len() * RUN_LEN + frames.len() * FRAME_LEN;
        let mut out = Vec::with_capacity(HEADER_LEN + lists_len + 32);
        out.extend(MAGIC);
        out.extend(LAYOUT.to_le_bytes());
        out.extend(name.ledger.0);
        out.extend(name.n.0.to_le_bytes());
        out.extend(name.chain.0);
        out.extend(name.fold_version.to_le_bytes());
        out.extend(u32::try_from(self.runs.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend(name.configuration.0);
        out.extend(name.epoch.0.to_le_bytes());
        out.extend(name.root.0);
        out.extend(self.place.0.to_le_bytes());
        out.extend(self.place.1.to_le_bytes());
        out.extend(self.stride.to_le_bytes());
        out.extend(u32::try_from(frames.len()).unwrap_or(u32::MAX).to_le_bytes());
        debug_assert_eq!(out.len(), HEADER_LEN);
        write_runs(&self.runs, &mut out);
        for (seq, offset) in frames {
            out.extend(seq.0.to_le_bytes());
            out.extend(offset.to_le_bytes());
        }
        let digest = digest_of(&out);
        out.extend(digest.0);
        out
    }

    /// Reads a file whole and checks every byte of it against its digest and the root.
    ///
    /// Whether the log admits this checkpoint, and whether its runs are there, are the
    /// caller's questions.
    ///
    /// # Errors
    /// What is wrong with the file; never panics, allocates no more than its length.
    pub fn decode(file: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let found = file.len() as u64;
        let short = |needed: usize| CheckpointError::Short { needed: needed as u64, found };
        let mut fields = Fields::new(file.get(..HEADER_LEN).ok_or_else(|| short(HEADER_LEN))?);
        if fields.bytes() != MAGIC {
            return Err(CheckpointError::Magic);
        }
        let layout = fields.u32();
        if layout != LAYOUT {
            return Err(CheckpointError::Layout { found: layout });
        }
        let ledger = LedgerId(fields.bytes());
        let (n, chain) = (Seq(fields.u64()), Digest(fields.bytes()));
        let (fold_version, count) = (fields.u32(), fields.u32());
        let (configuration, epoch) = (Digest(fields.bytes()), Seq(fields.u64()));
        let (root, place) = (Digest(fields.bytes()), (fields.u64(), fields.u64()));
        let (stride, frame_count) = (fields.u64(), fields.u32() as usize);
        if count > RUNS_MAX || frame_count > FRAMES_MAX {
            return Err(CheckpointError::SectionTable { entry: 0 });
        }
        let runs_end = HEADER_LEN + count as usize * RUN_LEN;
        let covered = runs_end + frame_count * FRAME_LEN;
        if file.len() != covered + 32 {
            return Err(short(covered + 32));
        }
        let (covered, stored) = file.split_at_checked(covered).unwrap_or_default();
        if digest_of(covered).0 != stored {
            return Err(CheckpointError::Digest { part: "the header", offset: 0 });
        }
        let (runs, frames) = covered.split_at_checked(runs_end).unwrap_or_default();
        let runs = read_runs(runs.get(HEADER_LEN..).unwrap_or_default(), fold_version, n)?;
        if Checkpoint::root_of(fold_version, &configuration, &runs) != root {
            return Err(CheckpointError::Digest { part: "the root", offset: 0 });
        }
        let name = CheckpointName { ledger, n, chain, fold_version, configuration, epoch, root };
        let frames = read_frames(frames, n)?;
        Ok(Checkpoint { name, place, stride, runs, frames })
    }
}

fn write_runs(runs: &[RunName], out: &mut Vec<u8>) {
    for run in runs {
        out.extend(run.from.0.to_le_bytes());
        out.extend(run.to.0.to_le_bytes());
        out.extend(run.root.0);
    }
}

/// The runs of a list, which tile the log up to `n`.
fn read_runs(list: &[u8], fold_version: u32, n: Seq) -> Result<Vec<RunName>, CheckpointError> {
    let (mut runs, mut next) = (Vec::with_capacity(list.len() / RUN_LEN), Seq::GENESIS);
    for (entry, bytes) in list.chunks_exact(RUN_LEN).enumerate() {
        let mut fields = Fields::new(bytes);
        let (from, to) = (Seq(fields.u64()), Seq(fields.u64()));
        if from != next || to < from || to > n {
            return Err(CheckpointError::SectionTable { entry });
        }
        next = to.next();
        runs.push(RunName { from, to, fold_version, root: Digest(fields.bytes()) });
    }
    match next == n.next() {
        true => Ok(runs),
        false => Err(CheckpointError::SectionTable { entry: runs.len() }),
    }
}

/// The frames of a list, which ascend to `n`.
fn read_frames(list: &[u8], n: Seq) -> Result<Vec<(Seq, u64)>, CheckpointError> {
    let mut frames: Vec<(Seq, u64)> = Vec::with_capacity(list.len() / FRAME_LEN);
    for (entry, bytes) in list.chunks_exact(FRAME_LEN).enumerate() {
        let mut fields = Fields::new(bytes);
        let frame = (Seq(fields.u64()), fields.u64());
        let last = frames.last();
        let ascends = last.is_none_or(|last| last.0 < frame.0 && last.1 < frame.1);
        if !ascends || frame.0 > n {
            return Err(CheckpointError::SectionTable { entry });
        }
        frames.push(frame);
    }
    Ok(frames)
}

#[cfg(test)]
mod tests;
