use memlith::write::{Comparer, Cosine};

/// A model to which texts of one first word are this near, and all others are not: it costs
/// nothing, and what must come of it is known.
#[derive(Debug)]
pub(crate) struct FirstWord(pub(crate) Cosine);

impl Comparer for FirstWord {
    fn model(&self) -> &'static str {
        "first word"
    }

    fn cosines(&self, text: &str, others: &[&str]) -> Vec<Option<Cosine>> {
        let first = |text: &str| text.split(' ').next().map(str::to_owned);
        let own = first(text);
        let near = |other: &&str| if first(other) == own { self.0 } else { Cosine(0) };
        others.iter().map(|other| Some(near(other))).collect()
    }
}
