use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::ops::Range;

use super::judge::Sound;
use super::kind::{Damage, Row};
use super::outcome::Outcome;
use super::sample::Sample;
use super::subject::Subject;
use super::{cuts, forged, keys, marks, records, segments};
use crate::spread::spread;

/// Counted outcomes of every damage.
#[derive(Clone, Debug, Default)]
pub struct Damages {
    rows: BTreeMap<Row, [u64; Outcome::COLUMNS.len()]>,
    /// Damages that gave files which were judged already.
    equal: u64,
    /// Harms by what they are but for numbers: how many, and the first of them.
    harms: BTreeMap<String, (u64, String)>,
}

/// A damage that the log alone judges is tried on every ledger of the log, and on the
/// engine's, where each costs ten times as much, one in so many.
const ENGINE_STEP: u64 = 23;

/// Which damages are done.
#[derive(Clone, Debug)]
pub struct Damaging {
    /// The seeds; each makes [`Sample::COUNT`] ledgers.
    pub seeds: Range<u64>,
    /// Threads; the result does not depend on them.
    pub threads: usize,
    /// Of lengths and bytes one in so many is tried.
    pub step: usize,
    /// Of all damages of a kind the first is tried, and then one in so many.
    pub one_in: u64,
    /// The only kind that is tried.
    pub only: Option<Row>,
    /// Whether a ledger is left at its first harm, and no further one begun then.
    pub until_harm: bool,
}

/// Damages the ledgers of every seed in every way.
#[must_use]
pub fn damage(damaging: &Damaging) -> Damages {
    let Range { start, end } = damaging.seeds;
    let samples = start * Sample::COUNT..end * Sample::COUNT;
    let is_last = |part: &Damages| damaging.until_harm && !part.harms.is_empty();
    let mut all = Damages::default();
    for part in spread(samples, damaging.threads, &|number| of_sample(number, damaging), &is_last) {
        all.add(part);
    }
    all
}

fn of_sample(number: u64, damaging: &Damaging) -> Damages {
    let mut damages = Damages::default();
    match Sample::numbered(number) {
        Ok(sample) => damages.damage(&sample, damaging),
        Err(error) => damages.harm("the ledger can't be made", &error),
    }
    damages
}

impl Damages {
    fn damage(&mut self, sample: &Sample, damaging: &Damaging) {
        let Damaging { step, one_in, until_harm, only, .. } = *damaging;
        let sound = match Sound::of(sample) {
            Ok(sound) => sound,
            Err(error) => return self.harm(&sample.label, &error),
        };
        let mut seen = BTreeSet::from([key(sample, &Damage::of(Row::Cut, ""))]);
        let mut made: BTreeMap<Row, u64> = BTreeMap::new();
        let mut each = |damage: Damage| {
            let is_over = until_harm && !self.harms.is_empty();
            if is_over || only.is_some_and(|only| only != damage.row) {
                return;
            }
            let turn = made.entry(damage.row).or_default();
            *turn += 1;
            let thinned = sample.subject == Subject::Engine && damage.row.is_of_the_log();
            let left_out = *turn % one_in.max(1) != 1 % one_in.max(1);
            if left_out || thinned && !turn.is_multiple_of(ENGINE_STEP) {
                return;
            }
            if !seen.insert(key(sample, &damage)) {
                self.equal += 1;
                return;
            }
            let outcome = sound.judge(sample, &damage);
            if outcome == Outcome::Harmless && damage.row.harmless_because().is_none() {
                let place = format!("{}, {}: {}", sample.label, damage.row.label(), damage.what);
                self.harm(&place, "nobody finds it, and no reason is known");
            }
            let row = self.rows.entry(damage.row).or_default();
            if let Some(count) = row.get_mut(outcome.column()) {
                *count += 1;
            }
            if let Outcome::Harm(what) = outcome {
                let place = format!("{}, {}: {}", sample.label, damage.row.label(), damage.what);
                self.harm(&place, &what);
            }
        };
        cuts::each(sample, step, &mut each);
        records::each(sample, step, &mut each);
        segments::each(sample, &mut each);
        marks::each(sample, &mut each);
        keys::each(sample, &mut each);
        forged::each(sample, step, &mut each);
    }

