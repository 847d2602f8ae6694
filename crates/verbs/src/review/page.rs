//! All that waits as one text, to be edited.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use memlith::{RecordId, write::Waiting};

use crate::exit::refused;
use crate::plain::plain;

/// Verdict of an edited page on one memory that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Accept,
    /// Other words are right.
    Reword(String),
    Reject,
}

const HEAD: &str = "\
# What waits for review. Keep a block to accept it, write other words to accept those,
# delete a block to reject it. Without a block nothing is done.
# Words stand behind four blanks; lines that begin with # are not read.
";

/// Before each line of words: what is remembered can't begin a block of its own.
const INDENT: &str = "    ";

/// The page of all that waits and has words.
pub(super) fn page(waiting: &[Waiting]) -> String {
    let mut out = HEAD.to_owned();
    for one in waiting {
        let Some(text) = &one.text else { continue };
        let author = plain(one.author.as_deref().unwrap_or("(erased)"), 80);
        // Writing to a string can't fail.
        let _ = writeln!(out, "\n{}\n# {} by {author}", one.item.id, one.reason.label());
        for line in shown(text).lines() {
            let _ = writeln!(out, "{INDENT}{line}");
        }
    }
    out
}

/// Reads the verdicts of an edited page on all that stood on it, the oldest first; nothing where no
/// block is left.
///
/// # Errors
/// A block is of nothing that waits, stands twice, or has lost its words.
pub(super) fn verdicts(page: &str, waiting: &[Waiting]) -> Result<Vec<(RecordId, Verdict)>> {
    let known: Vec<(String, &str)> = waiting
        .iter()
        .filter_map(|one| Some((one.item.id.to_string(), one.text.as_deref()?)))
        .collect();
    let mut blocks = blocks(page)?;
    if blocks.is_empty() {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    let on_page = waiting.iter().filter(|one| one.text.is_some());
    for (one, (id, text)) in on_page.zip(&known) {
        let verdict = match blocks.remove(id) {
            None => Verdict::Reject,
            Some(words) if words.is_empty() => {
                return Err(refused(format!(
                    "{id} has no words left: delete its block to reject it; nothing was done"
                )));
            }
            Some(words) if words == trimmed(&shown(text)) => Verdict::Accept,
            Some(words) => Verdict::Reword(words),
        };
        out.push((one.item.id, verdict));
    }
    match blocks.pop_first() {
        None => Ok(out),
        Some((id, _)) => {
            Err(refused(format!("{} doesn't wait for review; nothing was done", plain(&id, 80))))
        }
    }
}

/// The words of each block.
fn blocks(page: &str) -> Result<BTreeMap<String, String>> {
    let mut blocks = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in page.lines() {
        if line.starts_with('#') {
            continue;
        }
        if line.starts_with("mem_") {
            let id = line.trim().to_owned();
            if blocks.insert(id.clone(), String::new()).is_some() {
                return Err(refused(format!("{} stands twice; nothing was done", plain(&id, 80))));
            }
            current = Some(id);
            continue;
        }
        match current.as_ref().and_then(|id| blocks.get_mut(id)) {
            Some(words) => {
                words.push_str(line.strip_prefix(INDENT).unwrap_or(line).trim_end());
                words.push('\n');
            }
            None if line.trim().is_empty() => {}
            None => {
                return Err(refused(format!(
                    "`{}` belongs to no block; nothing was done",
                    plain(line, 80)
                )));
            }
        }
    }
    Ok(blocks.into_iter().map(|(id, words)| (id, trimmed(&words))).collect())
}

/// A text as an editor shows it: each line without what a terminal would obey.
fn shown(text: &str) -> String {
    text.lines().map(|line| plain(line, usize::MAX)).collect::<Vec<_>>().join("\n")
}

fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
