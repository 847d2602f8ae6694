//! Measures the cost of telling whether a text adds anything, on a short log and on a long one.

mod subject;
mod texts;

use std::collections::BTreeMap;

use anyhow::Result;
use clap::builder::RangedU64ValueParser;
use serde_json::{Value, json};

use self::subject::Subject;
use crate::plan::Cache;
use crate::report::{Timed, answer, ratio};
use crate::size::Size;
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::{micros, rounded};

/// Arguments of `memlith-bench novelty`.
#[derive(Debug, clap::Args)]
pub(crate) struct NoveltyArgs {
    /// How long the logs are in Eventloom's lines; the longest is compared with the shortest.
    #[arg(
        long,
        visible_alias = "size",
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "10MB,1.15GB"
    )]
    sizes: Vec<Size>,
    /// Texts that are asked about.
    #[arg(long, value_name = "R", default_value = "1000", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Seed of the words, kinds and texts.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    #[command(flatten)]
    cache: Cache,
}

/// Runs the bench and prints its figures; the times at their top are those on the longest log.
///
/// # Errors
/// A ledger can't be built or read.
pub(crate) fn run(args: &NoveltyArgs, context: &mut Context) -> Result<Exit> {
    let mut sizes = args.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let subjects = sizes.iter().map(|size| Subject::open(*size, args.seed, &args.cache, context));
    let mut subjects: Vec<Subject> = subjects.collect::<Result<_>>()?;
    let texts = texts::of(args.seed, args.runs);
    for timed in [false, true] {
        for text in &texts {
            for subject in &mut subjects {
                subject.ask(text, timed)?;
            }
        }
    }
    let sizes: Vec<Value> = subjects.iter().map(figures).collect();
    let over = |key: &str| match sizes.as_slice() {
        [shortest, .., longest] => {
            let number = |of: &Value| of.get(key).and_then(Value::as_f64);
            ratio(number(longest)?, number(shortest)?)
        }
        _ => None,
    };
    let walls = subjects.last().map(|subject| subject.all().timed.walls).unwrap_or_default();
    let figures = json!({
        "seed": args.seed,
        "sizes": sizes,
        "ratio_p50": over("wall_us_p50"),
        "ratio_cpu": over("cpu_us"),
        "ratio_bodies": over("bodies"),
        "ratio_postings": over("postings"),
    });
    answer(context, &walls, figures)
}

/// Measurements of some checks.
#[derive(Clone, Debug, Default)]
struct Measured {
    timed: Timed,
    bodies: usize,
    postings: usize,
    /// Texts that were told to be what they are.
    told: usize,
}

impl Measured {
    fn add(&mut self, other: &Measured) {
        self.timed.add(&other.timed);
        self.bodies += other.bodies;
        self.postings += other.postings;
        self.told += other.told;
    }

    /// Returns the share of one check in a sum.
    fn mean(&self, sum: f64) -> f64 {
        rounded(sum / self.timed.walls.count().max(1) as f64, 3)
    }
}

/// The figures of one log; those of a check are averages.
fn figures(subject: &Subject) -> Value {
    let of_sort = |one: &Measured| {
        json!({
            "wall_us_p50": micros(one.timed.walls.percentile(50)),
            "bodies": one.mean(one.bodies as f64),
            "postings": one.mean(one.postings as f64),
            "told_percent": one.mean(one.told as f64 * 100.0),
        })
    };
    let by_sort = subject.by_sort.iter().map(|(sort, one)| (*sort, of_sort(one)));
    let all = subject.all();
    json!({
        "size_bytes": subject.plan.size.bytes,
        "events": subject.plan.size.events(),
        "memories": subject.plan.memories(),
        "wall_us_p50": micros(all.timed.walls.percentile(50)),
        "wall_us_p99": micros(all.timed.walls.percentile(99)),
        "cpu_us": all.mean(all.timed.busy.as_secs_f64() * 1e6),
        "bodies": all.mean(all.bodies as f64),
        "postings": all.mean(all.postings as f64),
        "by_sort": by_sort.collect::<BTreeMap<_, _>>(),
    })
}
