use candle_core::{D, Result, Tensor};
use candle_nn::{LayerNorm, Linear, Module, VarBuilder, layer_norm, linear, ops};

/// The width of the model, of a layer's inside and of a head, and the norm's epsilon.
/// Source: the model's `config.json`.
pub(crate) const HIDDEN: usize = 384;
const INNER: usize = 1_536;
const HEADS: usize = 12;
const HEAD: usize = HIDDEN / HEADS;
pub(crate) const NORM_EPSILON: f64 = 1e-12;

/// A layer of a BERT encoder. Source: Devlin et al., 2019.
pub(crate) struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: LayerNorm,
    wide: Linear,
    narrow: Linear,
    narrow_norm: LayerNorm,
}

impl Layer {
    /// Reads the layer's tensors.
    pub(crate) fn read(tensors: &VarBuilder<'_>) -> Result<Layer> {
        let attention = tensors.pp("attention");
        let (own, output) = (attention.pp("self"), attention.pp("output"));
        Ok(Layer {
            query: linear(HIDDEN, HIDDEN, own.pp("query"))?,
            key: linear(HIDDEN, HIDDEN, own.pp("key"))?,
            value: linear(HIDDEN, HIDDEN, own.pp("value"))?,
            mixed: linear(HIDDEN, HIDDEN, output.pp("dense"))?,
            mixed_norm: layer_norm(HIDDEN, NORM_EPSILON, output.pp("LayerNorm"))?,
            wide: linear(HIDDEN, INNER, tensors.pp("intermediate.dense"))?,
            narrow: linear(INNER, HIDDEN, tensors.pp("output.dense"))?,
            narrow_norm: layer_norm(HIDDEN, NORM_EPSILON, tensors.pp("output.LayerNorm"))?,
        })
    }

    /// The next layer's rows, of one text: a row a token.
    pub(crate) fn of(&self, rows: &Tensor) -> Result<Tensor> {
        let tokens = rows.dim(0)?;
        let heads =
            |part: Tensor| part.reshape((tokens, HEADS, HEAD))?.transpose(0, 1)?.contiguous();
        let query = heads(self.query.forward(rows)?)?;
        let key = heads(self.key.forward(rows)?)?;
        let value = heads(self.value.forward(rows)?)?;
        let products = (query.matmul(&key.transpose(1, 2)?.contiguous()?)? / (HEAD as f64).sqrt())?;
        let shares = ops::softmax(&products, D::Minus1)?;
        let taken = shares.matmul(&value)?.transpose(0, 1)?.reshape((tokens, HIDDEN))?;
        let mixed = self.mixed_norm.forward(&(self.mixed.forward(&taken)? + rows)?)?;
        let wide = self.wide.forward(&mixed)?.gelu_erf()?;
        self.narrow_norm.forward(&(self.narrow.forward(&wide)? + mixed)?)
    }
}
