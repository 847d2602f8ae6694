use std::io::{BufRead, Read as _};

use serde::Deserialize;

use anyhow::Result;
use memlith::copy::ImportReport;

use super::node::{Entity, Kept, Relation};
use super::row::Desk;
use crate::exit;

/// A line of the reference server's file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
enum Line {
    Entity(Entity),
    Relation(Relation),
}

/// The longest line, in bytes.
const LINE_BYTES_MAX: u64 = 16 << 20;

/// Takes in the file of the reference memory server: a JSON object a line, each an entity with
/// its observations, or a relation. Imported again, it adds only what is new.
///
/// # Errors
/// A line is none of these, or longer than 16 MiB, or the ledger refuses; what came before it
/// stands.
pub fn import_graph(desk: Desk<'_>, mut input: impl BufRead) -> Result<ImportReport> {
    let mut graph = Kept::read(desk)?.names();
    let mut imported = ImportReport::default();
    let mut bytes = Vec::new();
    for number in 1_u64.. {
        bytes.clear();
        let at = |what: &str| exit::unusable(format!("line {number}: {what}"));
        let limited = input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut bytes);
        let read = limited.map_err(|error| at(&error.to_string()))?;
        if read as u64 > LINE_BYTES_MAX {
            return Err(at("it is longer than 16 MiB"));
        }
        if read == 0 {
            break;
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let line: Line = serde_json::from_slice(&bytes).map_err(|error| {
            at(&format!("it is no entity and no relation of the memory server: {error}"))
        })?;
        let counts = match line {
            Line::Entity(entity) => graph.add_missing(desk, &entity),
            Line::Relation(relation) => graph.add_missing_relation(desk, relation),
        };
        let (added, present) = counts.map_err(|error| at(&format!("{error:#}")))?;
        imported.added += added;
        imported.already_present += present;
    }
    Ok(imported)
}
