//! Ledgers that are not what they were: what a timed reading has to refuse.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use memlith::measured::{Log, LogOptions};
use memlith::{
    Seq,
    storage::{Env, LocalStorage},
};

use crate::plan::entries;
use crate::words::Random;
use memlith_verbs::exit;

/// Copies of a ledger, each with one change at a random place.
///
/// Offsets are those of `docs/format.md`, "Frame".
pub(crate) struct Forged {
    folder: tempfile::TempDir,
    /// Each with what was done to it.
    pub(crate) copies: Vec<(&'static str, Copy)>,
}

/// One of them.
pub(crate) struct Copy {
    pub(crate) ledger: PathBuf,
    /// The record that was changed.
    pub(crate) seq: Seq,
}

/// Where a frame's checksum of its head is, and where its chain value.
const CRC_HEAD: u64 = 4;
const CHAIN: u64 = 24;
const CHAIN_LEN: usize = 32;
/// Length of the part of the head that its checksum covers: all of it but the checksum.
const HEAD_LEN: usize = 88;

impl Forged {
    /// Makes two copies of the ledger in `kept`, places by `seed`: one with a bit of a body
    /// flipped, one with another link under a checksum that holds.
    pub(crate) fn of(kept: &Path, seed: u64) -> Result<Forged> {
        let beside = kept.parent().unwrap_or(kept);
        let folder = tempfile::tempdir_in(beside).context("make a folder for copies")?;
        let options = LogOptions { read_only: true, ..LogOptions::default() };
        let log = Log::open(Env::system(LocalStorage::open(kept)?), options)?;
        let mut random = Random::new(seed ^ 0x666f_7267_6564);
        let mut forged = Forged { folder, copies: Vec::new() };
        type Change = fn(&Place, &mut Random) -> Result<()>;
        let changes: [(&str, Change); 2] =
            [("one bit of a body flipped", flip_body), ("a forged link", forge_link)];
        for (what, change) in changes {
            let place = Place::random(&log, &mut random)?;
            let ledger = forged.folder.path().join(format!("ledger-{}", forged.copies.len()));
            let place = place.copied(kept, &ledger)?;
            change(&place, &mut random)?;
            forged.copies.push((what, Copy { ledger, seq: place.seq }));
        }
        Ok(forged)
    }

    /// Fails unless each copy is refused by `read`, which is what was timed.
    ///
    /// # Errors
    /// A copy passed.
    pub(crate) fn refused(&self, what: &str, read: impl Fn(&Path) -> Result<bool>) -> Result<()> {
        for (change, copy) in &self.copies {
            // An error is a refusal as good as a finding.
            if read(&copy.ledger).unwrap_or(false) {
                return Err(exit::damaged(format!(
                    "{what} passes a ledger with {change} in record {}",
                    copy.seq
                )));
            }
        }
        Ok(())
    }
}

/// A record's frame in a segment.
struct Place {
    seq: Seq,
    segment: PathBuf,
    offset: u64,
    body: Vec<u8>,
}

impl Place {
    /// Chooses the place of a record with a body at random.
    fn random(log: &Log, random: &mut Random) -> Result<Place> {
        let last = log.head().seq.0;
        ensure!(last > 2, "the ledger has no records to change");
        loop {
            // Not the last one: what ends a log may be missing, and is then cut off.
            let seq = Seq(random.within(1, last - 1));
            let position = log.position(seq)?;
            let record = log.read(seq)?;
            if let Some(body) = record.body().filter(|body| body.len() >= 16) {
                let segment = PathBuf::from(format!("seg-{:010}", position.segment));
                return Ok(Place { seq, segment, offset: position.offset, body: body.to_vec() });
            }
        }
    }

    /// Returns the place in a copy of the ledger; files that stay as they are are linked.
    fn copied(self, kept: &Path, ledger: &Path) -> Result<Place> {
        fs::create_dir(ledger).with_context(|| format!("create {}", ledger.display()))?;
        for entry in entries(kept)?.into_iter().filter(|entry| entry.path().is_file()) {
            let target = ledger.join(entry.file_name());
            let is_changed = Path::new(&entry.file_name()) == self.segment;
            if is_changed || fs::hard_link(entry.path(), &target).is_err() {
                fs::copy(entry.path(), &target).context("copy a file of the ledger")?;
            }
        }
        Ok(Place { segment: ledger.join(&self.segment), ..self })
    }

