use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::feature::Feature;
use crate::token::Token;

/// A number with what it counts.
///
/// Its form is exact: a decimal of its dimension's base unit, so that
/// "1,500 ms" and "1.5 seconds" are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its exact form, and where it stands.
    pub feature: Feature,
    /// The number as it was written, without its unit.
    pub number: String,
    /// Unit of the quantity; empty where nothing says so.
    pub unit: &'static str,
    /// How many tokens it takes.
    pub tokens: usize,
}

/// A unit: how it is written, its dimension, and how many base units it is, as a fraction.
struct Unit(&'static [&'static str], &'static str, i128, i128);

/// A number of more digits is compared as it is written.
const DIGITS_MAX: usize = 15;

impl Quantity {
    /// The quantity that begins at `at`.
    pub fn at(tokens: &[Token], at: usize) -> Option<Quantity> {
        let token = tokens.get(at)?;
        let money = unit_of(&token.lower).filter(|unit| MONEY.contains(&unit.1));
        if let (Some(unit), Some(next)) = (money, tokens.get(at + 1))
            && let Some((number, "")) = split(&next.lower)
        {
            let range = token.range.start..next.range.end;
            return Some(Quantity::of(&number, Some(unit), range, 2));
        }
        let (number, attached) = split(&token.lower)?;
        if let Some(unit) = unit_of(attached) {
            return Some(Quantity::of(&number, Some(unit), token.range.clone(), 1));
        }
        if !attached.is_empty() {
            return None;
        }
        let next = tokens.get(at + 1).filter(|next| !next.broken);
        match next.and_then(|next| Some((next, unit_of(&next.lower)?))) {
            Some((next, unit)) if next.lower.len() > 1 || !next.capital => {
                let range = token.range.start..next.range.end;
                Some(Quantity::of(&number, Some(unit), range, 2))
            }
            Some(_) | None => Some(Quantity::of(&number, None, token.range.clone(), 1)),
        }
    }

    fn of(
        number: &str,
        unit: Option<&Unit>,
        range: std::ops::Range<usize>,
        tokens: usize,
    ) -> Quantity {
        let (dimension, times, over) = unit.map_or(("", 1, 1), |unit| (unit.1, unit.2, unit.3));
        let exact = millionths(number)
            .and_then(|number| number.checked_mul(times))
            .filter(|product| product % over == 0)
            .map(|product| decimal(product / over));
        let name = unit.and_then(|unit| unit.0.first()).copied().unwrap_or_default();
        let form = match exact {
            Some(exact) => format!("{exact} {dimension}"),
            None => format!("{number} {name}"),
        };
        let form = form.trim_end().to_owned();
        Quantity { feature: Feature { form, range }, number: number.to_owned(), unit: name, tokens }
    }
}

/// A number in digits or in a word, and what is written to its end.
fn split(word: &str) -> Option<(String, &str)> {
    if let Some(value) = WORDS.iter().find(|(name, _)| *name == word).map(|(_, value)| value) {
        return Some(((*value).to_owned(), ""));
    }
    let digits = word.strip_prefix('-').unwrap_or(word);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let inner = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-');
    let end = digits.find(|c| !inner(c)).unwrap_or(digits.len());
    let (number, rest) = digits.split_at_checked(end)?;
    let sign = if word.starts_with('-') { "-" } else { "" };
    let plain = number.trim_end_matches(['.', '-']).replace(',', "");
    let rest = match rest {
        "st" | "nd" | "rd" | "th" => "",
        rest => rest,
    };
    Some((format!("{sign}{plain}"), rest))
}

/// The number in millionths, where it is one and fits.
fn millionths(number: &str) -> Option<i128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() > DIGITS_MAX || part.len() > 6 || !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let scale = part
        .bytes()
        .chain(*b"000000")
        .take(6)
        .fold(0, |sum, digit| sum * 10 + i128::from(digit.saturating_sub(b'0')));
    let negative = whole.starts_with('-');
    let size = whole.trim_start_matches('-').parse::<i128>().ok()? * 1_000_000 + scale;
    Some(if negative { -size } else { size })
}

/// Millionths as a decimal without needless digits.
fn decimal(millionths: i128) -> String {
    let (sign, size) = (if millionths < 0 { "-" } else { "" }, millionths.unsigned_abs());
    let part = format!("{:06}", size % 1_000_000);
    let part = part.trim_end_matches('0');
    let point = if part.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{part}", size / 1_000_000)
}

/// The dimensions whose sign stands before the number.
const MONEY: [&str; 4] = ["usd", "eur", "gbp", "inr"];

fn unit_of(word: &str) -> Option<&'static Unit> {
    BY_NAME.get(word).copied()
}

/// The units by all their names.
static BY_NAME: LazyLock<BTreeMap<&str, &Unit>> = LazyLock::new(|| {
    UNITS.iter().flat_map(|unit| unit.0.iter().map(move |name| (*name, unit))).collect()
});

