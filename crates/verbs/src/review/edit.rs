use std::io::Write as _;
use std::process::Command;

use anyhow::{Context as _, Result};
use memlith::{
    Judgement, Ledger, RecordId, Remember, log::Event, log::MemoryEvent, write::Waiting,
};
use serde::Serialize;

use crate::context::Context;
use crate::environment;
use crate::exit::{Exit, refused, unusable};
use crate::review::page::{Verdict, page, verdicts};
use crate::review::right;

#[derive(Default, Serialize)]
struct Answer {
    accepted: Vec<RecordId>,
    reworded: Vec<RewordedJson>,
    rejected: Vec<RecordId>,
}

/// One that was taken in with other words.
#[derive(Serialize)]
struct RewordedJson {
    id: RecordId,
    by: RecordId,
    outcome: &'static str,
}

/// Opens all that waits in the person's editor, and does what the page then says.
pub(super) fn run(context: &mut Context) -> Result<Exit> {
    let ledger = context.open()?;
    let waiting = ledger.review().waiting(&context.caller())?;
    let before = page(&waiting);
    let said = if waiting.is_empty() {
        context.note("nothing waits for review");
        Vec::new()
    } else {
        let said = verdicts(&edited(&before)?, &waiting)?;
        if said.is_empty() {
            context.note("no block was left: nothing was done");
        }
        said
    };
    let mut answer = Answer::default();
    let mut is_done = true;
    if !said.is_empty() {
        right::prove(&question(&said))?;
        for (id, verdict) in said {
            is_done &= answer.apply(&ledger, context, &waiting, (id, verdict))?;
        }
    }
    let text = answer.to_text();
    context.answer(&answer, text)?;
    context.finish(ledger)?;
    Ok(Exit::ok_if(is_done))
}

/// Returns what the editor made of a page.
///
/// # Errors
/// There is no editor, it failed, or the page is no text any more.
fn edited(page: &str) -> Result<String> {
    let editor = environment::editor().ok_or_else(|| {
        unusable("there is no editor: set VISUAL or EDITOR, or take `memlith review accept`")
    })?;
    let mut words = shlex::split(&editor)
        .filter(|words| !words.is_empty())
        .ok_or_else(|| unusable(format!("`{editor}` is no command: mend VISUAL or EDITOR")))?;
    let program = words.remove(0);
    let mut file = tempfile::Builder::new().prefix("memlith-review-").suffix(".md").tempfile()?;
    file.write_all(page.as_bytes()).context("write the page")?;
    // Closed, so that an editor may put another file in its place.
    let path = file.into_temp_path();
    let status = Command::new(&program).args(&words).arg(&path).status();
    let status = status.with_context(|| format!("run {program}"))?;
    if !status.success() {
        return Err(refused(format!("{program} ended with {status}: nothing was done")));
    }
    std::fs::read_to_string(&path).context("read the page")
}

/// Words of the question to a person at a terminal once the whole page was read.
fn question(said: &[(RecordId, Verdict)]) -> String {
    let count = |wanted: fn(&Verdict) -> bool| said.iter().filter(|(_, one)| wanted(one)).count();
    format!(
        "{} to be accepted, {} with other words, {} rejected [y/N] ",
        count(|one| *one == Verdict::Accept),
        count(|one| matches!(one, Verdict::Reword(_))),
        count(|one| *one == Verdict::Reject)
    )
}

impl Answer {
    /// Does what is said of one that waits; whether it stands then as it was said.
    fn apply(
        &mut self,
        ledger: &Ledger,
        context: &Context,
        waiting: &[Waiting],
        (id, verdict): (RecordId, Verdict),
    ) -> Result<bool> {
        let caller = context.caller();
        match verdict {
            Verdict::Accept => {
                let written = ledger.review().judge(&caller, Judgement::Accept, [id], None)?;
                self.accepted.push(id);
                return Ok(written.is_in_force());
            }
            Verdict::Reject => {
                let _ = ledger.review().judge(&caller, Judgement::Reject, [id], None)?;
                self.rejected.push(id);
            }
            Verdict::Reword(text) => {
                let one = waiting.iter().find(|one| one.item.id == id);
                let Some(one) = one else { return Ok(false) };
                let (scope, remember) = reworded(one, text)?;
                let mut here = caller.clone();
                here.scope = scope.unwrap_or(here.scope);
                let written = ledger.remember(&here, remember)?;
                let (by, outcome) = (written.id, written.outcome.label());
                self.reworded.push(RewordedJson { id, by, outcome });
                if !written.is_in_force() {
                    return Ok(false);
                }
                // Where the new words ended it already, it waits no more.
                if ledger.review().waiting(&caller)?.iter().any(|one| one.item.id == id) {
                    let reason = Some(format!("reworded as {by}"));
                    let _ = ledger.review().judge(&caller, Judgement::Reject, [id], reason)?;
                }
            }
        }
        Ok(true)
    }

    fn to_text(&self) -> String {
        let accepted = self.accepted.iter().map(|id| format!("{id}  accepted\n"));
        let reworded =
            self.reworded.iter().map(|one| format!("{}  reworded as {}\n", one.id, one.by));
        let rejected = self.rejected.iter().map(|id| format!("{id}  rejected\n"));
        accepted.chain(reworded).chain(rejected).collect()
    }
}

/// The reviewer's own word in the place of one that waits: where it was to stand, while it was
/// to hold, and on what it rests.
fn reworded(one: &Waiting, text: String) -> Result<(Option<memlith::Scope<'static>>, Remember)> {
    let body = memlith::log::decode(&one.record)?;
    let mut remember = Remember { text, rests_on: one.rests_on.clone(), ..Remember::default() };
    let scope = body.as_ref().map(|body| body.envelope.scope.clone().into_owned());
    if let Some(Event::Memory(MemoryEvent::Remembered(row))) = body.map(|body| body.event) {
        remember.validity = row.validity;
        remember.metadata = row.metadata.to_map();
    }
    Ok((scope, remember))
}
