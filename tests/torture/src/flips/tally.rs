use std::fmt;

use super::judge::Outcome;
use crate::summary::Summary;

/// Files whose bytes say nothing of the ledger, and why.
///
/// `docs/format.md`, "Assumed of the medium", names them too.
const SAYING_NOTHING: [(&str, &str); 4] = [
    ("LOCK", "names the last holder for whoever waits; the lock is the file's, not its bytes'"),
    ("LOCK.next", "a turnstile; the lock is the file's, not its bytes'"),
    ("ckpt.lock", "the lock is the file's, not its bytes'"),
    ("reserve", "space kept back for a full disk; never read"),
];

/// Of all bytes that are not zero, at most this share may be unfound, in percent.
const UNFOUND_PERCENT_MAX: u64 = 2;

/// Violations that are shown; all are counted.
const SHOWN_MAX: usize = 20;

/// Outcomes of the flips of one byte.
pub(crate) struct Byte {
    pub(crate) at: usize,
    /// Its value before any flip.
    pub(crate) value: u8,
    /// For each bit that was flipped, the lowest first.
    pub(crate) outcomes: Vec<(usize, Outcome)>,
}

/// Counts of the flips of one file.
#[derive(Default)]
pub(crate) struct FileTally {
    name: String,
    bytes: u64,
    nonzero: u64,
    flips: u64,
    refused: u64,
    harmless: u64,
    unfound: u64,
    /// Bytes with a bit whose flip is not found, and how many of them are not zero.
    unfound_bytes: (u64, u64),
    wrong: Vec<String>,
}

/// Counts of all flips.
pub struct Tally {
    pub(super) records: usize,
    pub(super) files: Vec<FileTally>,
}

impl FileTally {
    pub(crate) fn of(name: &str, bytes: &[Byte]) -> FileTally {
        let mut tally = FileTally { name: name.to_owned(), ..FileTally::default() };
        for byte in bytes {
            tally.add(byte);
        }
        tally
    }

    fn add(&mut self, byte: &Byte) {
        let nonzero = u64::from(byte.value != 0);
        self.bytes += 1;
        self.nonzero += nonzero;
        let unfound_before = self.unfound;
        for (bit, outcome) in &byte.outcomes {
            self.flips += 1;
            match outcome {
                Outcome::Refused => self.refused += 1,
                Outcome::Harmless => self.harmless += 1,
                Outcome::Unfound => self.unfound += 1,
                Outcome::Wrong(what) => {
                    self.wrong.push(format!("{} byte {} bit {bit}: {what}", self.name, byte.at));
                }
            }
        }
        if self.unfound > unfound_before {
            self.unfound_bytes.0 += 1;
            self.unfound_bytes.1 += nonzero;
        }
    }

    /// Why what is not found in this file is not missed.
    fn reason(&self) -> Option<&'static str> {
        SAYING_NOTHING.iter().find(|(name, _)| *name == self.name).map(|(_, reason)| *reason)
    }

    /// Lists the violations in this file.
    fn violations(&self) -> Vec<String> {
        let mut violations = self.wrong.clone();
        if self.unfound > 0 && self.reason().is_none() {
            violations.push(format!("{}: {} flips are not found", self.name, self.unfound));
        }
        violations
    }
}

impl Tally {
    /// Lists the violations; empty where the ledger holds what it promises.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        let mut violations: Vec<String> =
            self.files.iter().flat_map(FileTally::violations).collect();
        let (unfound, nonzero) = self.unfound_share();
        if unfound * 100 > nonzero * UNFOUND_PERCENT_MAX {
            violations.push(format!(
                "{unfound} of {nonzero} bytes that are not zero are padding: more than \
                 {UNFOUND_PERCENT_MAX} %"
            ));
        }
        violations
    }

    /// Counts of all files.
    fn total(&self) -> FileTally {
        let mut total = FileTally { name: "all".to_owned(), ..FileTally::default() };
        for file in &self.files {
            total.bytes += file.bytes;
            total.nonzero += file.nonzero;
            total.flips += file.flips;
            total.refused += file.refused;
            total.harmless += file.harmless;
            total.unfound += file.unfound;
            total.wrong.extend_from_slice(&file.wrong);
        }
        total
    }

    /// Bytes that are not zero and not covered, of all that are not zero.
    fn unfound_share(&self) -> (u64, u64) {
        let sum = |of: fn(&FileTally) -> u64| self.files.iter().map(of).sum::<u64>();
        (sum(|file| file.unfound_bytes.1), sum(|file| file.nonzero))
    }
}

