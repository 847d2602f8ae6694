use memlith_event::Embedding;

use super::model::ModelId;
use super::vector::{Vector, VectorError};
use crate::signals::ONE;

/// A direction in bytes that a caller handed in, and the model it is of.
///
/// 1 to [`Vector::DIMENSIONS_MAX`] components from -127 to 127, of which the greatest is 127
/// in magnitude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelVector {
    model: ModelId,
    components: Box<[i8]>,
}

/// The magnitude of the greatest component.
const GREATEST: i8 = 127;

impl ModelVector {
    /// The direction of what a model gave.
    ///
    /// Each number is divided by the greatest of all in magnitude, multiplied by 127, and
    /// rounded half away from zero, in 64-bit floats: so the same numbers give the same bytes
    /// on every machine, and a multiple of them does but for its own rounding. A half of a
    /// step moves the cosine of 384 even components by about 0.001.
    ///
    /// # Errors
    /// There are none or too many, one of them is infinite or none, or all are 0.
    #[expect(clippy::cast_possible_truncation, reason = "rounded, and within 127")]
    pub fn of_floats(model: ModelId, numbers: &[f32]) -> Result<ModelVector, VectorError> {
        if !(1..=Vector::DIMENSIONS_MAX).contains(&numbers.len()) {
            let found = numbers.len();
            return Err(VectorError::Dimensions { expected: Vector::DIMENSIONS_MAX, found });
        }
        if let Some(at) = numbers.iter().position(|one| !one.is_finite()) {
            return Err(VectorError::NotFinite { at });
        }
        let greatest = numbers.iter().fold(0.0_f64, |most, one| most.max(f64::from(one.abs())));
        if greatest == 0.0 {
            return Err(VectorError::Zero);
        }
        let scaled = |one: &f32| f64::from(*one) * f64::from(GREATEST) / greatest;
        let components = numbers.iter().map(|one| scaled(one).round() as i8).collect();
        Ok(ModelVector { model, components })
    }

    /// The vector of a text as another model of this crate gave it.
    #[must_use]
    pub fn of_vector(model: ModelId, vector: &Vector) -> Option<ModelVector> {
        let numbers: Vec<f32> = vector.components().iter().map(|one| f32::from(*one)).collect();
        ModelVector::of_floats(model, &numbers).ok()
    }

    /// The vector that an event holds; `None` where that is none.
    #[must_use]
    pub fn of_event(embedding: &Embedding<'_>) -> Option<ModelVector> {
        let components = embedding.components.as_slice();
        let fits = (1..=Vector::DIMENSIONS_MAX).contains(&components.len());
        let greatest = components.iter().map(|one| one.unsigned_abs()).max();
        let is_one = fits && greatest == Some(GREATEST.unsigned_abs());
        let model = ModelId::new(&embedding.model).filter(|_| is_one)?;
        Some(ModelVector { model, components: components.into() })
    }

    /// The embedding that an event holds of it.
    #[must_use]
    pub fn embedding(&self) -> Embedding<'static> {
        let model = self.model.as_str().to_owned().into();
        Embedding { model, components: self.components.to_vec() }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &ModelId {
        &self.model
    }

    /// The components.
    #[must_use]
    pub fn components(&self) -> &[i8] {
        &self.components
    }

    /// How many components it has.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.components.len()
    }
}

/// The products of components that the cosines of one vector and others are made of, summed up
/// part by part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Products {
    /// Of the two vectors.
    across: i64,
    /// Of each with itself.
    own: [i64; 2],
}

impl Products {
    /// None yet of `vector` and another.
    pub(crate) fn of(vector: &[i8]) -> Products {
        Products { across: 0, own: [product(vector, vector), 0] }
    }

    /// Adds those of a part of the vector and the same of the other.
    pub(crate) fn add(&mut self, part: &[i8], other: &[i8]) {
        let [_, own] = &mut self.own;
        *own += product(other, other);
        self.across += product(part, other);
    }

    /// The cosine in millionths, rounded towards zero: -1,000,000 to 1,000,000, and exactly
    /// that of a vector and itself.
    pub(crate) fn cosine(&self) -> i64 {
        // Each is at most 4,096 times 127 squared, less than 2^27: nothing here overflows.
        let [a, b] = self.own.map(|own| u64::try_from(own).unwrap_or_default());
        let length = i64::try_from(((a * b) << 8).isqrt()).unwrap_or(i64::MAX).max(1);
        (self.across * ONE * 16 / length).clamp(-ONE, ONE)
    }
}

