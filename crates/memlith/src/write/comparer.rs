mod vectors;

use std::fmt;

use memlith_event::Cosine;

pub use vectors::ByVectors;

/// Says how near texts are in meaning, by the vectors of one model.
///
/// A model is what its name says: the same name, the same cosines, for ever. Those of two
/// models are never compared.
pub trait Comparer: fmt::Debug + Send + Sync {
    /// The model's name, as decisions keep it.
    fn model(&self) -> &str;

    /// How near `text` is to each of `others`, in their order; none where either has no vector
    /// or the model fails: the two are not compared then.
    ///
    /// It is asked under the write lock, for at most 24 texts of any length.
    fn cosines(&self, text: &str, others: &[&str]) -> Vec<Option<Cosine>>;
}

/// How near two vectors of one model are, to a ten-millionth, half away from zero.
///
/// `None` where that has no meaning: other lengths, nothing in them, a length of zero, or a
/// number that is none. Summed in the order of the vectors, in double precision, with no other
/// operations than multiplication, addition, division and the square root, each of which is
/// exact to the last bit everywhere: the same vectors give the same cosine on every machine.
#[must_use]
pub fn cosine(a: &[f32], b: &[f32]) -> Option<Cosine> {
    if a.len() != b.len() || a.is_empty() {
        return None;
    }
    let (mut dot, mut own, mut others) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (f64::from(*a), f64::from(*b));
        dot += a * b;
        own += a * a;
        others += b * b;
    }
    let size = own.sqrt() * others.sqrt();
    if !size.is_normal() || !dot.is_finite() {
        return None;
    }
    let cosine = (dot / size).clamp(-1.0, 1.0) * f64::from(Cosine::ONE);
    #[expect(clippy::cast_possible_truncation, reason = "clamped to ten million")]
    let quantised = cosine.round() as i32;
    Some(Cosine(quantised))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair of vectors of this cosine, as exactly as single precision says it.
    fn pair(cosine: f32) -> ([f32; 2], [f32; 2]) {
        ([1.0, 0.0], [cosine, (1.0 - cosine * cosine).sqrt()])
    }

    #[test]
    fn a_cosine_is_the_nearest_ten_millionth() {
        for (given, expected) in [(1.0, 10_000_000), (0.0, 0), (0.5, 5_000_000)] {
            let (a, b) = pair(given);
            assert_eq!(cosine(&a, &b), Some(Cosine(expected)));
            assert_eq!(cosine(&b, &a), Some(Cosine(expected)));
        }
        assert_eq!(cosine(&[3.0, 4.0], &[-3.0, -4.0]), Some(Cosine(-10_000_000)));
        // Four of five, times 1,000: exact in both precisions.
        assert_eq!(cosine(&[1_000.0, 0.0], &[0.004, 0.003]), Some(Cosine(8_000_000)));
        assert_eq!(
            cosine(&[1.0, 0.0, 0.0], &[19.0, 0.0, 39.0_f32.sqrt()]),
            Some(Cosine(9_500_000))
        );
    }

    #[test]
    fn what_is_no_vector_is_near_nothing() {
        let fine = [1.0, 2.0];
        for wrong in [
            &[][..],
            &[1.0],
            &[1.0, 2.0, 3.0],
            &[0.0, 0.0],
            &[f32::NAN, 1.0],
            &[f32::INFINITY, 1.0],
        ] {
            assert_eq!(cosine(&fine, wrong), None, "{wrong:?}");
            assert_eq!(cosine(wrong, wrong).is_some(), matches!(wrong.len(), 1 | 3), "{wrong:?}");
        }
        // What overflows single precision doesn't overflow double.
        assert_eq!(cosine(&[f32::MAX, 0.0], &[f32::MAX, 0.0]), Some(Cosine(10_000_000)));
        assert_eq!(cosine(&[1e-45, 0.0], &[1e-45, 0.0]), Some(Cosine(10_000_000)));
    }
}
