use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::cold_checkout::child::Run;
use crate::queries::Class;
use crate::report::merged;
use memlith_verbs::usage::Usage;
use memlith_verbs::wall::Walls;

/// How a checkout is made: whether it writes down what it showed, and whether the
/// ledger's pages are in memory before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mode {
    pub(crate) observe: bool,
    pub(crate) is_dropped: bool,
}

/// Measurements by mode and by how frequent the words of the query are.
#[derive(Default)]
pub(crate) struct Cells {
    cells: BTreeMap<(Mode, Class), Cell>,
    /// Answers that were compared with those of a full replay.
    pub(crate) checked: u64,
}

/// Measurements of one mode and class, or of several together.
#[derive(Clone, Default)]
struct Cell {
    walls: Walls,
    usage: Usage,
    items_min: Option<usize>,
}

/// Modes by the names that their figures have.
const MODES: [(&str, Mode); 4] = [
    ("observed", Mode { observe: true, is_dropped: false }),
    ("no_observe", Mode { observe: false, is_dropped: false }),
    ("dropped", Mode { observe: true, is_dropped: true }),
    ("dropped_no_observe", Mode { observe: false, is_dropped: true }),
];

/// Least bytes that a fault brings in.
const PAGE_LEN: u64 = 4_096;

impl Cells {
    /// Adds a process that was timed.
    pub(crate) fn add(&mut self, mode: Mode, class: Class, run: &Run) {
        let walls = std::iter::once(run.wall).collect();
        let one = Cell { walls, usage: run.usage, items_min: Some(run.items.len()) };
        self.cells.entry((mode, class)).or_default().add(&one);
    }

    /// The figures of each mode; at the top those of warm observed checkouts, or of warm ones
    /// that are not where no others were made.
    pub(crate) fn figures(&self) -> Value {
        let mut fields = Map::new();
        let mut top = None;
        for (name, mode) in MODES {
            let (mut all, mut by_class) = (Cell::default(), BTreeMap::new());
            for ((_, class), cell) in self.cells.iter().filter(|((of, _), _)| *of == mode) {
                all.add(cell);
                by_class.insert(*class, cell.figures());
            }
            let figures = (!by_class.is_empty()).then(|| all.figures());
            top = top.or_else(|| figures.clone());
            fields.insert(format!("{name}_by_class"), json!(by_class));
            if name != "observed" {
                fields.insert(name.to_owned(), json!(figures));
            }
        }
        merged([Value::Object(fields), top.unwrap_or_default()])
    }
}

impl Cell {
    fn add(&mut self, other: &Cell) {
        self.walls.extend(&other.walls);
        self.usage = self.usage.max(other.usage);
        self.items_min = self.items_min.into_iter().chain(other.items_min).min();
    }

    fn figures(&self) -> Value {
        let own = json!({
            "wall_ms_p50": self.walls.percentile_ms(50),
            "wall_ms_p99": self.walls.percentile_ms(99),
            "wall_ms_min": self.walls.percentile_ms(0),
            "wall_ms_max": self.walls.percentile_ms(100),
            "faulted_bytes": self.usage.major_faults.map(|faults| faults * PAGE_LEN),
            "items_min": self.items_min,
            "runs": self.walls.count(),
        });
        merged([json!(self.usage), own])
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_mode_is_all_of_its_classes_and_none_of_the_other_modes() {
        let mut cells = Cells::default();
        let mut add = |class, mode: usize, millis, bytes, items| {
            let wall = Duration::from_millis(millis);
            let usage = Usage { bytes_read: Some(bytes), ..Usage::default() };
            cells.add(MODES[mode].1, class, &Run { wall, usage, items: vec![Value::Null; items] });
        };
        add(Class::Rare, 0, 3, 10, 9);
        add(Class::Common, 0, 2, 20, 5);
        add(Class::Common, 1, 50, 90, 6);
        let printed = cells.figures();
        let expected = [
            ("/runs", 2.into()),
            ("/wall_ms_p99", 3.0.into()),
            ("/bytes_read", 20.into()),
            ("/items_min", 5.into()),
            ("/observed_by_class/common/wall_ms_p99", 2.0.into()),
            ("/no_observe/wall_ms_p50", 50.0.into()),
            ("/dropped", Value::Null),
        ];
        for (pointer, value) in expected {
            assert_eq!(printed.pointer(pointer), Some(&value), "{pointer}");
        }
    }
}
