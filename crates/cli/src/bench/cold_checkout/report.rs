use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::bench::cold_checkout::build::{Facts, Plan};
use crate::bench::cold_checkout::child::{Memory, Timed};
use crate::bench::cold_checkout::queries::Class;
use crate::bench::machine::{load, machine};
use crate::bench::wall::Walls;

/// Whether a checkout writes down what it showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    Observed,
    Unobserved,
}

impl Mode {
    pub(crate) const ALL: [Mode; 2] = [Mode::Observed, Mode::Unobserved];
}

/// The figures while they grow.
pub(crate) struct Report {
    plan: Plan,
    facts: Facts,
    cells: BTreeMap<(Mode, Class), Cell>,
}

/// What was measured of one mode and class, or of several together.
#[derive(Clone, Default)]
struct Cell {
    walls: Walls,
    read_bytes: Option<u64>,
    device_bytes: Option<u64>,
    memory: Memory,
}

/// What was measured, as it is printed: of all runs of a mode, or of those of a class.
#[derive(Serialize)]
struct Figures {
    wall_ms_p50: f64,
    wall_ms_p99: f64,
    wall_ms_min: f64,
    wall_ms_max: f64,
    /// The most of a run; `null` where the system doesn't count it.
    bytes_read: Option<u64>,
    device_bytes_read: Option<u64>,
    rss_bytes: Option<u64>,
    anonymous_bytes: Option<u64>,
    runs: usize,
}

/// The whole report; the figures that stand at its top are those of observed checkouts.
#[derive(Serialize)]
pub(crate) struct Printed {
    #[serde(flatten)]
    observed: Figures,
    observed_by_class: BTreeMap<Class, Figures>,
    no_observe: Figures,
    no_observe_by_class: BTreeMap<Class, Figures>,
    events: u64,
    seed: u64,
    tail_events: u64,
    records: u64,
    tail_records: u64,
    ledger_bytes: u64,
    checkpoint_bytes: u64,
    /// The load of the machine in the minute before the end.
    load: Option<f64>,
    engine: String,
    machine: String,
}

impl Report {
    pub(crate) fn new(plan: &Plan, facts: Facts) -> Report {
        Report { plan: *plan, facts, cells: BTreeMap::new() }
    }

    /// Adds a process that was timed.
    pub(crate) fn timed(&mut self, class: Class, mode: Mode, timed: &Timed) {
        let cell = self.cells.entry((mode, class)).or_default();
        cell.walls.push(timed.wall);
        cell.read_bytes = cell.read_bytes.max(timed.read_bytes);
        cell.device_bytes = cell.device_bytes.max(timed.device_bytes);
    }

    /// Adds a process whose memory was looked at.
    pub(crate) fn watched(&mut self, class: Class, mode: Mode, memory: Memory) {
        let cell = self.cells.entry((mode, class)).or_default();
        cell.memory = cell.memory.max(memory);
    }

    pub(crate) fn finish(&self) -> Printed {
        Printed {
            observed: self.all(Mode::Observed),
            observed_by_class: self.by_class(Mode::Observed),
            no_observe: self.all(Mode::Unobserved),
            no_observe_by_class: self.by_class(Mode::Unobserved),
            events: self.plan.events,
            seed: self.plan.seed,
            tail_events: self.plan.tail,
            records: self.facts.records,
            tail_records: self.facts.tail_records,
            ledger_bytes: self.facts.ledger_bytes,
            checkpoint_bytes: self.facts.checkpoint_bytes,
            load: load(),
            engine: crate::bench::engine(),
            machine: machine(),
        }
    }

    fn by_class(&self, mode: Mode) -> BTreeMap<Class, Figures> {
        let of_mode = self.cells.iter().filter(|((of, _), _)| *of == mode);
        of_mode.map(|((_, class), cell)| (*class, cell.figures())).collect()
    }

    fn all(&self, mode: Mode) -> Figures {
        let of_mode = self.cells.iter().filter(|((of, _), _)| *of == mode);
        of_mode.fold(Cell::default(), |all, (_, cell)| all.and(cell)).figures()
    }
}

impl Cell {
    fn and(mut self, other: &Cell) -> Cell {
        self.walls.extend(&other.walls);
        self.read_bytes = self.read_bytes.max(other.read_bytes);
        self.device_bytes = self.device_bytes.max(other.device_bytes);
        self.memory = self.memory.max(other.memory);
        self
    }

