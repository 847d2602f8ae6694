use anyhow::{Context, ensure};
use safetensors::{Dtype, SafeTensors};

use crate::layer::{HIDDEN, INNER, Layer, Norm};
use crate::linear::Linear;

/// The model's layers. Source: its `config.json`.
const LAYERS: usize = 6;

/// The numbers of the model that encode a text of three tokens.
pub(crate) struct Weights {
    /// A row for each token of the vocabulary.
    pub(crate) words: Vec<f32>,
    /// The first three places' rows, each with that of a first sentence added.
    pub(crate) places: Vec<f32>,
    /// The norm behind the sum of both.
    pub(crate) norm: Norm,
    /// The layers, in order.
    pub(crate) layers: Vec<Layer>,
}

impl Weights {
    /// Reads a file of the format `safetensors`.
    ///
    /// # Errors
    /// It is none, or lacks a tensor of the expected shape.
    pub(crate) fn read(bytes: &[u8]) -> anyhow::Result<Weights> {
        let tensors = SafeTensors::deserialize(bytes).context("no safetensors")?;
        let file = TensorFile { tensors };
        let places = file.read("embeddings.position_embeddings.weight", &[512, HIDDEN])?;
        let kinds = file.read("embeddings.token_type_embeddings.weight", &[2, HIDDEN])?;
        let kinds = kinds.iter().take(HIDDEN).cycle();
        let places = places.iter().take(3 * HIDDEN).zip(kinds).map(|(place, kind)| place + kind);
        Ok(Weights {
            words: file.read("embeddings.word_embeddings.weight", &[30_522, HIDDEN])?,
            places: places.collect(),
            norm: file.norm("embeddings.LayerNorm")?,
            layers: (0..LAYERS).map(|at| file.layer(at)).collect::<anyhow::Result<_>>()?,
        })
    }
}

struct TensorFile<'a> {
    tensors: SafeTensors<'a>,
}

impl TensorFile<'_> {
    fn layer(&self, at: usize) -> anyhow::Result<Layer> {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let linear = |part: &str, from, to| self.linear(&name(part), from, to);
        Ok(Layer {
            query: linear("attention.self.query", HIDDEN, HIDDEN)?,
            key: linear("attention.self.key", HIDDEN, HIDDEN)?,
            value: linear("attention.self.value", HIDDEN, HIDDEN)?,
            mixed: linear("attention.output.dense", HIDDEN, HIDDEN)?,
            mixed_norm: self.norm(&name("attention.output.LayerNorm"))?,
            wide: linear("intermediate.dense", HIDDEN, INNER)?,
            narrow: linear("output.dense", INNER, HIDDEN)?,
            narrow_norm: self.norm(&name("output.LayerNorm"))?,
        })
    }

    fn linear(&self, name: &str, from: usize, to: usize) -> anyhow::Result<Linear> {
        let weight = self.read(&format!("{name}.weight"), &[to, from])?;
        let bias = self.read(&format!("{name}.bias"), &[to])?;
        Ok(Linear::new(&weight, bias, from))
    }

    fn norm(&self, name: &str) -> anyhow::Result<Norm> {
        Ok(Norm {
            weight: self.read(&format!("{name}.weight"), &[HIDDEN])?,
            bias: self.read(&format!("{name}.bias"), &[HIDDEN])?,
        })
    }

    fn read(&self, name: &str, shape: &[usize]) -> anyhow::Result<Vec<f32>> {
        let tensor = self.tensors.tensor(name).with_context(|| format!("no tensor {name}"))?;
        ensure!(tensor.dtype() == Dtype::F32, "{name} is not of f32");
        ensure!(tensor.shape() == shape, "{name} is {:?}, not {shape:?}", tensor.shape());
        let (numbers, _) = tensor.data().as_chunks::<4>();
        Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }
}
