use anyhow::{Result, ensure};
use memlith::write::Cosine;
use serde::{Deserialize, Serialize};

/// Two statements, and what the second is to the first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) label: Label,
    /// How near the two are by an embedding model.
    pub(crate) cosine: Option<Cosine>,
}

/// Relation of the second of a pair to the first, as a person says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Label {
    Restatement,
    Change,
    Distinct,
    Contradiction,
}

/// Which half of the pairs one is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Half {
    Tuned,
    Untouched,
}

#[derive(Deserialize)]
struct Line {
    a: String,
    b: String,
    label: Label,
    cosine: Option<f64>,
}

/// Reads pairs, one a line; empty lines are passed over.
///
/// # Errors
/// A line that is no pair, with its number; a cosine out of its range.
pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let unusable =
            |error| memlith_verbs::exit::unusable(format!("line {number} is no pair: {error}"));
        let line: Line = serde_json::from_slice(line).map_err(unusable)?;
        let cosine = line.cosine.map(|cosine| {
            ensure!((-1.0..=1.0).contains(&cosine), "line {number}: {cosine} is no cosine");
            #[expect(clippy::cast_possible_truncation, reason = "it is within ten million")]
            let quantised = (cosine * f64::from(Cosine::ONE)).round() as i32;
            Ok(Cosine(quantised))
        });
        let cosine = cosine.transpose()?;
        pairs.push(Pair { a: line.a, b: line.b, label: line.label, cosine });
    }
    Ok(pairs)
}

impl Label {
    pub(crate) const ALL: [Label; 4] =
        [Label::Restatement, Label::Change, Label::Distinct, Label::Contradiction];
}

impl Pair {
    /// By a bit of FNV-1a over both texts with a line feed between them (Fowler, Noll, Vo):
    /// it depends on nothing but the pair itself.
    pub(crate) fn half(&self) -> Half {
        let bytes = self.a.bytes().chain([b'\n']).chain(self.b.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        if hash >> 32 & 1 == 0 { Half::Tuned } else { Half::Untouched }
    }
}
