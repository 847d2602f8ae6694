//! Runs a hook on an event of its client.

use std::path::{Path, PathBuf};
use std::time::Duration;

use memlith::copy::SharedError;
use memlith::log::LogError;
use memlith::{Caller, Change, Error, Ledger, Options, Rank, Scope, Timestamp};
use memlith_writeback::{JobQueue, QUIET_US};
use serde_json::json;

use crate::agreements::Agreements;
use crate::bookmark::Bookmark;
use crate::brief::{BRIEF_TOKENS, brief};
use crate::capture::{CaptureError, Captured, capture};
use crate::client::Client;
use crate::correction::correction;
use crate::hook_event::HookEvent;
use crate::injection::{INJECTION_TOKENS, injection};
use crate::learning::{AT_START, When, learn_for, queue};
use crate::project::Project;
use crate::shown::Shown;
use crate::state_folder::StateFolder;
use crate::switch::Switch;
use crate::tree::Tree;

/// Where hooks find what they need.
#[derive(Clone, Debug)]
pub struct Home {
    /// The ledger of what has no project with a ledger of its own.
    pub ledger: PathBuf,
    /// Notes that hooks keep between two calls.
    pub state: StateFolder,
    /// Settings of the person: they outlive the notes.
    pub settings: StateFolder,
}

impl Home {
    /// The transcripts that hold more for the ledger at `dir` than was captured, each with its
    /// client's name: a hook that runs just now has one.
    #[must_use]
    pub fn behind(&self, dir: &Path) -> Vec<(PathBuf, String)> {
        let all = Bookmark::behind(&self.state).into_iter();
        let of_ledger = all.filter(|bookmark| bookmark.ledger == dir);
        of_ledger.map(|one| (one.transcript.clone(), one.client_name().to_owned())).collect()
    }

    /// The scope of what is remembered of `project` in the ledger at `dir`: in the person's own
    /// ledger it is about the project, in a project's own everything is.
    #[must_use]
    pub fn scope(&self, dir: &Path, project: &Project) -> Scope<'static> {
        let subject = (dir == self.ledger).then(|| project.name.clone().into());
        Scope { subject, ..Scope::tenant("default") }
    }
}

/// The result of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text for the client on standard output; nothing where empty.
    pub output: String,
    /// Whether there is more to capture than a hook has time for.
    pub is_behind: bool,
}

/// A hook could not do what it is for. The client's turn goes on all the same.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookError {
    /// The ledger can't be opened or refuses.
    #[error("{}: {source}", ledger.display())]
    Ledger {
        /// Its folder.
        ledger: PathBuf,
        /// The error of the ledger.
        source: Error,
    },
    /// A transcript was not captured.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

/// How long a hook waits for another process's lock.
const LOCK_WAIT: Duration = Duration::from_millis(50);

/// A session that starts again from the same source within so many microseconds is the same start.
const TWICE_US: i64 = 3_000_000;

/// A hook captures no more than this at once, in bytes: what takes longer is left to a process
/// that nobody waits for.
const CAPTURE_MAX: u64 = 2 << 20;

/// The share of a prompt's budget that a project's own ledger has, in hundredths.
const OWN_SHARE: u32 = 70;

/// A hook of one session.
struct Hook<'a> {
    client: Client,
    event: &'a HookEvent,
    home: &'a Home,
    project: Project,
    /// The project's own ledger where it has one, then the person's.
    ledgers: Vec<PathBuf>,
}

/// Does what `event` calls for, within the time that a turn may wait for it.
///
/// # Errors
/// [`HookError`]. What was done before it stands.
pub fn hook(
    client: Client,
    event: &HookEvent,
    home: &Home,
    now: Timestamp,
) -> Result<Answer, HookError> {
    let project = Project::of(&event.cwd);
    if Switch::read(&home.settings).is_off(&project.name, &event.session_id, now) {
        return Ok(Answer::default());
    }
    project.keep_name();
    let own = project.ledger.clone().filter(|own| *own != home.ledger);
    let ledgers = own.into_iter().chain([home.ledger.clone()]).collect();
    let hook = Hook { client, event, home, project, ledgers };
    match event.hook_event_name.as_str() {
        "SessionStart" => hook.start(now),
        "UserPromptSubmit" => hook.prompt(now),
        "PostToolUse" | "PostToolUseFailure" | "SubagentStop" => hook.capture(false),
        "PreCompact" => {
            let answer = hook.capture(false)?;
            hook.learn_now(now)?;
            let is_behind = answer.is_behind || hook.ledgers.iter().any(|dir| hook.has_model(dir));
            Ok(Answer { is_behind, ..answer })
        }
        "Stop" => {
            let answer = hook.capture(false)?;
            hook.confirm_cited()?;
            Ok(answer)
        }
        "SessionEnd" => {
            let answer = hook.capture(true)?;
            hook.shown().forget(&home.state);
            home.state.remove(&hook.briefed());
            // What it taught is learned by a process that nobody waits for.
            Ok(Answer { is_behind: true, ..answer })
        }
        _ => Ok(Answer::default()),
    }
}

