//! Heads that were kept elsewhere, and what the ledger is to them.

use std::path::Path;

use anyhow::{Context as _, Result};
use memlith::{
    Digest, LedgerId, Seq,
    prove::{HeadVerdict, KeptHead},
};
use serde::Serialize;

/// A head and what the ledger is to it, as JSON.
#[derive(Serialize)]
pub(crate) struct KeptJson {
    line: String,
    ledger: LedgerId,
    seq: Seq,
    chain: Digest,
    verdict: &'static str,
    what: String,
}

/// A file of heads is read no further than this.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// The heads that `given` is: a line, or a file of lines.
///
/// # Errors
/// It is neither, or a line of the file is no head.
pub(crate) fn read(given: &str) -> Result<Vec<KeptHead>> {
    let refused = |error: memlith::prove::ParseHeadError| crate::exit::usage(error.to_string());
    let given = given.trim();
    if given.starts_with("memlith-head:") {
        return Ok(vec![given.parse().map_err(refused)?]);
    }
    let path = Path::new(given);
    let Ok(metadata) = std::fs::metadata(path) else {
        let error = given.parse::<KeptHead>().err().map(|error| error.to_string());
        let error = error.unwrap_or_default();
        return Err(crate::exit::usage(format!("{error}; and there is no file of that name")));
    };
    if !metadata.is_file() || metadata.len() > FILE_BYTES_MAX {
        return Err(crate::exit::unusable(format!(
            "{} is no file of at most {FILE_BYTES_MAX} bytes: --head takes a head, or a file of them",
            path.display()
        )));
    }
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut heads = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let head = line.trim().parse::<KeptHead>();
        heads.push(head.map_err(|error| {
            crate::exit::usage(format!("{}, line {}: {error}", path.display(), number + 1))
        })?);
    }
    if heads.is_empty() {
        return Err(crate::exit::usage(format!(
            "{} holds no head: `memlith head` prints one",
            path.display()
        )));
    }
    Ok(heads)
}

impl KeptJson {
    pub(crate) fn of(head: &KeptHead, verdict: HeadVerdict) -> KeptJson {
        KeptJson {
            line: head.to_string(),
            ledger: head.ledger,
            seq: head.seq,
            chain: head.chain,
            verdict: verdict.label(),
            what: told(head, verdict),
        }
    }

    pub(crate) fn holds(&self) -> bool {
        self.verdict == HeadVerdict::Holds.label()
    }

    pub(crate) fn to_text(&self) -> String {
        let mark = if self.holds() { "ok" } else { "HEAD" };
        format!("{mark}: {}\n", self.what)
    }
}

fn told(head: &KeptHead, verdict: HeadVerdict) -> String {
    let seq = head.seq;
    match verdict {
        HeadVerdict::Holds => format!("the ledger holds the head of record {seq}"),
        HeadVerdict::OtherLedger { found } => format!(
            "other ledger: the head is of ledger {}, this one is {found}; name the folder that \
             the head was taken from",
            head.ledger
        ),
        HeadVerdict::RolledBack { end } => format!(
            "rollback: the ledger ends at record {end}, the head is of record {seq}; the records \
             between are gone, or the head was taken from a copy that went on: restore the \
             newest copy"
        ),
        HeadVerdict::Forked { found } => format!(
            "fork: at record {seq} the ledger has the chain {found}, the head has {}; history up \
             to there is another one than when the head was taken: compare with a copy",
            head.chain
        ),
        HeadVerdict::Unreadable => {
            format!("not to be told: damage keeps record {seq} from being read; see the findings")
        }
    }
}
