use std::fmt::Display;

use serde::Serialize;

/// What every verb gets.
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Context {
    pub(crate) fn answer(
        &mut self,
        json: &impl Serialize,
        text: impl Display,
    ) -> anyhow::Result<()> {
        if self.json {
            println!("{}", serde_json::to_string(json)?);
        } else {
            print!("{text}");
        }
        Ok(())
    }

    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }
}
