use std::collections::BTreeSet;
use std::sync::Arc;

use memlith_log::{Digest, Seq};
use memlith_testkit::sim::SimDisk;

use crate::failure::Failure;
use crate::tails::Tails;

/// An outside observer's knowledge of a ledger at some moment.
///
/// The rule that it checks is `acknowledged <= recovered <= attempted`, in whole
/// batches, in order, each byte as it was given.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Whether the creation of the ledger returned.
    created: bool,
    attempts: Vec<Attempt>,
    erasing: BTreeSet<Seq>,
    erased: BTreeSet<Seq>,
    /// Places that a writer has shown, with the chain there.
    pinned: Vec<(Seq, Digest)>,
    /// Lowest record up to which the mark durably says that all is synced.
    marked: Option<Seq>,
    /// A record that somebody was told is synced; none before it may go.
    promised: Option<Seq>,
    /// Bytes found when a recovery began, if all of them were on the medium.
    tails: Option<Arc<Tails>>,
    /// Whether what is there was left by a power cut: all of it is on the medium.
    is_on_medium: bool,
    /// Rises with every crash.
    life: u8,
}

/// The bodies of one batch.
pub type Batch = Arc<[Vec<u8>]>;

#[derive(Clone, Debug)]
struct Attempt {
    batch: Batch,
    fate: Fate,
    life: u8,
}

/// State of a batch, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// Its append has not returned: all of it is there, or nothing from it on.
    Open,
    /// Its append, or the sync it waited for, failed: all of it is there, or none of it.
    Unknown,
    /// Acknowledged as written, and then a write or a sync failed: all of it is there, its
    /// first record this one, or none of it.
    Doubted(Seq),
    /// Acknowledged as written; its first record is this one.
    Written(Seq),
    /// Acknowledged as written before the power failed: as if open, at this place.
    Exposed(Seq),
    /// Acknowledged as synced; its first record is this one.
    Synced(Seq),
}

/// One thing that was told from inside.
#[derive(Clone, Debug)]
pub enum Telling {
    /// The ledger exists, durably.
    Created,
    /// A batch is about to be appended.
    Attempted(Batch),
    /// The last batch was appended at this place, and it may be synced with all before it.
    Acknowledged(Seq, bool),
    /// All that was written is synced.
    Synced,
    /// The last batch, and all that waited for a sync, have an unknown outcome.
    Failed,
    /// The last batch was refused before anything was written.
    Refused,
    /// These records are about to be erased.
    Erasing(Vec<Seq>),
    /// These records are erased.
    Erased(Vec<Seq>),
    /// A writer has shown the ledger up to this place, with this chain.
    Pinned(Seq, Digest),
    /// The mark durably says that all up to this place is synced.
    Marked(Seq),
    /// Somebody was told that this record is synced.
    Promised(Seq),
    /// A recovery begins, on these segments.
    Recovering(Arc<Tails>),
}

/// A record as it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its position.
    pub seq: Seq,
    /// The chain there.
    pub chain: Digest,
    /// Content of the record.
    pub content: FoundContent,
}

/// Content of a found record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FoundContent {
    /// An event of the log itself.
    Own,
    /// This body.
    Body(Vec<u8>),
    /// A body that is gone.
    Erased,
}

impl Known {
    /// Whether the ledger must exist.
    #[must_use]
    pub fn is_created(&self) -> bool {
        self.created
    }

    /// The bodies that were to be erased, whether or not they are.
    pub fn erasing_bodies(&self) -> impl Iterator<Item = (Seq, &[u8])> {
        self.erasing.iter().filter_map(|seq| Some((*seq, self.body_at(*seq)?)))
    }

    /// The bodies that are erased, but for empty ones.
    pub fn erased_bodies(&self) -> impl Iterator<Item = &[u8]> {
        let bodies = self.erased.iter().filter_map(|seq| self.body_at(*seq));
        bodies.filter(|body| !body.is_empty())
    }

    /// The last body that came to lie there, should an earlier one be gone.
    fn body_at(&self, seq: Seq) -> Option<&[u8]> {
        let holder = self.attempts.iter().rev().find_map(|attempt| {
            let at = seq.0.checked_sub(attempt.first()?)?;
            attempt.batch.get(usize::try_from(at).ok()?)
        });
        holder.map(Vec::as_slice)
    }

