use std::panic::{AssertUnwindSafe, catch_unwind};

use memlith::{
    Cited, Error, Ledger, Options, Question, Remember, Seq, WriteOutcome,
    log::Record,
    prove::{Level, verify_in},
    storage::MemoryDisk,
};

use super::sample::{ana, later};

/// Answers and records of a sound ledger, to compare with.
pub(crate) struct Sound {
    options: Options,
    /// Every record, as `log --json` shows them.
    records: Vec<Record>,
    /// Answers to a question, as the checkpoint and the records after it have them.
    answers: Vec<Cited>,
    /// Outcome of saying again a text that the checkpoint knows, and the number of records it adds.
    said_again: (WriteOutcome, usize),
}

/// Outcome for a ledger of which one bit was flipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Verification finds it, and reading the log ends with an error.
    Refused,
    /// Verification finds it, and the log and the answers are as before.
    Harmless,
    /// Verification does not find it; the log and the answers are as before.
    Unfound,
    /// Something else is shown, or lost, without a word.
    Wrong(String),
}

/// Result of a process that used a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Got {
    /// Everything as in the sound one.
    Same,
    /// An error, and before it nothing but what the sound one gives.
    Error,
    /// Something that is not so in the sound one.
    Other(String),
}

/// The question that is asked of every ledger.
const QUESTION: &str =
    "which Postgres does staging run since the upgrade, where is Ana, and when do orders go out?";

impl Sound {
    /// Reads the sound ledger.
    ///
    /// # Errors
    /// It is not sound: it can't be read, or verification finds something.
    pub(crate) fn of(disk: &MemoryDisk, options: Options) -> anyhow::Result<Sound> {
        let report = verify_in(&later(disk), Level::Full)?;
        anyhow::ensure!(report.is_ok(), "found before anything was flipped: {:?}", report.findings);
        let ledger = Ledger::open_in(later(disk), reading(&options))?;
        let records = ledger.records(Seq::GENESIS, None)?.collect::<Result<Vec<_>, _>>()?;
        let answers = answers(&ledger)?;
        anyhow::ensure!(answers.len() > 1, "the question finds too little to compare");
        let copy = disk.after_kill();
        let writer = Ledger::open_in(later(&copy), options.clone())?;
        let outcome = writer.remember(&ana(), known())?.outcome;
        let added = usize::try_from(writer.head().seq.0)? + 1 - records.len();
        let sound = Sound { options, records, answers, said_again: (outcome, added) };
        let whole = sound.judge(&disk.after_kill());
        anyhow::ensure!(whole == Outcome::Unfound, "nothing was flipped, and yet: {whole:?}");
        Ok(sound)
    }

    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }

    /// Judges `disk`, of which one bit was flipped.
    ///
    /// It is verified, read by a process that changes nothing, and then written by another.
    pub(crate) fn judge(&self, disk: &MemoryDisk) -> Outcome {
        let judged = catch_unwind(AssertUnwindSafe(|| {
            let found = verify_in(&later(disk), Level::Full).map_or(true, |report| !report.is_ok());
            outcome(found, got(self.read(disk)), got(self.write(disk)))
        }));
        judged.unwrap_or_else(|_| Outcome::Wrong("a panic".to_owned()))
    }

    /// Reads everything; gives the first difference.
    fn read(&self, disk: &MemoryDisk) -> Result<Option<String>, Error> {
        let ledger = Ledger::open_in(later(disk), reading(&self.options))?;
        if let Some(other) = self.compare_records(&ledger, self.records.len())? {
            return Ok(Some(other));
        }
        let same = answers(&ledger)? == self.answers;
        Ok((!same).then(|| "another answer".to_owned()))
    }

    /// Writes a memory that the ledger knows and one that it doesn't, which repairs what a
    /// crash may have left, and reads everything again.
    fn write(&self, disk: &MemoryDisk) -> Result<Option<String>, Error> {
        let ledger = Ledger::open_in(later(disk), self.options.clone())?;
        let (expected, added) = &self.said_again;
        let outcome = ledger.remember(&ana(), known())?.outcome;
        if outcome != *expected {
            return Ok(Some(format!("another decision: {outcome:?}")));
        }
        let remember = Remember { text: "Written after the flip.".into(), ..Remember::default() };
        let written = ledger.remember(&ana(), remember)?;
        if written.seq.0 < self.records.len() as u64 {
            return Ok(Some(format!("a second record {}", written.seq)));
        }
        self.compare_records(&ledger, self.records.len() + added + 2)
    }

    /// The first difference between the ledger's records and the sound one's; in all it has
    /// to show `count`.
    fn compare_records(&self, ledger: &Ledger, count: usize) -> Result<Option<String>, Error> {
        let mut shown = 0;
        for record in ledger.records(Seq::GENESIS, None)? {
            let record = record?;
            if self.records.get(shown).is_some_and(|sound| *sound != record) {
                return Ok(Some(format!("another record {}", record.seq)));
            }
            shown += 1;
        }
        Ok((shown != count).then(|| format!("{shown} of {count} records")))
    }
}

/// A memory from before the checkpoint.
fn known() -> Remember {
    let text = "Staging runs Postgres 15 since the upgrade in May.".to_owned();
    Remember { text, ..Remember::default() }
}

/// Returns the result of a process, from the first difference or the error it met.
fn got(difference: Result<Option<String>, Error>) -> Got {
    match difference {
        Ok(None) => Got::Same,
        Ok(Some(other)) => Got::Other(other),
        Err(_) => Got::Error,
    }
}

/// Judges by all three together: the verification, the reader and the writer.
fn outcome(found: bool, read: Got, written: Got) -> Outcome {
    match (found, read, written) {
        (_, Got::Other(what), _) => Outcome::Wrong(format!("a reader gets {what}")),
        (_, _, Got::Other(what)) => Outcome::Wrong(format!("after a writer there is {what}")),
        (false, Got::Error, _) | (false, _, Got::Error) => {
            Outcome::Wrong("an error, though verification finds nothing".to_owned())
        }
        (true, Got::Error, Got::Same | Got::Error) => Outcome::Refused,
        (true, Got::Same, Got::Same | Got::Error) => Outcome::Harmless,
        (false, Got::Same, Got::Same) => Outcome::Unfound,
    }
}

fn reading(options: &Options) -> Options {
    Options { read_only: true, ..options.clone() }
}

fn answers(ledger: &Ledger) -> Result<Vec<Cited>, Error> {
    ledger.recall(&ana(), &Question { query: QUESTION.to_owned(), as_of: None }, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_only_taken_where_nothing_changed() {
        let other = || Got::Other("x".to_owned());
        assert_eq!(outcome(true, Got::Error, Got::Error), Outcome::Refused);
        assert_eq!(outcome(true, Got::Same, Got::Same), Outcome::Harmless);
        assert_eq!(outcome(false, Got::Same, Got::Same), Outcome::Unfound);
        for (found, read, written) in [
            (true, other(), Got::Same),
            (false, other(), Got::Error),
            (true, Got::Same, other()),
            (false, Got::Error, Got::Same),
            (false, Got::Same, Got::Error),
        ] {
            let outcome = outcome(found, read, written);
            assert!(matches!(outcome, Outcome::Wrong(_)), "{outcome:?}");
        }
    }
}
