use anyhow::Result;

use crate::context::Context;
use crate::exit::Exit;

/// A request that was understood: what a verb of the command line, or a tool, is asked for.
pub trait Verb {
    /// Does what is asked, and puts the answer where the context says.
    ///
    /// # Errors
    /// It is refused, or the ledger can't be read or written.
    fn run(self, context: &mut Context) -> Result<Exit>;

    /// Whether it can read all scopes together (`--scope all`).
    fn reads_everywhere(&self) -> bool {
        false
    }
}
