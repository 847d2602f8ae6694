use std::fmt::Write as _;

use memlith::Timestamp;

use super::curve::{Curve, day, salience};
use crate::svg::{self, text};

/// Event that moved an item, for a mark on its curve.
pub(crate) struct Mark {
    pub(crate) at: Timestamp,
    pub(crate) words: String,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 60.0;
const ACROSS: (f64, f64) = (LEFT, WIDTH - RIGHT);

/// Below this an item leaves output that has no query: log2 0.15.
const ATTENUATION: i64 = -48_149_207_929_738;

/// Draws `curve` as SVG: time to the right, salience upwards, each step twice the one below.
pub(crate) fn drawn(title: &str, curve: &Curve<'_>, marks: &[Mark]) -> String {
    let (low, high) = curve.span();
    let mut out = svg::begun(WIDTH, HEIGHT);
    text(&mut out, (LEFT, 28.0), "start", 13, title);
    let steps = 4;
    for step in 0..=steps {
        let log2 = low + (high - low) / steps * step;
        svg::level(&mut out, ACROSS, y(log2, low, high), "#dddddd");
        text(&mut out, (LEFT - 8.0, y(log2, low, high) + 4.0), "end", 13, &salience(log2));
    }
    if (low..high).contains(&ATTENUATION) {
        let at = y(ATTENUATION, low, high);
        svg::level(&mut out, ACROSS, at, "#c4571b\" stroke-dasharray=\"6 4");
        text(&mut out, (LEFT + 4.0, at + 14.0), "start", 13, "attenuated below 0.15");
    }
    let path: Vec<String> = curve
        .pieces()
        .flat_map(|(leg, end)| [(leg.from, leg.log2(leg.from).0), (end, leg.log2(end).0)])
        .map(|(at, log2)| format!("{:.1},{:.1}", x(at, curve), y(log2, low, high)))
        .collect();
    // Writing to a string can't fail.
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#1b6ca8\" stroke-width=\"2\"/>",
        path.join(" ")
    );
    for ((leg, _), mark) in curve.pieces().skip(1).zip(marks) {
        let (x, y) = (x(leg.from, curve), y(leg.log2(leg.from).0, low, high));
        let words = format!("{} {}", mark.at, mark.words);
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#1b6ca8\"><title>{}</title></circle>",
            svg::escaped(&words)
        );
    }
    text(&mut out, (LEFT, HEIGHT - 24.0), "start", 13, &day(curve.from));
    text(&mut out, (WIDTH - RIGHT, HEIGHT - 24.0), "end", 13, &day(curve.until));
    out.push_str("</svg>\n");
    out
}

fn x(at: Timestamp, curve: &Curve<'_>) -> f64 {
    let span = curve.until.0 as f64 - curve.from.0 as f64;
    LEFT + (at.0 as f64 - curve.from.0 as f64) / span * (WIDTH - LEFT - RIGHT)
}

fn y(log2: i64, low: i64, high: i64) -> f64 {
    HEIGHT - BOTTOM - (log2 - low) as f64 / (high - low) as f64 * (HEIGHT - BOTTOM - TOP)
}
