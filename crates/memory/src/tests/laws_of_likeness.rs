//! Writes by likeness, at random, against an oracle that knows the table of the model alone.

use memlith_event::{Arbitration, Cosine, Decided, Difference, Near, Outcome, Rank, Reply};
use memlith_log::RecordId;
use proptest::prelude::*;

use super::bench::{Bench, invalidate, text};
use super::likeness::likeness;
use crate::Authority;

/// The thresholds, and a step to each side.
const COSINES: [i32; 10] = [
    10_000_000, 9_500_001, 9_500_000, 9_499_999, 8_750_001, 8_750_000, 8_749_999, 8_000_000,
    7_999_999, 0,
];

const DIFFERENCES: [Option<Difference>; 10] = [
    None,
    None,
    None,
    Some(Difference::Negation),
    Some(Difference::Number),
    Some(Difference::Unit),
    Some(Difference::Date),
    Some(Difference::Name),
    Some(Difference::Direction),
    Some(Difference::Value),
];

/// A write: by whom, how near each row is and in what it differs, and what an arbiter says.
#[derive(Clone, Debug)]
struct Step {
    by: u8,
    near: Vec<(u8, u8)>,
    said: u8,
    of: u8,
    takes_out: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let near = prop::collection::vec((any::<u8>(), any::<u8>()), 0..6);
    (0u8..2, near, 0u8..10, any::<u8>(), prop::bool::weighted(0.1))
        .prop_map(|(by, near, said, of, takes_out)| Step { by, near, said, of, takes_out })
}

fn picked<T: Copy>(list: &[T], at: u8) -> T {
    list[usize::from(at) % list.len()]
}

impl Step {
    fn rank(&self) -> Rank {
        [Rank::User, Rank::Assistant][usize::from(self.by)]
    }

    /// The rows as they were found, the newest first as a search might give them.
    fn near(&self, rows: &[RecordId]) -> Vec<Near> {
        let near = self.near.iter().zip(rows.iter().rev());
        near.map(|((cosine, differs), id)| Near {
            id: *id,
            cosine: Cosine(picked(&COSINES, *cosine)),
            differs: picked(&DIFFERENCES, *differs),
        })
        .collect()
    }

    fn reply(&self, rows: &[RecordId]) -> Option<Reply> {
        // Any row there ever was, whether it was shown or not.
        let any = *rows.get(usize::from(self.of).checked_rem(rows.len())?)?;
        match self.said {
            0 => Some(Reply::Add),
            1 => Some(Reply::Skip),
            2..=4 => Some(Reply::Update(any)),
            5 => Some(Reply::TimedOut),
            _ => None,
        }
    }
}

/// Fate of a write by the table of the model.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Restated(RecordId),
    Skipped,
    Written { instead: Vec<RecordId>, beside: Vec<RecordId> },
}

/// The oracle: near is what stands alone.
fn judged(near: &[Near], reply: Option<Reply>) -> Said {
    let at_least = |one: &Near, cosine: i32| one.cosine.0 >= cosine;
    let same = |one: &&Near| one.differs.is_none() && at_least(one, 9_500_000);
    if let Some(best) = near.iter().filter(same).map(|one| one.cosine).max() {
        let mut ids = near.iter().filter(same).filter(|one| one.cosine == best).map(|one| one.id);
        return Said::Restated(ids.next().unwrap());
    }
    // A word in another's place is a veto of a restatement alone.
    let apart = |one: &Near| match one.differs {
        None => false,
        Some(Difference::Value) => at_least(one, 9_500_000),
        Some(_) => true,
    };
    let shown = |id: &RecordId| near.iter().find(|one| one.id == *id).map(|one| one.cosine.0);
    let mut instead = Vec::new();
    match reply {
        Some(Reply::Skip) => return Said::Skipped,
        Some(Reply::Add) => return Said::Written { instead, beside: Vec::new() },
        Some(Reply::Update(id)) if shown(&id).is_some() => {
            let least = shown(&id).unwrap();
            let taken = |one: &&Near| one.id == id || !apart(one) && at_least(one, least);
            instead.extend(near.iter().filter(taken).map(|one| one.id));
        }
        Some(_) | None => {
            let taken = |one: &&Near| !apart(one) && at_least(one, 8_750_000);
            instead.extend(near.iter().filter(taken).map(|one| one.id));
        }
    }
    let contradicts = |one: &&Near| {
        let named = one.differs == Some(Difference::Name);
        apart(one) && !named && at_least(one, 8_000_000) && !instead.contains(&one.id)
    };
    let mut beside: Vec<RecordId> = near.iter().filter(contradicts).map(|one| one.id).collect();
    instead.sort_unstable();
    beside.sort_unstable();
    Said::Written { instead, beside }
}

/// Reads the fate of a write from its decision.
fn made(decided: &Decided<'_>) -> Said {
    let all = |rows: &[RecordId], beside: &[RecordId]| Said::Written {
        instead: rows.to_vec(),
        beside: beside.to_vec(),
    };
    match &decided.outcome {
        Outcome::Restated(id) => Said::Restated(*id),
        Outcome::Skipped => Said::Skipped,
        Outcome::Superseded(rows) => all(rows, decided.contests()),
        Outcome::Added => all(&[], decided.contests()),
        Outcome::Proposed(rows) => all(rows, &[]),
        Outcome::Revived(_)
        | Outcome::Corrected(_)
        | Outcome::Disputed(_)
        | Outcome::Reopened(_)
        | Outcome::Settled(_) => panic!("{decided:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_write_by_likeness_is_what_the_table_says(steps in prop::collection::vec(step(), 1..24)) {
        let mut bench = Bench::new();
        let mut rows: Vec<RecordId> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let takes_out = rows.get(usize::from(step.of).checked_rem(rows.len()).unwrap_or(0));
            if let Some(id) = takes_out.copied().filter(|_| step.takes_out) {
                let _ = bench.change(Rank::User, invalidate(), id);
            }
            let mut weighed = likeness(&step.near(&rows));
            let stands = |one: &&Near| bench.authority(one.id).is_shown();
            let mut near: Vec<Near> = weighed.near.iter().filter(stands).copied().collect();
            near.sort_unstable_by_key(|one| one.id);
            let reply = step.reply(&rows);
            let by = "oracle".into();
            weighed.arbitration = reply.map(|reply| Arbitration { by, reply });
            let what = format!("note {number}");
            let (id, decided) = bench.write(step.rank(), text(&what), &weighed).unwrap();
            let waits = bench.memory.item(id.seq).is_some_and(|_| {
                bench.memory.authority(id.seq, bench.now) == Some(Authority::Pending)
            });
            let mut expected = judged(&near, reply);
            if let (true, Said::Written { instead, beside }) = (waits, &mut expected) {
                // What it may not displace or contradict it is proposed against.
                instead.append(beside);
                instead.sort_unstable();
            }
            prop_assert_eq!(made(&decided), expected, "{:?} {:?}", near, reply);
            let is_row = bench.memory.item(id.seq).is_some() && !rows.contains(&id);
            rows.extend(is_row.then_some(id));
            // Both sides of a contest know of each other as long as both stand.
            for row in &rows {
                for other in bench.memory.contested_with(row.seq, bench.now) {
                    let mut back = bench.memory.contested_with(other.seq, bench.now);
                    let both = bench.authority(*row).is_shown();
                    prop_assert!(!both || back.any(|id| id == *row), "{row} {other}");
                }
            }
        }
    }
}
