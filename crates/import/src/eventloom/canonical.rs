//! Canonical JSON as two languages write it: no blanks, names sorted.

use std::cmp::Ordering;
use std::fmt::Write;

use crate::eventloom::fields::Node;
use crate::eventloom::literal::decode;

/// The program that wrote the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// Python's `json.dumps(sort_keys=True)`: by code point, everything outside printable
    /// ASCII escaped. Numbers stay as they stand in the line, which is how it wrote them.
    Python,
    /// Python's `json.dumps`, with numbers that another writer put into the line.
    PythonNumbers,
    /// JavaScript's `JSON.stringify` with names sorted by `localeCompare`.
    JavaScript,
}

/// Writes a value.
pub(crate) fn value(node: &Node<'_>, spelling: Spelling, output: &mut String) {
    match node {
        Node::Scalar(raw) if raw.starts_with('"') => string(decode(raw), spelling, output),
        Node::Scalar(raw) => number(raw, spelling, output),
        Node::Array(items) => {
            output.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    output.push(',');
                }
                value(item, spelling, output);
            }
            output.push(']');
        }
        Node::Object(fields) => object(fields.iter(), spelling, output),
    }
}

/// Writes an object of the given fields.
pub(crate) fn object<'n, 'a: 'n>(
    fields: impl Iterator<Item = &'n (String, Node<'a>)>,
    spelling: Spelling,
    output: &mut String,
) {
    let mut fields: Vec<_> = fields.collect();
    fields.sort_by(|(one, _), (other, _)| match spelling {
        Spelling::Python | Spelling::PythonNumbers => one.cmp(other),
        Spelling::JavaScript => by_locale(one, other),
    });
    output.push('{');
    for (index, (name, node)) in fields.into_iter().enumerate() {
        if index > 0 {
            output.push(',');
        }
        string(name.chars().map(u32::from), spelling, output);
        output.push(':');
        value(node, spelling, output);
    }
    output.push('}');
}

fn string(points: impl Iterator<Item = u32>, spelling: Spelling, output: &mut String) {
    output.push('"');
    for point in points {
        let short = match point {
            0x22 => "\\\"",
            0x5c => "\\\\",
            0x08 => "\\b",
            0x0c => "\\f",
            0x0a => "\\n",
            0x0d => "\\r",
            0x09 => "\\t",
            _ => "",
        };
        let plain = match spelling {
            Spelling::Python | Spelling::PythonNumbers => 0x20..0x7f,
            Spelling::JavaScript => 0x20..0x11_0000,
        };
        match char::from_u32(point).filter(|_| plain.contains(&point)) {
            _ if !short.is_empty() => output.push_str(short),
            Some(character) => output.push(character),
            None => escape(point, output),
        }
    }
    output.push('"');
}

/// Writes a code point as one or two escaped units.
fn escape(point: u32, output: &mut String) {
    let units = match point.checked_sub(0x10000) {
        None => [Some(point), None],
        Some(rest) => [Some(0xd800 + (rest >> 10)), Some(0xdc00 + (rest & 0x3ff))],
    };
    for unit in units.into_iter().flatten() {
        // Writing to a string does not fail.
        let _ = write!(output, "\\u{unit:04x}");
    }
}

fn number(raw: &str, spelling: Spelling, output: &mut String) {
    let fraction = raw.contains(['.', 'e']) && !raw.starts_with(['t', 'f', 'n']);
    match raw.parse() {
        // A number in other digits than a writer's would hash alike, and a changed byte
        // go unseen.
        Ok(float)
            if spelling == Spelling::PythonNumbers
                && fraction
                && digits(raw) == digits(&format!("{float:e}")) =>
        {
            output.push_str(&python_float(float));
        }
        _ => output.push_str(raw),
    }
}

/// The significant digits of a number, without the zeros around them.
fn digits(number: &str) -> String {
    let mantissa = number.split('e').next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// A float as Python's `repr` has it: the shortest digits, an exponent of two digits or
/// more below 1e-4 and from 1e16 on.
fn python_float(float: f64) -> String {
    let shortest = format!("{float:e}");
    let Some((digits, exponent)) = shortest.split_once('e') else { return "Infinity".to_owned() };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        return format!("{float:?}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// The order of ICU's root collation for ASCII names: signs, then digits, then letters
/// without regard to case; a small letter first where nothing else differs. Other
/// characters come by code point, which is right for one script at a time only.
fn by_locale(one: &str, other: &str) -> Ordering {
    const SIGNS: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
    let primary = |character: char| match SIGNS.find(character) {
        Some(index) => (0, u32::try_from(index).unwrap_or(u32::MAX)),
        None if character.is_ascii_digit() => (1, u32::from(character)),
        None => (2, u32::from(character.to_ascii_lowercase())),
    };
    let small_first = |text: &str| -> Vec<bool> {
        text.chars().map(|character| character.is_ascii_uppercase()).collect()
    };
    one.chars()
        .map(primary)
        .cmp(other.chars().map(primary))
        .then_with(|| small_first(one).cmp(&small_first(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_python_writes_them() {
        for (float, expected) in [
            (1.0, "1.0"),
            (1.5, "1.5"),
            (-0.0, "-0.0"),
            (1e-7, "1e-07"),
            (1.25e-5, "1.25e-05"),
            (0.0001, "0.0001"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(python_float(float), expected);
        }
    }

    #[test]
    fn names_in_the_order_of_a_locale() {
        let mut names = ["b", "B", "a1", "a", "A", "_x", "1", "a_b", "aB", "ab", "-"];
        names.sort_by(|one, other| by_locale(one, other));
        assert_eq!(names, ["_x", "-", "1", "a", "A", "a_b", "a1", "ab", "aB", "b", "B"]);

        // As sorted by a JavaScript engine with ICU.
        let sorted = [
            "_", "-", "~", "1", "10", "2", "a", "A", "a b", "a b c", "a_", "a,", "a;", "a:b", "a!",
            "a?", "a.b", "a'", "a(", "a)", "a[", "a]", "a{", "a}", "a@b", "a*", "a/b", "a\\", "a&",
            "a#", "a%", "a`", "a^", "a+", "a<", "a=", "a>", "a|", "a~", "a$b", "aa", "aA", "Aa",
            "b", "B",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|one, other| by_locale(one, other));
        assert_eq!(names, sorted);
    }
}
