use std::io::Read;

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::log::SaidElsewhere;
use memlith::write::IdempotencyKey;
use memlith::{Ledger, Memory, Origin, Remember, Slot, Timestamp, Validity};
use memlith_agents::Tree;

use crate::context::Context;
use crate::elsewhere;
use crate::exit::Exit;
use crate::likeness::LikenessArgs;
use crate::pair::Pair;
use crate::target::Target;
use crate::vector::VectorArgs;
use crate::verb::Verb;
use crate::written;

/// Write a memory, which is compared with what is remembered already.
///
/// It is compared with what is remembered already: said again, it adds nothing; another
/// value of a single-valued slot takes the old one's place.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith remember 'The staging database runs Postgres 15.'
  memlith remember 'The API listens on port 8080'
  memlith remember 'The API failed to start on port 8080' --no-slot
  memlith remember 'Ana lives in Pune' --entity ana --predicate lives_in --value Pune --single
  memlith remember 'The invoice was paid' --metadata ticket=KES-412
  memlith remember 'Deploys need two approvals' --rests-on mem_17_0a1b2c3d4e5f
  memlith remember 'The staging database is running Postgres 15' --only-new
  memlith remember 'The staging database is running Postgres 15' --dry-run
  memlith remember 'Staging is on Postgres 15' --reconcile likeness --arbiter ./ask-model
  memlith remember 'The port is 8080' --vector vector.json --model minilm-l6-v2
  git log -1 --format=%B | memlith remember - --as tool:git")]
pub struct RememberArgs {
    #[command(flatten)]
    #[cfg_attr(feature = "schema", serde(flatten))]
    assertion: AssertionArgs,

    /// Your own name for this write: repeated under the same name, it writes nothing.
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,

    /// Write only what adds something: what a memory says already, in other words, reinforces
    /// that one instead.
    #[arg(long, conflicts_with = "vector")]
    #[cfg_attr(feature = "schema", serde(default))]
    only_new: bool,

    /// Say what the words add to what is remembered, and write nothing.
    #[arg(long, conflicts_with_all = ["key", "only_new", "vector"])]
    #[cfg_attr(feature = "schema", serde(skip))]
    dry_run: bool,

    /// Take no slot from the words: without it a sentence such as "Ana lives in Pune" is
    /// taken for entity, predicate and value where that is beyond doubt.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(skip))]
    no_slot: bool,

    #[command(flatten)]
    #[cfg_attr(feature = "schema", serde(skip))]
    likeness: LikenessArgs,

    #[command(flatten)]
    #[cfg_attr(feature = "schema", serde(skip))]
    vector: VectorArgs,
}

/// Replace a memory that was wrong from its start.
#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "schema", serde(deny_unknown_fields))]
#[command(after_help = "\
Examples:
  memlith update mem_17_0a1b2c3d4e5f 'The staging database runs Postgres 16.'")]
pub struct UpdateArgs {
    /// Memory that was wrong: as `show` takes it.
    #[arg(value_name = "ID")]
    #[cfg_attr(feature = "schema", serde(rename = "id"))]
    #[cfg_attr(feature = "schema", schemars(description = "Its id or citation."))]
    target: Target,

    #[command(flatten)]
    #[cfg_attr(feature = "schema", serde(flatten))]
    assertion: AssertionArgs,
}

#[derive(Args, Debug)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, schemars::JsonSchema))]
struct AssertionArgs {
    /// The words; `-` reads them from standard input.
    #[arg(value_name = "TEXT")]
    #[cfg_attr(feature = "schema", schemars(description = "The words."))]
    text: String,

    /// Entity that the memory is about.
    #[arg(long, requires_all = ["predicate", "value"])]
    entity: Option<String>,

    /// The property.
    #[arg(long, requires_all = ["entity", "value"])]
    predicate: Option<String>,

    /// The property's value.
    #[arg(long, requires_all = ["entity", "predicate"])]
    value: Option<String>,

    /// The property has one value at a time.
    #[arg(long, requires = "entity")]
    #[cfg_attr(feature = "schema", serde(default))]
    single: bool,

    /// The first instant at which it holds; else now.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse)]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "crate::instant::given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    valid_from: Option<Timestamp>,

    /// The first instant at which it no longer holds; else it has no end.
    #[arg(long, value_name = "TIME", value_parser = crate::instant::parse)]
    #[cfg_attr(feature = "schema", serde(default, deserialize_with = "crate::instant::given"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    valid_until: Option<Timestamp>,

    /// Records or memories that it rests on: it leaves and comes back with them.
    #[arg(long, value_name = "ID", num_args = 1..)]
    #[cfg_attr(feature = "schema", serde(default))]
    rests_on: Vec<Target>,

    /// Pairs that are kept beside it and given back by `show` and `list`; nothing else reads them.
    #[arg(long, value_name = "KEY=VALUE")]
    #[cfg_attr(feature = "schema", serde(skip))]
    metadata: Vec<Pair>,

