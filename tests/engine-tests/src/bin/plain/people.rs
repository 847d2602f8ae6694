use std::collections::{BTreeMap, BTreeSet};

use memlith::{
    Caller, RecordId,
    storage::{Rng, SeededRng},
};

use crate::Outcome;
use crate::arguments::{Arguments, Name};
use crate::goal::Goal;
use crate::half::Half;
use crate::report::Report;
use crate::room::{Room, caller};
use crate::sets::{self, Pair, Voice};
use crate::tally::Tally;

/// `ended`: rows that ended. `across`: of those, by what another party wrote. `merged`: writes
/// that were taken for what another party had said.
const LABELS: &[&str] = &["ended", "across", "merged"];

/// How much each party writes.
const WRITES_EACH: usize = 1_000;

/// One who writes to the ledger beside others.
struct Party {
    caller: Caller,
    texts: Vec<String>,
    rows: BTreeSet<RecordId>,
    /// Rows that its own writes ended.
    ended: BTreeSet<RecordId>,
}

/// Two people in the scope that all share, who speak of themselves alone, and three projects
/// with a subject each, in one ledger. The two halves of the report are drawn from the two
/// halves of the sets.
pub(crate) fn run(arguments: &Arguments) -> Outcome<Report> {
    let mut report = Report::new(Name::TwoPeople, LABELS, &[Goal::None("across")]);
    let mut pairs = sets::lines::<Pair>("stand.jsonl", &arguments.sets, usize::MAX)?;
    pairs.extend(sets::lines::<Pair>("change.jsonl", &arguments.sets, usize::MAX)?);
    let writes = WRITES_EACH.min(arguments.first);
    for (seed, half) in [(1, Half::Tuned), (2, Half::Untouched)] {
        let drawn = pairs.iter().filter(|pair| Half::of(&pair.old) == half);
        let texts: Vec<String> =
            drawn.flat_map(|pair| [pair.old.clone(), pair.new.clone()]).collect();
        write(parties(&texts)?, (writes, seed), report.half(half))?;
    }
    Ok(report)
}

fn parties(texts: &[String]) -> Outcome<Vec<Party>> {
    let of_oneself: Vec<String> =
        texts.iter().filter(|text| is_of_the_speaker(text)).cloned().collect();
    if of_oneself.is_empty() {
        return Err("no text of the sets is in the first person".into());
    }
    let mut parties = Vec::new();
    for speaker in ["user:ana", "user:bob"] {
        let voice = Voice { speaker: Some(speaker), scope: None };
        parties.push(Party::new(caller(voice)?, of_oneself.clone()));
    }
    for scope in ["subject=atlas", "subject=birch", "subject=comet"] {
        let voice = Voice { speaker: None, scope: Some(scope) };
        parties.push(Party::new(caller(voice)?, texts.to_vec()));
    }
    Ok(parties)
}

/// All parties write in turns; counted is what ended, and by whom.
fn write(mut parties: Vec<Party>, (writes, seed): (usize, u64), tally: &mut Tally) -> Outcome<()> {
    let (room, rng) = (Room::new()?, SeededRng::new(seed));
    let mut owners: BTreeMap<RecordId, usize> = BTreeMap::new();
    for at in 0..writes {
        room.set(i64::try_from(at)? * 1_000_000);
        for (turn, party) in parties.iter_mut().enumerate() {
            tally.of += 1;
            let id = party.write(&room, &rng)?;
            let owner = *owners.entry(id).or_insert(turn);
            tally.add("merged", u64::from(owner != turn));
        }
    }
    for party in &parties {
        for id in &party.rows {
            let ended = !room.stands(&party.caller, *id)?;
            let across = ended && !party.ended.contains(id);
            tally.add("ended", u64::from(ended));
            tally.add("across", u64::from(across));
            if across {
                tally.misses.push(format!("a row of {} was ended by another", party.name()));
            }
        }
    }
    Ok(())
}

impl Party {
    fn new(caller: Caller, texts: Vec<String>) -> Party {
        Party { caller, texts, rows: BTreeSet::new(), ended: BTreeSet::new() }
    }

    fn write(&mut self, room: &Room, rng: &SeededRng) -> Outcome<RecordId> {
        let mut bytes = [0; 8];
        rng.fill(&mut bytes)?;
        let drawn = u64::from_le_bytes(bytes) % u64::try_from(self.texts.len())?;
        let text = self.texts.get(usize::try_from(drawn)?).ok_or("nothing to draw from")?;
        let written = room.say(&self.caller, text)?;
        self.ended.extend(written.outcome.displaced());
        self.rows.insert(written.id);
        Ok(written.id)
    }

    fn name(&self) -> &str {
        self.caller.scope.subject.as_deref().unwrap_or(&self.caller.name)
    }
}

/// Whether the text is said in the first person, of nobody but the one who speaks.
fn is_of_the_speaker(text: &str) -> bool {
    let first = text.split(|one: char| !one.is_alphabetic()).next().unwrap_or_default();
    matches!(first, "I" | "My")
}
