use std::error::Error;
use std::fmt;

/// The length of a vector, in units of its components.
const LENGTH: i64 = 1 << 14;

/// A direction in whole numbers, of length 16,384 up to rounding.
///
/// 1 to 4,096 components. It does not know its model: whoever keeps it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    components: Box<[i16]>,
    /// Its exact length in units of 1/256, rounded down; never 0.
    length: i64,
}

impl Vector {
    /// The most components.
    pub const DIMENSIONS_MAX: usize = 4_096;

    /// The direction of whole numbers; `None` where they are all 0, none, or too many.
    pub(crate) fn of_sums(sums: &[i64]) -> Option<Vector> {
        if sums.len() > Vector::DIMENSIONS_MAX {
            return None;
        }
        // Twenty-four bits each, so that no square and no sum of squares overflows.
        let most = sums.iter().map(|one| one.unsigned_abs()).max()?;
        let shift = (64 - most.leading_zeros()).saturating_sub(24);
        let squares = sums.iter().map(|one| (one >> shift).unsigned_abs().pow(2));
        let length = i64::try_from(squares.sum::<u64>().isqrt()).ok()?;
        // One division for all; a component is at most the length, so that it fits.
        let share = (LENGTH << 44).checked_div(length)?;
        let round = |one: &i64| i16::try_from(((one >> shift) * share + (1 << 43)) >> 44).ok();
        Vector::of_components(sums.iter().map(round).collect::<Option<_>>()?)
    }

    /// The direction of what another model gave, of `dimensions` numbers.
    ///
    /// # Errors
    /// They are of another number, one of them is infinite or none, or all are 0.
    #[expect(clippy::cast_possible_truncation, reason = "rounded, and within LENGTH")]
    pub fn of_floats(numbers: &[f32], dimensions: usize) -> Result<Vector, VectorError> {
        if numbers.len() != dimensions || !(1..=Vector::DIMENSIONS_MAX).contains(&dimensions) {
            return Err(VectorError::Dimensions { expected: dimensions, found: numbers.len() });
        }
        if let Some(at) = numbers.iter().position(|one| !one.is_finite()) {
            return Err(VectorError::NotFinite { at });
        }
        // The squares of any f32 are within f64, and IEEE 754 leaves none of these steps open.
        let squares = numbers.iter().map(|one| f64::from(*one) * f64::from(*one));
        let length = squares.fold(0.0, |sum, square| sum + square).sqrt();
        if length == 0.0 {
            return Err(VectorError::Zero);
        }
        let round = |one: &f32| (f64::from(*one) / length * LENGTH as f64).round() as i16;
        Vector::of_components(numbers.iter().map(round).collect()).ok_or(VectorError::Zero)
    }

    fn of_components(components: Box<[i16]>) -> Option<Vector> {
        let square = u64::try_from(product(&components, &components)).ok()?;
        let length = i64::try_from((square << 16).isqrt()).ok()?;
        (length > 0).then_some(Vector { components, length })
    }

    /// The components.
    #[must_use]
    pub fn components(&self) -> &[i16] {
        &self.components
    }

    /// The cosine of two vectors of one model, in millionths; `None` where their widths
    /// differ, which those of one model never do.
    ///
    /// -1,000,000 to 1,000,000; exactly that of a vector and itself. Cost: some sixty
    /// nanoseconds at 256 components.
    #[must_use]
    pub fn cosine(&self, other: &Vector) -> Option<i32> {
        if self.components.len() != other.components.len() {
            return None;
        }
        // Within 2^28 times 10^6 times 2^16, less than 2^64 / 2.
        let product = i64::from(product(&self.components, &other.components));
        let scaled = (product * 1_000_000 / self.length) << 16;
        let cosine = (scaled + scaled.signum() * (other.length / 2)) / other.length;
        i32::try_from(cosine.clamp(-1_000_000, 1_000_000)).ok()
    }
}

/// The sum of products. By Cauchy and Schwarz it and each of its parts is within 2^29, since
/// no vector is much longer than 2^14.
fn product(a: &[i16], b: &[i16]) -> i32 {
    let products = a.iter().zip(b).map(|(a, b)| i32::from(*a).wrapping_mul(i32::from(*b)));
    products.fold(0, i32::wrapping_add)
}