/// Number words; "one" is oftener a pronoun.
const WORDS: &[(&str, &str)] = &[
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
];

/// The units that are understood; the first of each name is the one that is shown.
#[rustfmt::skip]
const UNITS: &[Unit] = &[
    Unit(&["us", "microseconds", "microsecond"], "ms", 1, 1_000),
    Unit(&["ms", "milliseconds", "millisecond", "msec"], "ms", 1, 1),
    Unit(&["s", "seconds", "second", "secs", "sec"], "ms", 1_000, 1),
    Unit(&["min", "minutes", "minute", "mins"], "ms", 60_000, 1),
    Unit(&["h", "hours", "hour", "hrs", "hr"], "ms", 3_600_000, 1),
    Unit(&["d", "days", "day"], "ms", 86_400_000, 1),
    Unit(&["weeks", "week", "wk", "wks"], "ms", 604_800_000, 1),
    Unit(&["months", "month"], "months", 1, 1),
    Unit(&["years", "year", "yrs", "yr"], "months", 12, 1),
    Unit(&["bytes", "byte", "b"], "bytes", 1, 1),
    Unit(&["kb", "kilobytes", "kilobyte"], "bytes", 1_000, 1),
    Unit(&["mb", "megabytes", "megabyte"], "bytes", 1_000_000, 1),
    Unit(&["gb", "gigabytes", "gigabyte", "gigs", "gig"], "bytes", 1_000_000_000, 1),
    Unit(&["tb", "terabytes", "terabyte"], "bytes", 1_000_000_000_000, 1),
    Unit(&["kib"], "bytes", 1 << 10, 1),
    Unit(&["mib"], "bytes", 1 << 20, 1),
    Unit(&["gib"], "bytes", 1 << 30, 1),
    Unit(&["mm", "millimetres", "millimeters"], "mm", 1, 1),
    Unit(&["cm", "centimetres", "centimeters"], "mm", 10, 1),
    Unit(&["metres", "meters", "metre", "meter"], "mm", 1_000, 1),
    Unit(&["km", "kilometres", "kilometers", "kilometre", "kilometer"], "mm", 1_000_000, 1),
    Unit(&["miles", "mile"], "miles", 1, 1),
    Unit(&["feet", "foot", "ft"], "feet", 1, 1),
    Unit(&["mg", "milligrams"], "mg", 1, 1),
    Unit(&["g", "grams", "gram"], "mg", 1_000, 1),
    Unit(&["kg", "kilos", "kilo", "kilograms", "kilogram"], "mg", 1_000_000, 1),
    Unit(&["lb", "lbs", "pounds", "pound"], "pounds", 1, 1),
    Unit(&["ml", "millilitres", "milliliters"], "ml", 1, 1),
    Unit(&["litres", "liters", "litre", "liter"], "ml", 1_000, 1),
    Unit(&["%", "percent"], "percent", 1, 1),
    Unit(&["$", "dollars", "dollar", "usd"], "usd", 1, 1),
    Unit(&["\u{20ac}", "euros", "euro", "eur"], "eur", 1, 1),
    Unit(&["\u{a3}", "gbp"], "gbp", 1, 1),
    Unit(&["\u{20b9}", "rupees", "rupee", "inr"], "inr", 1, 1),
    Unit(&["k"], "", 1_000, 1),
    Unit(&["hz", "hertz"], "hz", 1, 1),
    Unit(&["khz"], "hz", 1_000, 1),
    Unit(&["mhz"], "hz", 1_000_000, 1),
    Unit(&["ghz"], "hz", 1_000_000_000, 1),
    Unit(&["px", "pixels", "pixel"], "pixels", 1, 1),
    Unit(&["x", "times"], "times", 1, 1),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    fn form(text: &str) -> Option<String> {
        Quantity::at(&tokens(text, 99).unwrap(), 0).map(|quantity| quantity.feature.form)
    }

    #[test]
    fn one_amount_has_one_form_in_all_units() {
        for (left, right) in [
            ("1,500 ms", "1.5 seconds"),
            ("30s", "thirty seconds"),
            ("2 hours", "120 min"),
            ("$20", "20 dollars"),
            ("5k", "5000"),
            ("1 GB", "1000 MB"),
            ("7", "seven"),
            ("24 months", "2 years"),
            ("3.50", "3.5"),
        ] {
            assert_eq!(form(left), form(right), "{left} {right}");
            assert!(form(left).is_some(), "{left}");
        }
    }

    #[test]
    fn other_amounts_have_other_forms() {
        for (left, right) in [
            ("30 ms", "30 s"),
            ("7", "11"),
            ("-5", "5"),
            ("1.2.3", "1.2.4"),
            ("20 dollars", "20 euros"),
            ("99999999999999999999", "99999999999999999998"),
            ("1 KB", "1 KiB"),
        ] {
            assert_ne!(form(left), form(right), "{left} {right}");
        }
        assert_eq!(form("v2"), None);
        assert_eq!(form("2fa"), None);
    }
}