    fn file(&self) -> Result<fs::File> {
        let file = fs::File::options().read(true).write(true).open(&self.segment);
        file.with_context(|| format!("open {}", self.segment.display()))
    }
}

fn flip_body(place: &Place, random: &mut Random) -> Result<()> {
    let file = place.file()?;
    // The head and the blind come first.
    let mut frame = vec![0; HEAD_LEN + 64 + place.body.len()];
    let read = file.read_at(&mut frame, place.offset).context("read a frame")?;
    frame.truncate(read);
    let start = frame.windows(place.body.len()).position(|window| window == place.body);
    let start = start.context("a record's body is not where its frame is")? as u64;
    let at = place.offset + start + random.below(place.body.len() as u64);
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).context("read a byte")?;
    let flipped = byte.map(|byte| byte ^ (1 << random.below(8)));
    file.write_all_at(&flipped, at).context("write a byte")
}

fn forge_link(place: &Place, random: &mut Random) -> Result<()> {
    let file = place.file()?;
    let mut head = [0; HEAD_LEN];
    file.read_exact_at(&mut head, place.offset).context("read a frame's head")?;
    let covered = |head: &[u8; HEAD_LEN]| {
        let (magic, rest) = (head.get(..4).unwrap_or_default(), head.get(8..).unwrap_or_default());
        crc32fast::hash(&[magic, rest].concat())
    };
    let before = covered(&head);
    let at = usize::try_from(CHAIN + random.below(CHAIN_LEN as u64))?;
    if let Some(byte) = head.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
    // Of two texts of one length, the difference of the sums depends on theirs alone,
    // whatever seed went into both.
    let mut sum = [0; 4];
    file.read_exact_at(&mut sum, place.offset + CRC_HEAD).context("read a checksum")?;
    let sum = u32::from_le_bytes(sum) ^ before ^ covered(&head);
    file.write_all_at(&head, place.offset).context("write a frame's head")?;
    file.write_all_at(&sum.to_le_bytes(), place.offset + CRC_HEAD).context("write a checksum")
}

#[cfg(test)]
mod tests {
    use memlith::prove::Level;

    use super::*;
    use crate::plan::Plan;

    #[test]
    fn each_copy_is_wrong_in_one_way_and_the_ledger_stays_sound() {
        let dir = tempfile::tempdir().unwrap();
        let kept = dir.path().join("kept");
        Plan { events: 300, seed: 1, tail: 50 }.build(&kept).unwrap();
        for seed in 0..4 {
            let forged = Forged::of(&kept, seed).unwrap();
            let findings = |ledger: &Path| memlith::verify(ledger, Level::Full).unwrap().findings;
            let [(_, flipped), (_, relinked)] = forged.copies.as_slice() else { panic!() };
            let said = |copy: &Copy| {
                let found = findings(&copy.ledger);
                found.into_iter().map(|one| one.what).collect::<Vec<_>>().join("; ")
            };
            assert!(said(flipped).contains("checksum"), "{}", said(flipped));
            // Its sums are right: only the chain says that it is forged.
            assert!(said(relinked).contains("chain"), "{}", said(relinked));
            assert_eq!(findings(&kept), []);
        }
    }

    #[test]
    fn a_reading_that_passes_a_forged_copy_fails() {
        let dir = tempfile::tempdir().unwrap();
        let kept = dir.path().join("kept");
        Plan { events: 100, seed: 1, tail: 10 }.build(&kept).unwrap();
        let forged = Forged::of(&kept, 7).unwrap();
        assert!(forged.refused("a reading", |_| Ok(true)).is_err());
        assert!(forged.refused("a reading", |_| Ok(false)).is_ok());
        assert!(forged.refused("a reading", |_| anyhow::bail!("refused")).is_ok());
    }
}
