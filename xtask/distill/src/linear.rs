/// Number of rows that are multiplied at a time, and of columns: as many as the registers of
/// common processors hold.
const ROWS: usize = 4;
const COLUMNS: usize = 16;

/// A matrix and what is added to its product.
///
/// A product's sums run over the inputs in order, each on its own, so that how many of them
/// a processor takes at a time changes no bit.
pub(crate) struct Linear {
    /// The matrix in strips of 16 outputs, each a row of 16 for each input.
    strips: Vec<Vec<[f32; COLUMNS]>>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear {
    /// A matrix of a row of `inputs` numbers for each output.
    pub(crate) fn new(weight: &[f32], bias: Vec<f32>, inputs: usize) -> Linear {
        let strips = weight.chunks_exact(inputs * COLUMNS).map(|strip| {
            let mut rows = vec![[0.0; COLUMNS]; inputs];
            for (column, output) in strip.chunks_exact(inputs).enumerate() {
                for (row, number) in rows.iter_mut().zip(output) {
                    if let Some(place) = row.get_mut(column) {
                        *place = *number;
                    }
                }
            }
            rows
        });
        Linear { strips: strips.collect(), bias, inputs }
    }

    /// The product of each row of `rows`, whose number is a multiple of four.
    pub(crate) fn of(&self, rows: &[f32]) -> Vec<f32> {
        let outputs = self.bias.len();
        let count = rows.len() / self.inputs;
        let mut product = vec![0.0; count * outputs];
        let mut across = vec![[0.0; ROWS]; self.inputs];
        let blocks = product.chunks_exact_mut(ROWS * outputs);
        for (block, rows) in blocks.zip(rows.chunks_exact(ROWS * self.inputs)) {
            for (row, numbers) in rows.chunks_exact(self.inputs).enumerate() {
                for (all, number) in across.iter_mut().zip(numbers) {
                    if let Some(place) = all.get_mut(row) {
                        *place = *number;
                    }
                }
            }
            for (at, strip) in self.strips.iter().enumerate() {
                let sums = tile(&across, strip);
                let bias = self.bias.iter().skip(at * COLUMNS);
                let bias: Vec<f32> = bias.take(COLUMNS).copied().collect();
                for (row, sums) in block.chunks_exact_mut(outputs).zip(sums) {
                    let places = row.iter_mut().skip(at * COLUMNS);
                    for (place, (sum, bias)) in places.zip(sums.iter().zip(&bias)) {
                        *place = sum + bias;
                    }
                }
            }
        }
        product
    }
}

/// The sums of four rows with sixteen columns.
///
/// Each row's sums have a name of their own: in one array the compiler leaves them in memory.
fn tile(rows: &[[f32; ROWS]], strip: &[[f32; COLUMNS]]) -> [[f32; COLUMNS]; ROWS] {
    let (mut a, mut b) = ([0.0_f32; COLUMNS], [0.0_f32; COLUMNS]);
    let (mut c, mut d) = ([0.0_f32; COLUMNS], [0.0_f32; COLUMNS]);
    for (inputs, weights) in rows.iter().zip(strip) {
        let [first, second, third, fourth] = *inputs;
        a = step(a, first, weights);
        b = step(b, second, weights);
        c = step(c, third, weights);
        d = step(d, fourth, weights);
    }
    [a, b, c, d]
}

#[inline(always)]
fn step(sums: [f32; COLUMNS], input: f32, weights: &[f32; COLUMNS]) -> [f32; COLUMNS] {
    std::array::from_fn(|at| match (sums.get(at), weights.get(at)) {
        (Some(sum), Some(weight)) => sum + input * weight,
        _ => 0.0,
    })
}
