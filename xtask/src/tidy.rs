//! The rules about the sources themselves, each a pure function of the tree.
//!
//! A rule that does not fit one place is lifted there, with its reason, in
//! `xtask/tidy/exceptions.txt`; an exception that lifts nothing is itself a finding.

mod adr;
mod ascii;
mod cells;
mod crates;
mod edges;
mod exceptions;
mod finding;
mod functions;
mod length;
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
mod words;

use crate::cargo::root;

use exceptions::Exceptions;
use finding::Finding;
use tree::Tree;

/// Every rule, in the order in which findings are shown.
const RULES: [fn(&Tree) -> Vec<Finding>; 16] = [
    length::check,
    functions::check,
    names::check,
    surface::check,
    crates::check,
    edges::check,
    reasons::check,
    ascii::check,
    words::check,
    adr::check,
    planted::check,
    links::check,
    named::check,
    cells::check,
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
    let found = RULES.iter().flat_map(|rule| rule(tree)).collect();
    Exceptions::of(tree).lift(found)
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
