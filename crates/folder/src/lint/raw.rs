//! Rules R01 to R03, of `raw_memories.md` and `rollout_summaries/`.

use std::collections::BTreeSet;

use super::{Files, Findings, is_instant};

const PATH: &str = "raw_memories.md";
const FOLDER: &str = "rollout_summaries/";

/// The fields of an entry, in order.
const FIELDS: [&str; 4] = ["updated_at: ", "cwd: ", "rollout_path: ", "rollout_summary_file: "];

pub(super) fn check(files: &Files, found: &mut Findings) {
    let mut named: BTreeSet<String> = BTreeSet::new();
    if let Some(text) = files.get(PATH) {
        found.path = PATH.to_owned();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            if line.starts_with("## Thread `") {
                let fields = lines.get(at.saturating_add(1)..).unwrap_or_default();
                named.extend(entry(fields, at.saturating_add(1), files, found));
            }
        }
    }
    let handbook = files.get("MEMORY.md").map_or("", String::as_str);
    for path in files.keys().filter(|path| path.starts_with(FOLDER)) {
        if !named.contains(path) && !handbook.contains(path.as_str()) {
            found.path.clone_from(path);
            found.warn(1, "R03", "nothing refers to the file");
        }
    }
}

/// Checks the fields behind the heading in `line`; returns the file that they name.
fn entry(fields: &[&str], line: usize, files: &Files, found: &mut Findings) -> Option<String> {
    let mut values = FIELDS.iter().zip(fields).map(|(field, line)| line.strip_prefix(field));
    let updated_at = values.next().flatten();
    let paths = [values.next().flatten(), values.next().flatten()];
    let file = values.next().flatten();
    if !updated_at.is_some_and(is_instant) || paths.iter().any(Option::is_none) || file.is_none() {
        let what = "updated_at, cwd, rollout_path and rollout_summary_file follow, in this order";
        found.error(line, "R01", what);
    }
    let path = format!("{FOLDER}{}", file?.trim());
    if !files.contains_key(&path) {
        found.error(line.saturating_add(FIELDS.len()), "R02", "there is no such file");
    }
    Some(path)
}
