use std::panic::{AssertUnwindSafe, catch_unwind};

use memlith::log::{Payload, Record};
use memlith_testkit::sim::{Chance, Cut, SimDisk};

use super::kind::Damage;
use super::outcome::Outcome;
use super::sample::{Sample, disk_of};
use super::subject::{Got, Subject};

/// Records, answers and findings of an undamaged ledger, to compare with.
#[derive(Debug)]
pub(super) struct Sound {
    subject: Subject,
    got: Got,
    findings: Vec<String>,
    synced: usize,
}

/// How a promise is broken.
enum Broken {
    /// Records that were acknowledged as synced are gone.
    Lost(String),
    /// An erased text is shown again.
    Unerased(String),
    Wrong(String),
}

impl Sound {
    /// Reads the undamaged ledger.
    ///
    /// # Errors
    /// It is not sound.
    pub(super) fn of(sample: &Sample) -> Result<Sound, String> {
        let disk = disk_of(&sample.files);
        let (subject, synced) = (sample.subject, sample.synced);
        let (got, findings) = (subject.read(&disk), subject.verify(&disk));
        if got.error.is_some() || !got.folds || !findings.is_empty() || got.records.len() < synced {
            let got = (&got.error, got.records.len(), synced);
            return Err(format!("{} is not sound: {got:?} {findings:?}", sample.label));
        }
        Ok(Sound { subject, got, findings, synced })
    }

    /// Judges a damaged ledger: verified, read, and written to.
    pub(super) fn judge(&self, sample: &Sample, damage: &Damage) -> Outcome {
        let files = damage.apply(&sample.files);
        let disk = || {
            let disk = disk_of(&files);
            match damage.rebooted {
                true => disk.moment().cut(Cut::Everything, &mut Chance::new(0)),
                false => disk,
            }
        };
        let judged = catch_unwind(AssertUnwindSafe(|| self.outcome(&disk, damage)));
        let outcome = judged.unwrap_or_else(|_| Err(Broken::Wrong("a panic".to_owned())));
        let is_found = || self.subject.verify(&disk()) != self.findings;
        match outcome {
            Ok(outcome) => outcome,
            Err(Broken::Unerased(_)) if damage.not_promised && is_found() => Outcome::NotPromised,
            Err(Broken::Unerased(what)) => Outcome::Harm(format!("wrong: {what}")),
            Err(Broken::Lost(_)) if damage.not_promised => Outcome::NotPromised,
            Err(Broken::Lost(what)) => Outcome::Harm(format!("lost: {what}")),
            Err(Broken::Wrong(what)) => Outcome::Harm(format!("wrong: {what}")),
        }
    }

    fn outcome(&self, disk: &dyn Fn() -> SimDisk, damage: &Damage) -> Result<Outcome, Broken> {
        let found = self.subject.verify(&disk()) != self.findings;
        let got = self.subject.read(&disk());
        self.compare(&got, 0, "a reader")?;
        let reader_refused = got.error;
        let written = disk();
        let writer_refused = self.write(&written, damage)?;
        let refusal = reader_refused.or(writer_refused);
        match refusal {
            Some(error) if damage.repairs => {
                let what = "nothing acknowledged was touched, and it is refused";
                Err(Broken::Wrong(format!("{what}: {error}")))
            }
            Some(error) if !found => {
                Err(Broken::Wrong(format!("refused, though verification finds nothing: {error}")))
            }
            Some(_) => Ok(Outcome::Refused),
            None if found => Ok(Outcome::Found),
            None => Ok(Outcome::Harmless),
        }
    }

    /// A writer recovers, appends until a segment is full, checkpoints and closes, and
    /// another process reads all of it; the error that it met.
    fn write(&self, disk: &SimDisk, damage: &Damage) -> Result<Option<String>, Broken> {
        let (appended, refused) = match self.append(disk) {
            Ok(appended) => (appended, None),
            // How much it had appended is not known; a reader says whether the rest is there.
            Err(error) => (usize::MAX, Some(error)),
        };
        let got = self.subject.read(disk);
        self.compare(&got, appended, "after a writer, a reader")?;
        if let (None, Some(error)) = (&refused, &got.error) {
            return Ok(Some(error.clone()));
        }
        if damage.repairs && refused.is_none() {
            let left = self.subject.verify(disk);
            if let Some(finding) = left.first() {
                return Err(Broken::Wrong(format!("a writer leaves it: {finding}")));
            }
        }
        Ok(refused)
    }

    fn append(&self, disk: &SimDisk) -> Result<usize, String> {
        let mut chance = Chance::of(&[disk.digest()]);
        let hand = self.subject.open(disk, chance.bits(), false)?;
        // Taking the lock drops a tail that was not acknowledged.
        let first = hand.write(&mut chance, false)?;
        hand.write(&mut chance, true)?;
        hand.write(&mut chance, true)?;
        hand.checkpoint()?;
        hand.write(&mut chance, false)?;
        let count = hand.count();
        hand.close()?;
        // A remembered text is two records, of which the second is named.
        let before = match self.subject {
            Subject::Log => first.0,
            Subject::Engine => first.0.saturating_sub(1),
        };
        usize::try_from(count.saturating_sub(before)).map_err(|error| error.to_string())
    }

    /// Whether what somebody got is what there was, and after it `appended` records.
    fn compare(&self, got: &Got, appended: usize, who: &str) -> Result<(), Broken> {
        let sound = &self.got.records;
        let known = match got.records.len().checked_sub(appended) {
            _ if appended == usize::MAX => got.records.len().min(sound.len()),
            Some(known) => known,
            None if got.error.is_some() => got.records.len().min(sound.len()),
            None => 0,
        };
        for (found, sound) in got.records.iter().take(known).zip(sound) {
            if found != sound {
                return Err(difference(found, sound, who));
            }
        }
        if known > sound.len() && got.error.is_none() && appended != usize::MAX {
            let record = sound.len();
            return Err(Broken::Wrong(format!("{who} gets record {record}, which nobody wrote")));
        }
        if got.error.is_some() {
            return Ok(());
        }
        if known < self.synced {
            let synced = self.synced;
            return Err(Broken::Lost(format!("{who} gets {known} of {synced} synced records")));
        }
        if !got.folds {
            return Err(Broken::Wrong(format!("{who} gets a state that is not the fold")));
        }
        let whole = appended == 0 && known == sound.len();
        if whole && got.answers != self.got.answers {
            return Err(Broken::Wrong(format!("{who} gets another answer")));
        }
        Ok(())
    }
}

fn difference(found: &Record, sound: &Record, who: &str) -> Broken {
    let (seq, erased) = (sound.seq, matches!(sound.payload, Payload::Erased { .. }));
    if erased && matches!(found.payload, Payload::Present { .. }) {
        return Broken::Unerased(format!("{who} gets the erased text of record {seq} again"));
    }
    let what = if found.chain == sound.chain { "record" } else { "chain at record" };
    Broken::Wrong(format!("{who} gets another {what} {seq}"))
}
