//! With what a verb that writes compares by likeness.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use memlith::write::{Cosine, Reconciler, Thresholds};
use memlith_models::CommandArbiter;

use crate::wait::Wait;

/// How a write is compared with what means much the same.
#[derive(Args, Debug, Default)]
pub(crate) struct LikenessArgs {
    /// How a write is compared with what is remembered; else as the ledger's policy says.
    #[arg(long, value_enum, value_name = "HOW")]
    reconcile: Option<How>,

    /// A program that decides where likeness leaves it open: a question as JSON on its
    /// standard input; `add`, `skip` or `update ID` on its output.
    #[arg(long, value_name = "CMD")]
    arbiter: Option<String>,

    /// How long a write waits for it.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    arbiter_timeout: Wait,

    /// Other thresholds than the built-in ones: from where a write
    /// restates, from where it supersedes, and below which it is something else.
    #[arg(long, value_name = "RESTATE,MIDPOINT,ADD", value_parser = parse_thresholds)]
    thresholds: Option<Thresholds>,
}

/// How a write is compared with what is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum How {
    /// By its words, and by its slot.
    Words,
    /// Also by likeness of meaning.
    Likeness,
}

impl How {
    /// With what the ledger is opened where nobody but the built-in table is asked.
    pub(crate) fn reconciler(self) -> Option<Arc<Reconciler>> {
        match self {
            // One that has nothing to compare with: the ledger's policy is passed over.
            How::Words => Some(Arc::new(Reconciler::default())),
            How::Likeness => Some(Arc::new(Reconciler::built_in())),
        }
    }
}

impl LikenessArgs {
    /// With what the ledger is opened for the write.
    ///
    /// # Errors
    /// The arbiter is no command line.
    pub(crate) fn reconciler(self) -> anyhow::Result<Option<Arc<Reconciler>>> {
        if self.reconcile != Some(How::Likeness) {
            return Ok(self.reconcile.and_then(How::reconciler));
        }
        let mut reconciler = Reconciler::built_in();
        reconciler.thresholds = self.thresholds;
        if let Some(line) = self.arbiter {
            let words = shlex::split(&line).filter(|words| !words.is_empty());
            let Some(words) = words else {
                return Err(crate::exit::refused(format!("{line:?} is no command line")));
            };
            let environment = crate::environment::of_arbiters();
            let patience = self.arbiter_timeout.0;
            reconciler.arbiter = Some(Arc::new(CommandArbiter { words, environment, patience }));
        }
        Ok(Some(Arc::new(reconciler)))
    }
}

/// Three cosines as decimals of at most seven places.
pub(crate) fn parse_thresholds(text: &str) -> Result<Thresholds, String> {
    let refused = || "thresholds look like 0.95,0.875,0.80: descending, at most 1".to_owned();
    let cosines: Option<Vec<Cosine>> = text.split(',').map(cosine).collect();
    let Some([restate, midpoint, add]) = cosines.as_deref() else { return Err(refused()) };
    let thresholds = Thresholds { restate: *restate, midpoint: *midpoint, add: *add };
    if thresholds.are_ordered() { Ok(thresholds) } else { Err(refused()) }
}

fn cosine(text: &str) -> Option<Cosine> {
    let value = crate::decimal::scaled(text, 7)?;
    i32::try_from(value).ok().map(Cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_descend() {
        let read = parse_thresholds("0.95,0.875,0.8").unwrap();
        assert_eq!(read, Thresholds::default());
        for wrong in ["", "0.95", "0.95,0.8,0.875", "1.1,1,1", "0.9,x,0.8", "0.9,0.8,0.7,0.6"] {
            assert!(parse_thresholds(wrong).is_err(), "{wrong}");
        }
    }
}
