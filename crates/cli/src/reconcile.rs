use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use memlith::{ByVectors, Calibrated, LabelledPair, PairLabel, StaticTable, calibrate};
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::exit::Exit;

/// Fit what decides whether two texts mean the same.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith reconcile calibrate pairs.jsonl")]
pub(crate) struct ReconcileArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Find the thresholds of the built-in model that fit labelled pairs.
    #[command(after_help = "\
Examples:
  memlith reconcile calibrate pairs.jsonl
  memlith remember 'Ana lives in Pune' --reconcile likeness --thresholds 0.95,0.9,0.8")]
    Calibrate {
        /// Pairs, one `{\"a\", \"b\", \"label\"}` a line; a label is restatement, change,
        /// distinct or contradiction.
        #[arg(value_name = "FILE")]
        pairs: PathBuf,
    },
}

/// A line of the pairs; what else it holds is passed over.
#[derive(Deserialize)]
struct Line {
    a: String,
    b: String,
    label: Label,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Label {
    Restatement,
    Change,
    Distinct,
    Contradiction,
}

#[derive(Serialize)]
struct Answer {
    model: String,
    restate: String,
    midpoint: String,
    add: String,
    pairs: u64,
    unguarded: u64,
    restated: [u64; 2],
    superseded: [u64; 2],
}

/// More bytes of pairs are not read.
const PAIRS_BYTES_MAX: u64 = 64 << 20;

pub(crate) fn run(args: &ReconcileArgs, context: &mut Context) -> Result<Exit> {
    let What::Calibrate { pairs } = &args.what;
    let shown = pairs.display();
    let len = std::fs::metadata(pairs).with_context(|| format!("look at {shown}"))?.len();
    if len > PAIRS_BYTES_MAX {
        return Err(crate::exit::refused(format!(
            "{shown} is longer than {PAIRS_BYTES_MAX} bytes"
        )));
    }
    let text = std::fs::read_to_string(pairs).with_context(|| format!("read {shown}"))?;
    let mut read = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line)
            .map_err(|error| crate::exit::unusable(format!("{shown}, line {}: {error}", at + 1)))?;
        read.push(LabelledPair { a: line.a, b: line.b, label: line.label.into() });
    }
    let found = calibrate(&read, &ByVectors::of(*StaticTable::built_in()));
    let answer = Answer::of(&found);
    let text = text_of(&answer);
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

impl From<Label> for PairLabel {
    fn from(label: Label) -> PairLabel {
        match label {
            Label::Restatement => PairLabel::Restatement,
            Label::Change => PairLabel::Change,
            Label::Distinct => PairLabel::Distinct,
            Label::Contradiction => PairLabel::Contradiction,
        }
    }
}

impl Answer {
    fn of(found: &Calibrated) -> Answer {
        let thresholds = found.thresholds;
        Answer {
            model: found.model.clone(),
            restate: thresholds.restate.to_string(),
            midpoint: thresholds.midpoint.to_string(),
            add: thresholds.add.to_string(),
            pairs: found.pairs,
            unguarded: found.unguarded,
            restated: [found.restated.0, found.restated.1],
            superseded: [found.superseded.0, found.superseded.1],
        }
    }
}

fn text_of(answer: &Answer) -> String {
    let Answer { model, restate, midpoint, add, .. } = answer;
    let ([same, of_same], [newer, of_newer]) = (answer.restated, answer.superseded);
    format!(
        "--thresholds {restate},{midpoint},{add}\n\
         {model}, {} pairs, {} without a difference that a guard sees\n\
         restated from {restate}: {same} of {of_same} right\n\
         superseded from {midpoint}: {newer} of {of_newer} right\n",
        answer.pairs, answer.unguarded
    )
}
