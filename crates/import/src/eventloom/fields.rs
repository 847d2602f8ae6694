//! A line of JSON with every number and string as it was written.
//!
//! A hash is taken over canonical JSON, and what is canonical differs between languages in
//! how numbers and strings are written: so both have to be kept as they came.

use serde::de::IgnoredAny;

use crate::eventloom::literal::decode;

/// A value as it was written.
#[derive(Debug)]
pub(crate) enum Node<'a> {
    /// A string, number or literal: its text in the line.
    Scalar(&'a str),
    Array(Vec<Node<'a>>),
    Object(Fields<'a>),
}

/// An object's fields in the order of the line; no name comes twice.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a>(Vec<(String, Node<'a>)>);

impl<'a> Fields<'a> {
    /// Reads a line that is one JSON object, nested at most 128 deep.
    pub(crate) fn parse(line: &'a str) -> Result<Fields<'a>, String> {
        if let Err(error) = serde_json::from_str::<IgnoredAny>(line) {
            return Err(format!("the line is not JSON: {error}"));
        }
        if !line.starts_with('{') || !line.ends_with('}') {
            return Err("the line is not one JSON object".to_owned());
        }
        let mut parser = Parser { line, at: 0 };
        match parser.value()? {
            Node::Object(fields) => Ok(fields),
            Node::Scalar(_) | Node::Array(_) => Err("the line is no JSON object".to_owned()),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Node<'a>> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, node)| node)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(String, Node<'a>)> {
        self.0.iter()
    }
}

impl<'a> Node<'a> {
    /// The text of a scalar; of an empty array too, as it has no other.
    pub(crate) fn raw(&self) -> &'a str {
        match self {
            Node::Scalar(raw) => raw,
            Node::Array(items) if items.is_empty() => "[]",
            Node::Array(_) | Node::Object(_) => "",
        }
    }

    /// The content of a string without escapes.
    pub(crate) fn plain_string(&self) -> Option<&'a str> {
        let content = self.raw().strip_prefix('"')?.strip_suffix('"')?;
        (!content.contains('\\')).then_some(content)
    }
}

/// Walks over JSON that `serde_json` has checked, its limit on depth included.
struct Parser<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self) -> Result<Node<'a>, String> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => {
                let mut items = Vec::new();
                while self.member(b']') {
                    items.push(self.value()?);
                }
                Ok(Node::Array(items))
            }
            Some(b'"') => self.string().map(Node::Scalar),
            Some(_) | None => {
                let ends = |byte: u8| byte.is_ascii_whitespace() || b",]}".contains(&byte);
                let start = self.at;
                while self.peek().is_some_and(|byte| !ends(byte)) {
                    self.at += 1;
                }
                Ok(Node::Scalar(self.line.get(start..self.at).unwrap_or_default()))
            }
        }
    }

    fn object(&mut self) -> Result<Node<'a>, String> {
        let mut fields = Vec::new();
        while self.member(b'}') {
            self.blanks();
            let name: String = decode(self.string()?).map(replace_surrogate).collect();
            self.blanks();
            // The colon.
            self.at += 1;
            fields.push((name, self.value()?));
        }
        let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let twice = names.iter().zip(names.iter().skip(1)).find(|(name, next)| name == next);
        match twice {
            // Programs differ in which of the two they read.
            Some((name, _)) => Err(format!("`{name}` comes twice in one object")),
            None => Ok(Node::Object(Fields(fields))),
        }
    }

    /// Steps over an opening bracket or a comma; `false`, and over it, at the closing one.
    fn member(&mut self, close: u8) -> bool {
        self.blanks();
        let opening = matches!(self.peek(), Some(b'{' | b'[' | b','));
        self.at += 1;
        self.blanks();
        if !opening || self.peek().is_none() {
            return false;
        }
        let closes = self.peek() == Some(close);
        self.at += usize::from(closes);
        !closes
    }

    fn string(&mut self) -> Result<&'a str, String> {
        let start = self.at;
        let mut escaped = false;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'"' && !escaped {
                break;
            }
            escaped = byte == b'\\' && !escaped;
        }
        let literal = self.line.get(start..self.at).unwrap_or_default();
        if capital_escape(literal) {
            // It would hash the same, so a changed byte would go unseen.
            return Err("an escape has capital digits, as no writer of these logs has".to_owned());
        }
        Ok(literal)
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }
}

/// Whether a string literal has an escape like `\u00E9`.
fn capital_escape(literal: &str) -> bool {
    let mut bytes = literal.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' && bytes.next() == Some(b'u') {
            let digits = bytes.by_ref().take(4);
            if digits.into_iter().any(|digit| digit.is_ascii_uppercase()) {
                return true;
            }
        }
    }
    false
}

/// A code point as a character; half a surrogate pair is none.
fn replace_surrogate(point: u32) -> char {
    char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)
}