impl From<&Tally> for Summary {
    fn from(tally: &Tally) -> Summary {
        let total = tally.total();
        let wrong = u64::try_from(tally.violations().len()).unwrap_or(u64::MAX);
        let note = format!("{} harmless and found, {} harmless", total.harmless, total.unfound);
        let (tried, distinct, refused) = (total.flips, total.flips, total.refused);
        Summary { tried, distinct, refused, wrong, note, ..Summary::default() }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<24} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6}",
            "file", "bytes", "nonzero", "flips", "found", "refused", "harmless", "unfound", "wrong"
        )?;
        self.files.iter().try_for_each(|file| write_row(f, file))?;
        let total = self.total();
        write_row(f, &total)?;
        writeln!(f, "\nfound: verification says so. refused: and the log is not read past it.")?;
        writeln!(f, "harmless: found, and log, answers and what a writer leaves are as before.\n")?;
        for file in self.files.iter().filter(|file| file.unfound > 0) {
            let reason = file.reason().unwrap_or("NO REASON IS KNOWN");
            writeln!(f, "not covered: {}, {} bytes: {reason}", file.name, file.unfound_bytes.0)?;
        }
        let (unfound, nonzero) = self.unfound_share();
        writeln!(
            f,
            "not covered, of all {nonzero} bytes that are not zero: {unfound} ({:.2} %)",
            unfound as f64 * 100.0 / nonzero.max(1) as f64
        )?;
        let violations = self.violations();
        for violation in violations.iter().take(SHOWN_MAX) {
            writeln!(f, "WRONG: {violation}")?;
        }
        let verdict = if violations.is_empty() { "all as promised" } else { "VIOLATED" };
        write!(f, "{} records, {} flips: {verdict}", self.records, total.flips)
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, file: &FileTally) -> fmt::Result {
    writeln!(
        f,
        "{:<24} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6}",
        file.name,
        file.bytes,
        file.nonzero,
        file.flips,
        file.refused + file.harmless,
        file.refused,
        file.harmless,
        file.unfound,
        file.wrong.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, value: u8, outcomes: &[Outcome]) -> FileTally {
        let outcomes: Vec<_> = outcomes.iter().cloned().enumerate().collect();
        let byte = |at| Byte { at, value, outcomes: outcomes.clone() };
        FileTally::of(name, &[byte(0), byte(1)])
    }

    fn violations(files: Vec<FileTally>) -> usize {
        Tally { records: 1, files }.violations().len()
    }

    #[test]
    fn what_is_not_found_needs_a_reason_and_stays_small() {
        let found = || (0..99).map(|_| file("seg-0", 1, &[Outcome::Refused, Outcome::Harmless]));
        let lock = |value| file("LOCK", value, &[Outcome::Unfound]);
        assert_eq!(violations(found().chain([lock(1)]).collect()), 0);
        assert_eq!(violations(found().take(9).chain([lock(1)]).collect()), 1, "over 2 %");
        assert_eq!(violations(found().take(9).chain([lock(0)]).collect()), 0, "zeros");
        let hole = file("seg-1", 0, &[Outcome::Unfound, Outcome::Refused]);
        assert_eq!(violations(found().chain([hole]).collect()), 1);
        let wrong = file("LOCK", 0, &[Outcome::Wrong(String::new())]);
        assert_eq!(violations(found().chain([wrong]).collect()), 2, "one for each flip");
    }
}
