//! Measures the cost of telling whether a text adds anything, on a short log and on a long one.

mod subject;
mod texts;

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;
use clap::builder::RangedU64ValueParser;
use serde::Serialize;

use self::subject::Subject;
use self::texts::Sort;
use crate::plan::Cache;
use crate::rounded;
use crate::size::Size;
use crate::summary::{Summary, ratio};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::wall::{Walls, micros};

/// Arguments of `memlith-bench novelty`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  memlith-bench novelty --json
  memlith-bench novelty --sizes 10MB,115MB --runs 1000
  memlith-bench novelty --size 115MB")]
pub(crate) struct NoveltyArgs {
    /// How long the logs are in Eventloom's lines; the longest is compared with the shortest.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "10MB,1.15GB")]
    sizes: Vec<Size>,
    /// One length, compared with nothing.
    #[arg(long, conflicts_with = "sizes")]
    size: Option<Size>,
    /// Texts that are asked about.
    #[arg(long, value_name = "R", default_value = "1000", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    runs: usize,
    /// Seed of the words, kinds and texts.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    #[command(flatten)]
    cache: Cache,
}

/// The report; the times at its top are those on the longest log.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    summary: Summary,
    sizes: Vec<Figures>,
    /// The longest over the shortest; `null` of one size.
    ratio_p50: Option<f64>,
    ratio_cpu: Option<f64>,
    ratio_bodies: Option<f64>,
    ratio_postings: Option<f64>,
}

/// Figures of one log.
#[derive(Serialize)]
struct Figures {
    size_bytes: u64,
    events: u64,
    memories: u64,
    wall_us_p50: f64,
    wall_us_p99: f64,
    cpu_us: f64,
    /// Of one check, on average.
    bodies: f64,
    postings: f64,
    by_sort: BTreeMap<Sort, OfSort>,
}

/// Figures of the texts of one sort.
#[derive(Serialize)]
struct OfSort {
    wall_us_p50: f64,
    bodies: f64,
    postings: f64,
    /// Of a hundred texts those that were told to be what they are.
    told_percent: f64,
}

/// Runs the bench and prints its figures.
///
/// # Errors
/// A ledger can't be built or read.
pub(crate) fn run(args: &NoveltyArgs, context: &mut Context) -> Result<Exit> {
    let mut sizes = args.size.map_or_else(|| args.sizes.clone(), |size| vec![size]);
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
    let printed = Printed::of(&subjects, args.seed);
    let text = printed.to_text();
    context.answer(&printed, text)?;
    Ok(Exit::Ok)
}

impl Printed {
    fn of(subjects: &[Subject], seed: u64) -> Printed {
        let sizes: Vec<Figures> = subjects.iter().map(Figures::of).collect();
        let walls = subjects.last().map(|subject| subject.all().walls).unwrap_or_default();
        let over = |of: fn(&Figures) -> f64| match sizes.as_slice() {
            [shortest, .., longest] => ratio(of(longest), of(shortest)),
            _ => None,
        };
        Printed {
            summary: Summary::of(&walls, seed),
            ratio_p50: over(|figures| figures.wall_us_p50),
            ratio_cpu: over(|figures| figures.cpu_us),
            ratio_bodies: over(|figures| figures.bodies),
            ratio_postings: over(|figures| figures.postings),
            sizes,
        }
    }

    fn to_text(&self) -> String {
        let mut out = String::new();
        let mut row = |name: &str, numbers: [&str; 6]| {
            let [p50, p99, cpu, bodies, postings, told] = numbers;
            // Writing to a string can't fail.
            let _ = writeln!(
                out,
                "{name:24} {p50:>9} {p99:>9} {cpu:>9} {bodies:>8} {postings:>9} {told:>7}"
            );
        };
        row("", ["p50 us", "p99 us", "cpu us", "bodies", "postings", "told %"]);
        let shown = |number: f64| format!("{number:.1}");
        for one in &self.sizes {
            let name = format!("{}, {} memories", Size { bytes: one.size_bytes }, one.memories);
            let numbers = [one.wall_us_p50, one.wall_us_p99, one.cpu_us, one.bodies, one.postings];
            let [p50, p99, cpu, bodies, postings] = numbers.map(shown);
            row(&name, [&p50, &p99, &cpu, &bodies, &postings, ""]);
            for (sort, one) in &one.by_sort {
                let numbers = [one.wall_us_p50, one.bodies, one.postings, one.told_percent];
                let [p50, bodies, postings, told] = numbers.map(shown);
                row(&format!("  {}", sort.name()), [&p50, "", "", &bodies, &postings, &told]);
            }
        }
        let ratios = [self.ratio_p50, self.ratio_cpu, self.ratio_bodies, self.ratio_postings];
        if let [Some(p50), Some(cpu), Some(bodies), Some(postings)] = ratios {
            let [p50, cpu, bodies, postings] =
                [p50, cpu, bodies, postings].map(|ratio| format!("{ratio:.2}"));
            row("longest over shortest", [&p50, "", &cpu, &bodies, &postings, ""]);
        }
        out + &self.summary.to_text()
    }
}

impl Figures {
    fn of(subject: &Subject) -> Figures {
        let all = subject.all();
        let by_sort = subject.by_sort.iter().map(|(sort, one)| (*sort, one.figures()));
        Figures {
            size_bytes: subject.plan.size.bytes,
            events: subject.plan.size.events(),
            memories: subject.plan.memories(),
            wall_us_p50: micros(all.walls.percentile(50)),
            wall_us_p99: micros(all.walls.percentile(99)),
            cpu_us: all.mean(all.cpu_us),
            bodies: all.mean(all.bodies as f64),
            postings: all.mean(all.postings as f64),
            by_sort: by_sort.collect(),
        }
    }
}

/// Measurements of some checks.
#[derive(Clone, Debug, Default)]
struct Measured {
    walls: Walls,
    cpu_us: f64,
    bodies: usize,
    postings: usize,
    /// Texts that were told to be what they are.
    told: usize,
}

impl Measured {
    fn add(&mut self, other: &Measured) {
        self.walls.extend(&other.walls);
        self.cpu_us += other.cpu_us;
        self.bodies += other.bodies;
        self.postings += other.postings;
        self.told += other.told;
    }

    /// Returns the share of one check in a sum.
    fn mean(&self, sum: f64) -> f64 {
        rounded(sum / self.walls.count().max(1) as f64, 3)
    }

    fn figures(&self) -> OfSort {
        OfSort {
            wall_us_p50: micros(self.walls.percentile(50)),
            bodies: self.mean(self.bodies as f64),
            postings: self.mean(self.postings as f64),
            told_percent: self.mean(self.told as f64 * 100.0),
        }
    }
}
