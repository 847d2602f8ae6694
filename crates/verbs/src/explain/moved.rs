use std::fmt::Write as _;

use anyhow::Result;
use memlith::{
    Caller, Ledger, RecordId,
    read::{Inspected, Step},
};
use serde::Serialize;

use super::effect;
use crate::line::Line;

/// Effect of a record that is no item on the salience of those that it names.
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
    step: Step,
}

pub(super) fn answer(ledger: &Ledger, caller: &Caller, inspected: &Inspected) -> Result<Answer> {
    let id = inspected.record.id();
    let mut moved = Vec::new();
    for item in &inspected.about {
        let explained = ledger.explain(caller, *item)?;
        let own = explained.explanation.steps.into_iter().filter(|step| step.id == id);
        moved.extend(own.map(|step| MovedJson { item: *item, step }));
    }
    Ok(Answer { id, kind: Line::of(&inspected.record).json.kind, moved })
}

impl Answer {
    pub(super) fn to_text(&self) -> String {
        let mut out = format!("{}  {}, which has no salience of its own\n", self.id, self.kind);
        for one in &self.moved {
            // Writing to a string can't fail.
            let _ = writeln!(out, "  {}  {}", one.item, effect(&one.step));
        }
        out
    }
}
