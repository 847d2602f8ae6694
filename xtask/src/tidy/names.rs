use super::finding::Finding;
use super::tree::Tree;

/// Names that say nothing of what a file holds.
const EMPTY_NAMES: [&str; 7] = ["common", "helper", "helpers", "misc", "types", "util", "utils"];

/// A file is named for the one noun it holds.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let is_empty = |path: &str| {
        let path = path.strip_suffix("/mod.rs").or(path.strip_suffix(".rs")).unwrap_or(path);
        path.rsplit('/').next().is_some_and(|name| EMPTY_NAMES.contains(&name))
    };
    tree.rust()
        .iter()
        .filter(|file| is_empty(&file.path))
        .map(|file| Finding::new("name", &file.path, 1, "name the file for the noun it holds"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_name_is_found() {
        for path in ["crates/a/src/utils.rs", "crates/a/src/types/mod.rs"] {
            assert_eq!(check(&Tree::of(&[(path, "")])).len(), 1, "{path}");
        }
        assert!(check(&Tree::of(&[("crates/a/src/frame.rs", "")])).is_empty());
    }
}
