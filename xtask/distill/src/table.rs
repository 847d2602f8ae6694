use anyhow::{Context, ensure};

use crate::prior;
use crate::reduce::DIMENSIONS;
use crate::vocabulary::{Piece, Vocabulary};

/// The bytes of the header, the digest at its end included.
const HEADER: usize = 64;

/// A block of pieces, whose beginning is written down.
const BLOCK: usize = 16;

/// The table as `docs/format.md` of the project has it.
///
/// # Errors
/// A piece is too long, or a number does not fit.
pub(crate) fn write(vocabulary: &Vocabulary, rows: &[Vec<f64>]) -> anyhow::Result<Vec<u8>> {
    let pieces = vocabulary.pieces();
    let begin = pieces.iter().filter(|piece| !piece.goes_on).count();
    let (mut lengths, mut starts, mut text) = (Vec::new(), Vec::new(), Vec::new());
    for (at, piece) in pieces.iter().enumerate() {
        if at % BLOCK == 0 {
            starts.extend(u32::try_from(text.len())?.to_le_bytes());
        }
        lengths.push(u8::try_from(piece.text.len()).context("a long piece")?);
        text.extend_from_slice(piece.text.as_bytes());
    }
    let mut bytes = Vec::new();
    bytes.extend(*b"MLWORDS\x01");
    let longest = pieces.iter().map(|piece| piece.text.len()).max().unwrap_or_default();
    for number in [DIMENSIONS, pieces.len(), begin, text.len(), longest, 0] {
        bytes.extend(u32::try_from(number)?.to_le_bytes());
    }
    let mut body = starts;
    body.extend(numbers(pieces, rows)?);
    body.extend(rows.iter().flat_map(|row| row_of(row)));
    body.extend(lengths);
    body.extend(text);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes).update(&body);
    bytes.extend(hasher.finalize().as_bytes());
    ensure!(bytes.len() == HEADER, "a header of {} bytes", bytes.len());
    bytes.extend(body);
    Ok(bytes)
}

/// Of each piece the scale of its row, the largest of all being 65,535, then its weight.
fn numbers(pieces: &[Piece], rows: &[Vec<f64>]) -> anyhow::Result<Vec<u8>> {
    ensure!(pieces.len() == rows.len(), "{} pieces, {} rows", pieces.len(), rows.len());
    let most = rows.iter().map(|row| largest(row)).fold(0.0, f64::max);
    ensure!(most > 0.0, "no row says anything");
    let scale = |row: &Vec<f64>| (largest(row) / most * 65_535.0 + 0.5) as u16;
    let scales = rows.iter().flat_map(|row| scale(row).to_le_bytes());
    let weights = pieces.iter().flat_map(|piece| prior::weight(piece).to_le_bytes());
    Ok(scales.chain(weights).collect())
}

/// A row in whole numbers, its largest being 127.
fn row_of(row: &[f64]) -> Vec<u8> {
    let scale = 127.0 / largest(row);
    row.iter().map(|one| (one * scale).round() as i8).map(|one| one.to_le_bytes()[0]).collect()
}

fn largest(row: &[f64]) -> f64 {
    row.iter().map(|one| one.abs()).fold(0.0, f64::max)
}
