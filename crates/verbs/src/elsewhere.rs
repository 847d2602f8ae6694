//! Commands about items of other machines: events of this machine's ledger, by which every machine
//! goes.

use anyhow::Result;
use memlith::{Authority, Caller, Citation, Ledger, RecordId, log::SaidElsewhere};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::target::Target;

/// When what puts it out of sight holds.
pub(crate) const NOTE: &str = "it is another machine's: out of sight here now, and everywhere when `memlith sync run` has \
    carried this to the other machines";

/// When what its machine is asked for holds.
const ASKED: &str = "it is another machine's, which does it when `memlith sync run` has carried this there; until then \
    `memlith sync status` lists it";

#[derive(Serialize)]
struct Answer {
    id: RecordId,
    citation: Citation,
    of: Vec<Citation>,
}

/// An item of another machine, and the copy that holds it.
pub(crate) type Held = (Ledger, RecordId);

/// The targets of this ledger, and those of copies beside it.
///
/// # Errors
/// One names nothing.
pub(crate) fn apart(
    targets: &[Target],
    ledger: &Ledger,
    caller: &Caller,
) -> Result<(Vec<RecordId>, Vec<Held>)> {
    let (mut here, mut elsewhere) = (Vec::new(), Vec::new());
    for target in targets {
        let (holder, id) = target.found(ledger, caller)?;
        if holder.id() == ledger.id() {
            here.push(id);
        } else {
            elsewhere.push((holder, id));
        }
    }
    Ok((here, elsewhere))
}

/// Says of each what is said, and answers.
///
/// # Errors
/// One isn't in sight, or is guarded by a higher rank; those before it are said.
pub(crate) fn say(
    held: &[Held],
    (said, reason): (SaidElsewhere, Option<String>),
    (ledger, context): (&Ledger, &mut Context),
) -> Result<Exit> {
    let caller = context.caller();
    let mut last = RecordId::default();
    for (holder, id) in held {
        last = ledger.say_elsewhere(&caller, (holder, *id), (said, reason.clone()))?;
    }
    let of: Vec<Citation> = held.iter().map(|(holder, id)| holder.cite(*id)).collect();
    let note = if to_do(said) == FORGOTTEN { NOTE } else { ASKED };
    let (prefix, did) = (if note == NOTE { "" } else { "to be " }, to_do(said));
    let text: String = held.iter().map(|(_, id)| format!("{id}  {prefix}{did}\n")).collect();
    context.answer(&Answer { id: last, citation: ledger.cite(last), of }, text)?;
    context.note(note);
    Ok(Exit::Ok)
}

const FORGOTTEN: &str = "forgotten";

/// The request as a participle.
pub(crate) fn to_do(said: SaidElsewhere) -> &'static str {
    match said {
        SaidElsewhere::Forgotten => FORGOTTEN,
        SaidElsewhere::ReplacedBy(_) => "replaced",
        SaidElsewhere::Restored => "restored",
        SaidElsewhere::Erased => "erased",
        SaidElsewhere::Confirmed { .. } => "confirmed",
        SaidElsewhere::Pinned => "pinned",
        SaidElsewhere::Unpinned => "unpinned",
        SaidElsewhere::Declined => "declined",
    }
}

/// The refusal to bring back what nobody put out of sight.
pub(crate) fn nothing_to_undo(item: &Citation, authority: Authority) -> anyhow::Error {
    exit::refused(format!(
        "{item} is another machine's and {authority}: there is nothing to bring back; what replaced \
         another is put out of sight with `memlith forget`, and the other brought back with `undo`"
    ))
}

/// The refusal of what only the machine itself may do to its items.
pub(crate) fn not_here(held: &[Held]) -> anyhow::Error {
    let named = held.first().map(|(holder, id)| holder.cite(*id).to_string()).unwrap_or_default();
    exit::refused(format!(
        "{named} is another machine's: do that there; from here it can be put out of sight \
         (`memlith forget`), brought back (`undo`), replaced (`update`), confirmed without a weight or \
         an outcome, and pinned"
    ))
}
