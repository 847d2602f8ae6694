use std::fmt::Write;

use memlith_log::Seq;

use crate::{Candidate, Deviation, DeviationKind, Occurrence};

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

/// The most runs whose records stand in the metadata.
const SOURCES_MAX: usize = 8;

/// The most deviations that are told.
const DEVIATIONS_MAX: usize = 8;

/// The most characters of a verb or of parameters in the text.
const CODE_MAX: usize = 120;

/// The most characters of a verb in the name.
const SLUG_MAX: usize = 20;

impl Skill {
    /// Tells a candidate; `cite` gives the citation of a record, if it still has one.
    #[must_use]
    pub fn of(candidate: &Candidate, cite: &dyn Fn(Seq) -> Option<String>) -> Skill {
        let name = name(candidate);
        let mut text = String::from("---\n");
        // Quoted: a name may be of digits alone, which YAML takes for a number.
        line(&mut text, &format!("name: {}", quoted(&name)));
        line(&mut text, &format!("description: {}", quoted(&description(candidate))));
        line(&mut text, "metadata:");
        for (key, value) in metadata(candidate, cite) {
            line(&mut text, &format!("  {key}: {}", quoted(&value)));
        }
        line(&mut text, "---\n");
        line(&mut text, &format!("# {}\n", plain(&title(candidate))));
        line(&mut text, &support(candidate));
        line(&mut text, "\n## Steps\n");
        for (number, step) in (1..).zip(&candidate.steps) {
            let told = [step.verb.as_str(), step.parameters.as_str()].join(" ");
            line(&mut text, &format!("{number}. {}", code(told.trim_end())));
        }
        if !candidate.deviations.is_empty() {
            line(&mut text, "\n## What failed runs did otherwise\n");
            for deviation in candidate.deviations.iter().take(DEVIATIONS_MAX) {
                line(&mut text, &otherwise(candidate, deviation, cite));
            }
        }
        Skill { name, text }
    }
}

fn name(candidate: &Candidate) -> String {
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
    let ends = [candidate.steps.first(), candidate.steps.last()];
    let slugs = ends.into_iter().flatten().map(|step| slug(&step.verb));
    let mut parts: Vec<String> = slugs.filter(|slug| !slug.is_empty()).collect();
    let id = candidate.id.to_string();
    parts.push(id.get(..8).unwrap_or(&id).to_owned());
    parts.join("-")
}

fn title(candidate: &Candidate) -> String {
    let verb = |step: Option<&crate::ProcedureStep>| step.map_or("", |step| &step.verb).to_owned();
    let (first, last) = (verb(candidate.steps.first()), verb(candidate.steps.last()));
    format!("From {first} to {last}")
}

fn description(candidate: &Candidate) -> String {
    let verbs: Vec<String> = candidate.steps.iter().map(|step| cut(&step.verb, 40)).collect();
    let told = format!(
        "A procedure of {} steps that {} sessions followed: {}. Use it when a task begins \
         with the first of them.",
        candidate.steps.len(),
        candidate.support,
        verbs.join(", then ")
    );
    cut(&told, 1000)
}

fn metadata(
    candidate: &Candidate,
    cite: &dyn Fn(Seq) -> Option<String>,
) -> Vec<(&'static str, String)> {
    let first = |run: &Occurrence| run.steps.iter().flatten().next().copied().and_then(cite);
    let sources: Vec<String> = candidate.runs.iter().filter_map(first).take(SOURCES_MAX).collect();
    vec![
        ("memlith-procedure", candidate.id.to_string()),
        ("memlith-confidence", candidate.confidence.to_string()),
        ("memlith-support", candidate.support.to_string()),
        ("memlith-sources", sources.join(" ")),
    ]
}

fn support(candidate: &Candidate) -> String {
    format!(
        "Followed in {} sessions, in {} of them step by step. It is known to have gone well \
         in {}, and not in {}.",
        candidate.support, candidate.complete, candidate.trials.succeeded, candidate.trials.failed
    )
}

fn otherwise(
    candidate: &Candidate,
    deviation: &Deviation,
    cite: &dyn Fn(Seq) -> Option<String>,
) -> String {
    let verb = candidate.steps.get(deviation.step).map_or("", |step| &step.verb);
    let (number, verb) = (deviation.step + 1, code(verb));
    let what = match &deviation.kind {
        DeviationKind::Replaced { by } => format!("did {} in place of {verb}", code(by)),
        DeviationKind::LeftOut => format!("left out {verb}"),
        DeviationKind::OutOfOrder => format!("did {verb} at another place"),
        DeviationKind::Extra { verb: extra } => format!("did {} before {verb}", code(extra)),
        DeviationKind::WentWrong => format!("did {verb}, which went wrong"),
    };
    let runs = candidate.failed_runs.len();
    let source = deviation.sources.first().and_then(|(_, seq)| cite(*seq));
    let source = source.map(|source| format!(" ({})", code(&source))).unwrap_or_default();
    format!(
        "- Step {number}: {} of {runs} failed runs {what}; {} of {} others did{source}.",
        deviation.failed,
        deviation.others,
        candidate.runs.len()
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
