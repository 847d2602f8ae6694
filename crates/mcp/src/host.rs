use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use memlith::Rank;
use memlith_verbs::actor::ActorArg;
use memlith_verbs::exit::{self, Exit};
use memlith_verbs::global::GlobalArgs;
use memlith_verbs::{Context, Verb};
use serde_json::Value;

use crate::client::{Client, refuse_if_off};
use crate::handles::Handles;

/// A remark of a verb beside its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// The text of the note.
    pub(crate) text: String,
    /// Whether stored words are in it.
    pub(crate) is_stored: bool,
}

/// The result of a verb.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answered {
    /// Its answer, as `--json` prints it.
    pub(crate) json: Value,
    /// Its answer in text.
    pub(crate) text: String,
    /// Notes beside the answer.
    pub(crate) notes: Vec<Note>,
}

/// A verb was not done; the text says why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Refused {
    /// Why, and what to do.
    pub(crate) what: String,
}

/// The verbs, as one process runs them for its clients: with the flags of the person who started
/// it, on one handle of each ledger.
#[derive(Debug)]
pub(crate) struct Host {
    global: GlobalArgs,
    handles: Arc<Handles>,
}

impl Host {
    /// Runs verbs with the flags of `context`, on these handles.
    pub(crate) fn new(context: &Context, handles: Arc<Handles>) -> Host {
        Host { global: global(context), handles }
    }

    /// Runs a verb for a client that works in `folder`; blocks.
    ///
    /// # Errors
    /// The verb is refused or fails.
    pub(crate) fn run(&self, folder: &Path, verb: impl Verb) -> Result<Answered, Refused> {
        let (answered, _): (Answered, Exit) = self.with(folder, |context| verb.run(context))?;
        Ok(answered)
    }

    /// Does several things in one context, for a client that works in `folder`; blocks.
    ///
    /// # Errors
    /// Memory is off there, or `act` is refused or fails.
    pub(crate) fn with<T>(
        &self,
        folder: &Path,
        act: impl FnOnce(&mut Context) -> Result<T>,
    ) -> Result<(Answered, T), Refused> {
        let client = Client::new(folder, Arc::clone(&self.handles));
        refuse_if_off(folder)?;
        let listener = Box::new(client.clone());
        let mut context = Context::for_listener(self.global.clone(), Some(listener));
        match act(&mut context) {
            Ok(done) => Ok((client.take(), done)),
            Err(error) => {
                self.handles.drop_if_broken(&error);
                Err(Refused { what: exit::told(&error) })
            }
        }
    }
}

/// Builds the flags that every verb runs with.
fn global(context: &Context) -> GlobalArgs {
    let assistant = || ActorArg { rank: Rank::Assistant, name: "assistant".to_owned() };
    let options = &context.options;
    GlobalArgs {
        ledger: context.named.clone(),
        json: false,
        now: context.now,
        scope: context.is_scoped.then(|| context.scope.clone()),
        actor: Some(if context.is_actor_named { context.actor.clone() } else { assistant() }),
        quiet: false,
        no_mmap: !options.mmap,
        lock_timeout: memlith_verbs::wait::Wait(options.lock_timeout),
        accept_clock_jump: options.accept_clock_jump,
        allow_network_fs: options.allow_network_fs,
        read_past_loss: options.read_past_loss,
    }
}
