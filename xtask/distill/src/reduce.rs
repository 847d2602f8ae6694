use rayon::prelude::*;

use crate::covariance::{Wide, centred, covariance};
use crate::eigen::directions;
use crate::encoder::Vector;

/// The directions that are kept.
pub(crate) const DIMENSIONS: usize = 256;

/// The vectors, centred and turned to their 256 main directions.
pub(crate) fn reduce(vectors: &[Vector]) -> Vec<Vec<f64>> {
    let centred = centred(vectors);
    let mut kept = directions(covariance(&centred));
    kept.truncate(DIMENSIONS);
    let turned = |vector: &Wide| kept.iter().map(|direction| dot(vector, direction)).collect();
    centred.par_iter().map(turned).collect()
}

fn dot(a: &Wide, b: &Wide) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}