/// Why numbers are no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorError {
    /// They are of another number than the model's dimensions, or of more than any may have.
    Dimensions {
        /// The model's.
        expected: usize,
        /// Number of components there are.
        found: usize,
    },
    /// One is infinite, or no number.
    NotFinite {
        /// Which, from 0.
        at: usize,
    },
    /// All are 0: no direction.
    Zero,
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VectorError::Dimensions { expected, found } => write!(
                f,
                "a vector of {found} numbers, not {expected}; at most {} are taken",
                Vector::DIMENSIONS_MAX
            ),
            VectorError::NotFinite { at } => {
                write!(f, "number {at} of a vector is infinite or no number")
            }
            VectorError::Zero => write!(f, "a vector of length 0 has no direction"),
        }
    }
}

impl Error for VectorError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(numbers: &[f32]) -> Vector {
        Vector::of_floats(numbers, numbers.len()).unwrap()
    }

    #[test]
    fn cosines_are_those_of_the_directions() {
        let cases: [(&[f32], &[f32], i32); 7] = [
            (&[1.0, 0.0], &[0.0, 1.0], 0),
            (&[1.0, 0.0], &[-3.0, 0.0], -1_000_000),
            (&[3.0, 4.0], &[3.0, 4.0], 1_000_000),
            (&[3.0, 4.0], &[0.003, 0.004], 1_000_000),
            (&[1.0, 0.0], &[3.0, 4.0], 600_000),
            (&[f32::MAX, 0.0], &[f32::MAX, f32::MAX], 707_107),
            (&[f32::MIN_POSITIVE, 0.0], &[1.0, 1.0], 707_107),
        ];
        for (a, b, expected) in cases {
            let (a, b) = (floats(a), floats(b));
            // A component is off by a half of 1 / 16,384 at most.
            let near = |cosine: i32| (cosine - expected).abs() <= 40;
            assert!(near(a.cosine(&b).unwrap()), "{:?} for {expected}", a.cosine(&b));
            assert_eq!(a.cosine(&b), b.cosine(&a));
            assert_eq!((a.cosine(&a), b.cosine(&b)), (Some(1_000_000), Some(1_000_000)));
        }
    }

    #[test]
    fn the_cosine_of_any_vector_and_itself_is_one() {
        for seed in 1..2_000_i64 {
            let sums: Vec<i64> =
                (0..256).map(|at| seed * 7_919 * (at + 3) % 4_001 - 2_000).collect();
            let vector = Vector::of_sums(&sums).unwrap();
            assert_eq!(vector.cosine(&vector), Some(1_000_000), "{seed}");
        }
    }

    #[test]
    fn sums_of_any_size_have_a_direction() {
        for sums in [[3, 4], [i64::MAX, i64::MAX], [i64::MIN, 1], [1, 0], [1 << 40, -1]] {
            let vector = Vector::of_sums(&sums).unwrap();
            let exact = floats(&sums.map(|one| one as f32));
            assert!(vector.cosine(&exact).unwrap() > 999_990, "{sums:?}");
        }
        assert_eq!(Vector::of_sums(&[0, 0]), None);
        assert_eq!(Vector::of_sums(&[]), None);
        assert_eq!(Vector::of_sums(&vec![1; Vector::DIMENSIONS_MAX + 1]), None);
    }

    #[test]
    fn the_widest_vector_does_not_overflow() {
        let wide = vec![i64::MAX; Vector::DIMENSIONS_MAX];
        let vector = Vector::of_sums(&wide).unwrap();
        assert_eq!(vector.cosine(&vector), Some(1_000_000));
        let spike: Vec<i64> = (0..Vector::DIMENSIONS_MAX).map(|at| i64::from(at == 7)).collect();
        let cosine = Vector::of_sums(&spike).unwrap().cosine(&vector).unwrap();
        assert_eq!(cosine, 15_625);
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        let refused = |numbers: &[f32]| Vector::of_floats(numbers, 2).unwrap_err();
        assert_eq!(refused(&[1.0]), VectorError::Dimensions { expected: 2, found: 1 });
        assert_eq!(refused(&[1.0; 3]), VectorError::Dimensions { expected: 2, found: 3 });
        assert_eq!(refused(&[1.0, f32::NAN]), VectorError::NotFinite { at: 1 });
        assert_eq!(refused(&[f32::NEG_INFINITY, 1.0]), VectorError::NotFinite { at: 0 });
        assert_eq!(refused(&[0.0, -0.0]), VectorError::Zero);
        let none = VectorError::Dimensions { expected: 0, found: 0 };
        assert_eq!(Vector::of_floats(&[], 0).unwrap_err(), none);
        let wide = vec![1.0; Vector::DIMENSIONS_MAX + 1];
        assert!(Vector::of_floats(&wide, wide.len()).is_err());
    }

    #[test]
    fn other_widths_have_no_cosine() {
        assert_eq!(floats(&[1.0]).cosine(&floats(&[1.0, 0.0])), None);
    }
}
