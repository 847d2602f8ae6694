//! Rules K01 to K03, of skills.

use super::{Files, Findings};

/// A skill has fewer lines.
const LINES_MAX: usize = 500;

/// Headings of a skill, in lower case.
const HEADINGS: [&str; 6] = [
    "when to use",
    "inputs to gather",
    "procedure",
    "efficiency plan",
    "pitfalls and fixes",
    "verification checklist",
];

pub(super) fn check(files: &Files, found: &mut Findings) {
    for (path, text) in files {
        let Some(rest) = path.strip_prefix("skills/") else { continue };
        let Some(folder) = rest.strip_suffix("/SKILL.md") else { continue };
        found.path.clone_from(path);
        front_matter(text, folder, found);
        let lines = text.lines().count();
        if lines >= LINES_MAX {
            found.error(lines, "K02", "a skill has fewer than 500 lines");
        }
        let headings: Vec<String> = text
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(|line| line.trim_start_matches('#').trim().to_lowercase())
            .collect();
        for heading in HEADINGS {
            if !headings.iter().any(|own| own.starts_with(heading)) {
                found.warn(1, "K03", &format!("there is no heading `{heading}`"));
            }
        }
    }
}

fn front_matter(text: &str, folder: &str, found: &mut Findings) {
    let mut lines = text.lines();
    let begins = lines.next() == Some("---");
    let matter: Vec<&str> = lines.by_ref().take_while(|line| *line != "---").collect();
    let of = |key: &str| {
        let value = matter.iter().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        value.trim().trim_matches('"').to_owned()
    };
    let name = of("name:");
    let is_name = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    if !begins || of("description:").is_empty() || name.is_empty() {
        found.error(1, "K01", "front matter with `name` and `description` comes first");
    } else if name.len() > 64 || !name.chars().all(is_name) || name != folder {
        let what = "a name is that of the folder: at most 64 of `a-z`, `0-9` and `-`";
        found.error(2, "K01", what);
    }
}
