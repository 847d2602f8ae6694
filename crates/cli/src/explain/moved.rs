use std::fmt::Write as _;

use anyhow::Result;
use memlith::{Caller, Ledger, RecordId, item::Inspected};
use serde::Serialize;

use super::{FactorJson, factors};
use crate::line::Line;

/// What a record that is no item did to the salience of those that it names.
#[derive(Serialize)]
pub(super) struct Answer {
    id: RecordId,
    kind: &'static str,
    moved: Vec<MovedJson>,
}

#[derive(Serialize)]
struct MovedJson {
    item: RecordId,
    #[serde(flatten)]
    factor: FactorJson,
}

pub(super) fn answer(ledger: &Ledger, caller: &Caller, inspected: &Inspected) -> Result<Answer> {
    let id = inspected.record.id();
    let mut moved = Vec::new();
    for item in &inspected.about {
        let explained = ledger.explain(caller, *item)?;
        let own = factors(&explained.explanation).into_iter().filter(|factor| factor.id == id);
        moved.extend(own.map(|factor| MovedJson { item: *item, factor }));
    }
    Ok(Answer { id, kind: Line::of(&inspected.record).json.kind, moved })
}

impl Answer {
    pub(super) fn to_text(&self) -> String {
        let mut out = format!("{}  {}, which has no salience of its own\n", self.id, self.kind);
        for one in &self.moved {
            // Writing to a string can't fail.
            let _ = writeln!(out, "  {}  {}", one.item, one.factor.effect());
        }
        out
    }
}
