use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context as _, Result};
use memlith::Ledger;
use memlith::writeback::JobStatus;
use memlith_connect::{Agreements, ChatExtractor, Settings, SettingsError};

use crate::context::Context;
use crate::exit::{refused, unusable, usage};
use crate::plain::plain;

/// Maximum number of lines of evidence that are shown before the question, and of characters
/// in one.
const SHOWN: (usize, usize) = (12, 100);

/// The extractor that the settings beside the ledger describe, once its user agreed to it.
pub(super) fn extractor(
    context: &Context,
    ledger: &Ledger,
    is_agreed: bool,
) -> Result<ChatExtractor> {
    let dir = context.ledger_dir()?;
    let settings = Settings::load(&dir).map_err(told)?;
    let key = settings.key_env().and_then(crate::environment::secret);
    let chat = ChatExtractor::new(&dir, settings, key.as_deref()).map_err(told)?;
    if !is_agreed {
        agree(&chat, ledger)?;
    }
    Ok(chat)
}

/// The error with its cause, as one that the caller can mend.
fn told(error: SettingsError) -> anyhow::Error {
    match std::error::Error::source(&error) {
        Some(cause) => unusable(format!("{error}: {cause}")),
        None => usage(error.to_string()),
    }
}

/// Asks whether evidence may be sent, unless that was answered before.
fn agree(chat: &ChatExtractor, ledger: &Ledger) -> Result<()> {
    let settings = chat.settings();
    let folder = crate::environment::settings().map(|folder| folder.join("memlith"));
    let agreements = folder.map(Agreements::new);
    let file = "the file writeback-agreed among your settings";
    if let Some(agreements) = &agreements
        && agreements.has(settings).with_context(|| format!("read {file}"))?
    {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(refused(format!(
            "nobody agreed yet that evidence is sent to {}: run this at a terminal and answer, \
             or say --yes",
            settings.endpoint()
        )));
    }
    anstream::eprint!("{}Send it, now and from now on? Type yes: ", preview(chat, ledger)?);
    std::io::stderr().flush().context("ask")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("read the answer")?;
    if answer.trim() != "yes" {
        return Err(refused("it was not answered with yes: nothing was sent"));
    }
    match agreements {
        Some(agreements) => agreements.keep(settings).with_context(|| format!("write {file}")),
        None => Ok(()),
    }
}

/// What would be sent, and to whom.
fn preview(chat: &ChatExtractor, ledger: &Ledger) -> Result<String> {
    let settings = chat.settings();
    let models: Vec<&str> = settings.models().collect();
    let (calls, tokens) = settings.caps();
    let mut text = format!(
        "Evidence would be sent to {}\n  models: {}\n  key: {}\n",
        plain(settings.endpoint(), 200),
        plain(&models.join(", "), 200),
        settings.key_env().map_or("none".to_owned(), |variable| format!("that of ${variable}")),
    );
    if let Some(path) = settings.prompt() {
        text.push_str(&format!("  instructions: {}\n", plain(&path.display().to_string(), 200)));
    }
    text.push_str(&format!("  a day: {calls} calls, {tokens} tokens at most\n"));
    let mut jobs = ledger.jobs()?;
    jobs.retain(|job| job.job.status != JobStatus::Dead);
    text.push_str(&format!(
        "For each session that waits ({} now): what was said in it and what tools did, 48 kB at \
         most, without what looks like a secret.\n",
        jobs.len()
    ));
    let Some(job) = jobs.first() else { return Ok(text) };
    let question = chat.question_about(&ledger.turns_of_job(job)?);
    let question = question.map_err(|error| unusable(error.to_string()))?;
    text.push_str("The first of them would end so:\n");
    let lines: Vec<&str> = question.lines().collect();
    let first = lines.len().saturating_sub(SHOWN.0);
    for line in lines.iter().skip(first) {
        text.push_str(&format!("  | {}\n", plain(line, SHOWN.1)));
    }
    Ok(text)
}