    /// Origin of the words: user, assistant, tool, web, file or derived; else as the actor's rank.
    #[arg(long)]
    #[cfg_attr(feature = "schema", serde(skip))]
    origin: Option<Origin>,
}

impl Verb for RememberArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(self, context)
    }
}

fn run(args: RememberArgs, context: &mut Context) -> Result<Exit> {
    context.options.grammar = !args.no_slot;
    context.options.reconciler = args.likeness.reconciler()?;
    if args.assertion.text == "-" && args.vector.is_standard_input() {
        return Err(crate::exit::usage("standard input holds the words or the vector, not both"));
    }
    if args.dry_run {
        return crate::novelty::answer(&words(args.assertion.text, context)?, context);
    }
    let vector = args.vector.read()?;
    let ledger = context.open()?;
    let mut caller = context.caller();
    caller.origin = args.assertion.origin;
    caller.key = args.key.map(|key| IdempotencyKey::of(&["command line", &key]));
    let remember = args.assertion.remember(&ledger, context)?;
    let written = match (vector, args.only_new) {
        (Some(vector), _) => ledger.vectors().remember(&caller, remember, &vector)?,
        (None, true) => ledger.remember_new(&caller, remember)?,
        (None, false) => ledger.remember(&caller, remember)?,
    };
    let exit = written::answer(&written, &[], &ledger, context)?;
    context.finish(ledger)?;
    Ok(exit)
}

impl Verb for UpdateArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        update(self, context)
    }
}

fn update(args: UpdateArgs, context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let mut caller = context.caller();
    caller.origin = args.assertion.origin;
    let (holder, target) = args.target.found(&ledger, &caller)?;
    let mut with = args.assertion.remember(&ledger, context)?;
    // The pairs of the one that was wrong stay, but for what its words said of files.
    let before = Memory::of(holder.clone(), caller.clone()).get(target)?;
    for (key, value) in before.metadata.into_iter().filter(|(key, _)| !Tree::is_key(key)) {
        with.metadata.entry(key).or_insert(value);
    }
    let is_elsewhere = holder.id() != ledger.id();
    if is_elsewhere {
        // Before anything is written.
        let said = SaidElsewhere::ReplacedBy(target);
        ledger.check_elsewhere(&caller, (&holder, target), said)?;
    }
    let written = match is_elsewhere {
        true => ledger.remember(&caller, with)?,
        false => ledger.correct(&caller, target, with)?,
    };
    let exit = written::answer(&written, &[], &ledger, context)?;
    if is_elsewhere {
        let said = (SaidElsewhere::ReplacedBy(written.id), None);
        ledger.say_elsewhere(&caller, (&holder, target), said)?;
        context.note(elsewhere::NOTE);
    }
    context.finish(ledger)?;
    Ok(exit)
}

impl AssertionArgs {
    fn remember(self, ledger: &Ledger, context: &Context) -> Result<Remember> {
        let slot = match (self.entity, self.predicate, self.value) {
            (None, None, None) if self.single => {
                return Err(crate::exit::usage("`single` is of a slot: name its entity too"));
            }
            (Some(entity), Some(predicate), Some(value)) => Some(Slot {
                entity: entity.into(),
                predicate: predicate.into(),
                value: value.into(),
                single: self.single,
            }),
            (None, None, None) => None,
            (_, _, _) => {
                return Err(crate::exit::usage("a slot is an entity, a predicate and a value"));
            }
        };
        let text = words(self.text, context)?;
        // Of a file that it names it is known what it was.
        let mut metadata = context.tree()?.describe(&context.scope.0, &text);
        metadata.extend(self.metadata.into_iter().map(|pair| (pair.key, pair.value)));
        Ok(Remember {
            text,
            slot,
            validity: Validity { from: self.valid_from, until: self.valid_until },
            rests_on: Target::all_within(&self.rests_on, ledger, &context.caller())?,
            metadata,
        })
    }
}

/// `text`, or what standard input holds where it is `-`.
///
/// Where a server answers, the protocol is on standard input, and `-` is refused.
fn words(text: String, context: &Context) -> Result<String> {
    /// More than any record holds; what is longer is not read to its end.
    const WORDS_BYTES_MAX: u64 = 16 << 20;
    if text != "-" {
        return Ok(text);
    }
    if context.is_for_a_model() {
        let what = "`-` stands for standard input, which this server has none of";
        return Err(crate::exit::usage(what));
    }
    let mut words = Vec::new();
    let input = std::io::stdin().lock();
    let read = input.take(WORDS_BYTES_MAX + 1).read_to_end(&mut words);
    if read.context("read standard input")? as u64 > WORDS_BYTES_MAX {
        return Err(crate::exit::refused(format!(
            "standard input holds more than {WORDS_BYTES_MAX} bytes: split the text, or import it"
        )));
    }
    let words = String::from_utf8(words).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        crate::exit::unusable(format!("standard input is not UTF-8 at byte {offset}: convert it"))
    })?;
    Ok(words.trim_end().to_owned())
}
