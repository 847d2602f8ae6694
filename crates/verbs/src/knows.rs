use anyhow::Result;
use memlith::Question;

use crate::context::Context;
use crate::exit::Exit;

/// Says whether anything is known about a question.
///
/// Cheap enough to ask before every task: the index alone is read, nothing is shown, and
/// nothing is learned. It counts what has the words of the question; whether the answer is in
/// there only a reader can tell.
pub(crate) fn answer(question: &Question, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let knowledge = ledger.knows(&context.caller(), question)?;
    let text = format!(
        "{} found, {} of them with most of the question or of whom or when it names, {} may be \
         evidence{}",
        knowledge.found,
        knowledge.near,
        knowledge.evidence,
        nowhere(&knowledge.nowhere),
    );
    context.answer(&knowledge, text)?;
    Ok(Exit::Ok)
}

/// The part of a line that says which names of a question are nowhere; empty where all are found.
pub(crate) fn nowhere(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; nothing says {}", names.join(" or ")) }
}
