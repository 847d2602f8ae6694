use std::collections::{BTreeMap, BTreeSet};

use super::finding::Finding;
use super::tree::Tree;
use crate::planted::{Bug, REGISTRY};

/// Text that opens a place where a bug is planted, up to its name.
const OPENING: &str = "planted!(\"";

/// Every planted bug is in the registry, and every bug there is planted where it says.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let text = tree.text(REGISTRY).unwrap_or("");
    let (mut found, mut listed) = (Vec::new(), BTreeMap::new());
    for (line, parsed) in Bug::lines(text) {
        match parsed {
            Some(bug) if listed.insert(bug.name.clone(), (bug.path.clone(), line)).is_none() => {}
            Some(_) => found.push(Finding::new("planted", REGISTRY, line, "this bug stands twice")),
            None => {
                let message = "write `NAME PATH -- what it breaks`";
                found.push(Finding::new("planted", REGISTRY, line, message));
            }
        }
    }
    let mut planted = BTreeSet::new();
    for (path, line, name) in sites(tree) {
        if listed.get(name).is_none_or(|(listed, _)| listed != path) {
            let message = format!("list `{name}` in {REGISTRY}, with this file");
            found.push(Finding::new("planted", path, line, message));
        }
        planted.insert(name);
    }
    for (name, (path, line)) in &listed {
        if !planted.contains(name.as_str()) {
            let message = format!("`{name}` is planted nowhere: plant it in {path}, or remove it");
            found.push(Finding::new("planted", REGISTRY, *line, message));
        }
    }
    found
}

/// Where bugs are planted: file, line, name.
fn sites(tree: &Tree) -> impl Iterator<Item = (&str, usize, &str)> {
    let files = tree.rust().iter().filter(|file| file.path.starts_with("crates/"));
    files.flat_map(|file| {
        file.code_lines().flat_map(move |(line, text)| {
            let names = text.split(OPENING).skip(1).filter_map(|rest| rest.split('"').next());
            names.map(move |name| (file.path.as_str(), line, name))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_and_sources_agree() {
        let site = "fn a() { if crate::planted!(\"x\") {} }";
        let found = |list: &str, code: &str| {
            check(&Tree::of(&[(REGISTRY, list), ("crates/a/src/b.rs", code)])).len()
        };
        assert_eq!(found("# Why.\n\nx crates/a/src/b.rs -- it breaks\n", site), 0);
        assert_eq!(found("", site), 1, "not listed");
        assert_eq!(found("x crates/a/src/c.rs -- it breaks\n", site), 1, "another file");
        assert_eq!(found("x crates/a/src/b.rs -- it breaks\n", "fn a() {}"), 1, "not planted");
        assert_eq!(found("x crates/a/src/b.rs\n", "fn a() {}"), 1, "no word of what it breaks");
        let twice = "x crates/a/src/b.rs -- it breaks\nx crates/a/src/b.rs -- it breaks\n";
        assert_eq!(found(twice, site), 1, "twice");
    }
}
