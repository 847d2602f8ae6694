use memlith_event::{Key, Taught};
use memlith_log::{Seq, Timestamp};
use memlith_state::{Fields, Row};

/// A way of doing something, as jobs told of it: the same name, trigger where it has none, and
/// steps, up to case and white space. The same name with other steps is another one, with counts
/// of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Practice {
    /// A hash of its cell and its words.
    pub identity: Key,
    /// How many jobs told of it.
    pub seen: u32,
    /// In how many of them it was seen to go well.
    pub succeeded: u32,
    /// In how many it was seen to fail.
    pub failed: u32,
    /// How much it is worth in millionths, at [`Practice::at`].
    pub strength: u32,
    /// When it was last seen to go well or to fail, or first told of.
    pub at: Timestamp,
    /// The record that told of it last.
    pub last: Seq,
}

/// Strength that a practice begins with and goes back to, in millionths.
const NEUTRAL: u32 = 500_000;

/// A success adds so much.
const SUCCESS: u32 = 100_000;

/// A failure takes so much: twice a success.
const FAILURE: u32 = 200_000;

/// Certainty.
const WHOLE: u32 = 1_000_000;

/// Time in which the distance of a practice from [`NEUTRAL`] becomes half, in microseconds.
const HALF_LIFE_US: i64 = 90 * Timestamp::DAY_US;

impl Practice {
    /// Name of the method of procedures that are proposed from what jobs told.
    pub const METHOD: &str = "memlith-writeback";

    /// It is proposed as a procedure once it went well so often.
    pub const SUCCESSES_MIN: u32 = 3;

    /// The identity of what is taught, in a cell.
    #[must_use]
    pub fn identity(cell: Key, taught: &Taught<'_>) -> Key {
        let label = plain(if is_blank(&taught.name) { &taught.trigger } else { &taught.name });
        let steps: Vec<String> = taught.steps.iter().map(|step| plain(step)).collect();
        let mut parts: Vec<&[u8]> = vec![&cell.0, label.as_bytes()];
        parts.extend(steps.iter().map(String::as_bytes));
        Key::of("practice", &parts)
    }

    /// Whether it went well often enough to be proposed.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.succeeded >= Practice::SUCCESSES_MIN
    }

    /// How much it is worth at an instant, in millionths: half way back to 500,000 every 90 days
    /// since it was last tried, and along a line between.
    #[must_use]
    pub fn strength_at(&self, now: Timestamp) -> u32 {
        let passed = now.0.saturating_sub(self.at.0).max(0);
        let halves = u32::try_from(passed / HALF_LIFE_US).unwrap_or(u32::MAX).min(31);
        let ahead = (i64::from(self.strength) - i64::from(NEUTRAL)) / (1 << halves);
        // At most 500,000 times 90 days in microseconds: 62 bits.
        let faded = ahead - ahead * (passed % HALF_LIFE_US) / (2 * HALF_LIFE_US);
        u32::try_from(i64::from(NEUTRAL) + faded).unwrap_or(NEUTRAL)
    }

    /// The practice as it is first told of; that it went well is where it begins.
    pub(crate) fn first(
        identity: Key,
        (last, at): (Seq, Timestamp),
        verified: Option<bool>,
    ) -> Practice {
        let (succeeded, failed) = counts(verified);
        let strength = NEUTRAL - failed * FAILURE;
        Practice { identity, seen: 1, succeeded, failed, strength, at, last }
    }

    /// The practice after another job told of it. A mention moves nothing but the count.
    pub(crate) fn told_again(
        self,
        (last, now): (Seq, Timestamp),
        verified: Option<bool>,
    ) -> Practice {
        let (succeeded, failed) = counts(verified);
        let (strength, at) = match verified {
            Some(true) => ((self.strength_at(now) + SUCCESS).min(WHOLE), now),
            Some(false) => (self.strength_at(now).saturating_sub(FAILURE), now),
            None => (self.strength, self.at),
        };
        Practice {
            seen: self.seen.saturating_add(1),
            succeeded: self.succeeded.saturating_add(succeeded),
            failed: self.failed.saturating_add(failed),
            strength,
            at,
            last,
            ..self
        }
    }
}