impl Hook<'_> {
    /// Whether opening a ledger would replay its whole log: no turn waits for that. Whoever catches
    /// up leaves a checkpoint.
    fn is_to_be_replayed(&self) -> bool {
        self.ledgers.iter().any(|dir| dir.is_dir() && Ledger::is_of_other_folds(dir))
    }

    /// The brief, as the client's context, once.
    fn start(&self, now: Timestamp) -> Result<Answer, HookError> {
        // Settings of a person and of a project may both have our hook.
        let source = self.event.source.as_deref().unwrap_or_default();
        let claim = self.home.state.claim(&self.briefed(), source, now, TWICE_US);
        if claim.is_ok_and(|is_first| !is_first) {
            return Ok(Answer::default());
        }
        let told = self.tell_brief(now);
        if told.as_ref().is_ok_and(|answer| !answer.output.is_empty()) {
            return told;
        }
        // It was told nothing: the next one may be.
        self.home.state.remove(&self.briefed());
        told
    }

    fn tell_brief(&self, now: Timestamp) -> Result<Answer, HookError> {
        if self.is_to_be_replayed() {
            return Ok(Answer { is_behind: true, ..Answer::default() });
        }
        let is_known = matches!(self.event.source.as_deref(), Some("compact" | "resume"));
        // What it was given is no longer before the model.
        self.shown().forget(&self.home.state);
        let session = is_known.then_some(self.event.session_id.as_str());
        let mut text = String::new();
        let mut shown = Vec::new();
        let mut is_behind = !Bookmark::behind(&self.home.state).is_empty();
        for (dir, tokens) in self.shares(BRIEF_TOKENS) {
            let Some(ledger) = self.open_if_there(dir)? else { continue };
            // Whoever begins anew doesn't wait until an earlier session was quiet for long.
            let by = now.plus_us(QUIET_US);
            if !self.has_model(dir) {
                let learned = learn_for(&ledger, &self.tree(dir), by, AT_START);
                learned.map(drop).or_else(only_busy).map_err(|source| failed(dir, source))?;
            }
            is_behind |=
                JobQueue::of(&ledger).is_queued(by).map_err(|source| failed(dir, source))?;
            let within = (tokens, &self.tree(dir));
            let told = brief(&ledger, &self.caller(dir, Rank::User), session, within);
            let told = told.map_err(|source| failed(dir, source))?;
            text.push_str(&told.text);
            let noted = ledger.note_shown(&self.caller(dir, Rank::User), &told.shown);
            noted.or_else(only_busy).map_err(|source| failed(dir, source))?;
            shown.extend(told.shown);
        }
        self.shown().add(&self.home.state, &shown);
        Ok(Answer { output: self.context(&text), is_behind })
    }

    /// The note that the session was told its brief.
    fn briefed(&self) -> String {
        let hash = blake3::hash(self.event.session_id.as_bytes()).to_hex();
        format!("briefed/{}", hash.get(..32).unwrap_or_default())
    }

    /// Answers a prompt with what is to the point of it, once what it corrects is corrected.
    fn prompt(&self, now: Timestamp) -> Result<Answer, HookError> {
        let Some(prompt) = self.event.prompt.as_deref() else { return Ok(Answer::default()) };
        if self.is_to_be_replayed() {
            return Ok(Answer { is_behind: true, ..Answer::default() });
        }
        let seen = self.shown();
        let mut text = String::new();
        let mut shown = Vec::new();
        let mut is_behind = false;
        for (at, (dir, tokens)) in self.shares(INJECTION_TOKENS).into_iter().enumerate() {
            let Some(ledger) = self.open_if_there(dir)? else { continue };
            if at == 0 {
                let corrected = correction(&ledger, &self.caller(dir, Rank::User), prompt);
                corrected
                    .or_else(|error| only_busy(error).map(|()| 0))
                    .map_err(|source| failed(dir, source))?;
            }
            let caller = self.caller(dir, Rank::User);
            is_behind |= JobQueue::of(&ledger).is_due(now).map_err(|source| failed(dir, source))?;
            let given = injection(&ledger, &caller, prompt, &seen, (tokens, &self.tree(dir)));
            let given = given.map_err(|source| failed(dir, source))?;
            text.push_str(&given.text);
            let noted = ledger.note_shown(&caller, &given.shown);
            noted.or_else(only_busy).map_err(|source| failed(dir, source))?;
            shown.extend(given.shown);
        }
        seen.add(&self.home.state, &shown);
        Ok(Answer { output: self.context(&text), is_behind })
    }

    /// Captures what the transcripts gained to the ledger that is the project's.
    fn capture(&self, is_over: bool) -> Result<Answer, HookError> {
        let mut answer = Answer::default();
        let Some(dir) = self.ledgers.iter().find(|dir| dir.is_dir()) else { return Ok(answer) };
        let transcripts = [&self.event.transcript_path, &self.event.agent_transcript_path];
        let transcripts = transcripts.into_iter().flatten().filter(|path| path.exists());
        let scope = self.home.scope(dir, &self.project);
        let about = (self.project.name.as_str(), &scope, self.event.session_id.as_str());
        let state = &self.home.state;
        let mut bookmarks = Vec::new();
        for transcript in transcripts {
            let bookmark = Bookmark::of(state, self.client, (transcript, dir), about);
            let bookmark = if is_over { bookmark.at_the_end() } else { bookmark };
            // If this process gets no further, a later hook knows that there is something to do.
            bookmark.save(state).map_err(|source| CaptureError::Io {
                what: "write a bookmark".to_owned(),
                source,
            })?;
            bookmarks.push(bookmark);
        }
        if self.is_to_be_replayed() {
            answer.is_behind = true;
            return Ok(answer);
        }
        let ledger = open(dir, LOCK_WAIT)?;
        for bookmark in &bookmarks {
            let end = bookmark.end();
            match capture(&ledger, bookmark.clone(), (end, CAPTURE_MAX), self.home) {
                // Its bookmark stays, for a time when this node may write.
                Err(CaptureError::Ledger(error)) if may_not_write(&error) => {}
                Err(error) => return Err(error.into()),
                Ok(Captured::TooMuch) => answer.is_behind = true,
                Ok(Captured::Whole(elsewhere)) => {
                    answer.is_behind |= self.leave_to(&bookmark.transcript, &elsewhere);
                }
            }
        }
        if ledger.checkpoints().is_due() {
            // One can take longer than a turn waits, and is never done where it is cut each time.
            answer.is_behind = true;
            for bookmark in &bookmarks {
                // An older bookmark does no harm, and is lost at no cost.
                let _ = bookmark.save(state);
            }
        }
        leave(ledger);
        Ok(answer)
    }

    /// Leaves what a transcript holds of other projects to the process that catches up; whether
    /// there is anything.
    fn leave_to(&self, transcript: &Path, projects: &[Project]) -> bool {
        let mut is_any = false;
        for project in projects {
            let dir = project.ledger.as_deref().unwrap_or(&self.home.ledger);
            let scope = self.home.scope(dir, project);
            let about = (project.name.as_str(), &scope, self.event.session_id.as_str());
            let state = &self.home.state;
            let bookmark = Bookmark::of(state, self.client, (transcript, dir), about);
            // A later hook that reads as far leaves it again.
            is_any |= dir.is_dir() && bookmark.save(state).is_ok();
        }
        is_any
    }

    /// Whether a person chose a model for the ledger: whoever catches up asks it.
    fn has_model(&self, dir: &Path) -> bool {
        Agreements::read(&self.home.settings).of(dir).is_some()
    }

    /// Learns from the session before the client drops turns from its window.
    fn learn_now(&self, now: Timestamp) -> Result<(), HookError> {
        let Some(dir) = self.ledgers.iter().find(|dir| dir.is_dir()) else { return Ok(()) };
        if self.is_to_be_replayed() {
            return Ok(());
        }
        let ledger = open(dir, LOCK_WAIT)?;
        let scope = self.home.scope(dir, &self.project);
        let queued = queue(&ledger, scope, &self.event.session_id, When::Now);
        let learned = queued.and_then(|()| match self.has_model(dir) {
            true => Ok(()),
            false => learn_for(&ledger, &self.tree(dir), now, AT_START).map(drop),
        });
        learned.or_else(only_busy).map_err(|source| failed(dir, source))?;
        leave(ledger);
        Ok(())
    }

    /// Confirms, with the assistant's voice, what it cited of what it was shown: that helped it.
    fn confirm_cited(&self) -> Result<(), HookError> {
        let Some(said) = self.event.last_assistant_message.as_deref() else { return Ok(()) };
        let shown = self.shown();
        let mut ids: Vec<_> = cites(said).filter_map(|short| shown.named(short)).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() || self.is_to_be_replayed() {
            return Ok(());
        }
        for dir in self.ledgers.iter().filter(|dir| dir.is_dir()) {
            let ledger = open(dir, LOCK_WAIT)?;
            for id in &ids {
                // One of another ledger, or that may not be confirmed, is none of ours.
                let confirm = Change::Confirm { weight: None, verified: false };
                let _ = ledger.change(&self.caller(dir, Rank::Assistant), confirm, [*id]);
            }
            leave(ledger);
        }
        Ok(())
    }

    fn caller(&self, dir: &Path, rank: Rank) -> Caller {
        let name = if rank == Rank::User { "user" } else { "assistant" };
        let mut caller = Caller::new("default", name, rank);
        caller.scope = self.home.scope(dir, &self.project);
        caller.scope.session = Some(self.event.session_id.clone().into());
        caller
    }

    fn tree(&self, dir: &Path) -> Tree {
        Tree::of(&self.project, dir)
    }

    fn shown(&self) -> Shown {
        Shown::of(&self.home.state, &self.event.session_id)
    }

    /// The ledgers, and what each may say of a budget.
    fn shares(&self, tokens: u32) -> Vec<(&Path, u32)> {
        match self.ledgers.as_slice() {
            [own, default] => {
                let share = tokens * OWN_SHARE / 100;
                vec![(own.as_path(), share), (default.as_path(), tokens - share)]
            }
            all => all.iter().map(|dir| (dir.as_path(), tokens)).collect(),
        }
    }

    fn open_if_there(&self, dir: &Path) -> Result<Option<Ledger>, HookError> {
        if dir.is_dir() { open(dir, LOCK_WAIT).map(Some) } else { Ok(None) }
    }

    /// The answer that puts `text` before the model.
    fn context(&self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        json!({"hookSpecificOutput": {
            "hookEventName": self.event.hook_event_name,
            "additionalContext": text,
        }})
        .to_string()
    }
}

