use std::collections::BTreeMap;

use serde::Serialize;

use crate::cold_checkout::child::Timed;
use crate::machine::{load, machine};
use crate::plan::{Facts, Plan};
use crate::queries::Class;
use crate::size::Size;
use memlith_verbs::usage::Usage;
use memlith_verbs::wall::Walls;

/// How a checkout is made: whether it writes down what it showed, and whether the
/// ledger's pages are in memory before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mode {
    pub(crate) observe: bool,
    pub(crate) is_dropped: bool,
}

/// The figures of one ledger while they grow.
pub(crate) struct Report {
    plan: Plan,
    tails: Vec<u64>,
    size: Size,
    facts: Facts,
    cells: BTreeMap<(Mode, Class), Cell>,
    /// Answers that were compared with those of a full replay.
    pub(crate) checked: Option<u64>,
}

/// Measurements of one mode and class, or of several together.
#[derive(Clone, Default)]
struct Cell {
    walls: Walls,
    usage: Usage,
    items_min: Option<usize>,
}

/// Measurements as they are printed: of all runs of a mode, or of those of a class.
#[derive(Clone, Serialize)]
pub(crate) struct Figures {
    pub(crate) wall_ms_p50: f64,
    pub(crate) wall_ms_p99: f64,
    pub(crate) wall_ms_min: f64,
    pub(crate) wall_ms_max: f64,
    /// The most of a run, as all that follow; `null` where the system doesn't count it.
    #[serde(flatten)]
    pub(crate) usage: Usage,
    faulted_bytes: Option<u64>,
    items_min: Option<usize>,
    pub(crate) runs: usize,
}

/// Figures by how frequent the words of the query are.
type ByClass = BTreeMap<Class, Figures>;

/// Measurements of one ledger; the figures that stand at its top are those of warm
/// observed checkouts, or of warm ones with `--no-observe` where no others were made.
#[derive(Clone, Serialize)]
pub(crate) struct Printed {
    #[serde(flatten)]
    pub(crate) top: Figures,
    observed_by_class: ByClass,
    pub(crate) no_observe: Figures,
    no_observe_by_class: ByClass,
    /// `null` without `--drop-caches`.
    pub(crate) dropped: Option<Figures>,
    dropped_by_class: ByClass,
    dropped_no_observe: Option<Figures>,
    dropped_no_observe_by_class: ByClass,
    size_bytes: Size,
    pub(crate) events: u64,
    seed: u64,
    tail_events: u64,
    /// Those whose runs are put together.
    tails: Vec<u64>,
    pub(crate) records: u64,
    pub(crate) tail_records: u64,
    pub(crate) ledger_bytes: u64,
    pub(crate) checkpoint_bytes: u64,
    checked: Option<u64>,
    /// The load of the machine in the minute before the end.
    pub(crate) load: Option<f64>,
    pub(crate) engine: String,
    pub(crate) machine: String,
}

/// Measurements of several ledgers: at the top the longest, then all of them, and how the
/// time grew from the second longest to the longest.
#[derive(Serialize)]
pub(crate) struct Sizes {
    #[serde(flatten)]
    pub(crate) longest: Printed,
    /// Not printed in JSON where it is one: that stands at the top.
    #[serde(skip_serializing_if = "is_single")]
    pub(crate) sizes: Vec<Printed>,
    pub(crate) ratio_p50: Option<f64>,
    pub(crate) ratio_p99: Option<f64>,
}

impl Mode {
    /// Those that are measured, warm ones first.
    pub(crate) fn all(no_observe: bool, drop_caches: bool) -> Vec<Mode> {
        let caches = if drop_caches { &[false, true][..] } else { &[false] };
        let observes = if no_observe { &[false][..] } else { &[true, false] };
        let modes = caches.iter().flat_map(|is_dropped| {
            observes.iter().map(|observe| Mode { observe: *observe, is_dropped: *is_dropped })
        });
        modes.collect()
    }
}

impl Report {
    pub(crate) fn new(plan: &Plan, facts: Facts) -> Report {
        let size = Size::of(plan.events);
        let tails = vec![plan.tail];
        Report { plan: *plan, tails, size, facts, cells: BTreeMap::new(), checked: None }
    }

