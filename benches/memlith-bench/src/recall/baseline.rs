//! The order of BM25 alone, which any search library gives.

use std::collections::{BTreeMap, BTreeSet};

use crate::recall::dataset::{Dialogue, Turn};

/// BM25 over the turns of a dialogue, or over passages of them.
pub(crate) struct Baseline {
    /// Each unit that is ranked: its turn, how often it has each word, and its number of words.
    units: Vec<(Turn, BTreeMap<String, u32>, usize)>,
    /// How many units have a word.
    having: BTreeMap<String, usize>,
}

/// A passage ends at the last blank before so many bytes.
const PASSAGE_BYTES: usize = 480;

const K1: f64 = 1.2;
const B: f64 = 0.75;

impl Baseline {
    /// The baselines by name, and whether they cut turns.
    pub(crate) const KINDS: [(&str, bool); 2] = [("BM25", false), ("BM25 passages", true)];

    /// The turns of a dialogue whole, or cut into passages.
    pub(crate) fn of(dialogue: &Dialogue, cut: bool) -> Baseline {
        let mut baseline = Baseline { units: Vec::new(), having: BTreeMap::new() };
        for (turn, text) in dialogue.texts() {
            let parts = if cut { passages(&text) } else { vec![text.as_str()] };
            parts.into_iter().for_each(|part| baseline.add(turn, part));
        }
        baseline
    }

    fn add(&mut self, turn: Turn, text: &str) {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        words(text).for_each(|word| *counts.entry(word).or_default() += 1);
        counts.keys().for_each(|word| *self.having.entry(word.clone()).or_default() += 1);
        let length = counts.values().map(|count| *count as usize).sum();
        self.units.push((turn, counts, length));
    }

    /// The turns that have a word of the question, each by its best unit, best first.
    #[expect(clippy::disallowed_methods, reason = "a baseline is a measurement, not a fold")]
    pub(crate) fn ask(&self, question: &str) -> Vec<Turn> {
        let asked: BTreeSet<String> = words(question).collect();
        let all = self.units.len().max(1) as f64;
        let average = self.units.iter().map(|(.., length)| *length as f64).sum::<f64>() / all;
        let mut best: BTreeMap<Turn, f64> = BTreeMap::new();
        for (turn, counts, length) in &self.units {
            let norm = K1 * (1.0 - B + B * *length as f64 / average.max(1.0));
            let of_word = |word: &String| {
                let frequency = f64::from(*counts.get(word)?);
                let having = *self.having.get(word)? as f64;
                let rare = (1.0 + (all - having + 0.5) / (having + 0.5)).log2();
                Some(rare * frequency * (K1 + 1.0) / (frequency + norm))
            };
            let score: f64 = asked.iter().filter_map(of_word).sum();
            let known = best.entry(*turn).or_default();
            *known = known.max(score);
        }
        let mut order: Vec<(Turn, f64)> =
            best.into_iter().filter(|(_, score)| *score > 0.0).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.into_iter().map(|(turn, _)| turn).collect()
    }
}

/// Words that no search library asks for.
const STOP_WORDS: &str = " a an and are as at be but by did do does for from had has have he her \
    his how i if in is it its me my of on or our she so that the their them they this to was we \
    were what when where which who why will with you your ";

/// The words of a text: stemmed, without those that say nothing.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase);
    let words = words.filter(|word| !STOP_WORDS.contains(&format!(" {word} ")));
    words.map(|word| memlith_text::snowball(&word))
}

fn passages(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while rest.len() > PASSAGE_BYTES {
        let limit = rest.floor_char_boundary(PASSAGE_BYTES);
        let head = rest.get(..limit).unwrap_or(rest);
        let end = head.rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(limit);
        let (part, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        found.push(part);
        rest = behind.trim_start();
    }
    found.push(rest);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_turn_is_cut_at_blanks_and_found_by_its_best_part() {
        assert_eq!(passages("short"), ["short"]);
        let long = "word ".repeat(200);
        let parts = passages(long.trim());
        assert!(parts.len() == 3 && parts.iter().all(|part| part.len() <= PASSAGE_BYTES));
        let dialogue = format!(
            "[{{\"conversation\":{{\"session_1_date_time\":\"1:56 pm on 8 May, 2023\",\
             \"session_1\":[{{\"speaker\":\"A\",\"dia_id\":\"D1:1\",\"text\":\"{long} teal shed\"}},\
             {{\"speaker\":\"B\",\"dia_id\":\"D1:2\",\"text\":\"a shed\"}}]}},\"qa\":[]}}]"
        );
        let dataset = crate::recall::dataset::Dataset::parse(dialogue.as_bytes()).unwrap();
        let found = |cut| Baseline::of(&dataset.dialogues[0], cut).ask("teal sheds").len();
        assert_eq!((found(false), found(true)), (2, 2));
    }
}
