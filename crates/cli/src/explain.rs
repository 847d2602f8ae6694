mod curve;
mod drawing;
mod moved;

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use memlith::{
    RecordId, Timestamp,
    item::{Explained, Explanation},
};
use serde::Serialize;
use serde_json::Number;

use crate::context::Context;
use crate::exit::Exit;
use crate::out_file::{self, Force};
use crate::target::Target;

use curve::Curve;
use drawing::Mark;

/// Explain the salience of an item, or what another record did to salience.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith explain mem_17_0a1b2c3d4e5f
  memlith explain mem_17_0a1b2c3d4e5f --at 2026-12-24 --json
  memlith explain mem_17_0a1b2c3d4e5f --svg curve.svg")]
pub(crate) struct ExplainArgs {
    /// The record: a sequence, an id or its beginning, a citation, a checkout.
    id: Target,

    /// The instant; else --now, else the clock's.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse)]
    at: Option<Timestamp>,

    /// Also draw the curve, as SVG, into this file.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    force: Force,
}

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    at: Timestamp,
    salience: Option<Number>,
    /// A string, since it is exact where `exact` says so.
    factor: String,
    exact: bool,
    decay: Option<Number>,
    policy: &'static str,
    authority: &'static str,
    factors: Vec<FactorJson>,
    curve: Vec<LegJson>,
}

#[derive(Serialize)]
struct LegJson {
    from: Timestamp,
    salience: Option<Number>,
}

#[derive(Serialize)]
struct FactorJson {
    id: RecordId,
    kind: &'static str,
    occurred_at: Timestamp,
    change: Option<String>,
    factor: Option<String>,
    clipped: bool,
    reanchored: bool,
    without_effect: Option<String>,
}

pub(crate) fn run(args: &ExplainArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let id = args.id.within(&ledger, &context.caller())?;
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
    let answer = answer(id, &explained);
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
        let title = format!("Salience of {id}, {}", answer.authority);
        let drawn = drawing::drawn(&title, curve, &marks(&explained.explanation));
        out_file::write(path, drawn.as_bytes(), args.force)?;
    }
    let drawn = curve.map_or_else(String::new, |curve| format!("\n{}", curve.text()));
    context.answer(&answer, text(&answer) + &drawn)?;
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

fn answer(id: RecordId, explained: &Explained) -> Answer {
    let explanation = &explained.explanation;
    Answer {
        id,
        at: explained.at,
        salience: number(&explanation.salience),
        factor: explanation.factor.to_string(),
        exact: explanation.exact,
        decay: number(&explanation.decay),
        policy: explained.policy.name(),
        authority: explained.authority.label(),
        factors: factors(explanation),
        curve: explanation.curve.iter().map(leg).collect(),
    }
}

/// The events that named the item, in order.
fn factors(explanation: &Explanation) -> Vec<FactorJson> {
    let factors = explanation.steps.iter().map(|step| {
        let effect = step.effect.as_ref().ok();
        FactorJson {
            id: step.id,
            kind: step.kind.name(),
            occurred_at: step.occurred_at,
            change: effect.map(|effect| snake(&format!("{:?}", effect.change))),
            factor: effect.map(|effect| effect.factor.to_string()),
            clipped: effect.is_some_and(|effect| effect.clipped),
            reanchored: effect.is_some_and(|effect| effect.reanchored),
            without_effect: step.effect.as_ref().err().map(|why| snake(&format!("{why:?}"))),
        }
    });
    factors.collect()
}

fn leg(leg: &memlith::item::Leg) -> LegJson {
    LegJson { from: leg.from, salience: number(&leg.shown(leg.from)) }
}

/// `ConfirmedOutside` as `confirmed_outside`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// A decimal of at most 12 digits as a JSON number.
fn number(decimal: &impl ToString) -> Option<Number> {
    serde_json::from_str(&decimal.to_string()).ok()
}

fn text(answer: &Answer) -> String {
    let shown =
        |number: &Option<Number>| number.as_ref().map(ToString::to_string).unwrap_or_default();
    let policy = match answer.policy {
        "default" => String::new(),
        other => format!(", policy {other}"),
    };
    let exact = if answer.exact { "" } else { " (rounded)" };
    let mut out = format!(
        "{}  {}\nsalience {} at {} = factor {}{exact} x decay {}{policy}\n",
        answer.id,
        answer.authority,
        shown(&answer.salience),
        answer.at,
        answer.factor,
        shown(&answer.decay)
    );
    for factor in &answer.factors {
        let effect = factor.effect();
        // Writing to a string can't fail.
        let _ = writeln!(out, "  {}  {}  {}  {effect}", factor.occurred_at, factor.id, factor.kind);
    }
    out
}

impl FactorJson {
    /// What the event did to the item, in words.
    fn effect(&self) -> String {
        let effect = match (&self.factor, &self.without_effect) {
            (Some(by), _) => format!("x {by}"),
            (None, why) => format!("no effect: {}", why.as_deref().unwrap_or_default()),
        };
        let clipped = if self.clipped { ", clipped" } else { "" };
        let reanchored = if self.reanchored { ", lifted" } else { "" };
        format!("{effect}{clipped}{reanchored}")
    }
}
