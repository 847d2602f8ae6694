use anyhow::Result;
use memlith::{Authority, RecordId, log::LinkKind, read::Tainted};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Exit;
use crate::plain::plain;
use crate::target::Target;

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    items: Vec<Tainted>,
}

/// Lists what a record reached.
pub(crate) fn answer(target: &Target, context: &mut Context) -> Result<Exit> {
    let ledger = context.open_to_read()?;
    let (ledger, id) = target.found(&ledger, &context.caller())?;
    let answer = Answer { id, items: ledger.taint(&context.caller(), id)? };
    let text: String = answer.items.iter().map(line).collect();
    context.answer(&answer, text)?;
    Ok(Exit::Ok)
}

fn line(one: &Tainted) -> String {
    /// How much of the words stands in a line.
    const WORDS_CHARS: usize = 80;
    let words = plain(one.text.as_deref().unwrap_or(""), WORDS_CHARS);
    let how = one.link.map_or("shown", label);
    let stands = one.authority.map_or(one.kind, Authority::label);
    format!("{:>3}  {}  {stands}, {how} from {}  {words}\n", one.distance, one.id, one.from)
}

fn label(link: LinkKind) -> &'static str {
    match link {
        LinkKind::RestsOn => "rests on",
        LinkKind::Supersedes => "supersedes",
        LinkKind::Corrects => "corrects",
        LinkKind::Considered => "considered",
        LinkKind::About => "about",
        LinkKind::ShownIn => "shown in",
    }
}
