use memlith_testkit::sim::Chance;

/// One thing that happens in a history of folds. Numbers are taken for what there is.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A record of this origin.
    Say { origin: u8, words: Vec<u8> },
    /// A text.
    Remember { by: u8, words: Vec<u8> },
    /// A value of a slot that has one, since so many days; of people whose names differ at the end.
    Place { by: u8, whose: u8, place: u8, days: u8 },
    /// A text that rests on items.
    Rest { by: u8, words: Vec<u8>, on: [u8; 2] },
    /// An item is made of two others.
    Derive { words: Vec<u8>, on: [u8; 2] },
    /// A correction.
    Correct { by: u8, words: Vec<u8>, item: u8 },
    /// A change of an item.
    Change { by: u8, change: u8, item: u8 },
    /// The result of an answer that cited an item is reported.
    Report { by: u8, item: u8, failed: bool, verified: bool },
    /// A checkout that is observed.
    Show { words: Vec<u8> },
    /// An item is said to have been shown so often, whatever it is.
    Flood { item: u8, times: u8 },
}

/// A step, the scope it is taken in, and the hours that pass before it.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) step: Step,
    pub(super) cell: u8,
    pub(super) hours: i64,
}

/// How many scopes there are: those of two agents, what they share, and what each of the two
/// keeps to a session of one name.
pub(super) const CELLS: u8 = 5;

/// How likely each kind of step is where it is known.
const WEIGHTS: [usize; 10] = [4, 5, 3, 3, 3, 1, 6, 2, 2, 1];

const WORDS: [&str; 8] =
    ["tea", "coffee", "kettle", "office", "Monday", "Ana", "the long corridor", "green door"];

/// A sentence of these words.
pub(super) fn sentence(words: &[u8]) -> String {
    let word = |word: &u8| WORDS.get(usize::from(*word) % WORDS.len()).copied().unwrap_or("tea");
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A few words; every other time one, so that things are said again.
pub(super) fn phrase(chance: &mut Chance) -> Vec<u8> {
    let count = if chance.once_in(2) { 1 } else { 1 + chance.below(4) };
    (0..count).map(|_| byte(chance)).collect()
}

/// The history of a seed: a swarm, in which each kind of step is there or not, and time runs
/// as it does in that history.
pub(super) fn history(seed: u64) -> Vec<Turn> {
    let mut chance = Chance::of(&[seed, 0x1a05]);
    let mut bag = vec![0, 1];
    for (kind, weight) in WEIGHTS.into_iter().enumerate() {
        if !chance.once_in(4) {
            bag.extend(std::iter::repeat_n(kind, weight));
        }
    }
    let pace = [1, 3, 48, 2_000].get(chance.below(4)).copied().unwrap_or(3);
    let steps_back = chance.once_in(4);
    let count = 4 + chance.below(28);
    (0..count)
        .map(|_| {
            let kind = bag.get(chance.below(bag.len())).copied().unwrap_or_default();
            let hours = i64::try_from(chance.below(pace)).unwrap_or(0);
            let back = steps_back && chance.once_in(6);
            Turn {
                step: step(kind, &mut chance),
                cell: byte(&mut chance) % CELLS,
                hours: if back { -hours } else { hours },
            }
        })
        .collect()
}

fn step(kind: usize, chance: &mut Chance) -> Step {
    let words = phrase(chance);
    let [by, a, b, c, ..] = chance.bits().to_le_bytes();
    match kind {
        0 => Step::Say { origin: by, words },
        1 => Step::Remember { by, words },
        2 => Step::Place { by, whose: c % 3, place: a % 4, days: b % 4 },
        3 => Step::Rest { by, words, on: [a, b] },
        4 => Step::Derive { words, on: [a, b] },
        5 => Step::Correct { by, words, item: a },
        6 => Step::Change { by, change: a, item: b },
        7 => Step::Report { by, item: a, failed: b < 128, verified: c < 128 },
        8 => Step::Show { words },
        _ => Step::Flood { item: a, times: b % 24 },
    }
}

fn byte(chance: &mut Chance) -> u8 {
    let [byte, ..] = chance.bits().to_le_bytes();
    byte
}
