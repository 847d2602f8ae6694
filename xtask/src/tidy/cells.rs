use super::finding::Finding;
use super::tree::Tree;

/// The most characters of a table's cell: a longer one is a paragraph.
const CELL_MAX: usize = 200;

/// No cell of a table in a Markdown file is longer than [`CELL_MAX`] characters.
///
/// A pipe inside of a cell is taken for its end, so that a cell may be longer than it is found.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".md")) {
        let mut is_code = false;
        for (number, line) in (1..).zip(text.lines()) {
            is_code ^= line.trim_start().starts_with("```");
            let row = line.trim_start().strip_prefix('|').filter(|_| !is_code);
            let cells = row.into_iter().flat_map(|row| row.split('|'));
            let longest = cells.map(|cell| cell.trim().chars().count()).max().unwrap_or(0);
            if longest > CELL_MAX {
                let message = format!(
                    "a cell of {longest} characters: split the row, or say it below the table \
                     (at most {CELL_MAX})"
                );
                found.push(Finding::new("cell", path, number, message));
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
    fn a_cell_that_is_a_paragraph_is_found() {
        let (fits, long) = ("x".repeat(200), "x".repeat(201));
        let page = format!("| a | b |\n|---|---|\n| {fits} | b |\n| a | {long} |\n{long}\n");
        let code = format!("```text\n| {long} |\n```\n");
        let tree = Tree::of(&[("docs/a.md", &page), ("docs/b.md", &code), ("a.txt", &page)]);
        assert_eq!(lines(&check(&tree)), [4]);
    }
}
