use std::collections::{BTreeMap, BTreeSet};

use super::finding::Finding;
use super::tree::Tree;

/// The page whose names are checked.
const PAGE: &str = "ARCHITECTURE.md";

/// The words before a name that declare it.
const DECLARES: [&str; 7] = ["fn", "struct", "enum", "trait", "const", "type", "mod"];

/// Every `package::name` in `ARCHITECTURE.md`, drawings included, is declared in the sources of
/// that package: a renamed function would leave a reader looking for it.
///
/// A path whose first part is no folder below `crates/` is not looked at.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let declared = declared(tree);
    let mut found = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| *path == PAGE) {
        for (number, line) in (1..).zip(text.lines()) {
            for (package, name) in paths(line) {
                let Some(names) = declared.get(package) else { continue };
                if !names.contains(name) {
                    let message = format!("`{name}` is declared nowhere in crates/{package}/src");
                    found.push(Finding::new("named", path, number, message));
                }
            }
        }
    }
    found
}

/// The names that the sources of each package declare, by the folder of the package.
fn declared(tree: &Tree) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut declared: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in tree.texts() {
        let Some(below) = path.strip_prefix("crates/") else { continue };
        let Some((package, file)) = below.split_once("/src/") else { continue };
        if !file.ends_with(".rs") {
            continue;
        }
        let names = declared.entry(package).or_default();
        let mut before = "";
        for word in text.split(|char: char| !is_of_name(char)).filter(|word| !word.is_empty()) {
            if DECLARES.contains(&before) {
                names.insert(word);
            }
            before = word;
        }
    }
    declared
}

/// The paths of a line: their first and their last part.
fn paths(line: &str) -> Vec<(&str, &str)> {
    let words = line.split(|char: char| !(is_of_name(char) || char == '-' || char == ':'));
    // A colon of the sentence may stand behind the name.
    let words = words.map(|word| word.trim_end_matches(':'));
    words.filter_map(|word| Some((word.split_once("::")?.0, word.rsplit_once("::")?.1))).collect()
}

fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::super::finding::lines;
    use super::*;

    #[test]
    fn a_name_that_is_gone_is_found_with_its_line() {
        let page =
            "`log::append` and `log::Writer::gone`\n\"memlith-log: log::lost: so<br/>\" std::gone";
        let tree = Tree::of(&[
            (PAGE, page),
            ("docs/other.md", "`log::gone`"),
            ("crates/log/src/writer.rs", "impl Writer { pub fn append() {} }"),
        ]);
        assert_eq!(lines(&check(&tree)), [1, 2]);
    }
}