fn counts(verified: Option<bool>) -> (u32, u32) {
    (u32::from(verified == Some(true)), u32::from(verified == Some(false)))
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Row for Practice {
    type Key = Key;
    const NAME: &'static str = "jobs.practices";
    const WIDTH: usize = Key::WIDTH + 4 * 4 + 2 * 8;

    fn key(&self) -> Key {
        self.identity
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.identity.0);
        for count in [self.seen, self.succeeded, self.failed, self.strength] {
            out.extend(count.to_le_bytes());
        }
        out.extend(self.at.0.to_le_bytes());
        out.extend(self.last.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Practice {
        let identity = Key::read(fields);
        let (seen, succeeded, failed) = (fields.u32(), fields.u32(), fields.u32());
        let strength = fields.u32();
        let (at, last) = (Timestamp(fields.i64()), Seq(fields.u64()));
        Practice { identity, seen, succeeded, failed, strength, at, last }
    }
}

/// The record by which a job told of a practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Telling {
    pub(crate) identity: Key,
    pub(crate) job: Seq,
    pub(crate) seq: Seq,
}

impl Row for Telling {
    type Key = (Key, Seq);
    const NAME: &'static str = "jobs.tellings";
    const WIDTH: usize = Key::WIDTH + 2 * 8;

    fn key(&self) -> (Key, Seq) {
        (self.identity, self.job)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.identity.0);
        out.extend(self.job.0.to_le_bytes());
        out.extend(self.seq.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Telling {
        let identity = Key::read(fields);
        Telling { identity, job: Seq(fields.u64()), seq: Seq(fields.u64()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = Timestamp::DAY_US;

    fn taught(
        name: &'static str,
        trigger: &'static str,
        steps: &[&'static str],
    ) -> Taught<'static> {
        let steps = steps.iter().map(|step| (*step).into()).collect();
        Taught { name: name.into(), trigger: trigger.into(), steps, ..Taught::default() }
    }

    fn first(verified: Option<bool>) -> Practice {
        Practice::first(Key::default(), (Seq(1), Timestamp(0)), verified)
    }

    #[test]
    fn six_successes_count_from_a_half_to_the_whole() {
        let mut practice = first(Some(true));
        let mut seen = vec![(practice.seen, practice.strength, practice.is_proven())];
        for seq in 2..=7 {
            practice = practice.told_again((Seq(seq), Timestamp(0)), Some(true));
            seen.push((practice.seen, practice.strength, practice.is_proven()));
        }
        let wanted = [
            (1, 500_000, false),
            (2, 600_000, false),
            (3, 700_000, true),
            (4, 800_000, true),
            (5, 900_000, true),
            (6, 1_000_000, true),
            (7, 1_000_000, true),
        ];
        assert_eq!(seen, wanted);
    }

    #[test]
    fn a_mention_moves_nothing_and_a_failure_weighs_two_successes() {
        let practice = first(None).told_again((Seq(2), Timestamp(DAY)), None);
        assert_eq!((practice.seen, practice.succeeded, practice.strength), (2, 0, 500_000));
        assert_eq!(practice.at, Timestamp(0));
        let practice = practice.told_again((Seq(3), Timestamp(DAY)), Some(false));
        assert_eq!((practice.failed, practice.strength), (1, 300_000));
        assert_eq!(first(Some(false)).strength, 300_000);
    }

    #[test]
    fn it_goes_half_way_back_in_ninety_days() {
        let strong = Practice { strength: 900_000, ..first(Some(true)) };
        let weak = Practice { strength: 100_000, ..strong };
        for (days, from_above, from_below) in [
            (0, 900_000, 100_000),
            (45, 800_000, 200_000),
            (90, 700_000, 300_000),
            (180, 600_000, 400_000),
        ] {
            assert_eq!(strong.strength_at(Timestamp(days * DAY)), from_above, "{days}");
            assert_eq!(weak.strength_at(Timestamp(days * DAY)), from_below, "{days}");
        }
        // A clock that was set back, and one that was set far ahead.
        assert_eq!(strong.strength_at(Timestamp(-DAY)), 900_000);
        assert_eq!(strong.strength_at(Timestamp(i64::MAX)), 500_000);
    }

    #[test]
    fn it_is_known_by_name_else_trigger_and_by_its_steps() {
        let of = |taught: &Taught<'_>| Practice::identity(Key::default(), taught);
        let one = of(&taught("Release", "a tag", &["cargo  test", "cargo publish"]));
        assert_eq!(one, of(&taught(" release ", "another", &["Cargo test", "cargo publish"])));
        assert_ne!(one, of(&taught("release", "a tag", &["cargo publish"])));
        let unnamed = of(&taught(" ", "A tag", &["x"]));
        assert_eq!(unnamed, of(&taught("", "a tag", &["x"])));
        assert_ne!(unnamed, of(&taught("", "", &["x"])));
        assert_eq!(of(&taught("", "", &["X"])), of(&taught("", "", &["x"])));
    }
}
