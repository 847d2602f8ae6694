use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{LayerNorm, Module, VarBuilder, layer_norm};

use crate::layer::{HIDDEN, Layer, NORM_EPSILON};

/// The layers. Source: the model's `config.json`.
const LAYERS: usize = 6;

/// The model's places, and kinds of sentences.
const PLACES: usize = 512;
const KINDS: usize = 2;

/// The model, ready to encode texts.
pub(crate) struct Encoder {
    words: Tensor,
    places: Tensor,
    kind: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

impl Encoder {
    /// Reads a file of the format `safetensors`, of a vocabulary of so many pieces.
    pub(crate) fn read(weights: Vec<u8>, pieces: usize) -> Result<Encoder> {
        let tensors = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
        let rows = tensors.pp("embeddings");
        let layer = |at: usize| Layer::read(&tensors.pp(format!("encoder.layer.{at}")));
        Ok(Encoder {
            words: rows.get((pieces, HIDDEN), "word_embeddings.weight")?,
            places: rows.get((PLACES, HIDDEN), "position_embeddings.weight")?,
            kind: rows.get((KINDS, HIDDEN), "token_type_embeddings.weight")?.narrow(0, 0, 1)?,
            norm: layer_norm(HIDDEN, NORM_EPSILON, rows.pp("LayerNorm"))?,
            layers: (0..LAYERS).map(layer).collect::<Result<_>>()?,
        })
    }

    /// The mean of the model's outputs for the pieces of one text, at most 512.
    pub(crate) fn encode(&self, pieces: &[u32]) -> Result<Vec<f32>> {
        let numbers = Tensor::new(pieces, &Device::Cpu)?;
        let words = self.words.index_select(&numbers, 0)?;
        let places = self.places.narrow(0, 0, pieces.len())?;
        let mut rows = self.norm.forward(&(words + places)?.broadcast_add(&self.kind)?)?;
        for layer in &self.layers {
            rows = layer.of(&rows)?;
        }
        rows.mean(0)?.to_vec1()
    }
}