/// The sum of products of at most 4,096 bytes each.
fn product(a: &[i8], b: &[i8]) -> i64 {
    let products = a.iter().zip(b).map(|(a, b)| i32::from(*a).wrapping_mul(i32::from(*b)));
    i64::from(products.fold(0, i32::wrapping_add))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn model() -> ModelId {
        ModelId::new("m").unwrap()
    }

    fn of(numbers: &[f32]) -> Vec<i8> {
        ModelVector::of_floats(model(), numbers).unwrap().components().to_vec()
    }

    #[test]
    fn numbers_become_bytes_by_the_greatest_of_them() {
        assert_eq!(of(&[1.0, -2.0, 0.5]), [64, -127, 32]);
        assert_eq!(of(&[f32::MIN_POSITIVE / 2.0, 0.0]), [127, 0]);
        assert_eq!(of(&[f32::MAX, -f32::MAX]), [127, -127]);
        assert_eq!(of(&[-3.0]), [-127]);
        // A half goes away from zero: 127 * 1 / 254.
        assert_eq!(of(&[254.0, 1.0, -1.0]), [127, 1, -1]);
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        let refused = |numbers: &[f32]| ModelVector::of_floats(model(), numbers).unwrap_err();
        assert_eq!(refused(&[0.0, -0.0]), VectorError::Zero);
        assert_eq!(refused(&[1.0, f32::NAN]), VectorError::NotFinite { at: 1 });
        assert_eq!(refused(&[f32::INFINITY]), VectorError::NotFinite { at: 0 });
        let dimensions = |found| VectorError::Dimensions { expected: 4_096, found };
        assert_eq!(refused(&[]), dimensions(0));
        assert_eq!(refused(&vec![1.0; 4_097]), dimensions(4_097));
        assert_eq!(of(&vec![1.0; 4_096]).len(), 4_096);
    }

    #[test]
    fn an_event_holds_one_writing_of_a_direction() {
        let event =
            |components: &[i8]| Embedding { model: "m".into(), components: components.into() };
        let vector = ModelVector::of_event(&event(&[127, -3])).unwrap();
        assert_eq!(ModelVector::of_event(&vector.embedding()), Some(vector));
        for bad in [&[][..], &[0, 0], &[126, 3], &[-128, 127], &[1; 4_097]] {
            assert_eq!(ModelVector::of_event(&event(bad)), None, "{bad:?}");
        }
        let unnamed = Embedding { model: "".into(), ..event(&[127]) };
        assert_eq!(ModelVector::of_event(&unnamed), None);
    }

    #[test]
    fn cosines_are_those_of_the_directions() {
        let cosine = |a: &[i8], b: &[i8]| {
            let mut products = Products::of(a);
            products.add(a, b);
            products.cosine()
        };
        assert_eq!(cosine(&[127, 0], &[0, 127]), 0);
        assert_eq!(cosine(&[127, 0], &[-127, 0]), -ONE);
        assert_eq!(cosine(&[3, 4], &[4, 3]), 960_000);
        assert_eq!(cosine(&[127; 4_096], &[127; 4_096]), ONE);
        assert_eq!(cosine(&[-127; 4_096], &[127; 4_096]), -ONE);
    }

    proptest! {
        #[test]
        fn a_vector_is_like_itself_and_parts_add_up(
            bytes in prop::collection::vec((-127_i8..=127, -127_i8..=127), 1..300),
        ) {
            let (a, b): (Vec<i8>, Vec<i8>) = bytes.into_iter().unzip();
            let (mut whole, mut parts, mut own) =
                (Products::of(&a), Products::of(&a), Products::of(&a));
            whole.add(&a, &b);
            for (a, b) in a.chunks(7).zip(b.chunks(7)) {
                parts.add(a, b);
            }
            prop_assert_eq!(whole.cosine(), parts.cosine());
            own.add(&a, &a);
            let is_nothing = a.iter().all(|one| *one == 0);
            prop_assert_eq!(own.cosine(), if is_nothing { 0 } else { ONE });
        }
    }
}
