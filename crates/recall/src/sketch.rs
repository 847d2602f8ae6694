use memlith_event::Key;

/// Which terms a text has, one bit of 32 for each: what has all terms of another has all bits
/// of it, and hardly any other text does.
///
/// The bits are those of terms in one cell: sketches of different cells mean nothing to each
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Sketch(pub(crate) u32);

impl Sketch {
    /// This and a term, by the key of its list in the cell.
    pub(crate) fn with(self, term: Key) -> Sketch {
        let [first, ..] = term.0;
        Sketch(self.0 | 1 << (first % 32))
    }

    /// Whether it may have all terms of the other; right where it says no.
    pub(crate) fn may_hold(self, other: Sketch) -> bool {
        self.0 & other.0 == other.0
    }

    /// It has no fewer terms than that.
    pub(crate) fn terms_min(self) -> usize {
        self.0.count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posting::Posting;

    fn sketch(text: &str) -> Sketch {
        let terms = text.split(' ').map(|term| Posting::term(Key([3; 16]), term));
        terms.fold(Sketch::default(), Sketch::with)
    }

    #[test]
    fn what_holds_another_is_never_passed_over_and_most_others_are() {
        let text = "the staging database runs postgres fifteen on the old cluster";
        assert!(sketch(text).may_hold(sketch("old database cluster")));
        assert!(!sketch("old database cluster").may_hold(sketch(text)));
        assert!(sketch("old database cluster").terms_min() <= 3);
        let others = (0..1_000).map(|number| format!("{number} a{number} b{number} c{number}"));
        let held = others
            .filter(|other| {
                sketch(text).may_hold(sketch(other)) || sketch(other).may_hold(sketch(text))
            })
            .count();
        assert!(held < 50, "{held}");
    }
}
