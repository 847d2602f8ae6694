use std::fmt::Write as _;

use anyhow::Result;
use memlith::{
    Timestamp,
    read::{SlotValue, Wanted},
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;

#[derive(Serialize)]
struct Answer {
    entity: String,
    at: Timestamp,
    values: Vec<SlotValue>,
}

/// Prints what is known of an entity: the values of its properties.
pub(crate) fn answer(wanted: Wanted, at: Option<Timestamp>, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let mut caller = context.caller();
    let at = at.or(caller.now).unwrap_or_else(|| ledger.now());
    caller.now = Some(at);
    let values = ledger.get(&caller, &wanted)?;
    let answer = Answer { entity: wanted.entity.clone(), at, values };
    context.answer(&answer, answer.to_text())?;
    if answer.values.is_empty() {
        context.note(
            "nothing is known of it that has a slot; --past has what doesn't hold then, \
             `memlith search` looks through words",
        );
    }
    Ok(Exit::ok_if(!answer.values.is_empty()))
}

impl Answer {
    fn to_text(&self) -> String {
        let mut out = String::new();
        for one in &self.values {
            let until = one.end.map_or(String::new(), |end| format!(" until {}", end.at));
            let line = format!("{} / {} = {}", one.slot.entity, one.slot.predicate, one.slot.value);
            // Writing to a string can't fail.
            let _ = writeln!(
                out,
                "{}  {}, from {}{until}  {}",
                plain(&line, usize::MAX),
                one.authority,
                one.valid_from,
                one.item.id
            );
        }
        out
    }
}
