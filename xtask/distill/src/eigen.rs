use crate::covariance::Wide;
use crate::layer::HIDDEN;

/// More rounds than a symmetric matrix of this size needs: about ten do.
const ROUNDS_MAX: usize = 60;

/// Rest beside the diagonal, as a share of the whole, at which the turning ends.
const LEFT: f64 = 1e-24;

/// The directions of a symmetric matrix, the one with the largest share first; the largest
/// component of each is positive, of equal ones the first.
///
/// Source: Jacobi's method by rounds over all pairs in order (Golub and Van Loan, 8.5).
pub(crate) fn directions(mut matrix: Vec<Wide>) -> Vec<Wide> {
    // Each row is a direction.
    let mut turned: Vec<Wide> = (0..HIDDEN).map(unit).collect();
    for _ in 0..ROUNDS_MAX {
        let (beside, whole) = squares(&matrix);
        if beside <= LEFT * whole {
            break;
        }
        for p in 0..HIDDEN {
            for q in p + 1..HIDDEN {
                turn(&mut matrix, &mut turned, p, q);
            }
        }
    }
    let share = |at: usize| matrix.get(at).and_then(|row| row.get(at)).copied().unwrap_or(0.0);
    let mut order: Vec<usize> = (0..HIDDEN).collect();
    order.sort_by(|a, b| share(*b).total_cmp(&share(*a)).then(a.cmp(b)));
    order.into_iter().filter_map(|at| turned.get(at).copied()).map(positive).collect()
}

fn unit(at: usize) -> Wide {
    let mut row = [0.0; HIDDEN];
    if let Some(one) = row.get_mut(at) {
        *one = 1.0;
    }
    row
}

/// The sum of squares beside the diagonal, and of all.
fn squares(matrix: &[Wide]) -> (f64, f64) {
    let (mut beside, mut whole) = (0.0, 0.0);
    for (at, row) in matrix.iter().enumerate() {
        for (column, one) in row.iter().enumerate() {
            whole += one * one;
            if column != at {
                beside += one * one;
            }
        }
    }
    (beside, whole)
}

/// Turns rows and columns `p` and `q` so that what they share becomes nought.
fn turn(matrix: &mut [Wide], turned: &mut [Wide], p: usize, q: usize) {
    let at = |row: usize, column: usize| {
        matrix.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0.0)
    };
    let shared = at(p, q);
    if shared == 0.0 {
        return;
    }
    let theta = (at(q, q) - at(p, p)) / (2.0 * shared);
    let root = libm::sqrt(theta * theta + 1.0);
    let tangent = if theta >= 0.0 { 1.0 / (theta + root) } else { 1.0 / (theta - root) };
    let cosine = 1.0 / libm::sqrt(tangent * tangent + 1.0);
    let sine = tangent * cosine;
    rows(matrix, p, q, cosine, sine);
    for row in matrix.iter_mut() {
        let (Some(a), Some(b)) = (row.get(p).copied(), row.get(q).copied()) else { continue };
        if let Some(place) = row.get_mut(p) {
            *place = cosine * a - sine * b;
        }
        if let Some(place) = row.get_mut(q) {
            *place = sine * a + cosine * b;
        }
    }
    rows(turned, p, q, cosine, sine);
}

fn rows(matrix: &mut [Wide], p: usize, q: usize, cosine: f64, sine: f64) {
    let Ok([first, second]) = matrix.get_disjoint_mut([p, q]) else { return };
    for (a, b) in first.iter_mut().zip(second) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

fn positive(mut direction: Wide) -> Wide {
    let mut most = 0.0_f64;
    for one in direction {
        if one.abs() > most.abs() {
            most = one;
        }
    }
    if most < 0.0 {
        direction = direction.map(|one| -one);
    }
    direction
}
