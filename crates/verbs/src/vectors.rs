use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use memlith::write::{
    Embedder as _, ModelId, ModelVector, Reembedded, StaticTable, TextOf, VectorsOf,
};
use memlith_models::CommandModel;
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::opened::Opened;
use crate::target::Target;
use crate::vector::parse_model;
use crate::verb::Verb;
use crate::wait::Wait;

/// Give items vectors: one from a file, or all that have none of a model.
///
/// Vectors re-score what words find, and in a scope of at most 4,096 of them they find what
/// shares no word with a question, where the question has one of the same model. All of one
/// model have the same length; those of two models are never compared. A vector leaves with
/// its item.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith maintain vectors mem_17_0a1b2c3d4e5f --vector vector.json --model minilm-l6-v2
  memlith maintain vectors --with table --dry-run
  memlith maintain vectors --command 'memlith-embed ~/models/all-MiniLM-L6-v2' --model minilm-l6-v2")]
pub struct VectorsArgs {
    /// The item that the vector is of: as `show` takes it.
    #[arg(value_name = "ID", requires = "vector")]
    target: Option<Target>,

    /// Its vector, as a JSON array of numbers; `-` reads standard input.
    #[arg(long, value_name = "FILE", requires_all = ["target", "model"])]
    vector: Option<PathBuf>,

    /// The model's name.
    #[arg(long, value_name = "NAME", value_parser = parse_model)]
    model: Option<ModelId>,

    /// Give all that have none a vector of a model that is part of the program.
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["target", "model"])]
    with: Option<BuiltIn>,

    /// Give all that have none what a program makes of them: lines `{id, text}` on its
    /// standard input, 64 at most; lines `{id, vector}` on its output.
    #[arg(long, value_name = "CMD", requires = "model", conflicts_with_all = ["target", "with"])]
    command: Option<String>,

    /// How long 64 texts wait for the program.
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "command")]
    timeout: Wait,

    /// Say how many have none, and write nothing.
    #[arg(long, conflicts_with = "target")]
    dry_run: bool,
}

/// A model that is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BuiltIn {
    /// The table of word vectors.
    Table,
}

#[derive(Serialize)]
struct Answer {
    model: String,
    missing: u64,
    written: u64,
    without: u64,
    refused: u64,
    dry_run: bool,
}

impl Verb for VectorsArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(self, context)
    }
}

fn run(args: VectorsArgs, context: &mut Context) -> Result<Exit> {
    let (model, done, ledger) = match (&args.target, &args.command, args.with) {
        (Some(target), _, _) => one(target, &args, context)?,
        (None, Some(line), _) => {
            let words = shlex::split(line).filter(|words| !words.is_empty());
            let words = words
                .ok_or_else(|| crate::exit::refused(format!("{line:?} is no command line")))?;
            let environment = crate::environment::of_arbiters();
            let model = args.model.clone().context("a model's name")?;
            let patience = args.timeout.0;
            let program = CommandModel { model: model.clone(), words, environment, patience };
            all(model, args.dry_run, context, |texts| program.vectors(texts))?
        }
        (None, None, Some(BuiltIn::Table)) => {
            let table = StaticTable::built_in();
            let model = table.model();
            let named = model.clone();
            let vector = |text: &str| ModelVector::of_vector(named.clone(), &table.vector(text)?);
            all(model, args.dry_run, context, |texts| {
                Ok(texts.iter().map(|(_, text)| vector(text)).collect())
            })?
        }
        (None, None, None) => {
            return Err(crate::exit::usage("name an ID with --vector, or --with, or --command"));
        }
    };
    let Reembedded { missing, written, without, refused, .. } = done;
    let dry_run = args.dry_run;
    let answer = Answer { model: model.to_string(), missing, written, without, refused, dry_run };
    let text = answer.to_text();
    context.answer(&answer, text)?;
    if !dry_run {
        context.finish(ledger)?;
    }
    Ok(Exit::ok_if(refused == 0))
}

/// Result of a verb: the model, what was embedded, and the ledger.
type Done = (ModelId, Reembedded, Opened);

fn one(target: &Target, args: &VectorsArgs, context: &Context) -> Result<Done> {
    let file = args.vector.as_deref().context("a vector")?;
    let model = args.model.clone().context("a model's name")?;
    let vector = crate::vector::read(file, model.clone())?;
    let ledger = context.open()?;
    let target = target.within(&ledger, &context.caller())?;
    let embedded = ledger.vectors().embed(&context.caller(), &[(target, vector)])?;
    let written = embedded.written.len() as u64;
    let mut done = Reembedded::default();
    (done.missing, done.written) = (written, written);
    Ok((model, done, ledger))
}

fn all(
    model: ModelId,
    dry_run: bool,
    context: &Context,
    mut give: impl FnMut(&[TextOf]) -> VectorsOf,
) -> Result<Done> {
    let ledger = if dry_run { context.open_to_read()? } else { context.open()? };
    let progress = context.progress("embedding", None);
    let done = ledger.vectors().embed_missing(&context.caller(), &model, dry_run, &mut give)?;
    drop(progress);
    Ok((model, done, ledger))
}

impl Answer {
    fn to_text(&self) -> String {
        let Answer { model, missing, written, without, refused, dry_run } = self;
        if *dry_run {
            return format!("{missing} items have no vector of {model}");
        }
        format!(
            "{written} vectors of {model} written, of {missing} items without one; of {without} \
             the model made none, {refused} took none"
        )
    }
}
