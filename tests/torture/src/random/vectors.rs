//! The oracle's knowledge of vectors that callers hand in.

use memlith::{
    read::OwnStatus,
    write::{ModelId, ModelVector},
};

use super::naive::{Naive, Who};

/// Directions, in whole numbers. Some are at right angles as exactly as bytes say it, some a
/// step to either side of that; the last is narrower than the others.
const POINTERS: [&[i32]; 10] = [
    &[4, 3, 0, 0],
    &[4, 3, 0, 0],
    &[3, -4, 0, 0],
    &[400, 297, 0, 0],
    &[400, 301, 0, 0],
    &[-4, -3, 0, 0],
    &[0, 0, 5, 12],
    &[1, 1, 1, 1],
    &[1, -1, 1, -1],
    &[1, 2, 2],
];

/// The models: vectors of two are never compared.
const MODELS: [&str; 3] = ["north", "north", "south"];

/// The greatest component.
const GREATEST: i64 = 127;

/// Tolerance of a difference of cosines, in millionths: a length is rounded to a sixteenth.
const TOLERANCE: i64 = 10;

/// Rank that may displace any vector: a person's word is enough for all.
const PERSON: u8 = 4;

/// A vector, of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    numbers: &'static [i32],
    model: &'static str,
}

/// Outcome of a vector that is handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handed {
    Written,
    AlreadyPresent,
    Refused,
    OfAnotherWidth,
}

impl Pointer {
    /// One of the vectors.
    pub(super) fn of(number: u8) -> Pointer {
        let number = usize::from(number);
        let numbers = POINTERS.get(number % POINTERS.len()).copied().unwrap_or_default();
        let model = MODELS.get(number / POINTERS.len() % MODELS.len()).copied();
        Pointer { numbers, model: model.unwrap_or_default() }
    }

    /// As it is handed in.
    pub(super) fn vector(self) -> Option<ModelVector> {
        #[expect(clippy::cast_precision_loss, reason = "all of them are small")]
        let numbers: Vec<f32> = self.numbers.iter().map(|one| *one as f32).collect();
        ModelVector::of_floats(ModelId::new(self.model)?, &numbers).ok()
    }

    /// Each number by the greatest, times 127, rounded half away from zero.
    fn bytes(self) -> Vec<i64> {
        let greatest = self.numbers.iter().map(|one| i64::from(one.abs())).max().unwrap_or(1);
        let scaled = |one: &i32| {
            let doubled = i64::from(*one) * GREATEST * 2;
            (doubled + doubled.signum() * greatest) / (greatest * 2)
        };
        self.numbers.iter().map(scaled).collect()
    }

    /// How near the two are, in millionths; 0 where they point apart, or are of two models.
    fn cosine(self, other: Pointer) -> i64 {
        let product = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>();
        let (a, b) = (self.bytes(), other.bytes());
        let dot = product(&a, &b);
        if self.model != other.model || dot <= 0 {
            return 0;
        }
        let lengths = i128::from(product(&a, &a)) * i128::from(product(&b, &b));
        let square = i128::from(dot).pow(2) * 1_000_000_000_000 / lengths;
        i64::try_from(square.isqrt()).unwrap_or_default()
    }
}

impl Naive {
    /// Judges a vector that is handed in for an item.
    pub(super) fn judge_embed(&self, at: usize, pointer: Pointer, who: Who) -> Handed {
        let Some(item) = self.items.get(at) else { return Handed::Refused };
        match self.newest(at, pointer.model) {
            _ if !self.is_comparable(pointer) => Handed::OfAnotherWidth,
            _ if item.own == OwnStatus::Erased => Handed::Refused,
            _ if who.rank() < item.guard.min(PERSON) => Handed::Refused,
            Some(newest) if newest == pointer => Handed::AlreadyPresent,
            Some(_) | None => Handed::Written,
        }
    }

    /// Whether the vectors of its model that there are have its width.
    pub(super) fn is_comparable(&self, pointer: Pointer) -> bool {
        let mut others = self.vectors.iter().filter(|(at, other)| {
            let is_there = self.items.get(*at).is_some_and(|item| item.own != OwnStatus::Erased);
            is_there && other.model == pointer.model
        });
        others.all(|(_, other)| other.numbers.len() == pointer.numbers.len())
    }

    /// Tells whether `found` is the part of a score that the vector of an item adds to a question
    /// with one, but for what rounding makes.
    pub(super) fn is_nearness(&self, at: usize, asked: Pointer, found: i64) -> bool {
        (self.nearness(at, asked) - found).abs() <= TOLERANCE
    }

    /// The items that a vector of a question finds by itself.
    pub(super) fn pointed_at(&self, asked: Pointer, time: i64) -> Vec<usize> {
        let is_found = |at: &usize| self.is_shown(*at, time) && self.nearness(*at, asked) > 0;
        (0..self.items.len()).filter(is_found).collect()
    }

    fn nearness(&self, at: usize, asked: Pointer) -> i64 {
        self.newest(at, asked.model).map_or(0, |newest| newest.cosine(asked))
    }

    /// The newest vector of an item and a model; the same numbers are the same vector.
    fn newest(&self, at: usize, model: &str) -> Option<Pointer> {
        let own = self.vectors.iter().rfind(|(item, one)| *item == at && one.model == model);
        own.map(|(_, pointer)| *pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_scales_as_it_is_written_down() {
        for number in 0..30 {
            let pointer = Pointer::of(number);
            let vector = pointer.vector().unwrap();
            let bytes: Vec<i64> = vector.components().iter().map(|one| i64::from(*one)).collect();
            assert_eq!(bytes, pointer.bytes(), "{pointer:?}");
        }
    }

    #[test]
    fn directions_are_at_right_angles_and_a_step_beside_them() {
        let cosine = |a, b| Pointer::of(a).cosine(Pointer::of(b));
        assert_eq!([cosine(2, 0), cosine(2, 3), cosine(2, 4)], [0, 5_067, 0]);
        assert_eq!([cosine(0, 1), cosine(0, 5), cosine(0, 20)], [1_000_000, 0, 0]);
    }
}
