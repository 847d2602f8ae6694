use std::collections::BTreeMap;

use super::finding::Finding;
use super::tree::Tree;
use crate::planted::{Bug, FOLDER};

/// Text that opens a place where a bug is planted.
const OPENING: &str = "planted!(";

/// Checks that no bug is planted in what ships, and that each patch says what it breaks and has
/// its place in the sources.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust().iter().filter(|file| file.path.starts_with("crates/")) {
        for (line, _) in (1..).zip(file.text.lines()).filter(|(_, text)| text.contains(OPENING)) {
            let message = format!("take the bug out, and make a patch of it in {FOLDER}");
            found.push(Finding::new("planted", &file.path, line, message));
        }
    }
    let read = |path: &str| tree.text(path).unwrap_or_default().to_owned();
    let mut planted = BTreeMap::new();
    for (path, text) in tree.texts() {
        let file = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
        let Some(bug) = file.and_then(|file| Bug::of(file, text)) else { continue };
        if bug.breaks.is_empty() {
            found.push(Finding::new("planted", path, 1, "say in the first line what it breaks"));
        }
        if let Err(error) = bug.plant(&mut planted, &read) {
            found.push(Finding::new("planted", path, 1, error.to_string()));
            // What comes after it may stand on it.
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_fit_one_after_the_other_and_say_what_they_break() {
        let patch = |old: &str, new: &str| {
            format!("why\n--- a/crates/a.rs\n+++ b/crates/a.rs\n@@ -1 +1 @@\n-{old}\n+{new}\n")
        };
        let found = |one: &str, other: &str, code: &str| {
            let files = [
                ("crates/a.rs", code),
                ("tests/planted/one.patch", one),
                ("tests/planted/other.patch", other),
            ];
            check(&Tree::of(&files)).len()
        };
        let (one, other) = (patch("// 1", "// 2"), patch("// 2", "// 3"));
        assert_eq!(found(&one, &other, "// 1\n"), 0);
        assert_eq!(found(&other, &one, "// 1\n"), 1, "not in this order");
        assert_eq!(found(&one, &other, "// 0\n"), 1, "another file");
        assert_eq!(found(&one.replace("why\n", ""), &other, "// 1\n"), 1, "not said");
        assert_eq!(found("", "", "fn a() { if planted!(\"x\") {} }\n"), 3, "shipped; nothing said");
    }
}
