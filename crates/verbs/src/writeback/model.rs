use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Result};
use memlith::{Ledger, Scope};
use memlith_agents::{Agreements, StateFolder};
use memlith_models::{ChatExtractor, Provider, Settings, SettingsError};
use memlith_writeback::{ExtractError, Extracted, Extractor, JobQueue, JobStatus, Rules, Turn};

use crate::context::Context;
use crate::environment;
use crate::exit::{refused, unusable, usage};
use crate::plain::plain;

use super::worker::Rest;

/// Maximum number of lines of evidence that are shown before the question, and of characters
/// in one.
const SHOWN: (usize, usize) = (12, 100);

/// The folder that a client works in, among what hooks note: it stays empty.
const DESK: &str = "memlith-asked";

/// Choice of the one that looks at sessions, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum With {
    /// The rules of the engine.
    Rules,
    /// The server that `writeback.toml` in the ledger's folder names.
    Server,
    /// Another provider, by these words.
    Provider(String, Provider),
}

impl FromStr for With {
    type Err = String;

    fn from_str(text: &str) -> Result<With, String> {
        match text {
            "rules" => Ok(With::Rules),
            "server" => Ok(With::Server),
            _ => {
                let provider = text.parse();
                let provider = provider.map_err(|error| format!("{error}, or rules or server"))?;
                Ok(With::Provider(text.to_owned(), provider))
            }
        }
    }
}

impl With {
    fn name(&self) -> &str {
        match self {
            With::Rules => "rules",
            With::Server => "server",
            With::Provider(name, _) => name,
        }
    }
}

/// A model that looks at the sessions of the projects that a person agreed to. The rules look at
/// all others, and at what the model gave up.
#[derive(Debug)]
pub(super) struct Consented {
    model: ChatExtractor,
    /// All, where absent.
    projects: Option<BTreeSet<String>>,
}

impl Consented {
    /// Until when the model may not be called, and why.
    pub(super) fn rest(&self) -> Result<Option<Rest>> {
        let rest = self.model.resting_until();
        let rest = rest.map_err(|error| unusable(error.to_string()))?;
        Ok(rest.map(|(until, why)| Rest { until, why }))
    }

    /// Whether jobs are left alone for now.
    pub(super) fn is_resting(&self) -> bool {
        !matches!(self.model.resting_until(), Ok(None))
    }
}

impl Extractor for Consented {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn claim_us(&self) -> i64 {
        self.model.claim_us()
    }

    fn extract(&self, scope: &Scope<'_>, turns: &[Turn]) -> Result<Extracted, ExtractError> {
        let project = scope.subject.as_deref().unwrap_or_default();
        match &self.projects {
            Some(projects) if !projects.contains(project) => Rules.extract(scope, turns),
            Some(_) | None => self.model.extract(scope, turns),
        }
    }

    fn fallback(&self) -> Option<&dyn Extractor> {
        Some(&Rules)
    }
}

/// The extractor that `with` names, once its person agreed to it for this project.
pub(super) fn consented(
    with: &With,
    (context, ledger): (&Context, &Ledger),
    is_agreed: bool,
) -> Result<Option<Consented>> {
    let dir = context.ledger_dir()?;
    let settings = environment::hook_settings();
    let mut agreements = settings.as_ref().map(Agreements::read).unwrap_or_default();
    let keep = |agreements: &Agreements| match &settings {
        Some(settings) => agreements.save(settings).context("write writeback-with.json"),
        None => Ok(()),
    };
    if *with == With::Rules {
        if agreements.end(&dir) {
            keep(&agreements)?;
        }
        return Ok(None);
    }
    let model = model(with, &dir)?;
    if is_agreed {
        return Ok(Some(Consented { model, projects: None }));
    }
    let terms = model.settings().terms();
    let project = context.scope.0.subject.as_deref().unwrap_or_default().to_owned();
    let is_known = agreements.of(&dir).is_some_and(|known| {
        (known.with.as_str(), &known.terms) == (with.name(), &terms)
            && known.projects.contains(&project)
    });
    if !is_known {
        ask(&model, ledger, &project)?;
        agreements.agree(&dir, (with.name(), &terms), &project);
        keep(&agreements)?;
    }
    let projects = agreements.of(&dir).map(|known| known.projects.clone());
    Ok(Some(Consented { model, projects: Some(projects.unwrap_or_default()) }))
}

