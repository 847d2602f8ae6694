use std::fmt::Write;

use serde_json::Value;

use crate::cold_checkout::number;
use crate::machine::machine;
use crate::report::engine;
use crate::size::Size;
use memlith_verbs::svg::{self, text};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 730.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 330.0;

/// Marks on the scale of time, at most.
const MARKS: f64 = 6.0;

/// Where the figures of the lines are: in the first of these that is there.
const WARM: &[&str] = &[""];
const DROPPED: &[&str] = &["/dropped", "/dropped_no_observe"];

/// The lines: name, colour, dashes, and where their milliseconds are.
const LINES: [(&str, &str, &str, &[&str], &str); 4] = [
    ("warm, p50", "#1b6ca8", "none", WARM, "wall_ms_p50"),
    ("warm, p99", "#1b6ca8", "6 4", WARM, "wall_ms_p99"),
    ("dropped, p50", "#c4571b", "none", DROPPED, "wall_ms_p50"),
    ("dropped, p99", "#c4571b", "6 4", DROPPED, "wall_ms_p99"),
];

/// Draws how the time of a checkout grows with the log, as SVG: the log's length to the
/// right, each step of the scale ten times the one before, time upwards from 0.
pub(crate) fn svg(sizes: &[Value]) -> String {
    let events: Vec<f64> = sizes.iter().filter_map(|size| number(size, "/events")).collect();
    let points = |places: &[&str], key: &str| -> Vec<(f64, f64)> {
        let millis =
            |size: &Value| places.iter().find_map(|place| number(size, &format!("{place}/{key}")));
        let points = events.iter().zip(sizes);
        points.filter_map(|(events, size)| Some((*events, millis(size)?))).collect()
    };
    let all = LINES.into_iter().flat_map(|(_, _, _, places, key)| points(places, key));
    let most = all.map(|(_, millis)| millis).fold(1.0, f64::max);
    let step = step(most);
    let top = (most / step).ceil() * step;
    let first = events.iter().copied().fold(f64::MAX, f64::min).log10();
    let last = events.iter().copied().fold(1.0, f64::max).log10();
    let inner = (RIGHT - LEFT - 40.0) / (last - first).max(0.001);
    let x = |events: f64| LEFT + 20.0 + (events.log10() - first) * inner;
    let y = |millis: f64| BOTTOM - millis / top * (BOTTOM - TOP);

    let mut out = svg::begun(WIDTH, HEIGHT);
    text(&mut out, (LEFT, 28.0), "start", 16, "Cold checkout in a fresh process, ms");
    let marks = std::iter::successors(Some(0.0), |mark| Some(mark + step));
    for mark in marks.take_while(|mark| *mark <= top + step / 2.0) {
        svg::level(&mut out, (LEFT, RIGHT), y(mark), "#dddddd");
        text(&mut out, (LEFT - 8.0, y(mark) + 4.0), "end", 13, &shown(mark));
    }
    for (size, events) in sizes.iter().zip(&events) {
        let bytes = size.get("size_bytes").and_then(Value::as_u64).unwrap_or_default();
        text(&mut out, (x(*events), BOTTOM + 20.0), "middle", 13, &Size { bytes }.to_string());
    }
    let notes = format!("{}; {}", engine(), machine());
    text(&mut out, (LEFT, HEIGHT - 16.0), "start", 11, &notes);
    let mut column = LEFT;
    for (name, colour, dashes, places, key) in LINES {
        let points = points(places, key).into_iter().map(|(at, millis)| (x(at), y(millis)));
        let points: Vec<(f64, f64)> = points.collect();
        if points.is_empty() {
            continue;
        }
        line(&mut out, &points, colour, dashes);
        for (x, y) in points {
            // Writing to a string can't fail.
            let at = format!("cx=\"{x:.1}\" cy=\"{y:.1}\"");
            let _ = writeln!(out, "<circle {at} r=\"3\" fill=\"{colour}\"/>");
        }
        let below = HEIGHT - 52.0;
        line(&mut out, &[(column, below), (column + 24.0, below)], colour, dashes);
        text(&mut out, (column + 30.0, below + 4.0), "start", 11, name);
        column += 165.0;
    }
    out.push_str("</svg>\n");
    out
}

fn line(out: &mut String, points: &[(f64, f64)], colour: &str, dashes: &str) {
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-dasharray=\"{dashes}\"/>",
        path.join(" ")
    );
}

/// A step of 1, 2 or 5 times a power of ten, so that there are few marks.
fn step(most: f64) -> f64 {
    let powers = std::iter::successors(Some(0.1), |power| Some(power * 10.0));
    let mut steps = powers.flat_map(|power| [power, power * 2.0, power * 5.0]);
    steps.find(|step| most / step <= MARKS).unwrap_or(most)
}

fn shown(millis: f64) -> String {
    let shown = format!("{millis:.1}");
    shown.strip_suffix(".0").map_or(shown.clone(), str::to_owned)
}
