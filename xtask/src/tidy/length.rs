use super::finding::Finding;
use super::tree::Tree;

/// Lines of a Rust file, tests excluded.
const RUST_LINES_MAX: usize = 800;

/// Lines of the page that everyone reads.
const ARCHITECTURE_LINES_MAX: usize = 400;

/// Files stay small enough to read at once.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let rust = tree
        .rust()
        .iter()
        .map(|file| (file.path.as_str(), file.code_lines().count(), RUST_LINES_MAX));
    let page = tree
        .text("ARCHITECTURE.md")
        .map(|text| ("ARCHITECTURE.md", text.lines().count(), ARCHITECTURE_LINES_MAX));
    rust.chain(page)
        .filter(|(_, lines, max)| lines > max)
        .map(|(path, lines, max)| {
            let message = format!("{lines} lines, the limit is {max}: split it by noun");
            Finding::new("length", path, max, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn a_long_file_is_found() {
        let line = "const A: u8 = 1;\n";
        assert_eq!(found("crates/a/src/b.rs", &line.repeat(801)), 1);
        assert_eq!(found("crates/a/src/b.rs", &line.repeat(800)), 0);
        assert_eq!(found("ARCHITECTURE.md", &line.repeat(401)), 1);
    }

    #[test]
    fn tests_do_not_count() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "const A: u8 = 1;\n".repeat(900));
        assert_eq!(found("crates/a/src/b.rs", &tests), 0);
        assert_eq!(found("crates/a/src/b/tests.rs", &"\n".repeat(900)), 0);
    }
}
