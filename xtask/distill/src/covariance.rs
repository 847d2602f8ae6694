use rayon::prelude::*;

use crate::encoder::Vector;
use crate::layer::HIDDEN;

/// A vector of f64.
pub(crate) type Wide = [f64; HIDDEN];

/// The vectors less their mean.
pub(crate) fn centred(vectors: &[Vector]) -> Vec<Wide> {
    let mut mean = [0.0_f64; HIDDEN];
    for vector in vectors {
        for (sum, one) in mean.iter_mut().zip(vector) {
            *sum += f64::from(*one);
        }
    }
    let mean = mean.map(|sum| sum / vectors.len() as f64);
    let less = |vector: &Vector| {
        let mut wide = mean;
        for (one, number) in wide.iter_mut().zip(vector) {
            *one = f64::from(*number) - *one;
        }
        wide
    };
    vectors.iter().map(less).collect()
}

/// The covariance of centred vectors, a row a thread.
pub(crate) fn covariance(vectors: &[Wide]) -> Vec<Wide> {
    let row = |at: usize| {
        let mut sums = [0.0_f64; HIDDEN];
        for vector in vectors {
            let own = vector.get(at).copied().unwrap_or_default();
            for (sum, other) in sums.iter_mut().zip(vector) {
                *sum += own * other;
            }
        }
        sums.map(|sum| sum / vectors.len() as f64)
    };
    (0..HIDDEN).into_par_iter().map(row).collect()
}
