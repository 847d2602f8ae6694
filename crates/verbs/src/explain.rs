mod curve;
mod drawing;
mod moved;

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use memlith::{
    Timestamp,
    read::{Explained, Explanation, Step},
};

use crate::context::Context;
use crate::exit::Exit;
use crate::out_file::{self, Force};
use crate::target::Target;
use crate::verb::Verb;

use curve::Curve;
use drawing::Mark;

/// Explain the salience of an item, or what another record did to salience.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
pub struct ExplainArgs {
    /// The memory: its id (`mem_...`), citation or number.
    pub(crate) id: Target,

    /// The instant; now where absent.
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "crate::instant::given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(crate) at: Option<Timestamp>,

    #[cfg_attr(feature = "schema", serde(skip))]
    pub(crate) svg: Option<PathBuf>,

    #[cfg_attr(feature = "schema", serde(skip))]
    pub(crate) force: Force,
}

impl Verb for ExplainArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: &ExplainArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let (ledger, id) = args.id.found(&ledger, &context.caller())?;
    let mut caller = context.caller();
    caller.now = args.at.or(caller.now);
    let inspected = ledger.inspect(&caller, id)?;
    if inspected.item.is_none() {
        if args.svg.is_some() {
            let what = "only an item has a curve; `memlith show` prints which items it names";
            return Err(crate::exit::usage(format!("{id} is no item: {what}")));
        }
        let answer = moved::answer(&ledger, &caller, &inspected)?;
        context.answer(&answer, answer.to_text())?;
        return Ok(Exit::Ok);
    }
    let explained = ledger.explain(&caller, id)?;
    let curve = Curve::of(&explained.explanation.curve, explained.at);
    if let Some(path) = &args.svg {
        let Some(curve) = &curve else {
            let born = explained.explanation.curve.first().map(|leg| leg.from);
            let born = born.unwrap_or(explained.at);
            return Err(crate::exit::usage(format!(
                "there is no curve at {}: the item is of {born}; ask for a later --at",
                explained.at
            )));
        };
        let title = format!("Salience of {id}, {}", explained.authority);
        let drawn = drawing::drawn(&title, curve, &marks(&explained.explanation));
        out_file::write(path, drawn.as_bytes(), args.force)?;
    }
    let drawn = curve.map_or_else(String::new, |curve| format!("\n{}", curve.text()));
    context.answer(&explained, text(&explained) + &drawn)?;
    Ok(Exit::Ok)
}

/// The events that moved the item, in the order of the curve.
fn marks(explanation: &Explanation) -> Vec<Mark> {
    let moved = explanation.steps.iter().filter_map(|step| {
        let effect = step.effect.as_ref().ok()?;
        let words = format!("{} x {}", step.kind.name(), effect.factor);
        Some(Mark { at: step.occurred_at, words })
    });
    moved.collect()
}

fn text(explained: &Explained) -> String {
    let Explanation { salience, factor, exact, decay, steps, .. } = &explained.explanation;
    let policy = match explained.policy.name() {
        "default" => String::new(),
        other => format!(", policy {other}"),
    };
    let exact = if *exact { "" } else { " (rounded)" };
    let mut out = format!(
        "{}  {}\nsalience {salience} at {} = factor {factor}{exact} x decay {decay}{policy}\n",
        explained.id, explained.authority, explained.at,
    );
    for step in steps {
        let (kind, effect) = (step.kind.name(), effect(step));
        // Writing to a string can't fail.
        let _ = writeln!(out, "  {}  {}  {kind}  {effect}", step.occurred_at, step.id);
    }
    out
}

/// Tells in words what the event did to the item.
fn effect(step: &Step) -> String {
    match &step.effect {
        Ok(effect) => {
            let clipped = if effect.clipped { ", clipped" } else { "" };
            let reanchored = if effect.reanchored { ", lifted" } else { "" };
            format!("x {}{clipped}{reanchored}", effect.factor)
        }
        Err(why) => format!("no effect: {}", why.name()),
    }
}
