use std::ops::RangeInclusive;

use anyhow::anyhow;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// A Rust file as tokens: comments and the insides of strings are no part of them.
pub(crate) struct RustFile {
    /// Relative to the root.
    pub(crate) path: String,
    /// The whole text.
    pub(crate) text: String,
    /// The whole text as tokens; doc comments are attributes.
    pub(crate) tokens: Vec<TokenTree>,
    test_lines: Vec<RangeInclusive<usize>>,
}

impl RustFile {
    /// Lexes one file.
    ///
    /// # Errors
    /// The text is no sequence of Rust tokens.
    pub(crate) fn new(path: &str, text: &str) -> anyhow::Result<RustFile> {
        let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{path}: {error}"))?;
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut test_lines = Vec::new();
        if is_test_path(path) {
            test_lines.push(1..=usize::MAX);
        }
        find_tests(&tokens, &mut test_lines);
        Ok(RustFile { path: path.to_owned(), text: text.to_owned(), tokens, test_lines })
    }

    /// Whether a line, from 1, is part of a test.
    pub(crate) fn is_test(&self, line: usize) -> bool {
        self.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// The lines outside of tests, numbered from 1.
    pub(crate) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines()).filter(|(line, _)| !self.is_test(*line))
    }
}

/// The identifier a token is.
pub(crate) fn ident(token: &TokenTree) -> Option<&Ident> {
    if let TokenTree::Ident(ident) = token { Some(ident) } else { None }
}

/// The group a token is.
pub(crate) fn group(token: &TokenTree) -> Option<&Group> {
    if let TokenTree::Group(group) = token { Some(group) } else { None }
}

/// The group a token is, if it is in these brackets.
pub(crate) fn group_in(token: &TokenTree, brackets: Delimiter) -> Option<&Group> {
    group(token).filter(|group| group.delimiter() == brackets)
}

/// Whether a token is this punctuation.
pub(crate) fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// The attribute at the start of `tokens`, and what follows it.
pub(crate) fn attribute(tokens: &[TokenTree]) -> Option<(&Group, &[TokenTree])> {
    let [hash, rest @ ..] = tokens else { return None };
    if !is_punct(hash, '#') {
        return None;
    }
    let rest = match rest {
        [bang, rest @ ..] if is_punct(bang, '!') => rest,
        rest => rest,
    };
    let [brackets, rest @ ..] = rest else { return None };
    Some((group_in(brackets, Delimiter::Bracket)?, rest))
}

/// The tokens inside a group.
pub(crate) fn inside(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

/// The line on which a span starts, from 1.
pub(crate) fn line(span: Span) -> usize {
    span.start().line
}

/// The programs and the kit in `tests/` are code: they have tests of their own.
fn is_test_path(path: &str) -> bool {
    let path = match path.strip_prefix("tests/") {
        Some(within) if !within.starts_with("engine-tests/") => within,
        Some(_) | None => path,
    };
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

fn find_tests(tokens: &[TokenTree], found: &mut Vec<RangeInclusive<usize>>) {
    let mut rest = tokens;
    while let [first, tail @ ..] = rest {
        if let Some((brackets, after)) = attribute(rest)
            && marks_test(brackets)
        {
            found.push(line(first.span())..=last_line_of_item(after));
        } else if let Some(group) = group(first) {
            find_tests(&inside(group), found);
        }
        rest = tail;
    }
}

/// `#[test]`, or a `cfg` that holds only in tests.
fn marks_test(attribute: &Group) -> bool {
    let text: String = attribute.stream().to_string().split_whitespace().collect();
    text == "test" || text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

/// An item ends with its first braces or semicolon.
fn last_line_of_item(tokens: &[TokenTree]) -> usize {
    let end = tokens
        .iter()
        .find(|token| is_punct(token, ';') || group_in(token, Delimiter::Brace).is_some());
    end.or(tokens.last()).map_or(0, |token| token.span().end().line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_items_are_told_from_code() {
        let text = "\
fn code() {}
#[cfg(test)]
use a::b;
/// Doc.
#[test]
fn t() {
    body()
}
fn more() {}
#[cfg(not(test))]
fn also() {}
mod inner {
    #[cfg(test)]
    mod tests {
    }
}
";
        let file = RustFile::new("crates/a/src/b.rs", text).unwrap();
        let lines: Vec<usize> = file.code_lines().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 4, 9, 10, 11, 12, 16]);
    }

    #[test]
    fn whole_files_are_tests_by_path() {
        for path in
            ["crates/a/tests/it/main.rs", "tests/a/src/b/tests.rs", "tests/engine-tests/src/x.rs"]
        {
            assert!(RustFile::new(path, "fn a() {}").unwrap().is_test(1), "{path}");
        }
        assert!(!RustFile::new("tests/testkit/src/a.rs", "fn a() {}").unwrap().is_test(1));
    }
}
