use std::fmt::Write as _;

use memlith::Timestamp;

use super::curve::{Curve, day, salience};

/// What moved an item, for a mark on its curve.
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

/// Below this an item leaves output that has no query: log2 0.15.
const ATTENUATION: i64 = -48_149_207_929_738;

/// Draws `curve` as SVG: time to the right, salience upwards, each step twice the one below.
pub(crate) fn svg(title: &str, curve: &Curve<'_>, marks: &[Mark]) -> String {
    let (low, high) = curve.span();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    text(&mut out, (LEFT, 28.0), "start", title);
    let steps = 4;
    for step in 0..=steps {
        let log2 = low + (high - low) / steps * step;
        line(&mut out, y(log2, low, high), "#dddddd");
        text(&mut out, (LEFT - 8.0, y(log2, low, high) + 4.0), "end", &salience(log2));
    }
    if (low..high).contains(&ATTENUATION) {
        let at = y(ATTENUATION, low, high);
        line(&mut out, at, "#c4571b\" stroke-dasharray=\"6 4");
        text(&mut out, (LEFT + 4.0, at + 14.0), "start", "attenuated below 0.15");
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
            escaped(&words)
        );
    }
    text(&mut out, (LEFT, HEIGHT - 24.0), "start", &day(curve.from));
    text(&mut out, (WIDTH - RIGHT, HEIGHT - 24.0), "end", &day(curve.until));
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

fn line(out: &mut String, y: f64, stroke: &str) {
    let right = WIDTH - RIGHT;
    let _ = writeln!(
        out,
        "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"{stroke}\"/>"
    );
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#222222\">{}</text>",
        escaped(words)
    );
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;")
}