/// The extractor that a person chose for the ledger in `dir`, where there is one and what it was
/// agreed to is what it would do.
pub(super) fn chosen(dir: &Path) -> Result<Option<Consented>> {
    let Some(settings) = environment::hook_settings() else { return Ok(None) };
    let agreements = Agreements::read(&settings);
    let Some(known) = agreements.of(dir) else { return Ok(None) };
    let with: With = known.with.parse().map_err(usage)?;
    let model = model(&with, dir)?;
    if model.settings().terms() != known.terms {
        return Err(refused(format!(
            "nobody agreed to what writeback.toml says by now: run `memlith jobs run --with {}` \
             at a terminal",
            known.with
        )));
    }
    Ok(Some(Consented { model, projects: Some(known.projects.clone()) }))
}

fn model(with: &With, dir: &Path) -> Result<ChatExtractor> {
    let person = environment::hook_settings();
    let settings = match with {
        With::Provider(_, provider) => {
            Settings::of(provider.clone(), person.as_ref().map(StateFolder::path))
        }
        With::Rules | With::Server => Settings::load(dir),
    };
    let settings = settings.map_err(told)?;
    let state = environment::hook_state().ok_or_else(|| unusable("HOME names no folder"))?;
    let desk = state.join(DESK);
    if matches!(settings.provider(), Provider::Client(_)) {
        std::fs::create_dir_all(&desk).with_context(|| format!("make {}", desk.display()))?;
    }
    let key = settings.key_env().and_then(environment::secret);
    let environment = environment::of_clients();
    ChatExtractor::new(dir, settings, key.as_deref(), (&desk, environment)).map_err(told)
}

/// The error with its cause, as one that the caller can mend.
fn told(error: SettingsError) -> anyhow::Error {
    match std::error::Error::source(&error) {
        Some(cause) => unusable(format!("{error}: {cause}")),
        None => usage(error.to_string()),
    }
}

/// Asks whether the sessions of a project may be sent.
fn ask(model: &ChatExtractor, ledger: &Ledger, project: &str) -> Result<()> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(refused(format!(
            "nobody agreed yet that evidence is sent to {}: run this at a terminal and answer, \
             or say --yes",
            model.settings().provider()
        )));
    }
    let shown = preview(model, ledger, project)?;
    anstream::eprint!("{shown}Send it, now and from now on? Type yes: ");
    std::io::stderr().flush().context("ask")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("read the answer")?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => Err(refused("it was not answered with yes: nothing was sent")),
    }
}

/// Previews what would be sent, and to whom.
fn preview(model: &ChatExtractor, ledger: &Ledger, project: &str) -> Result<String> {
    let settings = model.settings();
    let models: Vec<&str> = settings.provider().models().collect();
    let (calls, tokens) = settings.caps();
    let mut text = match project {
        "" => String::from("Evidence"),
        project => format!("Evidence of {}", plain(project, 200)),
    };
    let provider = plain(&settings.provider().to_string(), 200);
    text.push_str(&format!(" would be sent to {provider}\n"));
    match settings.provider() {
        Provider::Client(_) => text.push_str(
            "  as a question to the program that you use, without its tools and sessions: to the \
             model that it asks, at your cost\n",
        ),
        Provider::Server(_) => {
            let key = settings.key_env();
            let key = key.map_or("none".to_owned(), |variable| format!("that of ${variable}"));
            text.push_str(&format!("  models: {}\n", plain(&models.join(", "), 200)));
            text.push_str(&format!("  key: {key}\n"));
        }
    }
    if let Some(path) = settings.prompt() {
        text.push_str(&format!("  instructions: {}\n", plain(&path.display().to_string(), 200)));
    }
    text.push_str(&format!("  a day: {calls} calls, {tokens} tokens at most\n"));
    let mut jobs = JobQueue::of(ledger).list()?;
    jobs.retain(|job| {
        job.job.status != JobStatus::Dead
            && job.scope.subject.as_deref().unwrap_or_default() == project
    });
    text.push_str(&format!(
        "For each session that waits ({} now): what was said in it and what tools did, 48 kB at \
         most, without what looks like a secret.\n",
        jobs.len()
    ));
    let Some(job) = jobs.first() else { return Ok(text) };
    let question = model.question_about(&JobQueue::of(ledger).turns(job)?);
    let question = question.map_err(|error| unusable(error.to_string()))?;
    text.push_str("The first of them would end so:\n");
    let lines: Vec<&str> = question.lines().collect();
    let first = lines.len().saturating_sub(SHOWN.0);
    for line in lines.iter().skip(first) {
        text.push_str(&format!("  | {}\n", plain(line, SHOWN.1)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_looks_is_named_in_one_word() {
        assert_eq!("rules".parse(), Ok(With::Rules));
        assert_eq!("server".parse(), Ok(With::Server));
        for name in ["claude-code", "codex", "ollama:qwen3", "https://a.test/v1#small"] {
            assert_eq!(name.parse::<With>().unwrap().name(), name);
        }
        assert!("chat".parse::<With>().unwrap_err().contains("or rules or server"));
    }
}