    fn figures(&self) -> Figures {
        Figures {
            wall_ms_p50: self.walls.percentile_ms(50),
            wall_ms_p99: self.walls.percentile_ms(99),
            wall_ms_min: self.walls.percentile_ms(0),
            wall_ms_max: self.walls.percentile_ms(100),
            bytes_read: self.read_bytes,
            device_bytes_read: self.device_bytes,
            rss_bytes: self.memory.resident_bytes,
            anonymous_bytes: self.memory.anonymous_bytes,
            runs: self.walls.len(),
        }
    }
}

impl Printed {
    pub(crate) fn to_text(&self) -> String {
        let mut out = format!(
            "{:21} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
            "", "runs", "p50 ms", "p99 ms", "min ms", "read MB", "RSS MB", "anon MB"
        );
        let modes = [
            ("observed", &self.observed, &self.observed_by_class),
            ("--no-observe", &self.no_observe, &self.no_observe_by_class),
        ];
        for (mode, all, classes) in modes {
            row(&mut out, mode, all);
            for (class, figures) in classes {
                row(&mut out, &format!("  {} words", class.name()), figures);
            }
        }
        let load = self.load.map_or_else(|| "unknown".to_owned(), |load| load.to_string());
        // Writing to a string can't fail.
        let _ = write!(
            out,
            "{} events in {} records, {} of them after the checkpoint; seed {}\n\
             ledger {:.1} MB, its checkpoint {:.1} MB\n{}\n{}, load {load}\n",
            self.events,
            self.records,
            self.tail_records,
            self.seed,
            megabytes(self.ledger_bytes),
            megabytes(self.checkpoint_bytes),
            self.engine,
            self.machine,
        );
        out
    }
}

fn row(out: &mut String, name: &str, figures: &Figures) {
    let shown = |bytes: Option<u64>| {
        bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1}", megabytes(bytes)))
    };
    let _ = writeln!(
        out,
        "{name:21} {:>5} {:>9.1} {:>9.1} {:>9.1} {:>9} {:>9} {:>9}",
        figures.runs,
        figures.wall_ms_p50,
        figures.wall_ms_p99,
        figures.wall_ms_min,
        shown(figures.bytes_read),
        shown(figures.rss_bytes),
        shown(figures.anonymous_bytes),
    );
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_mode_is_all_of_its_classes_and_none_of_the_other_mode() {
        let plan = Plan { events: 10, seed: 1, tail: 2 };
        let mut report = Report::new(&plan, Facts { records: 13, ..Facts::default() });
        let timed = |millis, bytes| Timed {
            wall: Duration::from_millis(millis),
            read_bytes: Some(bytes),
            device_bytes: None,
        };
        report.timed(Class::Rare, Mode::Observed, &timed(3, 10));
        report.timed(Class::Common, Mode::Observed, &timed(1, 30));
        report.timed(Class::Common, Mode::Observed, &timed(2, 20));
        report.timed(Class::Common, Mode::Unobserved, &timed(50, 90));
        let memory = Memory { resident_bytes: Some(7), anonymous_bytes: None };
        report.watched(Class::Rare, Mode::Observed, memory);
        let printed = serde_json::to_value(report.finish()).unwrap();
        let expected = [
            ("/runs", 3.into()),
            ("/wall_ms_p50", 2.0.into()),
            ("/wall_ms_p99", 3.0.into()),
            ("/bytes_read", 30.into()),
            ("/device_bytes_read", serde_json::Value::Null),
            ("/rss_bytes", 7.into()),
            ("/observed_by_class/common/wall_ms_p99", 2.0.into()),
            ("/observed_by_class/rare/runs", 1.into()),
            ("/no_observe/wall_ms_p50", 50.0.into()),
            ("/no_observe/runs", 1.into()),
            ("/records", 13.into()),
        ];
        for (pointer, value) in expected {
            assert_eq!(printed.pointer(pointer), Some(&value), "{pointer}");
        }
        for key in ["machine", "engine", "tail_events", "wall_ms_min", "anonymous_bytes"] {
            assert!(printed.get(key).is_some(), "{key}");
        }
    }
}
