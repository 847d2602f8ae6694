use crate::linear::Linear;

/// The width of the model, and of a layer's inside. Source: the model's `config.json`.
pub(crate) const HIDDEN: usize = 384;
pub(crate) const INNER: usize = 1_536;

/// Number of tokens of a text: `[CLS]`, the piece and `[SEP]`.
pub(crate) const TOKENS: usize = 3;

/// The width of one of the twelve heads.
const HEAD: usize = 32;

/// Source: the model's `config.json`.
const NORM_EPSILON: f64 = 1e-12;

/// A layer of a BERT encoder. Source: Devlin et al., 2019, as the model's weights name it.
pub(crate) struct Layer {
    pub(crate) query: Linear,
    pub(crate) key: Linear,
    pub(crate) value: Linear,
    pub(crate) mixed: Linear,
    pub(crate) mixed_norm: Norm,
    pub(crate) wide: Linear,
    pub(crate) narrow: Linear,
    pub(crate) narrow_norm: Norm,
}

impl Layer {
    /// The next layer's rows, of texts of three tokens each.
    pub(crate) fn of(&self, rows: &[f32]) -> Vec<f32> {
        let (query, key, value) = (self.query.of(rows), self.key.of(rows), self.value.of(rows));
        let mut mixed = self.mixed.of(&attend(&query, &key, &value));
        add(&mut mixed, rows);
        self.mixed_norm.apply(&mut mixed);
        let mut wide = self.wide.of(&mixed);
        for number in &mut wide {
            *number = gelu(*number);
        }
        let mut narrow = self.narrow.of(&wide);
        add(&mut narrow, &mixed);
        self.narrow_norm.apply(&mut narrow);
        narrow
    }
}

/// A layer norm's numbers.
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

impl Norm {
    /// Norms each row of 384.
    #[expect(clippy::cast_possible_truncation, reason = "the model's numbers are of 32 bits")]
    pub(crate) fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(HIDDEN) {
            let mean = row.iter().map(|one| f64::from(*one)).sum::<f64>() / HIDDEN as f64;
            let squares = row.iter().map(|one| {
                let from_mean = f64::from(*one) - mean;
                from_mean * from_mean
            });
            let variance = squares.sum::<f64>() / HIDDEN as f64;
            let scale = 1.0 / libm::sqrt(variance + NORM_EPSILON);
            for (one, (weight, bias)) in row.iter_mut().zip(self.weight.iter().zip(&self.bias)) {
                *one = ((f64::from(*one) - mean) * scale) as f32 * weight + bias;
            }
        }
    }
}

/// Sums the values that each token takes from the three of its text, head by head.
fn attend(query: &[f32], key: &[f32], value: &[f32]) -> Vec<f32> {
    let mut taken = vec![0.0; query.len()];
    let texts = taken.chunks_exact_mut(TOKENS * HIDDEN).zip(query.chunks_exact(TOKENS * HIDDEN));
    let others = key.chunks_exact(TOKENS * HIDDEN).zip(value.chunks_exact(TOKENS * HIDDEN));
    for ((taken, query), (key, value)) in texts.zip(others) {
        let tokens = taken.chunks_exact_mut(HIDDEN).zip(query.chunks_exact(HIDDEN));
        for (taken, query) in tokens {
            let heads = taken.chunks_exact_mut(HEAD).zip(query.chunks_exact(HEAD));
            for (at, (taken, query)) in heads.enumerate() {
                let keys = key.chunks_exact(HIDDEN).map(|key| head(key, at));
                let shares = shares(keys.map(|key| dot(query, key)));
                for (share, value) in shares.iter().zip(value.chunks_exact(HIDDEN)) {
                    for (one, value) in taken.iter_mut().zip(head(value, at)) {
                        *one += share * value;
                    }
                }
            }
        }
    }
    taken
}

fn head(row: &[f32], at: usize) -> &[f32] {
    row.get(at * HEAD..(at + 1) * HEAD).unwrap_or_default()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

/// The softmax of the products, each divided by the root of the head's width.
fn shares(products: impl Iterator<Item = f32>) -> Vec<f32> {
    let scale = libm::sqrtf(HEAD as f32);
    let scaled: Vec<f32> = products.map(|product| product / scale).collect();
    let most = scaled.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = scaled.iter().map(|one| libm::expf(one - most)).collect();
    let sum = powers.iter().fold(0.0, |sum, power| sum + power);
    powers.iter().map(|power| power / sum).collect()
}

/// Source: Hendrycks and Gimpel, 2016; the exact form, with the error function.
fn gelu(x: f32) -> f32 {
    x * 0.5 * (1.0 + libm::erff(x / std::f32::consts::SQRT_2))
}

fn add(rows: &mut [f32], others: &[f32]) {
    for (one, other) in rows.iter_mut().zip(others) {
        *one += other;
    }
}