/// Opens a ledger as hooks do: nobody waits long for it.
fn open(dir: &Path, lock_timeout: Duration) -> Result<Ledger, HookError> {
    let options = Options { lock_timeout, ..Options::default() };
    Ledger::open(dir, options).map_err(|source| failed(dir, source))
}

/// Closes a ledger, and writes nothing that is derived.
pub(crate) fn leave(ledger: Ledger) {
    if let Err(error) = ledger.close() {
        // It is derived state, and what is to be synced is synced by the next writer.
        tracing::debug!("close a ledger: {error}");
    }
}

pub(crate) fn failed(dir: &Path, source: Error) -> HookError {
    HookError::Ledger { ledger: dir.to_owned(), source }
}

/// Passes over what keeps this process from writing: what is left undone for it is no failure.
fn only_busy(error: Error) -> Result<(), Error> {
    let is_busy = matches!(error, Error::Log(LogError::LockTimeout { .. }));
    if is_busy || may_not_write(&error) { Ok(()) } else { Err(error) }
}

/// Whether a shared log isn't reached, or the role of this node doesn't allow it.
fn may_not_write(error: &Error) -> bool {
    matches!(
        error,
        Error::Log(LogError::NotAllowed { .. })
            | Error::Shared(SharedError::Unreached(_) | SharedError::NotAllowed(_))
    )
}

/// The short citations in a text.
fn cites(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("mem_").filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = rest.get(..end.unwrap_or(rest.len()))?;
        // With a part of its hash: a number alone is no citation.
        name.rsplit_once('_').filter(|(_, hash)| hash.len() >= 4).map(|_| name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_found_in_a_text() {
        let text = "As noted (mem_17_0a1b), and [mem_3_0123456789ab]; mem_, mem_4_, mem_5_ab.";
        assert_eq!(cites(text).collect::<Vec<_>>(), ["mem_17_0a1b", "mem_3_0123456789ab"]);
    }
}
