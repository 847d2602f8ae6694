use std::fmt;

use anyhow::Result;
use memlith::writeback::{CommandExtractor, Extractor, Rules};
use memlith::{Ledger, Timestamp};
#[cfg(feature = "chat")]
use memlith_connect::ChatExtractor;

use super::WritebackArgs;
use crate::context::Context;

/// What looks at the turns of jobs.
pub(super) enum Worker {
    /// The rules of the engine.
    Rules,
    /// A program of the caller's.
    Program(CommandExtractor),
    /// A model server.
    #[cfg(feature = "chat")]
    Chat(Box<ChatExtractor>),
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
    pub(super) fn of(args: &WritebackArgs, context: &Context, ledger: &Ledger) -> Result<Worker> {
        #[cfg(feature = "chat")]
        if args.chat {
            let chat = super::chat::extractor(context, ledger, args.yes)?;
            return Ok(Worker::Chat(Box::new(chat)));
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
            Worker::Chat(chat) => &**chat,
        }
    }

    /// Whether jobs are left alone for now: to take one would only wear out its attempts.
    pub(super) fn rest(&self) -> Result<Option<Rest>> {
        match self {
            Worker::Rules | Worker::Program(_) => Ok(None),
            #[cfg(feature = "chat")]
            Worker::Chat(chat) => {
                let rest = chat
                    .resting_until()
                    .map_err(|error| crate::exit::unusable(error.to_string()))?;
                Ok(rest.map(|(until, why)| Rest { until, why }))
            }
        }
    }
}
