use memlith_testkit::sim::Chance;
use serde::{Deserialize, Serialize};

use super::step::Step;

/// A whole session: what [`super::play`] needs and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Seed of everything that is left to chance.
    pub seed: u64,
    /// How durable each of the three processes makes its writes: 0 at once, 1 in groups,
    /// 2 buffered.
    pub durability: [u8; 3],
    /// The length of every segment in KiB.
    pub segment_kib: u16,
    /// Whether a failed sync takes back what it gave up.
    pub reverting: bool,
    /// Steps of the session, in order.
    pub steps: Vec<Step>,
}

/// How likely each of the first kinds of step is where it is known, in the order of
/// [`Step::of`].
const WEIGHTS: [usize; 36] = [
    10, 3, 3, 2, 4, 3, 2, 6, 2, 2, 2, 3, 3, 2, 1, 2, 3, 1, 3, 4, 1, 5, 6, 4, 3, 2, 4, 2, 2, 5, 4,
    5, 2, 4, 2, 5,
];

/// Later kinds with what they have to do with, and how often such a step takes another's place in
/// a session that knows them.
///
/// A chance of their own decides on them, so that the other sessions are what they were: a seed
/// that found something goes on finding it.
///
/// The last number names the chance of the row. It is one that leaves the seeds alone by which
/// rare bugs are found: see `tests/planted/found.txt`.
const LATER: [(&[usize], usize, [u64; 2]); 4] = [
    (&[36], 2, [0x54da, 0]),
    (&[37, 38], 3, [0x54da, 1]),
    (&[0, 0, 6, 6, 33, 39, 40, 41], 2, [0x54da, 2]),
    (&[42, 42, 26, 26, 13, 7, 43, 43, 44], 2, [0x5501, 3]),
];

/// One session in so many knows the later kinds of a row.
const KNOWING: usize = 6;

impl Session {
    /// The session of a seed: a swarm, in which each kind of step is there or not.
    #[must_use]
    pub fn of(seed: u64) -> Session {
        let mut chance = Chance::of(&[seed, 0x5e55]);
        let known: Vec<bool> = WEIGHTS.iter().map(|_| !chance.once_in(3)).collect();
        let mut bag: Vec<usize> = vec![0, 0, 0, 4, 7];
        for (kind, weight) in WEIGHTS.into_iter().enumerate() {
            if known.get(kind).copied().unwrap_or_default() {
                bag.extend(std::iter::repeat_n(kind, weight));
            }
        }
        let count = 8 + chance.below(20);
        let mut steps: Vec<Step> = (0..count)
            .map(|_| {
                let kind = bag.get(chance.below(bag.len())).copied().unwrap_or_default();
                Step::of(kind, &mut chance)
            })
            .collect();
        for (kinds, often, [salt, row]) in LATER {
            let mut chance = Chance::of(&[seed, salt, row]);
            if chance.once_in(KNOWING) {
                put_in(&mut steps, kinds, often, &mut chance);
            }
        }
        let mut durability = || u8::try_from(chance.below(4).saturating_sub(1)).unwrap_or(0);
        Session {
            seed,
            durability: [durability(), durability(), durability()],
            segment_kib: [8, 16, 64].get(chance.below(3)).copied().unwrap_or(16),
            reverting: chance.once_in(2),
            steps,
        }
    }

    /// Returns the session without `count` of its steps, the first of them at `from`.
    pub(super) fn without(&self, from: usize, count: usize) -> Session {
        let kept = self.steps.iter().enumerate();
        let steps = kept.filter(|(at, _)| !(from..from + count).contains(at));
        Session { steps: steps.map(|(_, step)| *step).collect(), ..self.clone() }
    }
}

/// One step in `often` becomes one of these kinds.
fn put_in(steps: &mut [Step], kinds: &[usize], often: usize, chance: &mut Chance) {
    for step in steps {
        if chance.once_in(often)
            && let Some(kind) = kinds.get(chance.below(kinds.len()))
        {
            *step = Step::of(*kind, chance);
        }
    }
}
