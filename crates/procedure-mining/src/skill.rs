use std::collections::BTreeSet;
use std::fmt::Write;

use memlith_event::{Contrast, ContrastKind, Mined, Taught, Text};
use memlith_log::RecordId;

use crate::Confidence;

/// An accepted procedure as a file that agents read: `SKILL.md` in the agentskills format.
///
/// Front matter in YAML (`name`, `description`, `metadata` from string to string), then
/// Markdown. What stands in sessions is data: names are cut, what isn't printable ASCII is
/// escaped in the front matter and replaced in the text, and nothing of it can end a code
/// span, a line or the front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// The name, and that of its folder: 1 to 64 of `a-z`, `0-9` and single hyphens.
    pub name: String,
    /// The whole file.
    pub text: String,
}

/// The most sources that stand in the metadata.
const SOURCES_MAX: usize = 8;

/// The most steps that are told.
const STEPS_MAX: usize = 64;

/// The most of what failed runs did otherwise that is told.
const CONTRAST_MAX: usize = 8;

/// The most characters of a verb or of parameters in the text.
const CODE_MAX: usize = 120;

/// The most characters of a verb in the name.
const SLUG_MAX: usize = 20;

impl Skill {
    /// Tells a procedure; `told` is what was last told of it, where that is where it comes from,
    /// `sources` are records that it was taken from, one a session, and `cite` gives the citation
    /// of a record, if it still has one.
    #[must_use]
    pub fn of(
        mined: &Mined<'_>,
        told: Option<&Taught<'_>>,
        sources: &[RecordId],
        cite: &dyn Fn(RecordId) -> Option<String>,
    ) -> Skill {
        let name = name(mined);
        let mut text = String::from("---\n");
        // Quoted: a name may be of digits alone, which YAML takes for a number.
        line(&mut text, &format!("name: {}", quoted(&name)));
        line(&mut text, &format!("description: {}", quoted(&description(mined))));
        line(&mut text, "metadata:");
        for (key, value) in metadata(mined, sources, cite) {
            line(&mut text, &format!("  {key}: {}", quoted(&value)));
        }
        line(&mut text, "---\n");
        line(&mut text, &format!("# {}\n", plain(&mined.title)));
        line(&mut text, &support(mined));
        for (heading, told) in sections(mined, told.unwrap_or(&Taught::default()), cite) {
            line(&mut text, &format!("\n## {heading}\n"));
            told.iter().for_each(|told| line(&mut text, told));
        }
        Skill { name, text }
    }
}

