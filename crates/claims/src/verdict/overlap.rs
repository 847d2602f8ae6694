//! Two texts that no grammar reads, compared by the words that they share.

/// The words of a text that is too long to be taken apart, or of a script without blanks between
/// words: each once, by its hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlap {
    words: Vec<u64>,
}

/// Maximum number of words of a text that are looked at: the first.
const WORDS_MAX: usize = 4_096;

impl Overlap {
    /// Cost: linear in the text.
    pub(super) fn of(text: &str) -> Overlap {
        let mut words: Vec<u64> = words(text).take(WORDS_MAX).collect();
        words.sort_unstable();
        words.dedup();
        Overlap { words }
    }

    /// Whether each has words of its own, and both share two thirds of those of the shorter one and
    /// half of those of the longer one.
    pub(super) fn is_near(&self, other: &Overlap) -> bool {
        let (all, others) = (self.words.len(), other.words.len());
        let is_shared = |word: &&u64| other.words.binary_search(word).is_ok();
        let shared = self.words.iter().filter(is_shared).count();
        let differ = shared < all && shared < others;
        differ && shared * 3 >= all.min(others) * 2 && shared * 2 >= all.max(others)
    }
}

/// Whether a letter is of a script that puts no blanks between words, or ends them with particles.
pub(super) fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1100..=0x11ff | 0x1780..=0x17ff | 0x3040..=0x31ff
        | 0x3400..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// The words of a text in lower case, and of a script without blanks each two neighbours.
fn words(text: &str) -> impl Iterator<Item = u64> {
    text.split(|letter: char| !letter.is_alphanumeric()).flat_map(|run| {
        let mut parts: Vec<u64> = Vec::new();
        let mut rest = run;
        while let Some(first) = rest.chars().next() {
            let of_one_kind = |letter: char| is_unspaced(letter) != is_unspaced(first);
            let end = rest.find(of_one_kind).unwrap_or(rest.len());
            let (part, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            rest = behind;
            if !is_unspaced(first) {
                parts.push(hash(part.chars().flat_map(char::to_lowercase)));
                continue;
            }
            let next = part.chars().skip(1).chain([' ']);
            let pairs = part.chars().zip(next);
            let many = part.chars().nth(1).is_some();
            let pairs = pairs.filter(|(_, next)| !many || *next != ' ');
            parts.extend(pairs.map(|(one, next)| hash([one, next].into_iter())));
        }
        parts
    })
}

/// FNV-1a over the letters (Fowler, Noll, Vo, 1991): nothing is stored under it.
fn hash(letters: impl Iterator<Item = char>) -> u64 {
    letters.fold(0xcbf2_9ce4_8422_2325, |hash, letter| {
        (hash ^ u64::from(letter)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_mostly_the_same_words_are_near() {
        for (one, other, near) in [
            (
                "\u{670d}\u{52d9}\u{5728}8080\u{7aef}\u{53e3}",
                "\u{670d}\u{52d9}\u{5728}9090\u{7aef}\u{53e3}",
                true,
            ),
            ("a b c d 1", "A B C D 2", true),
            ("a b c d 1", "a b c d 1", false),
            ("a b c d", "a b c d e", false),
            ("a b c 1", "a x y 2", false),
            ("a b c 1", "a b c 2 d e f g h i j", false),
            ("", "", false),
        ] {
            assert_eq!(Overlap::of(one).is_near(&Overlap::of(other)), near, "{one} / {other}");
            assert_eq!(Overlap::of(other).is_near(&Overlap::of(one)), near, "{other} / {one}");
        }
    }
}
