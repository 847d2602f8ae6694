use std::str::FromStr;

/// The part of a citation that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The record, whole.
    Record,
    /// The proof that it stands in the chain.
    Proof,
    /// The session that it is of.
    Session,
}

/// A resource: a citation, or a part of what it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cited {
    /// The citation without the part: `memlith://LEDGER/SEQ#HASH`.
    pub(crate) citation: String,
    pub(crate) part: Part,
}

/// Address, name and description of each kind of resource, for a client that lists them.
pub(crate) const TEMPLATES: [(&str, &str, &str); 3] = [
    ("memlith://{ledger}/{seq}#{hash}", "citation", "The record that a citation names, whole."),
    (
        "memlith://{ledger}/{seq}/proof#{hash}",
        "proof",
        "Where the record stands in the chain, and the head to check it against.",
    ),
    (
        "memlith://{ledger}/{seq}/session#{hash}",
        "session",
        "What happened in the session that the record is of, the oldest first.",
    ),
];

impl FromStr for Cited {
    type Err = String;

    fn from_str(uri: &str) -> Result<Cited, String> {
        let form = || "a resource is memlith://LEDGER/SEQ#HASH, with /proof or /session behind SEQ";
        let rest = uri.strip_prefix("memlith://").ok_or_else(form)?;
        let (path, hash) = rest.split_once('#').ok_or_else(form)?;
        let mut steps = path.split('/');
        let (ledger, seq) = (steps.next().ok_or_else(form)?, steps.next().ok_or_else(form)?);
        let part = match (steps.next(), steps.next()) {
            (None, _) => Part::Record,
            (Some("proof"), None) => Part::Proof,
            (Some("session"), None) => Part::Session,
            (Some(_), _) => return Err(form().to_owned()),
        };
        let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
        let is_number = seq.bytes().all(|b| b.is_ascii_digit());
        if !is_hex(ledger) || !is_hex(hash) || seq.is_empty() || !is_number {
            return Err(form().to_owned());
        }
        Ok(Cited { citation: format!("memlith://{ledger}/{seq}#{hash}"), part })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_and_its_parts_are_told_apart_from_everything_else() {
        let read = |uri: &str| uri.parse::<Cited>().map(|cited| (cited.citation, cited.part));
        let plain = || "memlith://ab12/4#779a".to_owned();
        assert_eq!(read("memlith://ab12/4#779a"), Ok((plain(), Part::Record)));
        assert_eq!(read("memlith://ab12/4/proof#779a"), Ok((plain(), Part::Proof)));
        assert_eq!(read("memlith://ab12/4/session#779a"), Ok((plain(), Part::Session)));
        for uri in [
            "memlith://ab12/4",
            "memlith://ab12/#1",
            "memlith:///4#1",
            "memlith://ab12/../4#1",
            "memlith://ab12/4/proof/x#1",
            "memlith://ab12/4/keys#1",
            "memlith://ab12/4#",
            "memlith://ab12/-4#1",
            "file:///etc/passwd",
            "",
        ] {
            assert!(read(uri).is_err(), "{uri}");
        }
    }
}
