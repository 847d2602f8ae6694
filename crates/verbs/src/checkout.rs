use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use memlith::{
    AsOf, Checkout, CheckoutRequest, ErrorKind, Pack, Purpose, Question, Timestamp,
    read::{Evidence, LeftOutReason},
};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::opened::Opened;
use crate::plain::plain;
use crate::vector::QueryVectorArgs;
use crate::verb::Verb;

/// Answer a question with a bounded pack of cited memories and records.
///
/// What is shown is written down, so that it fades more slowly and anybody can run the
/// checkout again: `verify receipts`.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith checkout 'which database is staging on?'
  memlith checkout 'which database is staging on?' --budget-tokens 500 --prompt
  memlith checkout 'is the signing key safe?' --purpose security
  memlith checkout 'why does the build fail?' --hint tool=cargo --hint phase=release
  memlith checkout 'is the port open?' --query-vector query.json --model minilm-l6-v2
  memlith checkout 'who approves deploys?' --as-of 2026-05-01 --json
  memlith checkout 'who led the team?' --valid-at 2025-11-05")]
pub struct CheckoutArgs {
    /// The question in its own words.
    query: String,

    /// Purpose of the pack: decides what it leaves out, and which outcomes it learns from.
    #[arg(long, value_name = "NAME", default_value = "general", value_parser = crate::purpose::parser())]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "crate::purpose::given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Purpose::ALL.map(Purpose::name))))]
    purpose: Purpose,

    /// Work you are at, e.g. `tool=cargo`: mission, workspace, tool or phase. Repeatable; what has
    /// to do with it comes a little earlier.
    #[arg(long, value_name = "NAME=TEXT", value_parser = crate::hint::parse)]
    #[cfg_attr(feature = "schema", serde(skip))]
    hint: Vec<(&'static str, String)>,

    /// The most tokens of the pack as `--prompt` prints it for a model, a token being 4 bytes.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = budget())]
    #[cfg_attr(feature = "schema", serde(default = "budget"))]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    #[cfg_attr(feature = "schema", schemars(description = "The most tokens, of 4 bytes each."))]
    budget_tokens: u32,

    /// Show at least so many of what was found, however little they answer, as far as the
    /// budget goes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[cfg_attr(feature = "schema", serde(skip))]
    min_items: u32,

    /// Ask a past state: a time, or the number of a record, which counts with its whole batch. It
    /// is not changed by it.
    #[arg(long, value_name = "SEQ|TIME", value_parser = crate::instant::parse_as_of)]
    #[cfg_attr(
        feature = "schema",
        serde(default, deserialize_with = "crate::instant::as_of_given")
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[cfg_attr(feature = "schema", schemars(description = "A past time, or a record's number."))]
    as_of: Option<AsOf>,

    /// Ask what held at an instant, by what is known today; nothing is written down.
    #[arg(long, value_name = "TIME", conflicts_with = "as_of", value_parser = crate::instant::parse)]
    #[cfg_attr(feature = "schema", serde(skip))]
    valid_at: Option<Timestamp>,

    #[command(flatten)]
    #[cfg_attr(feature = "schema", serde(skip))]
    vector: QueryVectorArgs,

    /// Don't write down what was shown.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(skip))]
    no_observe: bool,

    /// Wait until what was shown is written durably.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(skip))]
    durable: bool,

    /// Print the pack for a language model: stored text as data.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(skip))]
    prompt: bool,

    /// For benches: once the answer is out, say in a line of JSON on standard error what
    /// this process has used.
    #[arg(long, hide = true)]
    #[cfg_attr(feature = "schema", serde(skip))]
    usage: bool,
}

/// The most tokens of a pack, where nobody says it.
fn budget() -> u32 {
    2_000
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    checkout: &'a Checkout,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
}

impl Verb for CheckoutArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(self, context)
    }

    fn reads_everywhere(&self) -> bool {
        true
    }
}

