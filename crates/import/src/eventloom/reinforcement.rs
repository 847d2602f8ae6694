use std::collections::BTreeMap;

use memlith_event::{Actor, IdempotencyKey, Rank, Weight};
use serde_json::Value;

use crate::eventloom::Sealed;
use crate::lenient::{list, text};
use crate::session::{Moment, Output, Sessions};
use crate::{Imported, Reinforced, ReinforcementKind, SkipReason, Target};

/// The events of a log that a reinforcement can name, by their sequence.
#[derive(Default)]
pub(crate) struct Sources {
    /// From the first sequence on; where nothing can be named, nothing.
    rows: Vec<Option<Row>>,
    actors: Vec<Actor<'static>>,
    /// The index of each actor, by name and rank.
    indices: BTreeMap<(String, Rank), u32>,
}

struct Row {
    /// The first bytes of the event's hash, as hex.
    hash: [u8; 16],
    actor: u32,
    key: IdempotencyKey,
}

impl Sources {
    /// Notes an event. Sequences come without gaps, from 1.
    pub(crate) fn insert(
        &mut self,
        seq: u64,
        hash: &str,
        actor: &Actor<'static>,
        key: IdempotencyKey,
    ) {
        let name = (actor.name.as_str().to_owned(), actor.rank);
        let index = *self.indices.entry(name).or_insert_with(|| {
            self.actors.push(actor.clone());
            u32::try_from(self.actors.len() - 1).unwrap_or(u32::MAX)
        });
        let row = start_of(hash).map(|hash| Row { hash, actor: index, key });
        let rows = usize::try_from(seq).unwrap_or(usize::MAX).saturating_sub(1);
        // Reinforcements have no row of their own.
        while self.rows.len() < rows {
            self.rows.push(None);
        }
        self.rows.push(row);
    }

    /// Yields a reinforcement, and counts the targets that are none.
    pub(crate) fn reinforced(
        &self,
        sessions: &Sessions,
        moment: &Moment<'_>,
        sealed: &Sealed,
        output: &mut Output,
    ) {
        let skip = |reason| Imported::Skipped { line: sealed.line, reason };
        let kind = text(&sealed.payload, "kind").and_then(kind_of);
        let weight = weight_of(sealed.payload.get("weight"));
        let named = list(&sealed.payload, "targets");
        let (Some(kind), Ok(weight), false) = (kind, weight, named.is_empty()) else {
            return output.push_back(skip(SkipReason::MalformedReinforcement));
        };
        let mut targets = BTreeMap::new();
        for target in named {
            match self.target(target) {
                Some((seq, target)) => drop(targets.insert(seq, target)),
                None => output.push_back(skip(SkipReason::UnresolvedTarget)),
            }
        }
        if targets.is_empty() {
            return;
        }
        let rank = if sealed.actor == "user" { Rank::User } else { Rank::Assistant };
        output.push_back(Imported::Reinforced(Box::new(Reinforced {
            kind,
            targets: targets.into_values().collect(),
            weight,
            occurred_at: sealed.at,
            actor: Actor::new(sealed.actor.clone(), rank),
            scope: sessions.scope(&sealed.thread),
            key: sessions.key(moment),
        })));
    }

    /// The event that `{seq, hash}` names, if both fit.
    fn target(&self, target: &Value) -> Option<(u64, Target)> {
        let seq = target.get("seq").and_then(Value::as_u64)?;
        let index = usize::try_from(seq.checked_sub(1)?).ok()?;
        let row = self.rows.get(index)?.as_ref()?;
        if start_of(text(target, "hash")?)? != row.hash {
            return None;
        }
        let actor = self.actors.get(usize::try_from(row.actor).ok()?)?.clone();
        Some((seq, Target { actor, key: row.key, is_correction: false }))
    }
}

fn kind_of(kind: &str) -> Option<ReinforcementKind> {
    match kind {
        "surfaced" => Some(ReinforcementKind::Surfaced),
        "confirmed" => Some(ReinforcementKind::Confirmed),
        "promoted" => Some(ReinforcementKind::Promoted),
        "invalidated" => Some(ReinforcementKind::Invalidated),
        _ => None,
    }
}

/// A weight in millionths, half to even; above 0 and at most 10, as Zaxy has it.
fn weight_of(weight: Option<&Value>) -> Result<Option<Weight>, ()> {
    let Some(weight) = weight.filter(|weight| !weight.is_null()) else { return Ok(None) };
    let weight = weight.as_f64().filter(|weight| *weight > 0.0 && *weight <= 10.0).ok_or(())?;
    #[expect(clippy::cast_possible_truncation, reason = "at most ten million, checked above")]
    let millionths = (weight * 1e6).round_ties_even() as u32;
    Weight::new(millionths.max(1)).map(Some).ok_or(())
}

/// The first sixteen digits of a hash, with or without its prefix.
fn start_of(hash: &str) -> Option<[u8; 16]> {
    let digits = hash.strip_prefix("sha256:").unwrap_or(hash);
    digits.as_bytes().first_chunk().copied()
}
