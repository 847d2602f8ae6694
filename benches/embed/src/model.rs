use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokenizers::{Tokenizer, TruncationParams};

/// A model, ready to make vectors.
pub struct Model {
    tokenizer: Tokenizer,
    bert: BertModel,
    pooling: Pooling,
}

/// Content of `1_Pooling/config.json`; without it the mean is taken.
#[derive(Default, Deserialize)]
struct Pooling {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

/// Content of `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
struct Limits {
    max_seq_length: Option<usize>,
}

/// A file of more bytes is not read.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// The longest text that is taken apart, in bytes: no model reads more than a few hundred words.
const TEXT_BYTES_MAX: usize = 16 << 10;

impl Model {
    /// Reads `config.json`, `tokenizer.json` and `model.safetensors` of a folder, and where they are
    /// there `1_Pooling/config.json` and `sentence_bert_config.json`.
    ///
    /// # Errors
    /// A file is not there, too large, or none of a model of this family.
    pub fn open(folder: &Path) -> Result<Model> {
        let config: Config = json(&folder.join("config.json"))?;
        let limits: Limits = json_or_default(&folder.join("sentence_bert_config.json"))?;
        let pooling: Pooling = json_or_default(&folder.join("1_Pooling/config.json"))?;
        let max_length = limits.max_seq_length.unwrap_or(config.max_position_embeddings);
        let max_length = max_length.clamp(2, config.max_position_embeddings.max(2));
        let named = folder.join("tokenizer.json");
        let mut tokenizer = Tokenizer::from_bytes(read(&named)?)
            .map_err(|error| anyhow!("{} is no tokenizer: {error}", named.display()))?;
        let truncation = TruncationParams { max_length, ..TruncationParams::default() };
        tokenizer.with_padding(None);
        tokenizer.with_truncation(Some(truncation)).map_err(|error| anyhow!("{error}"))?;
        ensure!(
            tokenizer.get_vocab_size(true) <= config.vocab_size,
            "the tokenizer has {} pieces and the model {}: they are of two models",
            tokenizer.get_vocab_size(true),
            config.vocab_size
        );
        let named = folder.join("model.safetensors");
        let weights =
            VarBuilder::from_buffered_safetensors(read(&named)?, DType::F32, &Device::Cpu);
        let bert = weights.and_then(|weights| BertModel::load(weights, &config));
        let bert = bert.with_context(|| format!("{} holds no such model", named.display()))?;
        Ok(Model { tokenizer, bert, pooling })
    }

    /// The vector of a text, of length 1 up to rounding; `None` for a text without a word.
    ///
    /// Cost: some ten milliseconds for a small model; what is past its longest text is not read.
    ///
    /// # Errors
    /// The model fails.
    pub fn vector(&self, text: &str) -> Result<Option<Vec<f32>>> {
        let end = text.floor_char_boundary(TEXT_BYTES_MAX);
        let text = text.get(..end).unwrap_or_default();
        let pieces = self.tokenizer.encode(text, true).map_err(|error| anyhow!("{error}"))?;
        if pieces.get_special_tokens_mask().iter().all(|special| *special == 1) {
            return Ok(None);
        }
        let numbers = Tensor::new(pieces.get_ids(), &Device::Cpu)?.unsqueeze(0)?;
        let rows = self.bert.forward(&numbers, &numbers.zeros_like()?, None)?.squeeze(0)?;
        let vector = match self.pooling.pooling_mode_cls_token {
            true => rows.get(0)?,
            false => rows.mean(0)?,
        };
        let mut vector: Vec<f32> = vector.to_vec1()?;
        let length = vector.iter().map(|one| one * one).sum::<f32>().sqrt();
        ensure!(length.is_normal(), "the model gives no number");
        vector.iter_mut().for_each(|one| *one /= length);
        Ok(Some(vector))
    }
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    serde_json::from_slice(&read(path)?).with_context(|| format!("{}", path.display()))
}

fn json_or_default<T: DeserializeOwned + Default>(path: &Path) -> Result<T> {
    if path.is_file() { json(path) } else { Ok(T::default()) }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let named = || format!("read {}", path.display());
    let len = fs::metadata(path).with_context(named)?.len();
    ensure!(len <= FILE_BYTES_MAX, "{} has more than {FILE_BYTES_MAX} bytes", path.display());
    fs::read(path).with_context(named)
}
