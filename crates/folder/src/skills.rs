//! `skills/*/SKILL.md`: procedures that were accepted.

use crate::inputs::Procedure;
use crate::page::{Ground, Page};
use crate::safe::line;

/// The most steps, and the most pitfalls, that are told.
const ITEMS_MAX: usize = 64;

/// The most characters of a step.
const STEP_CHARS: usize = 200;

/// Writes the skill of a procedure.
pub(crate) fn skill(procedure: &Procedure) -> Page {
    let mut text = String::new();
    let mut push = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    let description = line(&procedure.description, 400).replace(['"', '\\'], "'");
    push("---");
    push(&format!("name: {}", procedure.name));
    push(&format!("description: \"{description}\""));
    push("---");
    push("");
    push(&format!("# {}", procedure.name));
    for (heading, body) in sections(procedure) {
        push("");
        push(&format!("## {heading}"));
        push("");
        body.iter().for_each(|line| push(line));
    }
    Page::whole(text.trim_end(), &[Ground::Procedure(procedure.id.clone())])
}

fn sections(procedure: &Procedure) -> [(&'static str, Vec<String>); 6] {
    let steps: Vec<&String> = procedure.steps.iter().take(ITEMS_MAX).collect();
    let first = steps.first().map(|step| code(step)).unwrap_or_default();
    let last = steps.last().map(|step| code(step)).unwrap_or_default();
    let mut placeholders: Vec<String> = Vec::new();
    for step in &steps {
        let found = step.split_whitespace().filter(|word| word.starts_with('<'));
        for word in found.map(code) {
            if !placeholders.contains(&word) && placeholders.len() < ITEMS_MAX {
                placeholders.push(word);
            }
        }
    }
    let inputs = if placeholders.is_empty() {
        vec!["- Nothing differs from one run to the next.".to_owned()]
    } else {
        placeholders.iter().map(|word| format!("- {word}: differs from run to run.")).collect()
    };
    let numbered = (1..).zip(&steps).map(|(number, step)| format!("{number}. {}", code(step)));
    let mut pitfalls: Vec<String> = procedure
        .pitfalls
        .iter()
        .take(ITEMS_MAX)
        .map(|pitfall| format!("- {}", line(pitfall, 300)))
        .collect();
    if pitfalls.is_empty() {
        pitfalls.push("- No run is known to have failed otherwise.".to_owned());
    }
    [
        (
            "When to use",
            vec![
                format!("- When a task begins with {first}."),
                "- Not where the directory or its tools differ from those of the runs.".to_owned(),
            ],
        ),
        ("Inputs to gather", inputs),
        ("Procedure", numbered.collect()),
        (
            "Efficiency plan",
            vec![format!("- {} steps; go through them in order, none twice.", steps.len())],
        ),
        ("Pitfalls and fixes", pitfalls),
        (
            "Verification checklist",
            vec![
                format!("- {last} ends without an error."),
                format!(
                    "- Followed in {} sessions: {} went well, {} failed.",
                    procedure.support, procedure.succeeded, procedure.failed
                ),
            ],
        ),
    ]
}

/// A code span that nothing in it can end.
fn code(text: &str) -> String {
    format!("`{}`", line(&text.replace('`', "'"), STEP_CHARS))
}
