/// Bytes of a text, and what takes their place.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) with: String,
}

/// The edits of one pass: disjoint, ascending, at character boundaries.
#[derive(Debug, Default)]
pub(crate) struct Edits(Vec<Edit>);

impl Edits {
    pub(crate) fn push(&mut self, start: usize, end: usize, with: String) {
        self.0.push(Edit { start, end, with });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text after the edits.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut output = String::with_capacity(text.len());
        let mut kept_from = 0;
        for Edit { start, end, with } in &self.0 {
            output.push_str(text.get(kept_from..*start).unwrap_or_default());
            output.push_str(with);
            kept_from = *end;
        }
        output.push_str(text.get(kept_from..).unwrap_or_default());
        output
    }

    /// Where the byte at `after` of the edited text was, or began what it took the place of.
    pub(crate) fn before(&self, after: usize) -> usize {
        let (mut kept_from, mut written) = (0, 0);
        for Edit { start, end, with } in &self.0 {
            let begun = written + (start - kept_from);
            if after < begun {
                break;
            }
            if after < begun + with.len() {
                return *start;
            }
            (kept_from, written) = (*end, begun + with.len());
        }
        kept_from + (after - written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_again_before_the_edits() {
        let mut edits = Edits::default();
        edits.push(2, 4, "xyz".to_owned());
        edits.push(6, 6, "!".to_owned());
        assert_eq!(edits.apply("abcdefgh"), "abxyzef!gh");
        let places: Vec<usize> = (0..11).map(|after| edits.before(after)).collect();
        assert_eq!(places, [0, 1, 2, 2, 2, 4, 5, 6, 6, 7, 8]);
    }
}
