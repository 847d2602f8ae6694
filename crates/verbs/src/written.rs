use anyhow::Result;
use memlith::{Citation, Ledger, RecordId, Status, Written};
use serde::Serialize;

use crate::context::Context;
use crate::ended::{self, EndedJson};
use crate::exit::Exit;
use crate::plain::plain;

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    written: &'a Written,
    citation: Citation,
    ids: &'a [RecordId],
    ended: Vec<EndedJson>,
}

/// The number of characters of a near memory that are shown.
const NEAR_CHARS: usize = 100;

/// Prints what became of a write to `targets`, and gives the exit code: a write that
/// only disputes, or waits for review, is a finding.
pub(crate) fn answer(
    written: &Written,
    targets: &[RecordId],
    ledger: &Ledger,
    context: &mut Context,
) -> Result<Exit> {
    let ended = ledger.ended_by(&context.caller(), written)?.into_iter();
    let ended = ended.map(|one| EndedJson::of(one, context)).collect();
    let ids = if targets.is_empty() { std::slice::from_ref(&written.id) } else { targets };
    let answer = Answer { written, citation: ledger.cite(written.id), ids, ended };
    let outcome = written.outcome.label();
    let text: String = ids.iter().map(|id| format!("{id}  {outcome}\n")).collect();
    context.answer(&answer, text)?;
    for (rule, count) in &written.redacted {
        context.note(format_args!("taken out before it was written: {count} x {rule}"));
    }
    ended::note(&answer.ended, context);
    for id in written.contested() {
        context.note(format_args!(
            "{id} says something else of the same, and stands too: `memlith confirm` the one that \
             is right, or `memlith forget` the other"
        ));
    }
    for near in &written.near {
        let correct = vec!["update".to_owned(), near.id.to_string(), "...".to_owned()];
        let correct = context.command_of_person(correct);
        // A model is given stored words in the structured answer alone.
        let words = match context.listener {
            Some(_) => near.id.to_string(),
            None => format!("\"{}\"", plain(&near.text, NEAR_CHARS)),
        };
        context.note(format_args!(
            "near: {words} stands too; where that is out of date: `{correct}`, or \
             `memlith forget {}`",
            near.id
        ));
    }
    if written.status() == Status::Waiting {
        let accept = vec!["review".to_owned(), "accept".to_owned(), written.id.to_string()];
        context.note(format_args!(
            "pending: it waits for review, and is not shown; a person other than its author \
             accepts it with `{}`, if it is right",
            context.command_of_person(accept)
        ));
    }
    if written.status() == Status::Disputed {
        context.note(format_args!(
            "disputed: the rank is too low to do this, so the item stands, and is marked as \
             disputed; {}",
            match context.listener {
                Some(_) => "a person decides which is right",
                None => "act --as one of higher rank, as user, reviewer or owner",
            }
        ));
    }
    Ok(Exit::ok_if(!matches!(written.status(), Status::Waiting | Status::Disputed)))
}
