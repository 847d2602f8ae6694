//! Vectors as the caller hands them in: a file of numbers, and the name of a model.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::write::{ModelId, ModelVector};

/// A vector of what is written.
#[derive(Args, Debug, Default)]
pub(crate) struct VectorArgs {
    /// A vector of it, as a JSON array of numbers; `-` reads standard input. It goes with the
    /// item, and is compared with those of queries of the same model.
    #[arg(long, value_name = "FILE", requires = "model")]
    vector: Option<PathBuf>,

    /// The model that the vector is of: any name without blanks, always the same.
    #[arg(long, value_name = "NAME", requires = "vector", value_parser = parse_model)]
    model: Option<ModelId>,
}

/// A vector of what is asked.
#[derive(Args, Debug, Default)]
pub(crate) struct QueryVectorArgs {
    /// A vector of the question, as a JSON array of numbers; `-` reads standard input.
    #[arg(long, value_name = "FILE", requires = "model")]
    query_vector: Option<PathBuf>,

    /// The model that the vector is of: that of the items it is compared with.
    #[arg(long, value_name = "NAME", requires = "query_vector", value_parser = parse_model)]
    model: Option<ModelId>,
}

impl VectorArgs {
    /// The vector, where there is one.
    ///
    /// # Errors
    /// The file can't be read, or holds no vector.
    pub(crate) fn read(self) -> Result<Option<ModelVector>> {
        read_both(self.vector, self.model)
    }

    /// Whether the vector is read from standard input.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.vector.as_deref() == Some(Path::new("-"))
    }
}

impl QueryVectorArgs {
    /// As [`VectorArgs::read`].
    pub(crate) fn read(self) -> Result<Option<ModelVector>> {
        read_both(self.query_vector, self.model)
    }
}

fn read_both(file: Option<PathBuf>, model: Option<ModelId>) -> Result<Option<ModelVector>> {
    let (Some(file), Some(model)) = (file, model) else { return Ok(None) };
    read(&file, model).map(Some)
}

/// The vector in `file`; `-` is standard input.
///
/// # Errors
/// It can't be read, is longer than a megabyte, or holds no vector.
pub(crate) fn read(file: &Path, model: ModelId) -> Result<ModelVector> {
    /// 4,096 numbers of any writing have fewer bytes.
    const LEN_MAX: u64 = 1 << 20;
    let shown =
        if file == Path::new("-") { "standard input".into() } else { file.display().to_string() };
    let mut text = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(LEN_MAX + 1).read_to_end(&mut text)
    } else {
        let opened = std::fs::File::open(file).with_context(|| format!("open {shown}"))?;
        opened.take(LEN_MAX + 1).read_to_end(&mut text)
    };
    if read.with_context(|| format!("read {shown}"))? as u64 > LEN_MAX {
        return Err(crate::exit::usage(format!("{shown} holds more than {LEN_MAX} bytes")));
    }
    let numbers: Vec<f32> = serde_json::from_slice(&text).map_err(|error| {
        crate::exit::usage(format!("{shown} is no JSON array of numbers: {error}"))
    })?;
    ModelVector::of_floats(model, &numbers)
        .map_err(|error| crate::exit::usage(format!("{shown}: {error}")))
}

pub(crate) fn parse_model(name: &str) -> Result<ModelId, String> {
    let refused =
        || format!("a model's name has 1 to {} visible characters of ASCII", ModelId::LEN_MAX);
    ModelId::new(name).ok_or_else(refused)
}
