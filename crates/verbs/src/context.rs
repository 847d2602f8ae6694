//! Context that a verb runs in: flags, ledger, output.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use memlith::{Caller, Ledger, Options, Timestamp};
use memlith_agents::{Project, Tree, holds_a_name_alone};
use serde::Serialize;

use crate::actor::ActorArg;
use crate::global::GlobalArgs;
use crate::listener::{Listener, Words};
use crate::opened::Opened;
use crate::output::Output;
use crate::progress::Progress;
use crate::scope::ScopeArg;

/// Context of every verb: where the ledger is, who asks, when, and where answers go.
#[derive(Debug)]
pub struct Context {
    /// The ledger's folder as the caller names it: `--ledger`, else `$MEMLITH_LEDGER`.
    pub named: Option<PathBuf>,
    /// Whether answers are JSON.
    pub json: bool,
    /// The instant of reads and writes; the clock's where absent.
    pub now: Option<Timestamp>,
    /// The scope whose memories are read and written.
    pub scope: ScopeArg,
    /// Whether the caller named a scope.
    pub is_scoped: bool,
    /// The actor.
    pub actor: ActorArg,
    /// Whether only data and errors are printed.
    pub quiet: bool,
    /// How the ledger is opened, `read_only` apart.
    pub options: Options,
    /// Standard output.
    pub out: Output,
    /// Whether the caller named who acts.
    pub is_actor_named: bool,
    /// Receiver of what a verb says, where that isn't standard output.
    pub listener: Option<Box<dyn Listener>>,
}

/// Whether a folder is there that holds more than a project's name.
fn is_ledger(dir: &Path) -> bool {
    dir.is_dir() && !holds_a_name_alone(dir)
}

/// The folder that is looked for where no ledger is named.
const DEFAULT_FOLDER: &str = ".memlith";

impl Context {
    /// The context that the global flags and the environment make.
    pub fn new(args: GlobalArgs) -> Context {
        Context::for_listener(args, None)
    }

    /// Makes the context as [`Context::new`] does, with a receiver of what verbs say.
    pub fn for_listener(args: GlobalArgs, listener: Option<Box<dyn Listener>>) -> Context {
        let options = Options {
            mmap: !args.no_mmap,
            lock_timeout: args.lock_timeout.0,
            accept_clock_jump: args.accept_clock_jump,
            allow_network_fs: args.allow_network_fs,
            read_past_loss: args.read_past_loss,
            ..Options::default()
        };
        let mut context = Context {
            named: args.ledger.or_else(crate::environment::ledger),
            json: args.json,
            now: args.now,
            is_scoped: args.scope.is_some(),
            scope: args.scope.unwrap_or_default(),
            is_actor_named: args.actor.is_some(),
            actor: args.actor.unwrap_or_default(),
            quiet: args.quiet,
            options,
            out: Output::stdout(),
            listener,
        };
        context.find_scope();
        context
    }

    /// The caller who writes: in the scope of the folder that the verb is run in, where it reads
    /// every scope.
    pub(crate) fn writer(&self) -> Caller {
        let mut caller = self.caller();
        if caller.scope.everywhere {
            caller.scope = self.scope_here().unwrap_or_default().0;
        }
        caller
    }

    /// Takes the scope of the ledger in the folder that the verb is run in, where none is named.
    fn find_scope(&mut self) {
        if !self.is_scoped
            && let Some(scope) = self.scope_here()
        {
            self.scope = scope;
        }
    }

    fn scope_here(&self) -> Option<ScopeArg> {
        let (dir, home) = (self.ledger_dir().ok()?, crate::environment::agents_home()?);
        let project = Project::of(&self.here().unwrap_or_default());
        Some(ScopeArg(home.scope(&dir, &project)))
    }

    /// The tree of the project that the verb is run in.
    pub(crate) fn tree(&self) -> Result<Tree> {
        Ok(Tree::of(&Project::of(&self.here()?), &self.ledger_dir()?))
    }

    /// The folder that the verb is run in: the listener's, else the process's.
    fn here(&self) -> Result<PathBuf> {
        match &self.listener {
            Some(listener) => Ok(listener.folder().to_owned()),
            None => std::env::current_dir().context("find the working directory"),
        }
    }

    /// The folder of the ledger that exists: the named one, else that of the project in the
    /// working directory, else the person's own, else `.memlith` in the nearest folder above.
    ///
    /// # Errors
    /// None is named and none is found.
    pub fn ledger_dir(&self) -> Result<PathBuf> {
        if let Some(named) = &self.named {
            return Ok(named.clone());
        }
        let here = self.here()?;
        // As hooks find it: a ledger further up is another project's.
        let own = Project::of(&here).ledger;
        let personal = || crate::environment::default_ledger().filter(|dir| dir.is_dir());
        let above = || {
            here.ancestors().map(|folder| folder.join(DEFAULT_FOLDER)).find(|dir| is_ledger(dir))
        };
        own.or_else(personal).or_else(above).ok_or_else(|| {
            crate::exit::unusable(format!(
                "there is no ledger: no folder {DEFAULT_FOLDER} in {} or above, and no {}; run \
                 `memlith init`, or `memlith agent install` for a coding agent; name one that was \
                 moved with --ledger or MEMLITH_LEDGER",
                here.display(),
                crate::environment::default_ledger()
                    .map_or_else(|| "home folder".to_owned(), |own| own.display().to_string()),
            ))
        })
    }

