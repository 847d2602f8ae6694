//! What a person can put before a model by hand.

use std::path::Path;

use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};

use crate::fence::fence;
use crate::host::{Host, Refused};
use crate::words::Words;

const BRIEF: (&str, &str) =
    ("brief", "What memory holds of this project: what is pinned, what stands, earlier sessions.");

const REVIEW: (&str, &str) = ("review", "What waits for a person's judgement, to talk it over.");

/// The prompts that there are.
pub(crate) fn prompts() -> Vec<Prompt> {
    [BRIEF, REVIEW].into_iter().map(|(name, about)| Prompt::new(name, Some(about), None)).collect()
}

/// A prompt with what it tells now; `None` where there is none of that name.
///
/// # Errors
/// The verb's.
pub(crate) fn get(
    host: &dyn Host,
    folder: &Path,
    name: &str,
) -> Option<Result<GetPromptResult, Refused>> {
    let (about, text) = match name {
        "brief" => (BRIEF.1, brief(host, folder)),
        "review" => (REVIEW.1, review(host, folder)),
        _ => return None,
    };
    Some(text.map(|text| {
        GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
            .with_description(about)
    }))
}

fn brief(host: &dyn Host, folder: &Path) -> Result<String, Refused> {
    // Fenced by the verb, which writes it for models.
    let told = host.run(folder, &Words::verb("brief").finish())?.text;
    Ok(if told.is_empty() { "Memory holds nothing of this project yet.".to_owned() } else { told })
}

fn review(host: &dyn Host, folder: &Path) -> Result<String, Refused> {
    let waiting = host.run(folder, &Words::verb("review list").finish())?.text;
    if waiting.is_empty() {
        return Ok("Nothing waits for review.".to_owned());
    }
    Ok(format!(
        "These proposals wait for my review. Go through them with me: for each say what it \
         claims, where it comes from, and whether it contradicts what stands. I accept with \
         `memlith review accept ID` and reject with `memlith review reject ID`; you can't.\n{}",
        fence(&waiting)
    ))
}
