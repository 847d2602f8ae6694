use memlith_recall::{Likeness, Wording};

use crate::Excerpt;

/// What the items of a pack say, to be compared with what another would add.
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
#[derive(Clone, Copy, Debug)]
struct Sketch(u64);

/// Sketches that differ in more bits are of texts that aren't compared.
const BITS_MAX: u32 = 8;

impl Told {
    /// Whether an excerpt of this guard adds nothing to one that is in and guarded as much.
    ///
    /// Only items that are shown with all their words are compared: what is cut off may differ.
    /// Source: `docs/model.md`, "Packing". Cost: a look at each, and taking apart the few
    /// that may be alike.
    pub(crate) fn has(&mut self, excerpt: &Excerpt, guard: u8) -> bool {
        if !is_compared(excerpt) {
            return false;
        }
        let sketch = Sketch::of(&excerpt.text);
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
    pub(crate) fn take(&mut self, excerpt: Excerpt, guard: u8) {
        if is_compared(&excerpt) {
            let sketch = Sketch::of(&excerpt.text);
            self.0.push(Text { sketch, guard, text: excerpt.text, wording: None });
        }
    }
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

    fn excerpt(text: &str) -> Excerpt {
        Excerpt::of(text, &Terms::of(""), &QuarterBytes)
    }

    #[test]
    fn what_adds_nothing_is_told() {
        let mut told = Told::default();
        told.take(excerpt("The deploy of the billing service failed with exit code 7."), 3);
        for (text, guard, expected) in [
            ("the deploy of billing service failed with exit code 7", 3, true),
            ("The deploy of the billing service is failed with exit code 7.", 2, true),
            ("The deploy of the billing service failed with exit code 7.", 4, false),
            ("The deploy of the billing service failed with exit code 8.", 3, false),
            ("The deploy of the billing service never failed with exit code 7.", 3, false),
            ("The deploy of the search service failed with exit code 7.", 3, false),
            ("The deploy of the billing service failed with exit code 7, then ran", 3, false),
        ] {
            assert_eq!(told.has(&excerpt(text), guard), expected, "{text} {guard}");
        }
    }

    #[test]
    fn what_is_cut_off_may_differ() {
        let long = |end: &str| format!("{} {end}", "the same line of a log ".repeat(40));
        let mut told = Told::default();
        told.take(excerpt(&long("ok")), 3);
        assert!(!told.has(&excerpt(&long("failed")), 3));
    }
}
