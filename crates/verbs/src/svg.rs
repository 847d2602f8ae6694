//! The pieces that drawings share.

use std::fmt::Write as _;

/// The beginning of a drawing of this size: on white.
pub fn begun(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    )
}

/// Words at a place; `anchor` is start, middle or end.
pub fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, size: u8, words: &str) {
    let words = escaped(words);
    // Writing to a string can't fail.
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
         fill=\"#222222\">{words}</text>"
    );
}

/// A line from left to right.
pub fn level(out: &mut String, (left, right): (f64, f64), y: f64, stroke: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"{stroke}\"/>"
    );
}

/// Words of which nothing is taken for markup.
pub fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;")
}
