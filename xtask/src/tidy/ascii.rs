use super::finding::Finding;
use super::tree::Tree;

/// Rust outside of tests is plain ASCII: a look-alike letter cannot hide in it.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        for (line, text) in file.code_lines() {
            if let Some(char) = text.chars().find(|char| !char.is_ascii()) {
                let message = format!(
                    "`{char}` is not ASCII: spell it, or write `\\u{{{:x}}}`",
                    u32::from(char)
                );
                found.push(Finding::new("ascii", &file.path, line, message));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::finding::lines;
    use super::*;

    #[test]
    fn other_letters_are_found_outside_of_tests() {
        let text =
            "// naïve\nconst A: char = 'a';\nconst B: char = 'é';\n#[test]\nfn f() { \"é\" }\n";
        let tree = Tree::of(&[("crates/a/src/b.rs", text), ("docs/a.md", "naïve")]);
        assert_eq!(lines(&check(&tree)), [1, 3]);
    }
}
