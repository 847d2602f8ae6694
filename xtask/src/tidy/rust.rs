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
}

impl RustFile {
    /// Lexes one file.
    ///
    /// # Errors
    /// The text is no sequence of Rust tokens.
    pub(crate) fn new(path: &str, text: &str) -> anyhow::Result<RustFile> {
        let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{path}: {error}"))?;
        let tokens = tokens.into_iter().collect();
        Ok(RustFile { path: path.to_owned(), text: text.to_owned(), tokens })
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
