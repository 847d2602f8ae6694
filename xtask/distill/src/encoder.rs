use anyhow::Context;
use rayon::prelude::*;

use crate::layer::{HIDDEN, TOKENS};
use crate::vocabulary::Piece;
use crate::weights::Weights;

/// The marks around a piece, by their numbers in the vocabulary.
const CLS: usize = 101;
const SEP: usize = 102;

/// Number of pieces encoded at a time; a multiple of four. Pieces encoded together share
/// the reading of the weights, and no sum.
const TOGETHER: usize = 32;

/// A vector as the model gives it.
pub(crate) type Vector = [f32; HIDDEN];

/// The model, ready to encode pieces.
pub(crate) struct Encoder {
    weights: Weights,
}

impl Encoder {
    pub(crate) fn new(weights: Weights) -> Encoder {
        Encoder { weights }
    }

    /// The mean of the model's outputs for `[CLS] piece [SEP]`, for each piece.
    ///
    /// # Errors
    /// A piece's number is outside of the vocabulary.
    pub(crate) fn encode(&self, pieces: &[Piece]) -> anyhow::Result<Vec<Vector>> {
        let blocks: Vec<&[Piece]> = pieces.chunks(TOGETHER).collect();
        let encoded: Vec<Vec<Vector>> =
            blocks.par_iter().map(|block| self.block(block)).collect::<anyhow::Result<_>>()?;
        Ok(encoded.into_iter().flatten().collect())
    }

    fn block(&self, pieces: &[Piece]) -> anyhow::Result<Vec<Vector>> {
        // What fills up the block is encoded and dropped: products want a multiple of four.
        let filled = pieces.iter().map(|piece| piece.id).chain(std::iter::repeat(CLS));
        let mut rows = Vec::with_capacity(TOGETHER * TOKENS * HIDDEN);
        for id in filled.take(TOGETHER) {
            for (token, place) in
                [CLS, id, SEP].into_iter().zip(self.weights.places.chunks_exact(HIDDEN))
            {
                let word = self.weights.words.get(token * HIDDEN..(token + 1) * HIDDEN);
                let word = word.context("a piece outside of the vocabulary")?;
                rows.extend(word.iter().zip(place).map(|(word, place)| word + place));
            }
        }
        self.weights.norm.apply(&mut rows);
        let rows = self.weights.layers.iter().fold(rows, |rows, layer| layer.of(&rows));
        let texts = rows.chunks_exact(TOKENS * HIDDEN).take(pieces.len());
        Ok(texts.map(mean).collect())
    }
}

fn mean(text: &[f32]) -> Vector {
    let mut mean = [0.0; HIDDEN];
    for token in text.chunks_exact(HIDDEN) {
        for (sum, one) in mean.iter_mut().zip(token) {
            *sum += one;
        }
    }
    mean.map(|sum| sum / TOKENS as f32)
}
