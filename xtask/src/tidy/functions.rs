use proc_macro2::{Delimiter, Ident, TokenTree};

use super::finding::Finding;
use super::rust::{RustFile, group, group_in, ident, inside, is_punct, line};
use super::tree::Tree;

/// Lines of a function, from `fn` to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;

/// Functions outside of tests fit on one screen.
///
/// The subject holds the length, so that a function with an exception neither grows nor
/// shrinks without a change of that exception.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        visit(file, &file.tokens, &mut found);
    }
    found
}

fn visit(file: &RustFile, tokens: &[TokenTree], found: &mut Vec<Finding>) {
    let mut rest = tokens;
    while let [first, tail @ ..] = rest {
        if let Some((name, lines)) = function(rest)
            && lines > FUNCTION_LINES_MAX
            && !file.is_test(line(name.span()))
        {
            let message = format!(
                "`{name}` has {lines} lines, the limit is {FUNCTION_LINES_MAX}: give its parts names"
            );
            let finding = Finding::new("function", &file.path, line(name.span()), message);
            found.push(finding.about(format!("{}::{name} {lines}", file.path)));
        }
        if let Some(group) = group(first) {
            visit(file, &inside(group), found);
        }
        rest = tail;
    }
}

/// The name and the length of the function that starts here; one without a body has none.
fn function(tokens: &[TokenTree]) -> Option<(&Ident, usize)> {
    let [keyword, name, rest @ ..] = tokens else { return None };
    let (keyword, name) = (ident(keyword)?, ident(name)?);
    if keyword != "fn" {
        return None;
    }
    let end = rest
        .iter()
        .find(|token| is_punct(token, ';') || group_in(token, Delimiter::Brace).is_some())?;
    let body = group(end)?;
    let last = body.span_close().end().line;
    Some((name, (last + 1).saturating_sub(line(keyword.span()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subjects(text: &str) -> Vec<String> {
        let tree = Tree::of(&[("crates/a/src/b.rs", text)]);
        check(&tree).into_iter().map(|finding| finding.subject).collect()
    }

    fn function_of(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    work();\n".repeat(lines - 2))
    }

    #[test]
    fn a_long_function_is_found_wherever_it_stands() {
        assert_eq!(subjects(&function_of(70)), [""; 0]);
        assert_eq!(subjects(&function_of(71)), ["crates/a/src/b.rs::long 71"]);
        let method = format!("impl A {{ pub {} }}", function_of(75));
        assert_eq!(subjects(&method), ["crates/a/src/b.rs::long 75"]);
    }

    #[test]
    fn tests_and_declarations_are_passed_over() {
        let test = format!("#[cfg(test)]\nmod tests {{\n#[test]\n{}}}", function_of(90));
        assert_eq!(subjects(&test), [""; 0]);
        let declared = format!("trait A {{ fn a(); fn b(); {} }}", "\n".repeat(90));
        assert_eq!(subjects(&declared), [""; 0]);
    }
}
