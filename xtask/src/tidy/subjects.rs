use super::finding::Finding;
use super::tree::Tree;

/// First words of a doc comment that hide its subject.
const HIDING: [&str; 7] = ["What", "Who", "Whom", "Whose", "That", "So many", "The same"];

/// The first line of a doc comment begins with a verb or the name of a thing.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let mut is_inside = false;
        for (number, line) in (1..).zip(file.text.lines()) {
            let line = line.trim_start();
            let said = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            let hides = said.filter(|_| !is_inside).and_then(|said| hiding(said.trim_start()));
            findings.extend(hides.map(|word| {
                let told = format!("`{word}` hides the subject: begin with a verb or a name");
                Finding::new("subject", &file.path, number, told)
            }));
            is_inside = said.is_some();
        }
    }
    findings
}

fn hiding(said: &str) -> Option<&'static str> {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
    HIDING.into_iter().find(|word| said.strip_prefix(word).is_some_and(ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_that_hides_its_subject_is_found() {
        let first = "/// What it is.\nfn a() {}\n/// Gives it.\n/// What follows is free.\n";
        let text = format!("{first}fn b() {{}}\n//! So many lines.\n\n/// Whatever stands.\n");
        let tree = Tree::of(&[("crates/a/src/b.rs", &text)]);
        let lines: Vec<usize> = check(&tree).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 6]);
    }
}
