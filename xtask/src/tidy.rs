//! The rules about the sources themselves, each a pure function of the tree.

mod adr;
mod crates;
mod edges;
mod finding;
mod links;
mod named;
mod names;
mod packages;
mod planted;
mod reasons;
mod rust;
mod subjects;
mod surface;
mod table;
mod tracked;
mod tree;

use crate::cargo::root;

use finding::Finding;
use tree::Tree;

/// Every rule, in the order in which findings are shown.
const RULES: [fn(&Tree) -> Vec<Finding>; 11] = [
    names::check,
    surface::check,
    crates::check,
    edges::check,
    reasons::check,
    adr::check,
    planted::check,
    links::check,
    named::check,
    tracked::check,
    subjects::check,
];

/// Checks the tree of this workspace and prints what it finds.
///
/// # Errors
/// The tree cannot be read, or has findings.
pub(crate) fn run() -> anyhow::Result<()> {
    let findings = check(&Tree::read(&root())?);
    for finding in &findings {
        println!("{finding}");
    }
    anyhow::ensure!(findings.is_empty(), "{} findings", findings.len());
    Ok(())
}

fn check(tree: &Tree) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| rule(tree)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_is_tidy() {
        let findings = check(&Tree::read(&root()).unwrap());
        let shown: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
        assert!(findings.is_empty(), "{shown}");
    }
}