    /// Adds a process that was timed.
    pub(crate) fn timed(&mut self, class: Class, mode: Mode, timed: &Timed) {
        let cell = self.cells.entry((mode, class)).or_default();
        cell.walls.push(timed.wall);
        cell.usage = cell.usage.max(timed.usage);
        let items = timed.items.len();
        cell.items_min = Some(cell.items_min.map_or(items, |min| min.min(items)));
    }

    /// Adds the runs of another tail; what the ledgers hold is told of the first.
    pub(crate) fn add(&mut self, other: &Report) {
        self.tails.extend(&other.tails);
        for (key, cell) in &other.cells {
            let all = self.cells.entry(*key).or_default();
            *all = std::mem::take(all).and(cell);
        }
        self.checked = match (self.checked, other.checked) {
            (Some(of_these), Some(of_those)) => Some(of_these + of_those),
            (checked, None) | (None, checked) => checked,
        };
    }

    pub(crate) fn finish(&self) -> Printed {
        let mode = |observe, is_dropped| Mode { observe, is_dropped };
        let warm = [mode(true, false), mode(false, false)];
        let top = warm.into_iter().find_map(|mode| self.all(mode));
        Printed {
            top: top.unwrap_or_else(|| Cell::default().figures()),
            observed_by_class: self.by_class(mode(true, false)),
            no_observe: self.all(mode(false, false)).unwrap_or_else(|| Cell::default().figures()),
            no_observe_by_class: self.by_class(mode(false, false)),
            dropped: self.all(mode(true, true)),
            dropped_by_class: self.by_class(mode(true, true)),
            dropped_no_observe: self.all(mode(false, true)),
            dropped_no_observe_by_class: self.by_class(mode(false, true)),
            size_bytes: self.size,
            events: self.plan.events,
            seed: self.plan.seed,
            tail_events: self.plan.tail,
            tails: self.tails.clone(),
            records: self.facts.records,
            tail_records: self.facts.tail_records,
            ledger_bytes: self.facts.ledger_bytes,
            checkpoint_bytes: self.facts.checkpoint_bytes,
            checked: self.checked,
            load: load(),
            engine: crate::engine(),
            machine: machine(),
        }
    }

    fn by_class(&self, mode: Mode) -> ByClass {
        let of_mode = self.cells.iter().filter(|((of, _), _)| *of == mode);
        of_mode.map(|((_, class), cell)| (*class, cell.figures())).collect()
    }

    /// All classes together; `None` for a mode that wasn't measured.
    fn all(&self, mode: Mode) -> Option<Figures> {
        let of_mode = self.cells.iter().filter(|((of, _), _)| *of == mode);
        of_mode
            .map(|(_, cell)| cell.clone())
            .reduce(|all, cell| all.and(&cell))
            .map(|all| all.figures())
    }
}

impl Cell {
    fn and(mut self, other: &Cell) -> Cell {
        self.walls.extend(&other.walls);
        self.usage = self.usage.max(other.usage);
        self.items_min = self.items_min.into_iter().chain(other.items_min).min();
        self
    }

    fn figures(&self) -> Figures {
        Figures {
            wall_ms_p50: self.walls.percentile_ms(50),
            wall_ms_p99: self.walls.percentile_ms(99),
            wall_ms_min: self.walls.percentile_ms(0),
            wall_ms_max: self.walls.percentile_ms(100),
            usage: self.usage,
            faulted_bytes: self.usage.major_faults.map(|faults| faults * PAGE_LEN),
            items_min: self.items_min,
            runs: self.walls.count(),
        }
    }
}

/// Least bytes that a fault brings in.
const PAGE_LEN: u64 = 4_096;

impl Printed {
    /// With the page cache dropped: observed, or unobserved where no others were made.
    pub(crate) fn cold(&self) -> Option<&Figures> {
        self.dropped.as_ref().or(self.dropped_no_observe.as_ref())
    }

