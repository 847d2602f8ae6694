use anyhow::{Context as _, Result};
use clap::Args;
use memlith::Timestamp;
use memlith::storage::{Clock as _, SystemClock};
use memlith_agents::{Project, StateFolder, Switch, What};
use serde::Serialize;

use crate::context::Context;
use crate::environment;
use crate::exit::{Exit, unusable};
use crate::verb::Verb;

/// Switch memory off for coding agents: nothing is captured, nothing is given.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent off
  memlith agent off --for 2h
  memlith agent off --project
  memlith agent off --session 0195b2e7")]
pub struct OffArgs {
    #[command(flatten)]
    what: WhatArgs,

    /// For so long, as 30m, 2h or 1d; for good without it.
    #[arg(long = "for", value_name = "TIME", value_parser = microseconds)]
    span: Option<i64>,
}

/// Switch memory on again for coding agents; without a flag, everywhere.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith agent on
  memlith agent on --project")]
pub struct OnArgs {
    #[command(flatten)]
    what: WhatArgs,
}

#[derive(Args, Debug)]
struct WhatArgs {
    /// The project in the working directory alone.
    #[arg(long)]
    project: bool,

    /// One session alone, by its client's name for it.
    #[arg(long, value_name = "ID", conflicts_with = "project", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    session: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    off: Vec<OffJson>,
}

#[derive(Serialize)]
struct OffJson {
    what: String,
    until: Option<String>,
}

impl WhatArgs {
    /// Returns the session or project that the flags name; `None` where they name none.
    fn named(&self) -> Result<Option<What>> {
        if let Some(session) = &self.session {
            return Ok(Some(What::Session(session.clone())));
        }
        if !self.project {
            return Ok(None);
        }
        let here = std::env::current_dir().context("find the working directory")?;
        Ok(Some(What::Project(Project::of(&here).name)))
    }
}

impl Verb for OffArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run_off(&self, context)
    }
}

fn run_off(args: &OffArgs, context: &mut Context) -> Result<Exit> {
    let now = now(context);
    let until = args.span.map(|span| now.plus_us(span));
    let what = args.what.named()?.unwrap_or(What::All);
    change(context, |switch| switch.off(what, now, until))
}

impl Verb for OnArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run_on(&self, context)
    }
}

fn run_on(args: &OnArgs, context: &mut Context) -> Result<Exit> {
    let (what, now) = (args.what.named()?, now(context));
    change(context, |switch| switch.on(what.as_ref(), now))
}

fn change(context: &mut Context, act: impl FnOnce(&mut Switch)) -> Result<Exit> {
    let settings = environment::hook_settings().ok_or_else(|| unusable("HOME names no folder"))?;
    let mut switch = Switch::read(&settings);
    act(&mut switch);
    switch.save(&settings).with_context(|| format!("write to {}", settings.path().display()))?;
    let off = told(&switch, now(context));
    let lines: Vec<String> = off.iter().map(OffJson::to_text).collect();
    let text = if lines.is_empty() { "memory is on".to_owned() } else { lines.join("\n") };
    context.answer(&Answer { off }, text)?;
    Ok(Exit::Ok)
}

/// Lists in words what is switched off.
pub(crate) fn lines(settings: &StateFolder, now: Timestamp) -> Vec<String> {
    told(&Switch::read(settings), now).iter().map(OffJson::to_text).collect()
}

fn told(switch: &Switch, now: Timestamp) -> Vec<OffJson> {
    let off = switch.all(now).map(|off| OffJson {
        what: match &off.what {
            What::All => "all".to_owned(),
            What::Project(name) => format!("project {name}"),
            What::Session(name) => format!("session {name}"),
        },
        until: off.until.map(|until| Timestamp(until).to_string()),
    });
    off.collect()
}

impl OffJson {
    fn to_text(&self) -> String {
        match &self.until {
            None => format!("memory is off: {}", self.what),
            Some(until) => format!("memory is off: {}, until {until}", self.what),
        }
    }
}

fn now(context: &Context) -> Timestamp {
    context.now.unwrap_or_else(|| SystemClock::new().now())
}

fn microseconds(text: &str) -> Result<i64, String> {
    let form = || "a span looks like 30m, 2h or 1d".to_owned();
    let unit = text.chars().last().ok_or_else(form)?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return Err(form()),
    };
    let number = text.strip_suffix(unit).and_then(|number| number.parse::<u32>().ok());
    let number = number.filter(|number| *number > 0).ok_or_else(form)?;
    i64::from(number).checked_mul(minutes * 60 * 1_000_000).ok_or_else(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_a_unit() {
        assert_eq!(microseconds("2h"), Ok(7_200_000_000));
        assert_eq!(microseconds("30m"), Ok(1_800_000_000));
        for text in ["", "h", "2", "-1h", "0d", "1.5h", "2\u{e4}", "99999999999d"] {
            assert!(microseconds(text).is_err(), "{text}");
        }
    }
}
