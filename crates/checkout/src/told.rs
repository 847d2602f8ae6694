use memlith_recall::{Likeness, Wording};

use crate::Excerpt;

/// The texts of the items of a pack, to be compared with what another would add.
#[derive(Debug, Default)]
pub(crate) struct Told(Vec<Text>);

#[derive(Debug)]
struct Text {
    sketch: Sketch,
    guard: u8,
    text: String,
    /// Taken apart when it is first compared.
    wording: Option<Wording>,
}

/// A bit for each word's beginning: texts that say the same in nearly the same words differ
/// in few. So most pairs need not be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sketch(u64);

/// An excerpt, as it is compared with what is in a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Telling {
    /// The text as two writings of the same have it in common.
    pub(crate) says: String,
    /// Only of what is shown with all its words: what is cut off may differ.
    sketch: Option<Sketch>,
}

/// Sketches that differ in more bits are of texts that aren't compared.
const BITS_MAX: u32 = 8;

impl Told {
    /// Whether an excerpt of this guard adds nothing to one that is in and guarded as much.
    ///
    /// Source: `docs/model.md`, "Packing". Cost: a look at each, and taking apart the few
    /// that may be alike.
    pub(crate) fn has(&mut self, excerpt: &Excerpt, telling: &Telling, guard: u8) -> bool {
        let Some(sketch) = telling.sketch else { return false };
        let near = |told: &&mut Text| told.guard >= guard && told.sketch.is_near(sketch);
        let mut alike = self.0.iter_mut().filter(near);
        let mut own = None;
        alike.any(|told| {
            if told.wording.is_none() {
                told.wording = Wording::of(&told.text);
            }
            if own.is_none() {
                own = Wording::of(&excerpt.text);
            }
            let both = own.as_ref().zip(told.wording.as_ref());
            both.is_some_and(|(own, other)| own.likeness(other) == Likeness::Same)
        })
    }

    /// Takes in what is shown now.
    pub(crate) fn take(&mut self, excerpt: &Excerpt, telling: &Telling, guard: u8) {
        if let Some(sketch) = telling.sketch {
            let text = excerpt.text.clone();
            self.0.push(Text { sketch, guard, text, wording: None });
        }
    }
}

impl Telling {
    pub(crate) fn of(excerpt: &Excerpt) -> Telling {
        let sketch = is_compared(excerpt).then(|| Sketch::of(&excerpt.text));
        Telling { says: folded(&excerpt.text), sketch }
    }
}

/// Brings a text to the form that two writings of the same share: words in lower case, no full
/// stop at the end.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        match word.is_ascii() {
            true => folded.push_str(word),
            // A letter's lower case may depend on where in the word it stands.
            false => folded.push_str(&word.to_lowercase()),
        }
    }
    folded.make_ascii_lowercase();
    folded.truncate(folded.trim_end_matches('.').len());
    folded
}

/// Shorter texts cost nothing, and two of their words are alike too soon.
const WORDS_MIN: usize = 4;

fn is_compared(excerpt: &Excerpt) -> bool {
    excerpt.is_whole() && excerpt.text.split_whitespace().nth(WORDS_MIN - 1).is_some()
}

impl Sketch {
    fn of(text: &str) -> Sketch {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let bit = |word: &str| {
            let start = word.chars().take(4).flat_map(char::to_lowercase);
            1_u64 << (start.fold(7, |sum: u32, c| sum.wrapping_mul(31).wrapping_add(c.into())) % 61)
        };
        Sketch(words.fold(0, |sketch, word| sketch | bit(word)))
    }

    fn is_near(self, other: Sketch) -> bool {
        (self.0 ^ other.0).count_ones() <= BITS_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuarterBytes;
    use crate::terms::Terms;

    fn excerpt(text: &str) -> (Excerpt, Telling) {
        let excerpt = Excerpt::of(text, &Terms::of(""), &QuarterBytes);
        let telling = Telling::of(&excerpt);
        (excerpt, telling)
    }

    /// Takes in `text`, guarded by 3.
    fn told(text: &str) -> Told {
        let (mut told, (excerpt, telling)) = (Told::default(), excerpt(text));
        told.take(&excerpt, &telling, 3);
        told
    }

    fn has(told: &mut Told, text: &str, guard: u8) -> bool {
        let (excerpt, telling) = excerpt(text);
        told.has(&excerpt, &telling, guard)
    }

    #[test]
    fn what_adds_nothing_is_told() {
        let mut told = told("The deploy of the billing service failed with exit code 7.");
        for (text, guard, expected) in [
            ("the deploy of billing service failed with exit code 7", 3, true),
            ("The deploy of the billing service is failed with exit code 7.", 2, true),
            ("The deploy of the billing service failed with exit code 7.", 4, false),
            ("The deploy of the billing service failed with exit code 8.", 3, false),
            ("The deploy of the billing service never failed with exit code 7.", 3, false),
            ("The deploy of the search service failed with exit code 7.", 3, false),
            ("The deploy of the billing service failed with exit code 7, then ran", 3, false),
        ] {
            assert_eq!(has(&mut told, text, guard), expected, "{text} {guard}");
        }
    }

    #[test]
    fn two_writings_of_the_same_are_folded_to_one() {
        for (text, expected) in [
            ("  The  Green\tdoor...\n", "the green door"),
            ("a. b. . .", "a. b. . "),
            ("\u{39f}\u{394}\u{39f}\u{3a3} ODOS", "\u{3bf}\u{3b4}\u{3bf}\u{3c2} odos"),
            ("\u{c4}rger\u{2003}UND", "\u{e4}rger und"),
            ("...", ""),
            (" ", ""),
        ] {
            assert_eq!(folded(text), expected, "{text}");
            let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
            assert_eq!(folded(text), words.join(" ").trim_end_matches('.'), "{text}");
        }
    }

    #[test]
    fn what_is_cut_off_may_differ() {
        let long = |end: &str| format!("{} {end}", "the same line of a log ".repeat(40));
        let mut told = told(&long("ok"));
        assert!(!has(&mut told, &long("failed"), 3));
    }
}
