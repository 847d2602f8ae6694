//! Resources that show what is behind a citation.

use std::path::Path;

use rmcp::model::{ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::citation::{Cited, Part, TEMPLATES};
use crate::fence::fence;
use crate::host::{Host, Refused};
use crate::words::Words;

/// The most records, and memories, of a session that are read at once.
const RECORDS: u32 = 200;

/// The kinds of resources that there can be.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let listed = TEMPLATES.iter().map(|(uri, name, about)| {
        ResourceTemplate::new(*uri, *name).with_description(*about).with_mime_type("text/plain")
    });
    listed.collect()
}

/// Reads a resource: as text for a model, with stored words as data.
///
/// # Errors
/// The URI is none, or names what this client doesn't see.
pub(crate) fn read(host: &dyn Host, folder: &Path, uri: &str) -> Result<ResourceContents, Refused> {
    let cited = uri.parse::<Cited>().map_err(|what| Refused { what })?;
    let shown = host.run(folder, &Words::verb("show").value(cited.citation).finish())?;
    let text = match cited.part {
        Part::Record => fence(&shown.text),
        Part::Proof => {
            let head = host.run(folder, &Words::verb("head").finish())?;
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
            let list = |what: &str| {
                let words = Words::verb("list").switch("oldest", true).flag("session", Some(name));
                host.run(folder, &words.flag("limit", Some(RECORDS)).value(what).finish())
            };
            fence(&format!("{}{}", list("records")?.text, list("memories")?.text))
        }
    };
    Ok(ResourceContents::text(text, uri).with_mime_type("text/plain"))
}