    /// Takes in what was told.
    pub fn hear(&mut self, telling: &Telling) {
        match telling {
            Telling::Created => self.created = true,
            Telling::Attempted(batch) => {
                let (fate, life) = (Fate::Open, self.life);
                self.attempts.push(Attempt { batch: batch.clone(), fate, life });
            }
            Telling::Acknowledged(first, synced) => {
                if let Some(last) = self.attempts.last_mut() {
                    last.fate = Fate::Written(*first);
                }
                if *synced {
                    self.all_synced();
                }
            }
            Telling::Synced => self.all_synced(),
            Telling::Failed => {
                for attempt in &mut self.attempts {
                    match attempt.fate {
                        Fate::Open => attempt.fate = Fate::Unknown,
                        Fate::Written(first) => attempt.fate = Fate::Doubted(first),
                        Fate::Unknown | Fate::Doubted(_) | Fate::Exposed(_) | Fate::Synced(_) => {}
                    }
                }
            }
            Telling::Refused => {
                self.attempts.pop();
            }
            Telling::Erasing(seqs) => self.erasing.extend(seqs),
            Telling::Erased(seqs) => self.erased.extend(seqs),
            Telling::Pinned(seq, chain) => self.pinned.push((*seq, *chain)),
            Telling::Marked(seq) => self.marked = self.marked.max(Some(*seq)),
            Telling::Promised(seq) => self.promised = self.promised.max(Some(*seq)),
            Telling::Recovering(tails) => self.tails = Some(tails.clone()),
        }
    }

    fn all_synced(&mut self) {
        for attempt in &mut self.attempts {
            if let Fate::Written(first) = attempt.fate {
                attempt.fate = Fate::Synced(first);
            }
        }
    }

    /// Returns the knowledge that is left after a crash.
    #[must_use]
    pub fn crashed(&self, power: bool) -> Known {
        let mut known = self.clone();
        known.life += 1;
        if power && !self.is_on_medium {
            known.tails = None;
        }
        known.is_on_medium = power;
        for attempt in &mut known.attempts {
            if let (Fate::Written(first), true) = (attempt.fate, power) {
                attempt.fate = Fate::Exposed(first);
            }
        }
        known
    }

