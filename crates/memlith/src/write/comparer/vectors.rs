use std::fmt;

use memlith_event::Cosine;
use memlith_recall::Embedder;

use super::Comparer;

/// Compares by the vectors of an embedder, to a millionth.
#[derive(Clone)]
pub struct ByVectors<E> {
    model: String,
    embedder: E,
}

/// A millionth, as cosines count.
const MILLIONTH: i32 = Cosine::ONE / 1_000_000;

impl<E: Embedder> ByVectors<E> {
    /// Makes a comparer by the vectors of `embedder`.
    #[must_use]
    pub fn of(embedder: E) -> ByVectors<E> {
        ByVectors { model: embedder.model().to_string(), embedder }
    }
}

impl<E: Embedder + Send + Sync> Comparer for ByVectors<E> {
    fn model(&self) -> &str {
        &self.model
    }

    fn cosines(&self, text: &str, others: &[&str]) -> Vec<Option<Cosine>> {
        let all: Vec<&str> = std::iter::once(text).chain(others.iter().copied()).collect();
        let vectors = self.embedder.embed(&all).unwrap_or_else(|error| {
            tracing::warn!(%error, model = self.model, "texts are not compared");
            Vec::new()
        });
        let own = vectors.first().and_then(Option::as_ref);
        let near = |at: usize| {
            let other = vectors.get(at + 1)?.as_ref()?;
            Some(Cosine(own?.cosine(other)?.saturating_mul(MILLIONTH)))
        };
        (0..others.len()).map(near).collect()
    }
}

impl<E> fmt::Debug for ByVectors<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ByVectors").field(&self.model).finish()
    }
}

#[cfg(test)]
mod tests {
    use memlith_recall::StaticTable;

    use super::*;

    #[test]
    fn the_built_in_table_tells_near_from_far() {
        let table = ByVectors::of(*StaticTable::built_in());
        let others = ["The meeting is on Tuesday", "Momo is a cat", "", "\u{200b}"];
        let found = table.cosines("The meeting is on Tuesday", &others);
        assert_eq!(found.first().copied().flatten(), Some(Cosine(Cosine::ONE)));
        assert!(found.get(1).copied().flatten().unwrap() < Cosine(Cosine::ONE / 2));
        assert_eq!(found.get(2..), Some(&[None, None][..]));
        assert_eq!(table.cosines("", &others), [None; 4]);
        assert!(table.model().starts_with("words-256@"));
    }
}
