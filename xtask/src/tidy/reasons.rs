use proc_macro2::{Delimiter, TokenTree};

use super::finding::Finding;
use super::rust::{RustFile, attribute, group, group_in, ident, inside, line};
use super::tree::Tree;

/// Every lint that is lifted says why, in the attribute itself.
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
        if let Some((brackets, after)) = attribute(rest) {
            if lifts_without_reason(&inside(brackets)) {
                let message = "add `reason = \"...\"`, and prefer `expect` to `allow`";
                found.push(Finding::new("reason", &file.path, line(first.span()), message));
            }
            rest = after;
            continue;
        }
        if let Some(group) = group(first) {
            visit(file, &inside(group), found);
        }
        rest = tail;
    }
}

/// Whether `allow(...)` or `expect(...)` stands here, also within `cfg_attr`, without a reason.
fn lifts_without_reason(attribute: &[TokenTree]) -> bool {
    let mut rest = attribute;
    while let [first, tail @ ..] = rest {
        if let Some(group) = group(first) {
            let tokens = inside(group);
            if lifts_without_reason(&tokens) {
                return true;
            }
        }
        let lints = tail.first().and_then(|token| group_in(token, Delimiter::Parenthesis));
        if let (Some(word), Some(lints)) = (ident(first), lints)
            && (word == "allow" || word == "expect")
            && !inside(lints).iter().filter_map(ident).any(|word| word == "reason")
        {
            return true;
        }
        rest = tail;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::finding::lines;
    use super::*;

    #[test]
    fn a_lifted_lint_without_a_reason_is_found() {
        let text = "\
#![allow(dead_code)]
#[expect(clippy::x)]
fn f() {
    #[allow(clippy::y, reason = \"because\")]
    let a = option.expect(\"text\");
    // #[allow(z)]
    \"#[allow(z)]\"
}
#[cfg_attr(test, allow(w))]
macro_rules! m { () => { #[allow(v)] fn g() {} } }
#[doc = \"allow(z)\"]
#[expect(clippy::x, reason = \"because\")]
fn h() {}
";
        let tree = Tree::of(&[("crates/a/src/b.rs", text)]);
        assert_eq!(lines(&check(&tree)), [1, 2, 9, 10]);
    }
}
