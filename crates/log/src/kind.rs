//! The kinds that belong to the log itself, 0 to 63, and their fixed layouts.

use crate::layout::{Build, Fields, len64};
use crate::{Digest, Seq, Timestamp};

/// The first kind of the vocabulary; below it are the log's own.
pub const FIRST_EVENT_KIND: u16 = 64;

/// The most targets of one erasure: its body stays below a MiB.
pub const MAX_ERASURE_TARGETS: usize = 16_384;

/// The content of a log-level record, without the clock reading that follows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogEvent {
    /// Kind 0: the ledger begins.
    Genesis,
    /// Kind 1: bodies are to be erased; from here they are, for every reader.
    Erasure {
        /// Why, in the vocabulary's numbers.
        reason: u16,
        /// The records, with the hash each must have.
        targets: Vec<(Seq, Digest)>,
    },
    /// Kind 2: the bodies of the erasure at `erasure` are gone from the segments.
    ErasureDone {
        /// The erasure's position.
        erasure: Seq,
    },
    /// Kind 3: a checkpoint with exactly these is admitted.
    CheckpointSealed(CheckpointSeal),
    /// Kind 4: a head was given to someone outside.
    HeadAnchored {
        /// The head's last record.
        seq: Seq,
        /// The chain there.
        chain: Digest,
        /// The digest of what the other side returned.
        receipt: Digest,
    },
    /// Kind 5: an owner accepted that acknowledged records are gone.
    LossAccepted(Loss),
    /// Kind 6: the clock was wrong; time goes on from this record's.
    ClockRebased {
        /// The time of the record before.
        previous: Timestamp,
    },
    /// Kind 7: heads are signed by another key from here.
    KeyRotated {
        /// The key before, zero if there was none.
        old_key: [u8; 8],
        /// The key from here on.
        new_key: [u8; 8],
    },
}

/// Record, folds and configuration that a checkpoint is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckpointSeal {
    /// The last record folded into it; a synced batch end.
    pub seq: Seq,
    /// The chain there.
    pub chain: Digest,
    /// The version of the folds.
    pub fold_version: u32,
    /// The digest of the configuration they ran under.
    pub configuration: Digest,
    /// The last erasure it honours; 0 for none.
    pub erasure_epoch: Seq,
    /// Its canonical root.
    pub root: Digest,
}

/// Records that were lost and accepted as lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The records that remain before it: E + 1.
    pub kept: u64,
    /// The records that were known to be synced: D + 1.
    pub synced: u64,
    /// The chain that the mark had at D; zero if no mark named it.
    pub old_chain: Digest,
    /// Records whose payload rotted and was destroyed, each with the chain before it. A destroyed
    /// record has no hash that could show it: this chain shows the records before.
    pub destroyed: Vec<(Seq, Digest)>,
}

impl LogEvent {
    /// Its kind number.
    #[must_use]
    pub fn kind(&self) -> u16 {
        match self {
            LogEvent::Genesis => 0,
            LogEvent::Erasure { .. } => 1,
            LogEvent::ErasureDone { .. } => 2,
            LogEvent::CheckpointSealed(_) => 3,
            LogEvent::HeadAnchored { .. } => 4,
            LogEvent::LossAccepted(_) => 5,
            LogEvent::ClockRebased { .. } => 6,
            LogEvent::KeyRotated { .. } => 7,
        }
    }

    /// Whether it takes bodies of records before it away, so that what was folded of them is
    /// folded again.
    #[must_use]
    pub fn takes_bodies(&self) -> bool {
        match self {
            LogEvent::Erasure { .. } => true,
            LogEvent::LossAccepted(loss) => !loss.destroyed.is_empty(),
            LogEvent::Genesis
            | LogEvent::ErasureDone { .. }
            | LogEvent::CheckpointSealed(_)
            | LogEvent::HeadAnchored { .. }
            | LogEvent::ClockRebased { .. }
            | LogEvent::KeyRotated { .. } => false,
        }
    }

    /// The body: its fields, then the clock as it was read.
    #[must_use]
    pub fn encode(&self, raw_clock: Timestamp) -> Vec<u8> {
        let build = Build::default();
        let build = match self {
            LogEvent::Genesis => build,
            LogEvent::Erasure { reason, targets } => {
                let head = build.u16(*reason).u16(0).u32(count(targets.len()));
                targets.iter().fold(head, |b, (seq, hash)| b.u64(seq.0).bytes(&hash.0))
            }
            LogEvent::ErasureDone { erasure } => build.u64(erasure.0),
            LogEvent::CheckpointSealed(seal) => build
                .u64(seal.seq.0)
                .bytes(&seal.chain.0)
                .u32(seal.fold_version)
                .u32(0)
                .bytes(&seal.configuration.0)
                .u64(seal.erasure_epoch.0)
                .bytes(&seal.root.0),
            LogEvent::HeadAnchored { seq, chain, receipt } => {
                build.u64(seq.0).bytes(&chain.0).bytes(&receipt.0)
            }
            LogEvent::LossAccepted(loss) => {
                let head = build.u64(loss.kept).u64(loss.synced).bytes(&loss.old_chain.0);
                let head = head.u32(count(loss.destroyed.len())).u32(0);
                loss.destroyed.iter().fold(head, |b, (seq, before)| b.u64(seq.0).bytes(&before.0))
            }
            LogEvent::ClockRebased { previous } => build.i64(previous.0),
            LogEvent::KeyRotated { old_key, new_key } => build.bytes(old_key).bytes(new_key),
        };
        build.i64(raw_clock.0).0
    }

