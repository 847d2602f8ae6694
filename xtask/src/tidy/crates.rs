use std::collections::BTreeSet;

use super::finding::Finding;
use super::surface::other_items;
use super::tree::Tree;

/// Every folder in `crates/` is a package with code that takes the workspace's lints.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let folders: BTreeSet<&str> = tree
        .texts()
        .filter_map(|(path, _)| path.strip_prefix("crates/")?.split_once('/'))
        .map(|(folder, _)| folder)
        .collect();
    folders.into_iter().flat_map(|folder| check_folder(tree, folder)).collect()
}

fn check_folder(tree: &Tree, folder: &str) -> Vec<Finding> {
    let manifest = format!("crates/{folder}/Cargo.toml");
    let sources = format!("crates/{folder}/src/");
    let mut found = Vec::new();
    let mut find = |message: &str| found.push(Finding::new("crate", &manifest, 1, message));
    match tree.text(&manifest) {
        None => find("the folder has no Cargo.toml: add one or remove the folder"),
        Some(text) if !inherits_lints(text) => {
            find("add `[lints]` with `workspace = true`: one set of lints holds for all");
        }
        Some(_) => {}
    }
    let mut files = tree.rust().iter().filter(|file| file.path.starts_with(&sources));
    if files.all(|file| other_items(&file.tokens).is_empty()) {
        find("the crate has no code: a crate is made when it has content");
    }
    found
}

fn inherits_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lints]");
    lines.next().is_some() && lines.next() == Some("workspace = true")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"memlith-a\"\n\n[lints]\nworkspace = true\n";

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn a_crate_with_code_is_clean() {
        let files = [
            ("crates/a/Cargo.toml", MANIFEST),
            ("crates/a/src/lib.rs", "mod b;"),
            ("crates/a/src/b.rs", "pub struct B;"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }

    #[test]
    fn a_crate_without_code_is_found() {
        let files =
            [("crates/a/Cargo.toml", MANIFEST), ("crates/a/src/lib.rs", "//! Soon.\nmod b;\n")];
        assert!(found(&files).concat().contains("no code"));
        assert!(found(&[("crates/a/README.md", "")]).concat().contains("no Cargo.toml"));
    }

    #[test]
    fn a_crate_with_its_own_lints_is_found() {
        let files = [
            ("crates/a/Cargo.toml", "[package]\n[lints.rust]\nmissing_docs = \"allow\"\n"),
            ("crates/a/src/main.rs", "fn main() {}"),
        ];
        assert!(found(&files).concat().contains("one set of lints"));
    }
}
