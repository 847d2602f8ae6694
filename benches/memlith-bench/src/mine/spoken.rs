//! Hidden steps as the tool calls that an agent would have made.

use memlith::{
    Seq,
    procedures::{Call, Deviation as Told, DeviationKind, Ending, MiningError, Sessions},
};

use crate::mine::planted::{Deviation, Session};
use crate::words::Random;

/// The sessions as they are mined: each step is a tool's call with paths and numbers of its
/// own, which is taken apart again.
pub(crate) fn sessions(planted: &[Session]) -> Result<Sessions, MiningError> {
    let mut random = Random::new(planted.len() as u64);
    let mut sessions = Sessions::default();
    let mut seq = 0;
    for (number, session) in planted.iter().enumerate() {
        let ending = if session.failed { Ending::Failed } else { Ending::Succeeded };
        sessions.begin(&format!("session {number}"), ending)?;
        for step in &session.steps {
            let (tool, arguments) = call(step.rank, &mut random);
            sessions.push_calls(Seq(seq), &Call::steps(&tool, &arguments), Some(step.ok))?;
            seq += 1;
        }
    }
    Ok(sessions)
}

/// The verb of a step: commands of a shell and tools in turn.
pub(crate) fn verb(rank: u64) -> String {
    if rank.is_multiple_of(2) { format!("program{rank}") } else { format!("Tool{rank}") }
}

/// A tool's name and its arguments.
fn call(rank: u64, random: &mut Random) -> (String, String) {
    let (file, line) = (random.below(1000), random.below(500));
    let verb = verb(rank);
    if rank.is_multiple_of(2) {
        let command = format!("{verb} --line {line} src/part{}/file_{file}.rs", file % 7);
        return ("Bash".to_owned(), format!(r#"{{"command": "{command}"}}"#));
    }
    (verb, format!(r#"{{"path": "/srv/shop/{file}.txt", "line": {line}}}"#))
}

/// Whether what is told is the deviation that was hidden.
pub(crate) fn is_told(hidden: Deviation, told: &Told) -> bool {
    match (hidden, &told.kind) {
        (Deviation::Replaced(at, other), DeviationKind::Replaced { by }) => {
            told.step == at && *by == verb(other)
        }
        (Deviation::LeftOut(at), DeviationKind::LeftOut) => told.step == at,
        (Deviation::Swapped(at), DeviationKind::OutOfOrder) => [at, at + 1].contains(&told.step),
        (Deviation::Extra(at, other), DeviationKind::Extra { verb: extra }) => {
            told.step == at && *extra == verb(other)
        }
        (
            Deviation::Replaced(..)
            | Deviation::LeftOut(_)
            | Deviation::Swapped(_)
            | Deviation::Extra(..),
            _,
        ) => false,
    }
}