fn run(args: CheckoutArgs, context: &mut Context) -> Result<Exit> {
    let is_of_now = args.as_of.is_none() && args.valid_at.is_none();
    let observe = !args.no_observe && is_of_now && !context.scope.0.everywhere;
    let (ledger, unwritable) =
        if observe { open(context)? } else { (context.open_to_read()?, None) };
    let request = CheckoutRequest {
        hints: crate::hint::all(args.hint),
        question: Question { query: args.query, as_of: args.as_of },
        purpose: args.purpose,
        budget_tokens: args.budget_tokens,
        min_items: args.min_items,
        vector: args.vector.read()?,
        observe: !args.no_observe && args.valid_at.is_none(),
        durable: args.durable,
    };
    let mut caller = context.caller();
    caller.now = args.valid_at.or(caller.now);
    let mut checkout = ledger.checkout(&caller, &request)?;
    if let (Err(why), Some(cause)) = (&mut checkout.observed, unwritable) {
        *why = cause;
    }
    print(&checkout, args.prompt, context)?;
    let ids: Vec<_> = checkout.pack.items.iter().map(|item| item.id).collect();
    for line in context.tree()?.since(&ledger, &caller, &ids)?.lines() {
        context.note(line);
    }
    if args.usage {
        context.out.flush()?;
        let usage = crate::usage::Usage::now(&context.ledger_dir()?);
        anstream::eprintln!("{}", serde_json::to_string(&usage)?);
    }
    if observe {
        context.finish(ledger)?;
    }
    Ok(Exit::Ok)
}

/// The ledger, and why it can't be written to where that is so: an answer is owed all
/// the same.
fn open(context: &Context) -> Result<(Opened, Option<String>)> {
    let error = match context.open() {
        Ok(ledger) => return Ok((ledger, None)),
        Err(error) => error,
    };
    let kind = error.downcast_ref::<memlith::Error>().map(memlith::Error::kind);
    match (kind, context.open_to_read()) {
        (Some(ErrorKind::Io), Ok(ledger)) => Ok((ledger, Some(format!("{error:#}")))),
        (_, _) => Err(error),
    }
}

fn print(checkout: &Checkout, prompt: bool, context: &mut Context) -> Result<()> {
    let pack = &checkout.pack;
    let answer = Answer { checkout, prompt: prompt.then(|| memlith::for_prompt(&pack.items)) };
    // Written only for one who reads it: it takes as long as the JSON.
    let is_for_a_model = prompt || context.is_for_a_model();
    let text = std::fmt::from_fn(|out| match is_for_a_model {
        true => out.write_str(&memlith::for_prompt(&pack.items)),
        false => out.write_str(&memlith::for_people(&pack.items)),
    });
    context.answer(&answer, text)?;
    if !context.json {
        context.note(summary(checkout));
    }
    Ok(())
}

/// Sums up what a person wants to know beside the items.
fn summary(checkout: &Checkout) -> String {
    let pack = &checkout.pack;
    let mut reasons: BTreeMap<LeftOutReason, u64> = BTreeMap::new();
    for one in &pack.left_out {
        *reasons.entry(one.reason).or_default() += 1;
    }
    let reasons: Vec<String> =
        reasons.into_iter().map(|(reason, count)| format!("{count} {}", label(reason))).collect();
    let left_out = if reasons.is_empty() {
        String::new()
    } else {
        format!("; left out: {}", reasons.join(", "))
    };
    let observed = match &checkout.observed {
        Ok(id) => format!("observed as {id}"),
        Err(why) => format!("not observed: {why}"),
    };
    let items = match pack.items.len() {
        0 => "nothing found".to_owned(),
        1 => "1 item".to_owned(),
        items => format!("{items} items"),
    };
    let told = told(pack);
    format!("{items}, {} tokens{told}{left_out}; {observed}", pack.tokens)
}

/// Tells what the words of the question say of the answer, where they say anything.
fn told(pack: &Pack) -> String {
    let mut told = crate::knows::nowhere(&pack.nowhere);
    let Evidence { witnesses, needed, .. } = pack.evidence;
    if needed > 1 {
        told += &format!("; {witnesses} of {needed} witnesses");
    }
    if let Some(item) = pack.asked_of.as_ref().and_then(|of| of.said_by_another(&pack.items)) {
        told += &format!("; the best of it was said by {}", plain(&item.speaker, 64));
    }
    told
}

fn label(reason: LeftOutReason) -> &'static str {
    match reason {
        LeftOutReason::Budget => "beyond the budget",
        LeftOutReason::Authority => "that may not be shown",
        LeftOutReason::Trust => "of too little trust",
        LeftOutReason::WebShare => "beyond the web's share",
        LeftOutReason::Attenuated => "faded",
        LeftOutReason::Faint => "that answer far less",
        LeftOutReason::Duplicate => "that repeat another",
        LeftOutReason::Unvouched => "that nobody stands behind",
        LeftOutReason::Derived => "derived and not reviewed",
        LeftOutReason::Outdated => "outdated",
    }
}
