use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::Series;

/// Figures of one series of one store in one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    events_per_s: f64,
    commit_us_p50: f64,
    /// Of the thread that commits: what a store leaves to threads of its own isn't in it.
    cpu_us_per_event: f64,
}

/// Rounds by store and series.
#[derive(Default)]
pub(crate) struct Report(BTreeMap<Series, BTreeMap<String, Vec<Figures>>>);

/// Name of the store that the others are compared with.
const OURS: &str = "memlith";

impl Figures {
    pub(crate) fn of(events: f64, wall: f64, cpu: f64, commit_us: Vec<f64>) -> Figures {
        Figures {
            events_per_s: events / wall,
            commit_us_p50: quantile(commit_us, 50),
            cpu_us_per_event: cpu * 1e6 / events,
        }
    }
}

impl Series {
    fn name(self) -> &'static str {
        match self {
            Series::Single => "one_synced",
            Series::Batch => "batch_synced",
            Series::Buffered => "batch_unsynced",
        }
    }
}

impl Report {
    pub(crate) fn add(&mut self, store: &str, series: Series, figures: Figures) {
        self.0.entry(series).or_default().entry(store.to_owned()).or_default().push(figures);
    }

    /// One object: series, store, figures.
    pub(crate) fn json(&self) -> Result<String> {
        let mut out = Map::new();
        for (series, stores) in &self.0 {
            let ours = stores.get(OURS);
            let of_store = |(name, rounds): (&String, &Vec<Figures>)| {
                let of = |of: fn(&Figures) -> f64, percent| {
                    round(quantile(rounds.iter().map(of).collect(), percent))
                };
                let ratio = ours.map(|ours| ratio(rounds, ours));
                let figures = json!({
                    "events_per_s": of(|one| one.events_per_s, 50),
                    "events_per_s_min": of(|one| one.events_per_s, 0),
                    "events_per_s_max": of(|one| one.events_per_s, 100),
                    "commit_us_p50": of(|one| one.commit_us_p50, 50),
                    "cpu_us_per_event": of(|one| one.cpu_us_per_event, 50),
                    "ratio_to_memlith": ratio.map(round),
                    "rounds": rounds.len(),
                });
                (name.clone(), figures)
            };
            let stores: Map<String, Value> = stores.iter().map(of_store).collect();
            out.insert(series.name().to_owned(), Value::Object(stores));
        }
        Ok(serde_json::to_string(&out)?)
    }

    /// A table a series.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for (series, stores) in &self.0 {
            let head = ["events/s", "least", "most", "commit us", "CPU us/event", "ratio"];
            let _ = write!(out, "{:15}", series.name());
            for head in head {
                let _ = write!(out, " {head:>12}");
            }
            out.push('\n');
            for (name, rounds) in stores {
                let of = |of: fn(&Figures) -> f64, percent| {
                    quantile(rounds.iter().map(of).collect(), percent)
                };
                let ratio = stores.get(OURS).map_or(f64::NAN, |ours| ratio(rounds, ours));
                let _ = writeln!(
                    out,
                    "  {name:13} {:>12.0} {:>12.0} {:>12.0} {:>12.1} {:>12.2} {ratio:>12.2}",
                    of(|one| one.events_per_s, 50),
                    of(|one| one.events_per_s, 0),
                    of(|one| one.events_per_s, 100),
                    of(|one| one.commit_us_p50, 50),
                    of(|one| one.cpu_us_per_event, 50),
                );
            }
        }
        out
    }
}

/// The median of the rounds' ratios: of each round by itself, since a round has one load.
fn ratio(rounds: &[Figures], ours: &[Figures]) -> f64 {
    let ratios = rounds.iter().zip(ours).map(|(one, ours)| one.events_per_s / ours.events_per_s);
    quantile(ratios.collect(), 50)
}

/// The nearest rank.
fn quantile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100).max(1);
    values.get(rank - 1).copied().unwrap_or(f64::NAN)
}

fn round(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Processor time of this thread so far.
pub(crate) fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
