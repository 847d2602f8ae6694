use std::fmt::Write as _;

use memlith::{Timestamp, read::Leg};

/// How an item's salience went, from its own time to an instant.
pub(crate) struct Curve<'a> {
    legs: &'a [Leg],
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
}

/// The plot in characters.
const COLUMNS: usize = 60;
const ROWS: usize = 9;

/// A doubling of salience.
const DOUBLING: i64 = 1 << 44;

impl<'a> Curve<'a> {
    /// The curve up to `until`; `None` where no time has passed.
    pub(crate) fn of(legs: &'a [Leg], until: Timestamp) -> Option<Curve<'a>> {
        let from = legs.first()?.from;
        (from < until).then_some(Curve { legs, from, until })
    }

    /// The pieces that begin by then, each with its end.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (&Leg, Timestamp)> {
        let ends = self.legs.iter().skip(1).map(|leg| leg.from.min(self.until));
        let ends = ends.chain([self.until]);
        self.legs.iter().zip(ends).filter(|(leg, _)| leg.from <= self.until)
    }

    /// The least and the greatest logarithm, at least a doubling apart.
    pub(crate) fn span(&self) -> (i64, i64) {
        let ends = self.pieces().flat_map(|(leg, end)| [leg.log2(leg.from).0, leg.log2(end).0]);
        let (low, high) =
            ends.fold((i64::MAX, i64::MIN), |(low, high), log2| (low.min(log2), high.max(log2)));
        if high - low < DOUBLING { (high - DOUBLING, high) } else { (low, high) }
    }

    /// The curve for a terminal: `*` where it decays, `o` where an event moved it; each step
    /// up multiplies salience by the same.
    pub(crate) fn text(&self) -> String {
        let (low, high) = self.span();
        let mut rows = vec![vec![' '; COLUMNS]; ROWS];
        let mut put = |column: usize, log2: i64, mark: char| {
            let row = place(high, log2, low, ROWS);
            if let Some(cell) = rows.get_mut(row).and_then(|row| row.get_mut(column)) {
                *cell = mark;
            }
        };
        for column in 0..COLUMNS {
            let at = self.instant(column);
            if let Some((leg, _)) = self.pieces().filter(|(leg, _)| leg.from <= at).last() {
                put(column, leg.log2(at).0, '*');
            }
        }
        for (leg, _) in self.pieces().skip(1) {
            let column = place(self.from.0, leg.from.0, self.until.0, COLUMNS);
            put(column, leg.log2(leg.from).0, 'o');
        }
        self.framed(&rows, low, high)
    }

    fn framed(&self, rows: &[Vec<char>], low: i64, high: i64) -> String {
        let mut out = String::new();
        for (number, row) in rows.iter().enumerate() {
            let marked = number % ((ROWS - 1) / 2) == 0;
            let share = (high - low) / (ROWS as i64 - 1) * number as i64;
            let label = if marked { salience(high - share) } else { String::new() };
            let line: String = row.iter().collect();
            // Writing to a string can't fail.
            let _ = writeln!(out, "{label:>8} |{}", line.trim_end());
        }
        let _ = writeln!(out, "{:>8} +{}", "", "-".repeat(COLUMNS));
        let (from, until) = (day(self.from), day(self.until));
        let _ = writeln!(out, "{:>10}{from}{until:>width$}", "", width = COLUMNS - from.len());
        out
    }

    fn instant(&self, column: usize) -> Timestamp {
        let span = i128::from(self.until.0) - i128::from(self.from.0);
        let passed = span * column as i128 / (COLUMNS as i128 - 1);
        Timestamp(i64::try_from(i128::from(self.from.0) + passed).unwrap_or(self.until.0))
    }
}

/// Where between `first` and `last` `at` lies, in so many places.
fn place(first: i64, at: i64, last: i64, places: usize) -> usize {
    let (first, at, last) = (i128::from(first), i128::from(at), i128::from(last));
    let (passed, whole) = ((at - first).abs(), (last - first).abs().max(1));
    usize::try_from((passed * (places as i128 - 1) + whole / 2) / whole).unwrap_or_default()
}

/// A salience of which the logarithm is given, to three places.
#[expect(clippy::disallowed_methods, reason = "a label for people")]
pub(crate) fn salience(log2: i64) -> String {
    format!("{:.3}", (log2 as f64 / DOUBLING as f64).exp2())
}

/// The day of an instant.
pub(crate) fn day(at: Timestamp) -> String {
    let text = at.to_string();
    text.split('T').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_from_the_first_to_the_last() {
        for (at, expected) in [(0, 0), (4, 0), (50, 5), (96, 10), (100, 10)] {
            assert_eq!(place(0, at, 100, 11), expected, "{at}");
        }
        // The scale upwards runs the other way round.
        assert_eq!((place(9, 9, 0, 10), place(9, 0, 0, 10)), (0, 9));
        assert_eq!(place(i64::MIN, i64::MAX, i64::MAX, 60), 59);
    }

    #[test]
    fn a_curve_without_time_is_none() {
        assert!(Curve::of(&[], Timestamp(5)).is_none());
        let leg = Leg { from: Timestamp(5), level: None };
        assert!(Curve::of(&[leg], Timestamp(5)).is_none());
        let legs = [leg];
        let curve = Curve::of(&legs, Timestamp(6)).unwrap();
        assert_eq!(curve.text().lines().count(), ROWS + 2);
        assert!(curve.text().lines().next().unwrap().contains("1.000 |****"));
    }
}
