//! Client of the server, as a verb speaks to it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use memlith::storage::{Clock as _, SystemClock};
use memlith::{Ledger, Options};
use memlith_agents::{Project, Switch};
use memlith_verbs::environment;
use memlith_verbs::listener::{Listener, Words};
use serde_json::Value;

use crate::handles::Handles;
use crate::host::{Answered, Note, Refused};

/// A client's call: where it works, and what it has been told so far.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    folder: PathBuf,
    handles: Arc<Handles>,
    said: Arc<Mutex<Answered>>,
}

impl Client {
    pub(crate) fn new(folder: &Path, handles: Arc<Handles>) -> Client {
        Client { folder: folder.to_owned(), handles, said: Arc::default() }
    }

    /// All that was said.
    pub(crate) fn take(&self) -> Answered {
        std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn say(&self, add: impl FnOnce(&mut Answered)) {
        add(&mut self.said.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Listener for Client {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn open(&self, dir: &Path, options: Options) -> Result<Ledger> {
        Ok(self.handles.open(dir, options)?)
    }

    fn answer(&self, json: Value, text: String) {
        self.say(|said| (said.json, said.text) = (json, text));
    }

    fn note(&self, text: String, words: Words) {
        self.say(|said| said.notes.push(Note { text, is_stored: words == Words::Stored }));
    }
}

/// A person who switched memory off for a project did so for every client.
///
/// # Errors
/// It is off for the project of `folder`.
pub(crate) fn refuse_if_off(folder: &Path) -> Result<(), Refused> {
    let Some(settings) = environment::hook_settings() else { return Ok(()) };
    let now = SystemClock::new().now();
    if Switch::read(&settings).is_off(&Project::of(folder).name, "", now) {
        let what = "memory is switched off here by the person; `memlith agent on` switches it on";
        return Err(Refused { what: what.to_owned() });
    }
    Ok(())
}
