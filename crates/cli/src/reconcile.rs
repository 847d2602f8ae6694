use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use memlith::write::{
    ByVectors, Calibrated, Comparer, Cosine, LabelledPair, PairLabel, StaticTable, calibrate,
};
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::exit::Exit;

/// Fit the thresholds that decide whether two texts mean the same.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith reconcile calibrate pairs.jsonl")]
pub(crate) struct ReconcileArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Find the thresholds of the built-in model, or of another, that fit labelled pairs.
    #[command(after_help = "\
Examples:
  memlith reconcile calibrate pairs.jsonl
  memlith remember 'Ana lives in Pune' --reconcile likeness --thresholds 0.95,0.9,0.8")]
    Calibrate {
        /// Pairs, one `{"a", "b", "label"}` a line; a label is restatement, change,
        /// distinct or contradiction. Where lines have `"cosine"`, that of another model, the
        /// thresholds are for it.
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
    cosine: Option<f64>,
}

/// The cosines that the lines give.
#[derive(Debug, Default)]
struct Given(BTreeMap<(String, String), Cosine>);

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
    open: u64,
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
    let (mut read, mut given) = (Vec::new(), Given::default());
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line)
            .map_err(|error| crate::exit::unusable(format!("{shown}, line {}: {error}", at + 1)))?;
        if let Some(cosine) = line.cosine {
            let cosine = whole(cosine).ok_or_else(|| {
                crate::exit::unusable(format!("{shown}, line {}: {cosine} is no cosine", at + 1))
            })?;
            given.0.insert((line.a.clone(), line.b.clone()), cosine);
        }
        read.push(LabelledPair { a: line.a, b: line.b, label: line.label.into() });
    }
    let found = match given.0.is_empty() {
        true => calibrate(&read, &ByVectors::of(*StaticTable::built_in())),
        false => calibrate(&read, &given),
    };
    let answer = Answer::of(&found);
    let text = text_of(&answer);
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

/// A cosine to a ten-millionth; none where it is out of its range.
fn whole(cosine: f64) -> Option<Cosine> {
    let within = (-1.0..=1.0).contains(&cosine);
    #[expect(clippy::cast_possible_truncation, reason = "it is within ten million")]
    let parts = (cosine * f64::from(Cosine::ONE)).round() as i32;
    within.then_some(Cosine(parts))
}

impl Comparer for Given {
    fn model(&self) -> &'static str {
        "given"
    }

    fn cosines(&self, text: &str, others: &[&str]) -> Vec<Option<Cosine>> {
        let of = |other: &&str| self.0.get(&((*other).to_owned(), text.to_owned())).copied();
        others.iter().map(of).collect()
    }
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
            open: found.open,
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
         {model}, {} pairs, {} left to their cosine by words, slots and guards\n\
         restated from {restate}: {same} of {of_same} right\n\
         superseded from {midpoint}: {newer} of {of_newer} right\n",
        answer.pairs, answer.open
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosines_of_the_lines_are_those_of_their_pairs() {
        let mut given = Given::default();
        let mut pairs = Vec::new();
        for number in 0..16 {
            let (a, b) = (format!("x y z {number}"), format!("jja {number}"));
            let label = if number < 8 { PairLabel::Distinct } else { PairLabel::Restatement };
            let cosine = whole(0.5 + f64::from(number) / 100.0).unwrap();
            given.0.insert((a.clone(), b.clone()), cosine);
            pairs.push(LabelledPair { a, b, label });
        }
        pairs.push(LabelledPair { a: "x".into(), b: "y".into(), label: PairLabel::Restatement });
        let found = calibrate(&pairs, &given);
        assert_eq!((found.model.as_str(), found.pairs, found.restated), ("given", 16, (8, 8)));
        assert_eq!(found.thresholds.restate, Cosine(5_800_000));
    }

    #[test]
    fn a_cosine_is_between_its_bounds() {
        for (given, expected) in [(1.0, Some(10_000_000)), (-0.000_000_06, Some(-1))] {
            assert_eq!(whole(given), expected.map(Cosine));
        }
        assert_eq!([1.1, -1.000_001, f64::NAN].map(whole), [None; 3]);
    }
}