    fn harm(&mut self, place: &str, what: &str) {
        let words: String = what.chars().filter(|c| !c.is_ascii_digit()).collect();
        let first = || (0, format!("{place}: {what}"));
        self.harms.entry(words).or_insert_with(first).0 += 1;
    }

    fn add(&mut self, other: Damages) {
        self.equal += other.equal;
        for (row, counts) in other.rows {
            let sums = self.rows.entry(row).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        for (words, (count, first)) in other.harms {
            self.harms.entry(words).or_insert((0, first)).0 += count;
        }
    }

    /// Whether no promise was broken, and none of the `kinds` of damage left out.
    #[must_use]
    pub fn is_sound(&self, kinds: usize) -> bool {
        self.harms.is_empty() && self.rows.len() == kinds
    }

    /// Damages that were judged, distinct by the files they leave.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.rows.values().flatten().sum()
    }

    /// How many came to each outcome, in the order of [`Outcome::COLUMNS`].
    #[must_use]
    pub fn outcomes(&self) -> [u64; Outcome::COLUMNS.len()] {
        let mut sums = [0; Outcome::COLUMNS.len()];
        for counts in self.rows.values() {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sums
    }
}

/// Files that are not as they were, as what tells a state from others.
fn key(sample: &Sample, damage: &Damage) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[u8::from(damage.rebooted), u8::from(damage.repairs)]);
    let after = damage.apply(&sample.files);
    let names: BTreeSet<&String> = after.keys().chain(sample.files.keys()).collect();
    for name in names {
        let (old, new) = (sample.files.get(name), after.get(name));
        if old != new {
            hasher.update(name.as_bytes()).update(&[u8::from(new.is_some())]);
            let new = new.map(Vec::as_slice).unwrap_or_default();
            hasher.update(&new.len().to_le_bytes()).update(new);
        }
    }
    *hasher.finalize().as_bytes()
}

impl fmt::Display for Damages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, label: &str, counts: &[u64]| {
            let mut text = format!("{label:<48}{:>8}", counts.iter().sum::<u64>());
            counts.iter().for_each(|count| {
                let _ = write!(text, "{count:>13}");
            });
            writeln!(f, "{text}")
        };
        write!(f, "{:<48}{:>8}", "damage", "states")?;
        Outcome::COLUMNS.iter().try_for_each(|column| write!(f, "{column:>13}"))?;
        writeln!(f)?;
        let mut total = [0; Outcome::COLUMNS.len()];
        for row in Row::ALL {
            let counts = self.rows.get(row).copied().unwrap_or_default();
            total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            line(f, row.label(), &counts)?;
        }
        line(f, "all kinds", &total)?;
        let mut harmless = Row::ALL.iter().filter(|row| {
            self.rows.get(row).is_some_and(|counts| counts.get(2).is_some_and(|count| *count > 0))
        });
        harmless.try_for_each(|row| {
            let reason = row.harmless_because().unwrap_or("NO REASON IS KNOWN");
            writeln!(f, "harmless, {}: {reason}", row.label())
        })?;
        let [refused, found, harmless, not_promised, harm] = total;
        writeln!(f, "{} states, {} more equal to one of these", self.states(), self.equal)?;
        writeln!(
            f,
            "refused {refused}, found {found}, harmless {harmless}, not promised \
             {not_promised}, harm {harm}",
        )?;
        for (count, first) in self.harms.values() {
            writeln!(f, "  {count} times, first: {first}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_damages_harms_nothing_and_leaves_no_kind_out() {
        let all = Row::ALL.len();
        let sample = Damaging {
            seeds: 0..1,
            threads: 2,
            step: 301,
            one_in: 37,
            only: None,
            until_harm: false,
        };
        let damages = damage(&sample);
        assert!(damages.is_sound(all), "{damages}");
        assert!(damages.states() > 200, "{damages}");
        let only = damage(&Damaging { only: Some(Row::LastGone), ..sample });
        assert!(only.is_sound(1), "{only}");
        assert!(!only.is_sound(all), "{only}");
    }
}