    /// The folder in which a ledger is to be made: the named one, else `.memlith` here.
    pub fn new_ledger_dir(&self) -> PathBuf {
        self.named.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FOLDER))
    }

    /// Opens the ledger to write to it.
    ///
    /// # Errors
    /// There is none, or it can't be opened.
    pub fn open(&self) -> Result<Opened> {
        // What is written is found again where the repository is moved or gets another origin.
        if !self.is_scoped && self.scope.0.subject.is_some() {
            Project::of(&self.here()?).keep_name();
        }
        self.open_at(&self.ledger_dir()?, self.options.clone())
    }

    /// Opens the ledger without a lock; no byte of it is changed.
    ///
    /// # Errors
    /// Those of [`Context::open`].
    pub fn open_to_read(&self) -> Result<Opened> {
        self.open_at(&self.ledger_dir()?, Options { read_only: true, ..self.options.clone() })
    }

    /// Opens the ledger in the folder `dir`.
    ///
    /// # Errors
    /// Those of [`Context::open`].
    pub fn open_at(&self, dir: &Path, options: Options) -> Result<Opened> {
        let opened = match &self.listener {
            Some(listener) => Opened::shared(listener.open(dir, options)?),
            None => Opened::new(Ledger::open(dir, options)?),
        };
        #[cfg(feature = "sync")]
        if let Some(stale) = crate::sync::stale(dir, opened.now()) {
            self.note(stale);
        }
        Ok(opened)
    }

    /// A command of this program, as a person pastes it into a shell here: with the ledger,
    /// the scope and the actor that this one was given. What a listener is told of is for a
    /// person, who acts as such.
    pub fn command(&self, words: Vec<String>) -> String {
        let is_other = self.listener.is_none() && self.actor != ActorArg::default();
        self.command_as(is_other.then(|| self.actor.to_string()), words)
    }

    /// Gives the command as [`Context::command`] does, but for a person, whoever acts here.
    pub(crate) fn command_of_person(&self, words: Vec<String>) -> String {
        self.command_as(None, words)
    }

    fn command_as(&self, actor: Option<String>, mut words: Vec<String>) -> String {
        words.insert(0, "memlith".to_owned());
        let ledger = self.named.as_ref().map(|dir| dir.display().to_string());
        let scope = self.is_scoped.then(|| self.scope.to_string());
        for (flag, value) in [("--ledger", ledger), ("--scope", scope), ("--as", actor)] {
            words.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
        }
        let joined = shlex::try_join(words.iter().map(String::as_str));
        joined.unwrap_or_else(|_| words.join(" "))
    }

    /// Returns the caller in the engine's terms: who acts, for whom, and when.
    pub fn caller(&self) -> Caller {
        let mut caller = Caller::new("", &self.actor.name, self.actor.rank);
        caller.scope = self.scope.0.clone();
        caller.now = self.now;
        caller
    }

    /// Whether text is read by a language model: stored words stand in it as data.
    pub(crate) fn is_for_a_model(&self) -> bool {
        self.listener.is_some()
    }

    /// Prints an answer: `json` as one line, or `text` for people.
    ///
    /// # Errors
    /// Standard output is gone.
    pub fn answer(&mut self, json: &impl Serialize, text: impl Display) -> Result<()> {
        match &self.listener {
            Some(listener) => {
                listener.answer(serde_json::to_value(json)?, text.to_string());
                Ok(())
            }
            None if self.json => self.out.json(json),
            None => self.out.text(text),
        }
    }

    /// Says something on standard error that is not data, unless `--quiet`.
    pub fn note(&self, text: impl Display) {
        self.say(text, Words::Ours);
    }

    /// Says a text with stored words in it, as [`Context::note`] does.
    pub(crate) fn note_stored(&self, text: impl Display) {
        self.say(text, Words::Stored);
    }

    fn say(&self, text: impl Display, words: Words) {
        match &self.listener {
            Some(listener) => listener.note(text.to_string(), words),
            None if self.quiet => {}
            None => anstream::eprintln!("{text}"),
        }
    }

    /// A bar or spinner on standard error, if that is a terminal and not `--quiet`.
    pub fn progress(&self, what: &'static str, bytes: Option<u64>) -> Progress {
        let is_hidden = self.quiet || self.listener.is_some();
        if is_hidden { Progress::hidden() } else { Progress::new(what, bytes) }
    }

    /// Ends a writing verb: prints what is held back, then makes everything durable and
    /// writes a checkpoint if one pays, both after the answer is out.
    ///
    /// # Errors
    /// Standard output is gone, or the sync failed.
    pub fn finish(&mut self, ledger: Opened) -> Result<()> {
        self.out.flush()?;
        for finding in ledger.findings() {
            self.note(format_args!("warning: {finding}; `memlith verify --full` looks at all"));
        }
        if ledger.is_shared() {
            // Its keeper writes checkpoints.
        } else if let Err(error) = ledger.checkpoints().write_if_due() {
            // The answer stands without it: a checkpoint is derived state.
            tracing::warn!("no checkpoint was written: {error}");
        }
        ledger.close()
    }
}
