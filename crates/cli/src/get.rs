use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use memlith::{
    Timestamp,
    read::{SlotValue, Wanted},
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;

/// Print what is known of an entity: the values of its properties.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith get staging
  memlith get staging postgres_version
  memlith get ana lives_in --history
  memlith get ana lives_in --at 2025-06-01 --json")]
pub(crate) struct GetArgs {
    /// Entity, up to case and white space.
    entity: String,

    /// The property; else all of them.
    predicate: Option<String>,

    /// Also earlier and later values, those that wait for review, and those declared wrong.
    #[arg(long)]
    history: bool,

    /// The instant at which they hold, by what is known today; else --now, else the clock's.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse)]
    at: Option<Timestamp>,
}

#[derive(Serialize)]
struct Answer {
    entity: String,
    at: Timestamp,
    values: Vec<SlotValue>,
}

pub(crate) fn run(args: &GetArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let mut caller = context.caller();
    let at = args.at.or(caller.now).unwrap_or_else(|| ledger.now());
    caller.now = Some(at);
    let wanted = Wanted {
        entity: args.entity.clone(),
        predicate: args.predicate.clone(),
        history: args.history,
    };
    let values = ledger.get(&caller, &wanted)?;
    let answer = Answer { entity: args.entity.clone(), at, values };
    context.answer(&answer, answer.to_text())?;
    if answer.values.is_empty() {
        context.note(
            "nothing is known of it that has a slot; --history has what doesn't hold then, \
             `memlith recall` looks through words",
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