    /// Whether a ledger that says it is synced through `floor` still knows what was marked.
    ///
    /// # Errors
    /// The floor fell back, so that a loss up to it would not be noticed.
    pub fn check_floor(&self, floor: Option<Seq>) -> Result<(), Failure> {
        match self.marked {
            Some(marked) if floor < Some(marked) => {
                Err(Failure::lost(format!("the mark of {marked}; the floor is {floor:?}")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether a ledger that a writer took over up to `last` holds what was told synced.
    ///
    /// # Errors
    /// A record is gone that somebody was told of.
    pub fn check_promised(&self, last: Seq) -> Result<(), Failure> {
        match self.promised {
            Some(promised) if promised > last => {
                Err(Failure::lost(format!("record {promised}, told synced; {last} is the last")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether what earlier recoveries cut off is kept.
    ///
    /// # Errors
    /// Bytes are gone of which there is no copy.
    pub fn check_tails(&self, disk: &SimDisk) -> Result<(), Failure> {
        self.tails.as_ref().map_or(Ok(()), |tails| tails.are_kept(disk))
    }

    /// Whether all of `found` is as it must be.
    ///
    /// # Errors
    /// The first thing that is not.
    pub fn check(&self, found: &[Found]) -> Result<(), Failure> {
        self.check_places(found)?;
        let events: Vec<&Found> =
            found.iter().filter(|record| record.content != FoundContent::Own).collect();
        let (mut rest, mut ended, mut life) = (events.as_slice(), false, 0);
        for (at, attempt) in self.attempts.iter().enumerate() {
            if attempt.life != life {
                (life, ended) = (attempt.life, false);
            }
            if let Some(after) = self.take(attempt, rest)
                && !self.is_retry(at, rest)
            {
                if ended {
                    return Err(Failure::wrong(format!("batch {at} without one before it")));
                }
                rest = after;
                continue;
            }
            match attempt.fate {
                Fate::Unknown | Fate::Doubted(_) => {}
                Fate::Open | Fate::Exposed(_) => ended = true,
                Fate::Written(first) | Fate::Synced(first) => {
                    let there = rest.first().map_or(0, |record| record.seq.0);
                    let what = format!(
                        "batch {at} of {}, acknowledged at {first}; record {there} is there",
                        self.attempts.len(),
                    );
                    return Err(Failure::lost(what));
                }
            }
        }
        match rest.first() {
            Some(record) => {
                Err(Failure::wrong(format!("record {} was never attempted", record.seq)))
            }
            None => Ok(()),
        }
    }

    fn check_places(&self, found: &[Found]) -> Result<(), Failure> {
        for (at, record) in (0..).zip(found) {
            if record.seq.0 != at {
                return Err(Failure::wrong(format!("record {at} is {}", record.seq)));
            }
            let kept = matches!(record.content, FoundContent::Body(_));
            if kept && self.erased.contains(&record.seq) {
                return Err(Failure::wrong(format!("erased record {} came back", record.seq)));
            }
        }
        for (seq, chain) in &self.pinned {
            let record = usize::try_from(seq.0).ok().and_then(|at| found.get(at));
            match record {
                None => return Err(Failure::lost(format!("record {seq}, shown by a writer"))),
                Some(record) if record.chain != *chain => {
                    return Err(Failure::wrong(format!("another chain at record {seq}")));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Whether the first of `records` is of a later batch: the same bodies, tried again.
    fn is_retry(&self, at: usize, records: &[&Found]) -> bool {
        let there = records.first().map(|record| record.seq.0);
        let is_open = self.attempts.get(at).is_some_and(|attempt| {
            matches!(attempt.fate, Fate::Open | Fate::Unknown | Fate::Doubted(_))
        });
        let mut later = self.attempts.iter().skip(at + 1);
        is_open && later.any(|attempt| attempt.first().is_some() && attempt.first() == there)
    }

    /// Returns the records that follow the batch, if `records` begin with it.
    fn take<'a, 'b>(&self, attempt: &Attempt, records: &'a [&'b Found]) -> Option<&'a [&'b Found]> {
        let (batch, rest) = records.split_at_checked(attempt.batch.len())?;
        let known_first = attempt.first();
        let first = batch.first().map(|record| record.seq.0)?;
        if known_first.is_some_and(|known| known != first) {
            return None;
        }
        let same =
            batch.iter().zip(attempt.batch.iter()).all(|(record, body)| match &record.content {
                FoundContent::Body(found) => found == body,
                FoundContent::Erased => self.erasing.contains(&record.seq) && known_first.is_some(),
                FoundContent::Own => false,
            });
        same.then_some(rest)
    }
}

impl Attempt {
    /// Its first record, if that is known.
    fn first(&self) -> Option<u64> {
        match self.fate {
            Fate::Doubted(first)
            | Fate::Written(first)
            | Fate::Exposed(first)
            | Fate::Synced(first) => Some(first.0),
            Fate::Open | Fate::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Harm;

    fn batch(bodies: &[&str]) -> Batch {
        bodies.iter().map(|body| body.as_bytes().to_vec()).collect()
    }

    fn found(bodies: &[&str]) -> Vec<Found> {
        let record = |(seq, body): (u64, &&str)| Found {
            seq: Seq(seq),
            chain: Digest([0; 32]),
            content: match *body {
                "" => FoundContent::Own,
                "-" => FoundContent::Erased,
                body => FoundContent::Body(body.into()),
            },
        };
        (0..).zip(bodies).map(record).collect()
    }

    fn known(tellings: &[Telling]) -> Known {
        let mut known = Known::default();
        tellings.iter().for_each(|telling| known.hear(telling));
        known
    }

    fn harm(known: &Known, bodies: &[&str]) -> Option<Harm> {
        known.check(&found(bodies)).err().map(|failure| failure.harm)
    }

    #[test]
    fn acknowledged_is_at_most_recovered_is_at_most_attempted() {
        use Telling::{Acknowledged, Attempted};
        let known = known(&[
            Attempted(batch(&["a", "b"])),
            Acknowledged(Seq(1), true),
            Attempted(batch(&["c"])),
            Acknowledged(Seq(3), false),
            Attempted(batch(&["d", "e"])),
        ]);
        let (lost, wrong) = (Some(Harm::Lost), Some(Harm::Wrong));
        for (found, after_kill, after_cut) in [
            (&["", "a", "b", "c", "d", "e"][..], None, None),
            (&["", "a", "b", "c"], None, None),
            (&["", "a", "b"], lost, None),
            (&["", "a"], lost, lost),
            (&["", "a", "b", "c", "d"], wrong, wrong),
            (&["", "a", "b", "d", "e"], lost, wrong),
            (&["", "a", "x", "c"], lost, lost),
            (&["", "a", "b", "c", "d", "e", "f"], wrong, wrong),
            (&["", "a", "-", "c"], lost, lost),
            (&["a", "b", "c"], lost, lost),
        ] {
            assert_eq!(harm(&known.crashed(false), found), after_kill, "{found:?} after a kill");
            assert_eq!(harm(&known.crashed(true), found), after_cut, "{found:?} after a cut");
        }
    }

    #[test]
    fn what_failed_may_be_there_and_what_was_erased_may_not() {
        use Telling::{Acknowledged, Attempted, Erased, Erasing, Failed};
        let mut known = known(&[
            Attempted(batch(&["a"])),
            Acknowledged(Seq(1), false),
            Attempted(batch(&["b"])),
            Failed,
            Attempted(batch(&["c"])),
        ]);
        for found in [&["", "a", "b", "c"][..], &["", "c"], &["", "a", "c"], &[""]] {
            assert_eq!(harm(&known, found), None, "{found:?}");
        }
        let mut erasing = known.clone();
        erasing.hear(&Erasing(vec![Seq(1)]));
        assert_eq!(harm(&erasing, &["", "-", "c"]), None, "what is doubted has its place");
        known.hear(&Acknowledged(Seq(3), true));
        assert_eq!(harm(&known, &["", "c"]), Some(Harm::Lost), "the place tells");
        known.hear(&Erasing(vec![Seq(3)]));
        assert_eq!(harm(&known, &["", "a", "b", "c"]), None);
        assert_eq!(harm(&known, &["", "a", "b", "-"]), None);
        known.hear(&Erased(vec![Seq(3)]));
        assert_eq!(harm(&known, &["", "a", "b", "c"]), Some(Harm::Wrong));
        assert_eq!(harm(&known, &["", "a", "b", "-"]), None);
    }
}
