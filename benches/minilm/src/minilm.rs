use std::fmt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use memlith_recall::{EmbedError, Embedder, ModelId, Vector};

use crate::encoder::Encoder;
use crate::layer::HIDDEN;
use crate::vocabulary::Vocabulary;

/// More bytes than the weights of this model have are not read.
const FILE_BYTES_MAX: u64 = 128 << 20;

/// all-MiniLM-L6-v2, of 384 dimensions; some ten milliseconds a text.
pub struct MiniLm {
    encoder: Encoder,
    vocabulary: Vocabulary,
    model: ModelId,
}

impl MiniLm {
    /// Reads `model.safetensors` and `vocab.txt` of a folder.
    ///
    /// # Errors
    /// A file can't be read, or is none of this model.
    pub fn open(folder: &Path) -> Result<MiniLm, OpenError> {
        let text = read(&folder.join("vocab.txt"))?;
        let text = String::from_utf8(text).ok();
        let vocabulary = text.as_deref().and_then(Vocabulary::read).ok_or(OpenError::Vocabulary)?;
        let weights = read(&folder.join("model.safetensors"))?;
        let name = format!("all-MiniLM-L6-v2@{:.12}", blake3::hash(&weights).to_hex());
        let model = ModelId::new(&name).ok_or(OpenError::Vocabulary)?;
        let encoder = Encoder::read(weights, vocabulary.len())
            .map_err(|error| OpenError::Weights { reason: error.to_string() })?;
        Ok(MiniLm { encoder, vocabulary, model })
    }

    /// What the model gives for a text, of length 1 up to rounding; `None` for a text without
    /// a word.
    ///
    /// # Errors
    /// The model fails.
    pub fn floats(&self, text: &str) -> Result<Option<Vec<f32>>, EmbedError> {
        let Some(pieces) = self.vocabulary.numbers(text) else { return Ok(None) };
        let mut mean = self
            .encoder
            .encode(&pieces)
            .map_err(|error| EmbedError::Failed { reason: error.to_string() })?;
        let length = mean.iter().map(|one| one * one).sum::<f32>().sqrt();
        for one in &mut mean {
            *one /= length;
        }
        Ok(Some(mean))
    }
}

impl Embedder for MiniLm {
    fn model(&self) -> ModelId {
        self.model.clone()
    }

    fn dimensions(&self) -> usize {
        HIDDEN
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>, EmbedError> {
        let vector = |(text, words): (usize, &&str)| {
            let floats = self.floats(words)?;
            let vector = floats.map(|floats| Vector::of_floats(&floats, HIDDEN)).transpose();
            vector.map_err(|source| EmbedError::Vector { text, source })
        };
        texts.iter().enumerate().map(vector).collect()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, OpenError> {
    let failed = |source| OpenError::Read { path: path.to_owned(), source };
    if fs::metadata(path).map_err(failed)?.len() > FILE_BYTES_MAX {
        return Err(failed(io::Error::from(io::ErrorKind::FileTooLarge)));
    }
    fs::read(path).map_err(failed)
}

/// Why a folder holds no model that can be run.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// A file can't be read.
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// `vocab.txt` is no vocabulary of this kind.
    Vocabulary,
    /// `model.safetensors` holds no weights of this model.
    Weights {
        /// What is wrong with it.
        reason: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Read { path, source: _ } => write!(f, "cannot read {}", path.display()),
            OpenError::Vocabulary => write!(f, "vocab.txt is no vocabulary of BERT"),
            OpenError::Weights { reason } => {
                write!(f, "model.safetensors holds no weights of all-MiniLM-L6-v2: {reason}")
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Read { source, path: _ } => Some(source),
            OpenError::Vocabulary | OpenError::Weights { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
