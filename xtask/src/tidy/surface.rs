use proc_macro2::{Delimiter, TokenTree};

use super::finding::Finding;
use super::rust::{attribute, group_in, ident, is_punct, line};
use super::tree::Tree;

/// A `lib.rs` holds its doc, `mod name;`, `pub use` and attributes, nothing else.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust().iter().filter(|file| file.path.ends_with("src/lib.rs")) {
        if !file.text.trim_start().starts_with("//!") {
            let message = "begin with `//!` and a sentence that says what the crate is";
            found.push(Finding::new("surface", &file.path, 1, message));
        }
        for line in other_items(&file.tokens) {
            let message = "only `mod name;` and `pub use` belong here: move this to a module";
            found.push(Finding::new("surface", &file.path, line, message));
        }
    }
    found
}

/// The lines of the items that are neither `mod name;` nor `pub use`.
pub(super) fn other_items(tokens: &[TokenTree]) -> Vec<usize> {
    let mut others = Vec::new();
    let mut rest = tokens;
    while let [first, ..] = rest {
        if let Some((_, after)) = attribute(rest) {
            rest = after;
            continue;
        }
        let (item, after) = split_item(rest);
        if !is_module(item) && !is_reexport(item) {
            others.push(line(first.span()));
        }
        rest = after;
    }
    others
}

/// An item with its first semicolon, or its braces where they end it.
fn split_item(tokens: &[TokenTree]) -> (&[TokenTree], &[TokenTree]) {
    let is_use = |before: &[TokenTree]| before.iter().filter_map(ident).any(|word| word == "use");
    for (count, token) in (1..).zip(tokens) {
        let (item, after) = tokens.split_at_checked(count).unwrap_or((tokens, &[]));
        let ends =
            is_punct(token, ';') || (group_in(token, Delimiter::Brace).is_some() && !is_use(item));
        if ends {
            return (item, after);
        }
    }
    (tokens, &[])
}

fn is_module(item: &[TokenTree]) -> bool {
    let [keyword, _, end] = without_visibility(item) else { return false };
    ident(keyword).is_some_and(|word| word == "mod") && is_punct(end, ';')
}

fn is_reexport(item: &[TokenTree]) -> bool {
    let rest = without_visibility(item);
    let is_use = rest.first().and_then(ident).is_some_and(|word| word == "use");
    is_use && rest.len() < item.len()
}

fn without_visibility(item: &[TokenTree]) -> &[TokenTree] {
    match item {
        [visibility, rest @ ..] if ident(visibility).is_some_and(|word| word == "pub") => {
            match rest {
                [scope, rest @ ..] if group_in(scope, Delimiter::Parenthesis).is_some() => rest,
                rest => rest,
            }
        }
        item => item,
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::lines;
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        lines(&check(&Tree::of(&[("crates/a/src/lib.rs", text)])))
    }

    #[test]
    fn a_list_of_modules_and_exports_is_clean() {
        let text = "//! What it is.\n#![forbid(x)]\nmod a;\n/// Doc.\npub mod b;\n\
            pub(crate) mod c;\n#[cfg(test)]\nmod tests;\npub use a::{A, b::B};\npub use c::C as D;\n";
        assert_eq!(found(text), [0; 0]);
    }

    #[test]
    fn anything_else_is_found() {
        let text = "//! What it is.\nmod a;\nfn f() {}\nuse a::A;\nmod inline {\n}\n\
            const A: [u8; 1] = [1];\npub use a::A;\nstruct S { a: u8 }\npub fn g() {}\n";
        assert_eq!(found(text), [3, 4, 5, 7, 9, 10]);
    }

    #[test]
    fn a_missing_crate_doc_is_found() {
        assert_eq!(found("mod a;\n"), [1]);
    }
}
