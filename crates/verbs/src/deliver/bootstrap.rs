//! A graph that is read back into an empty ledger.

use anyhow::Result;
use memlith::Rank;
use memlith::write::Via;
use memlith_delivery::{BootstrapError, Bootstrapped, Routes, bootstrap};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    found: Bootstrapped,
    written: bool,
}

pub(super) fn run(name: &str, is_meant: bool, context: &mut Context) -> Result<Exit> {
    let dir = context.ledger_dir()?;
    let graph = Routes::graph(&dir, name, &crate::environment::secret);
    let graph = graph.map_err(|error| exit::unusable(error.to_string()))?;
    let graph = graph.ok_or_else(|| exit::refused(format!("no graph is called {name:?}")))?;
    let ledger = if is_meant { context.open()? } else { context.open_to_read()? };
    let mut caller = context.caller();
    (caller.rank, caller.origin, caller.via) = (Rank::Tool, None, Via::Import);
    let found = bootstrap(&graph, &ledger, &caller, !is_meant).map_err(|error| match error {
        BootstrapError::Ledger(error) => error.into(),
        told @ (BootstrapError::Graph(_) | BootstrapError::NotEmpty | _) => {
            exit::refused(told.to_string())
        }
    })?;
    let Bootstrapped { memories, notes, sessions, passed_over, .. } = found;
    let counts = format!("{memories} memories, {sessions} sessions and {notes} notes");
    let text = match is_meant {
        true => format!("{counts} were written, {passed_over} nodes passed over"),
        false => format!(
            "the graph holds {counts}; {passed_over} nodes lack something; --yes writes them"
        ),
    };
    context.answer(&Answer { found, written: is_meant }, text)?;
    if is_meant {
        context.finish(ledger)?;
    }
    Ok(Exit::Ok)
}