    /// Reads a body of version 0 back; `None` if it has not exactly the kind's layout.
    #[must_use]
    pub fn decode(kind: u16, body: &[u8]) -> Option<(LogEvent, Timestamp)> {
        let mut fields = Fields(body);
        let event = LogEvent::fields(kind, &mut fields)?;
        let raw_clock = Timestamp(fields.i64()?);
        fields.0.is_empty().then_some((event, raw_clock))
    }

    fn fields(kind: u16, fields: &mut Fields<'_>) -> Option<LogEvent> {
        Some(match kind {
            0 => LogEvent::Genesis,
            1 => {
                let (reason, zero, n) = (fields.u16()?, fields.u16()?, fields.u32()?);
                if zero != 0 || u64::from(n).checked_mul(40)? > len64(fields.0.len()) {
                    return None;
                }
                let targets = (0..n).map(|_| Some((fields.seq()?, fields.digest()?)));
                LogEvent::Erasure { reason, targets: targets.collect::<Option<_>>()? }
            }
            2 => LogEvent::ErasureDone { erasure: fields.seq()? },
            3 => {
                let (seq, chain, fold_version) = (fields.seq()?, fields.digest()?, fields.u32()?);
                if fields.u32()? != 0 {
                    return None;
                }
                LogEvent::CheckpointSealed(CheckpointSeal {
                    seq,
                    chain,
                    fold_version,
                    configuration: fields.digest()?,
                    erasure_epoch: fields.seq()?,
                    root: fields.digest()?,
                })
            }
            4 => LogEvent::HeadAnchored {
                seq: fields.seq()?,
                chain: fields.digest()?,
                receipt: fields.digest()?,
            },
            5 => {
                let (kept, synced, old_chain) = (fields.u64()?, fields.u64()?, fields.digest()?);
                let (n, zero) = (fields.u32()?, fields.u32()?);
                if zero != 0 || u64::from(n).checked_mul(40)? > len64(fields.0.len()) {
                    return None;
                }
                let destroyed = (0..n).map(|_| Some((fields.seq()?, fields.digest()?)));
                let destroyed = destroyed.collect::<Option<_>>()?;
                LogEvent::LossAccepted(Loss { kept, synced, old_chain, destroyed })
            }
            6 => LogEvent::ClockRebased { previous: Timestamp(fields.i64()?) },
            7 => LogEvent::KeyRotated { old_key: fields.array()?, new_key: fields.array()? },
            _ => return None,
        })
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_log_event_reads_back_and_nothing_longer_or_shorter_does() {
        let digest = |n| Digest([n; 32]);
        let seal = CheckpointSeal {
            seq: Seq(9),
            chain: digest(1),
            fold_version: 3,
            configuration: digest(2),
            erasure_epoch: Seq(0),
            root: digest(3),
        };
        let destroyed = vec![(Seq(2), digest(7)), (Seq(3), digest(8))];
        let loss = Loss { kept: 4, synced: 9, old_chain: digest(4), destroyed };
        let targets = vec![(Seq(1), digest(1)), (Seq(2), digest(2))];
        for event in [
            LogEvent::Genesis,
            LogEvent::Erasure { reason: 2, targets },
            LogEvent::ErasureDone { erasure: Seq(7) },
            LogEvent::CheckpointSealed(seal),
            LogEvent::HeadAnchored { seq: Seq(7), chain: digest(5), receipt: digest(6) },
            LogEvent::LossAccepted(loss),
            LogEvent::ClockRebased { previous: Timestamp(-5) },
            LogEvent::KeyRotated { old_key: [0; 8], new_key: [1; 8] },
        ] {
            let body = event.encode(Timestamp(77));
            assert_eq!(LogEvent::decode(event.kind(), &body), Some((event.clone(), Timestamp(77))));
            for len in 0..body.len() {
                assert_eq!(LogEvent::decode(event.kind(), &body[..len]), None, "{event:?} {len}");
            }
            assert_eq!(LogEvent::decode(event.kind(), &[body, vec![0]].concat()), None);
        }
    }
}
