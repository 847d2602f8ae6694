//! Resources that show what is behind a citation.

use std::path::Path;

use memlith::read::ListOf;
use memlith_verbs::{HeadArgs, ListArgs, ShowArgs};
use rmcp::model::{ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::citation::{Cited, Part, TEMPLATES};
use crate::fence::fence;
use crate::host::{Host, Refused};

/// The most records, and memories, of a session that are read at once.
const RECORDS: u64 = 200;

/// The kinds of resources that there can be.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let listed = TEMPLATES.iter().map(|(uri, name, about)| {
        let mime = if *name == "proof" { "application/json" } else { "text/plain" };
        ResourceTemplate::new(*uri, *name).with_description(*about).with_mime_type(mime)
    });
    listed.collect()
}

/// Reads a resource: as text for a model, with stored words as data.
///
/// # Errors
/// The URI is none, or names what this client doesn't see.
pub(crate) fn read(host: &Host, folder: &Path, uri: &str) -> Result<ResourceContents, Refused> {
    let cited = uri.parse::<Cited>().map_err(|what| Refused { what })?;
    let shown = host.run(folder, ShowArgs::of(&cited.citation))?;
    let text = match cited.part {
        Part::Record => fence(&shown.text),
        Part::Proof => {
            let head = host.run(folder, HeadArgs::default())?;
            let of = |name: &str| shown.json.get(name).cloned().unwrap_or_default();
            let proof = json!({
                "citation": of("citation"),
                "seq": of("seq"),
                "hash": of("hash"),
                "chain": of("chain"),
                "previous_chain": of("previous_chain"),
                "head": head.json,
                "check": "memlith verify --full",
            });
            return Ok(
                ResourceContents::text(proof.to_string(), uri).with_mime_type("application/json")
            );
        }
        Part::Session => {
            let name = shown.json.get("session").and_then(|name| name.as_str());
            let name = name
                .ok_or_else(|| Refused { what: format!("{uri}: the record is of no session") })?;
            let list = |what| host.run(folder, ListArgs::of_session(what, name, RECORDS));
            fence(&format!("{}{}", list(ListOf::Records)?.text, list(ListOf::Memories)?.text))
        }
    };
    Ok(ResourceContents::text(text, uri).with_mime_type("text/plain"))
}
