use std::fmt;

use anyhow::Result;
use memlith::{Ledger, Timestamp};
use memlith_models::CommandExtractor;
use memlith_writeback::{Extractor, Rules};

use super::RunJobsArgs;
#[cfg(feature = "chat")]
use super::model::{Consented, chosen, consented};
use crate::context::Context;

/// Extractor that looks at the turns of jobs.
pub(super) enum Worker {
    /// The rules of the engine.
    Rules,
    /// A program of the caller's.
    Program(CommandExtractor),
    /// A model.
    #[cfg(feature = "chat")]
    Model(Box<Consented>),
}

/// Jobs that are due are left alone until an instant, for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) until: Timestamp,
    pub(super) why: &'static str,
}

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "jobs that are due wait until {}: {}", self.until, self.why)
    }
}

impl Worker {
    /// The one that the flags name.
    pub(super) fn of(args: &RunJobsArgs, context: &Context, ledger: &Ledger) -> Result<Worker> {
        #[cfg(feature = "chat")]
        if args.command.is_none() {
            let model = match &args.with {
                Some(with) => consented(with, (context, ledger), args.yes)?,
                None => chosen(&context.ledger_dir()?)?,
            };
            return Ok(model.map_or(Worker::Rules, |model| Worker::Model(Box::new(model))));
        }
        #[cfg(not(feature = "chat"))]
        let _ = (context, ledger);
        let Some(line) = &args.command else { return Ok(Worker::Rules) };
        let words = shlex::split(line).filter(|words| !words.is_empty());
        let words =
            words.ok_or_else(|| crate::exit::refused(format!("{line:?} is no command line")))?;
        let environment = crate::environment::of_arbiters();
        Ok(Worker::Program(CommandExtractor { words, environment, patience: args.timeout.0 }))
    }

    pub(super) fn extractor(&self) -> &dyn Extractor {
        match self {
            Worker::Rules => &Rules,
            Worker::Program(program) => program,
            #[cfg(feature = "chat")]
            Worker::Model(model) => &**model,
        }
    }

    /// Whether jobs are left alone for now: to take one would only wear out its attempts.
    pub(super) fn rest(&self) -> Result<Option<Rest>> {
        match self {
            Worker::Rules | Worker::Program(_) => Ok(None),
            #[cfg(feature = "chat")]
            Worker::Model(model) => model.rest(),
        }
    }
}