    /// Each mode that was measured, by the name it has in a table.
    pub(crate) fn modes(&self) -> Vec<(&'static str, &Figures, &ByClass)> {
        let mut modes = Vec::new();
        if !self.observed_by_class.is_empty() {
            modes.push(("observed", &self.top, &self.observed_by_class));
        }
        modes.push(("--no-observe", &self.no_observe, &self.no_observe_by_class));
        if let Some(dropped) = &self.dropped {
            modes.push(("dropped", dropped, &self.dropped_by_class));
        }
        if let Some(dropped) = &self.dropped_no_observe {
            modes.push(("dropped, unobserved", dropped, &self.dropped_no_observe_by_class));
        }
        modes
    }
}

fn is_single(sizes: &[Printed]) -> bool {
    sizes.len() < 2
}

impl Sizes {
    /// Puts reports together, from the shortest ledger to the longest; `None` without one.
    pub(crate) fn of(sizes: Vec<Printed>) -> Option<Sizes> {
        let longest = sizes.last()?.clone();
        let before = sizes.len().checked_sub(2).and_then(|place| sizes.get(place));
        let ratio = |of: fn(&Figures) -> f64| {
            let before = of(&before?.top);
            (before > 0.0).then(|| crate::rounded(of(&longest.top) / before, 3))
        };
        let ratio_p50 = ratio(|figures| figures.wall_ms_p50);
        let ratio_p99 = ratio(|figures| figures.wall_ms_p99);
        Some(Sizes { longest, sizes, ratio_p50, ratio_p99 })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::Value;

    use super::*;

    const OBSERVED: Mode = Mode { observe: true, is_dropped: false };

    fn timed(millis: u64, bytes: u64, items: usize) -> Timed {
        Timed {
            wall: Duration::from_millis(millis),
            usage: Usage { bytes_read: Some(bytes), major_faults: Some(2), ..Usage::default() },
            items: vec![Value::Null; items],
        }
    }

    #[test]
    fn a_mode_is_all_of_its_classes_and_none_of_the_other_modes() {
        let plan = Plan { events: 1_000, seed: 1, tail: 2 };
        let mut report = Report::new(&plan, Facts { records: 13, ..Facts::default() });
        report.timed(Class::Rare, OBSERVED, &timed(3, 10, 9));
        report.timed(Class::Common, OBSERVED, &timed(1, 30, 5));
        report.timed(Class::Common, OBSERVED, &timed(2, 20, 7));
        report.timed(Class::Common, Mode { observe: false, ..OBSERVED }, &timed(50, 90, 6));
        report.timed(Class::Rare, Mode { is_dropped: true, ..OBSERVED }, &timed(70, 1, 6));
        let printed = serde_json::to_value(report.finish()).unwrap();
        let expected = [
            ("/runs", 3.into()),
            ("/wall_ms_p50", 2.0.into()),
            ("/wall_ms_p99", 3.0.into()),
            ("/bytes_read", 30.into()),
            ("/device_bytes_read", Value::Null),
            ("/faulted_bytes", 8_192.into()),
            ("/items_min", 5.into()),
            ("/observed_by_class/common/wall_ms_p99", 2.0.into()),
            ("/observed_by_class/rare/runs", 1.into()),
            ("/no_observe/wall_ms_p50", 50.0.into()),
            ("/no_observe/runs", 1.into()),
            ("/dropped/wall_ms_p50", 70.0.into()),
            ("/dropped_no_observe", Value::Null),
            ("/records", 13.into()),
            ("/size_bytes", 1_036_000.into()),
        ];
        for (pointer, value) in expected {
            assert_eq!(printed.pointer(pointer), Some(&value), "{pointer}");
        }
    }

    #[test]
    fn growth_is_that_of_the_longest_over_the_one_before() {
        let of = |events, millis| {
            let mut report = Report::new(&Plan { events, seed: 1, tail: 0 }, Facts::default());
            report.timed(Class::Rare, OBSERVED, &timed(millis, 1, 5));
            report.finish()
        };
        let sizes = Sizes::of(vec![of(100, 1), of(200, 4), of(300, 6)]).unwrap();
        assert_eq!((sizes.ratio_p50, sizes.longest.events), (Some(1.5), 300));
        assert_eq!(Sizes::of(vec![of(100, 1)]).unwrap().ratio_p50, None);
        assert!(Sizes::of(Vec::new()).is_none());
    }
}
