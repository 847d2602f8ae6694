use std::fmt::Write;

use crate::cold_checkout::report::{Printed, Sizes};
use crate::size::Size;
use memlith_verbs::svg::{self, text};

/// Draws how the time of a checkout grows with the log, as SVG: the log's length to the
/// right, each step of the scale ten times the one before, time upwards from 0.
pub(crate) fn svg(sizes: &Sizes) -> String {
    let frame = Frame::around(&sizes.sizes);
    let mut out = frame.head(&sizes.longest);
    for (place, line) in lines(&sizes.sizes).iter().enumerate() {
        frame.draw(&mut out, place, line);
    }
    out.push_str("</svg>\n");
    out
}

/// A line of the plot: events and milliseconds.
struct Line {
    name: &'static str,
    colour: &'static str,
    is_dashed: bool,
    points: Vec<(u64, f64)>,
}

/// The scales.
struct Frame {
    events: Vec<u64>,
    /// Of the logarithm of the number of events.
    first: f64,
    last: f64,
    /// The top of the scale in milliseconds, and the step of its marks.
    top: f64,
    step: f64,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 110.0;

/// Marks on the scale of time, at most.
const MARKS: f64 = 6.0;

fn lines(sizes: &[Printed]) -> Vec<Line> {
    let line = |name, colour, is_dashed, of: fn(&Printed) -> Option<f64>| Line {
        name,
        colour,
        is_dashed,
        points: sizes.iter().filter_map(|size| Some((size.events, of(size)?))).collect(),
    };
    let lines = [
        line("warm, p50", "#1b6ca8", false, |size| Some(size.top.wall_ms_p50)),
        line("warm, p99", "#1b6ca8", true, |size| Some(size.top.wall_ms_p99)),
        line("dropped, p50", "#c4571b", false, |size| Some(size.cold()?.wall_ms_p50)),
        line("dropped, p99", "#c4571b", true, |size| Some(size.cold()?.wall_ms_p99)),
    ];
    lines.into_iter().filter(|line| !line.points.is_empty()).collect()
}

impl Frame {
    fn around(sizes: &[Printed]) -> Frame {
        let events: Vec<u64> = sizes.iter().map(|size| size.events).collect();
        let logs = || events.iter().map(|events| logarithm(*events));
        let (first, last) = (logs().fold(f64::MAX, f64::min), logs().fold(0.0, f64::max));
        let points = lines(sizes).into_iter().flat_map(|line| line.points);
        let most = points.map(|(_, millis)| millis).fold(1.0, f64::max);
        let step = step(most);
        Frame { events, first, last, top: (most / step).ceil() * step, step }
    }

    fn x(&self, events: u64) -> f64 {
        let span = (self.last - self.first).max(0.001);
        let inner = WIDTH - LEFT - RIGHT - 40.0;
        LEFT + 20.0 + (logarithm(events) - self.first) / span * inner
    }

    fn y(&self, millis: f64) -> f64 {
        HEIGHT - BOTTOM - millis / self.top * (HEIGHT - BOTTOM - TOP)
    }

    /// Title, scales and what was measured.
    fn head(&self, longest: &Printed) -> String {
        let mut out = svg::begun(WIDTH, HEIGHT);
        text(&mut out, (LEFT, 28.0), "start", 16, "Cold checkout in a fresh process, ms");
        let marks = std::iter::successors(Some(0.0), |mark| Some(mark + self.step));
        for mark in marks.take_while(|mark| *mark <= self.top + self.step / 2.0) {
            let y = self.y(mark);
            svg::level(&mut out, (LEFT, WIDTH - RIGHT), y, "#dddddd");
            text(&mut out, (LEFT - 8.0, y + 4.0), "end", 13, &number(mark));
        }
        for events in &self.events {
            let at = (self.x(*events), HEIGHT - BOTTOM + 20.0);
            text(&mut out, at, "middle", 13, &Size::of(*events).to_string());
        }
        let notes = format!("{}; {}", longest.engine, longest.machine);
        text(&mut out, (LEFT, HEIGHT - 16.0), "start", 11, &notes);
        out
    }

    /// A line, its points, and its name below the plot.
    fn draw(&self, out: &mut String, place: usize, line: &Line) {
        let points = || line.points.iter().map(|(events, ms)| (self.x(*events), self.y(*ms)));
        let path: Vec<String> = points().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if line.is_dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let stroke = format!("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{dash}", line.colour);
        let _ = writeln!(out, "<polyline points=\"{}\" {stroke}/>", path.join(" "));
        for (x, y) in points() {
            let colour = line.colour;
            let _ =
                writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let column = f64::from(u8::try_from(place).unwrap_or(u8::MAX)) * 165.0;
        let (x, y) = (LEFT + column, HEIGHT - 52.0);
        let _ = writeln!(out, "<polyline points=\"{x},{y} {},{y}\" {stroke}/>", x + 24.0);
        text(out, (x + 30.0, y + 4.0), "start", 11, line.name);
    }
}

/// A step of 1, 2 or 5 times a power of ten, so that there are few marks.
fn step(most: f64) -> f64 {
    let powers = std::iter::successors(Some(0.1), |power| Some(power * 10.0));
    let mut steps = powers.flat_map(|power| [power, power * 2.0, power * 5.0]);
    steps.find(|step| most / step <= MARKS).unwrap_or(most)
}

fn number(millis: f64) -> String {
    let shown = format!("{millis:.1}");
    shown.strip_suffix(".0").map_or(shown.clone(), str::to_owned)
}

fn logarithm(events: u64) -> f64 {
    (events.max(1) as f64).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_few_round_marks() {
        for (most, expected) in [(1.0, 0.2), (8.4, 2.0), (30.0, 5.0), (336.0, 100.0)] {
            assert!((step(most) - expected).abs() < 1e-9, "{most}: {}", step(most));
        }
        assert_eq!((number(0.2), number(100.0)), ("0.2".to_owned(), "100".to_owned()));
    }
}