/// The six headings of a skill. What isn't known is said to be unknown.
fn sections(
    mined: &Mined<'_>,
    told: &Taught<'_>,
    cite: &dyn Fn(RecordId) -> Option<String>,
) -> [(&'static str, Vec<String>); 6] {
    let listed = |list: &[Text<'_>]| -> Vec<String> {
        list.iter().take(STEPS_MAX).map(|text| format!("- {}", code(text))).collect()
    };
    let when = match told.trigger.trim() {
        "" => {
            let first = mined.steps.first().map(|step| code(&step.verb)).unwrap_or_default();
            format!("- When a task begins with {first}.")
        }
        trigger => format!("- {}", code(trigger)),
    };
    let inputs = match listed(&told.preconditions) {
        known if !known.is_empty() => known,
        _ => or_unknown(inputs(mined)),
    };
    let steps = (1..).zip(mined.steps.iter().take(STEPS_MAX)).map(|(number, step)| {
        let told = [step.verb.as_str(), step.parameters.as_str()].join(" ");
        format!("{number}. {}", code(told.trim_end()))
    });
    let mut pitfalls = listed(&told.gotchas);
    let contrast = mined.contrast.iter().take(CONTRAST_MAX);
    pitfalls.extend(contrast.map(|contrast| otherwise(mined, contrast, cite)));
    [
        ("When to use", vec![when]),
        ("Inputs to gather", inputs),
        ("Procedure", steps.collect()),
        ("Efficiency plan", or_unknown(Vec::new())),
        ("Pitfalls and fixes", or_unknown(pitfalls)),
        ("Verification checklist", or_unknown(listed(&told.success_criteria))),
    ]
}

/// Inputs that differ from run to run: the placeholders of the steps, each once.
fn inputs(mined: &Mined<'_>) -> Vec<String> {
    let mut met = BTreeSet::new();
    let steps = mined.steps.iter().take(STEPS_MAX);
    let words = steps.flat_map(|step| step.parameters.split_whitespace());
    let differs = words.filter(|word| word.contains('<')).filter(|word| met.insert(*word));
    differs.take(STEPS_MAX).map(|word| format!("- {}", code(word))).collect()
}

fn or_unknown(known: Vec<String>) -> Vec<String> {
    if known.is_empty() { vec!["- Unknown.".to_owned()] } else { known }
}

fn name(mined: &Mined<'_>) -> String {
    let slug = |verb: &str| {
        let mut slug = String::new();
        for char in verb.chars().map(|char| char.to_ascii_lowercase()) {
            if slug.len() >= SLUG_MAX {
                break;
            }
            if char.is_ascii_alphanumeric() {
                slug.push(char);
            } else if !slug.ends_with('-') {
                slug.push('-');
            }
        }
        slug.trim_matches('-').to_owned()
    };
    let ends = [mined.steps.first(), mined.steps.last()];
    let slugs = ends.into_iter().flatten().map(|step| slug(&step.verb));
    let mut parts: Vec<String> = slugs.filter(|slug| !slug.is_empty()).collect();
    let id = mined.identity.to_string();
    parts.push(id.get(..8).unwrap_or(&id).to_owned());
    parts.join("-")
}

fn description(mined: &Mined<'_>) -> String {
    let verbs: Vec<String> =
        mined.steps.iter().take(STEPS_MAX).map(|step| cut(&step.verb, 40)).collect();
    let told = format!(
        "A procedure of {} steps that {} sessions followed: {}. Use it when a task begins \
         with the first of them.",
        mined.steps.len(),
        mined.support,
        verbs.join(", then ")
    );
    cut(&told, 1000)
}

fn metadata(
    mined: &Mined<'_>,
    sources: &[RecordId],
    cite: &dyn Fn(RecordId) -> Option<String>,
) -> Vec<(&'static str, String)> {
    let sources: Vec<String> =
        sources.iter().filter_map(|id| cite(*id)).take(SOURCES_MAX).collect();
    vec![
        ("memlith-procedure", mined.identity.to_string()),
        ("memlith-confidence", Confidence(mined.confidence).to_string()),
        ("memlith-support", mined.support.to_string()),
        ("memlith-sources", sources.join(" ")),
    ]
}

fn support(mined: &Mined<'_>) -> String {
    format!(
        "Followed in {} sessions, in {} of them step by step. It is known to have gone well \
         in {}, and not in {}.",
        mined.support, mined.complete, mined.succeeded, mined.failed
    )
}

fn otherwise(
    mined: &Mined<'_>,
    contrast: &Contrast<'_>,
    cite: &dyn Fn(RecordId) -> Option<String>,
) -> String {
    let step = usize::try_from(contrast.step).unwrap_or(usize::MAX);
    let verb = mined.steps.get(step).map_or("", |step| step.verb.as_str());
    let (number, verb) = (u64::from(contrast.step) + 1, code(verb));
    let what = match &contrast.kind {
        ContrastKind::Replaced(by) => format!("did {} in place of {verb}", code(by)),
        ContrastKind::LeftOut => format!("left out {verb}"),
        ContrastKind::OutOfOrder => format!("did {verb} at another place"),
        ContrastKind::Extra(extra) => format!("did {} before {verb}", code(extra)),
        ContrastKind::WentWrong => format!("did {verb}, which went wrong"),
    };
    let source = contrast.source.and_then(cite);
    let source = source.map(|source| format!(" ({})", code(&source))).unwrap_or_default();
    format!(
        "- Step {number}: {} of {} failed runs {what}; {} of {} others did{source}.",
        contrast.failed, mined.failed_runs, contrast.others, mined.support
    )
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// A double-quoted scalar of YAML, in ASCII.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            ' '..='~' => out.push(char),
            // Writing to a string can't fail.
            _ => drop(write!(out, "\\U{:08x}", u32::from(char))),
        }
    }
    out.push('"');
    out
}

/// A code span that nothing in it can end.
fn code(text: &str) -> String {
    let cut: String = cut(text, CODE_MAX).replace('`', "'");
    let inner: String =
        cut.chars().map(|char| if is_printable(char) { char } else { '?' }).collect();
    match inner.trim() {
        "" => "`?`".to_owned(),
        inner => format!("`{inner}`"),
    }
}

/// Text that is no markup.
fn plain(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || " ./-".contains(char);
    cut(text, CODE_MAX).chars().map(|char| if is_plain(char) { char } else { '?' }).collect()
}

fn is_printable(char: char) -> bool {
    matches!(char, ' '..='~')
}

fn cut(text: &str, chars_max: usize) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(chars_max).collect();
    if chars.next().is_some() { head + "..." } else { head }
}

#[cfg(test)]
mod tests;
