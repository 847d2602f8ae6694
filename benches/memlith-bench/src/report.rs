//! The report of every bench: one object, printed as JSON, or as tables of its rows.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};

use crate::machine::{load, machine};
use memlith_verbs::context::Context;
use memlith_verbs::exit::Exit;
use memlith_verbs::usage::Usage;
use memlith_verbs::wall::{Stopwatch, Walls, micros, rounded};

/// Times of one thing that was done again and again: by the clock, and of all processors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timed {
    pub(crate) walls: Walls,
    pub(crate) cpu: Walls,
    pub(crate) busy: Duration,
}

impl Timed {
    /// Does it once more.
    pub(crate) fn run<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let (watch, before) = (Stopwatch::start(), cpu_time());
        let done = work()?;
        self.walls.push(watch.elapsed());
        let busy = cpu_time().saturating_sub(before);
        self.cpu.push(busy);
        self.busy += busy;
        Ok(done)
    }

    /// Adds the times of another.
    pub(crate) fn add(&mut self, other: &Timed) {
        self.walls.extend(&other.walls);
        self.cpu.extend(&other.cpu);
        self.busy += other.busy;
    }
}

/// Prints the figures of a bench below those that every bench has: of the times that it is
/// about, of this process, of the engine and of the machine.
pub(crate) fn answer(context: &mut Context, walls: &Walls, figures: Value) -> Result<Exit> {
    let report = complete(walls, figures);
    let text = text(&report);
    context.answer(&report, text)?;
    Ok(Exit::Ok)
}

/// Adds to the figures what they don't say themselves.
pub(crate) fn complete(walls: &Walls, figures: Value) -> Value {
    let usage = Usage::now(Path::new(""));
    let common = json!({
        "wall_ms_p50": walls.percentile_ms(50),
        "wall_ms_p99": walls.percentile_ms(99),
        "bytes_read": usage.bytes_read,
        "rss_bytes": usage.rss_bytes,
        "runs": walls.count(),
        "load": load(),
        "engine": engine(),
        "machine": machine(),
    });
    merged([common, figures])
}

/// Puts the fields of objects together; a later one wins.
pub(crate) fn merged(objects: impl IntoIterator<Item = Value>) -> Value {
    let fields = objects.into_iter().filter_map(|object| match object {
        Value::Object(fields) => Some(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
        Value::String(_) | Value::Array(_) => None,
    });
    Value::Object(fields.flatten().collect::<Map<String, Value>>())
}

/// Microseconds of single events.
pub(crate) fn in_micros(walls: &Walls) -> Value {
    json!({
        "wall_us_p50": micros(walls.percentile(50)),
        "wall_us_p99": micros(walls.percentile(99)),
        "wall_us_max": micros(walls.percentile(100)),
    })
}

/// Tells which engine was measured: a figure belongs to one version of the folds.
pub(crate) fn engine() -> String {
    format!("memlith {}, fold {}", env!("CARGO_PKG_VERSION"), memlith::prove::FOLD_VERSION)
}

/// Processor time that all threads of this process have used.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The middle one of several numbers; 0 of none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = values.len().div_ceil(2).max(1);
    values.get(rank - 1).copied().unwrap_or_default()
}

/// `part / whole` with three decimals; `None` where there is nothing to divide by.
pub(crate) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| rounded(part / whole, 3))
}

/// An object of the report without the objects in it.
struct Row {
    path: String,
    cells: Vec<(String, String)>,
}

/// Renders a report: its own fields a line each, and below them tables of the objects in it.
fn text(report: &Value) -> String {
    let (mut rows, mut out) = (Vec::new(), String::new());
    collect("", report, &mut rows);
    let keys = |row: &Row| row.cells.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    for rows in rows.chunk_by(|one, other| keys(one) == keys(other)) {
        match rows {
            [Row { path, cells }] if path.is_empty() => {
                let lines = cells.iter().map(|(key, cell)| format!("{key:27} {cell}\n"));
                out.extend(lines);
            }
            _ => table(rows, &mut out),
        }
    }
    out
}

fn collect(path: &str, value: &Value, rows: &mut Vec<Row>) {
    let list = value.as_array().into_iter().flatten().enumerate();
    let list = list.map(|(place, value)| (place.to_string(), value));
    let fields = value.as_object().into_iter().flatten();
    let parts = fields.map(|(key, value)| (key.clone(), value)).chain(list);
    let has_rows = |value: &Value| {
        let holds = |values: &Vec<Value>| values.iter().any(Value::is_object);
        value.is_object() || value.as_array().is_some_and(holds)
    };
    let (inner, own): (Vec<_>, Vec<_>) = parts.partition(|(_, value)| has_rows(value));
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let cells: Vec<_> = own.into_iter().map(|(key, value)| (key, shown(value))).collect();
    if !cells.is_empty() {
        rows.push(Row { path: path.to_owned(), cells });
    }
    for (key, value) in inner {
        let path = if path.is_empty() { key } else { format!("{path}.{key}") };
        collect(&path, value, rows);
    }
}

/// Appends a table of rows that have the same keys.
fn table(rows: &[Row], out: &mut String) {
    let mut lines: Vec<(&str, Vec<&String>)> = Vec::new();
    if let Some(row) = rows.first() {
        lines.push(("", row.cells.iter().map(|(key, _)| key).collect()));
    }
    for row in rows {
        lines.push((row.path.as_str(), row.cells.iter().map(|(_, cell)| cell).collect()));
    }
    let first = lines.iter().map(|(path, _)| path.len()).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|(_, cells)| cells.get(column));
        cells.map(|cell| cell.len()).max().unwrap_or_default()
    };
    for (path, cells) in &lines {
        // Writing to a string can't fail.
        let _ = write!(out, "{path:first$}");
        for (column, cell) in cells.iter().enumerate() {
            let _ = write!(out, "  {cell:>width$}", width = width(column));
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_nearest_ranks() {
        assert_eq!(median(Vec::new()), 0.0);
        assert_eq!(median(vec![3.0, 1.0]), 1.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!((ratio(1.0, 0.0), ratio(2.0, 3.0)), (None, Some(0.667)));
    }

    #[test]
    fn objects_with_the_same_keys_are_rows_of_a_table() {
        let of = |runs: u64| json!({ "p50": 1.5, "runs": runs });
        let report = json!({ "all": [of(7), of(100)], "one": of(1), "tails": [0, 9], "x": null });
        let expected = "\
tails                       [0,9]
x                           null
       p50  runs
all.0  1.5     7
all.1  1.5   100
one    1.5     1
";
        assert_eq!(text(&report), expected);
    }
}
