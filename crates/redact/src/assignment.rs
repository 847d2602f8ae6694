use std::ops::Range;

use crate::Rule;
use crate::name::{is_secret, is_upper};
use crate::prose::phrase;
use crate::scan::Found;
use crate::shape::shape_of;
use crate::shapes::SHAPES;
use crate::value::{Context, is_placeholder, is_random, unquoted};
use crate::word::{byte, is_word_byte, skip};

/// The value assigned to the name at `word`, if the name is a secret's and the value is
/// written out.
pub(crate) fn value(text: &str, word: &Range<usize>) -> Option<Found> {
    let name = text.get(word.clone())?;
    let upper = is_upper(name);
    // `STRIPE_KEY=...`: too weak a name for anything that doesn't look random.
    let weak_name = !is_secret(name);
    if weak_name && !(upper && name.ends_with("_KEY")) {
        return None;
    }
    let site = Site::after(text, word)?;
    let rule = if site.quoted_name { Rule::JsonKey } else { Rule::Assignment };
    let span = match site.separator {
        Separator::Space if !name.starts_with("--") && !is_set(text, word.start) => return None,
        Separator::Space => unquoted(text, name, site.value, Context::Weak)?,
        Separator::Tag => element(text, word, site.value)?,
        Separator::Equals | Separator::Colon => assigned(text, name, &site)
            .or_else(|| phrase(text, site.value).filter(|_| name_ends(name, "phrase")))?,
    };
    let content = text.get(span.clone())?;
    if weak_name && !(content.len() >= 16 && is_random(content))
        || is_harmless(name, content, site.spaced)
    {
        return None;
    }
    let (rule, name) =
        shape_of(content, SHAPES).map_or((rule, rule.name()), |shape| (shape.rule, shape.name));
    Some(Found { start: span.start, end: span.end, rule, name })
}

/// Whether a value is none of a secret under this name: a shell's folder, a test's result,
/// a constant's number.
fn is_harmless(name: &str, value: &str, spaced: bool) -> bool {
    let number = value.trim_end_matches(',');
    if spaced && number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let folder = matches!(name, "PWD" | "OLDPWD" | "pwd" | "INIT_CWD");
    let path = value.starts_with(['/', '~', '\\', '.']) || value.get(1..3) == Some(":\\");
    folder && path || name.eq_ignore_ascii_case("pass") && !is_random(value)
}

/// The sign between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    /// `=`, `=>`, `:=`.
    Equals,
    /// `:`.
    Colon,
    /// Nothing but blanks, as between a flag and its argument.
    Space,
    /// The end of the XML tag that the name is.
    Tag,
}

/// Where a value starts, and what led there.
#[derive(Debug)]
struct Site {
    separator: Separator,
    /// Whether the name stood in quotes.
    quoted_name: bool,
    /// Whether there were blanks around the separator.
    spaced: bool,
    value: usize,
}

impl Site {
    /// The site of the value whose name stands at `name`.
    fn after(text: &str, name: &Range<usize>) -> Option<Site> {
        let at = name.end;
        let slashes = skip(text, at, |byte| byte == b'\\');
        let quoted_name = matches!(byte(text, slashes), Some(b'"' | b'\''));
        let at = if quoted_name { slashes + 1 } else { at };
        let bracketed = byte(text, at) == Some(b']');
        let at = at + usize::from(bracketed);
        let operator = skip(text, at, is_blank);
        let (separator, len) = match (byte(text, operator), byte(text, operator + 1)) {
            (Some(b'='), Some(b'=' | b'~')) | (Some(b':'), Some(b':')) => return None,
            (Some(b'='), Some(b'>')) | (Some(b':'), Some(b'=')) => (Separator::Equals, 2),
            (Some(b'='), _) => (Separator::Equals, 1),
            (Some(b':'), _) => (Separator::Colon, 1),
            (Some(b'>'), _) => (Separator::Tag, 1),
            // `<add key="Password" value="..."/>`, as .NET's settings have it.
            (Some(b'v'), Some(b'a')) if quoted_name && is_value(text, operator) => {
                (Separator::Equals, 6)
            }
            (Some(b','), _) if quoted_name && is_defined(text, name.start) => {
                (Separator::Equals, 1)
            }
            (Some(_), _) if operator > at => (Separator::Space, 0),
            _ => return None,
        };
        let value = skip(text, operator + len, |byte| {
            is_blank(byte) || quoted_name && byte.is_ascii_whitespace()
        });
        let spaced = operator > at || value > operator + len;
        Some(Site { separator, quoted_name: quoted_name && !bracketed, spaced, value })
    }
}

/// Whether the quoted name at `at` is a constant of PHP: `define('NAME', 'value')`.
fn is_defined(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.trim_end_matches(['"', '\'', ' ']).ends_with("define(")
}

/// Whether the name at `at` is set by fish: `set -x NAME value`.
fn is_set(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(16));
    let before = text.get(from..at).unwrap_or_default().trim_end_matches(' ');
    let flags = before.rsplit_once("set -").map(|(_, flags)| flags);
    flags.is_some_and(|flags| {
        !flags.is_empty() && flags.bytes().all(|byte| b"xgUlf".contains(&byte))
    })
}

fn is_value(text: &str, at: usize) -> bool {
    text.get(at..at + 6) == Some("value=")
}

fn name_ends(name: &str, end: &str) -> bool {
    let start = name.len().saturating_sub(end.len());
    name.get(start..).is_some_and(|last| last.eq_ignore_ascii_case(end))
}

/// The text of the XML element whose opening tag is `<name>`, if it is closed.
fn element(text: &str, name: &Range<usize>, start: usize) -> Option<Range<usize>> {
    /// No secret in an element is longer.
    const TEXT_MAX: usize = 512;
    let opened = name.start.checked_sub(1).and_then(|at| byte(text, at)) == Some(b'<');
    let rest = text.as_bytes().get(start..).filter(|_| opened)?;
    let len = rest.iter().take(TEXT_MAX).position(|&byte| matches!(byte, b'<' | b'\n'))?;
    let content = text.get(start..start + len)?;
    let closed = rest.get(len..len + 2) == Some(b"</");
    let hides = closed && !is_placeholder(content) && Rule::mark_len(content).is_none();
    hides.then(|| start..start + len)
}

/// The value at a site with an operator.
fn assigned(text: &str, name: &str, site: &Site) -> Option<Range<usize>> {
    if let Some(tripled) = tripled(text, site.value) {
        return Some(tripled);
    }
    if let Some(open) = Quote::at(text, site.value) {
        return open.content(text);
    }
    let rest = text.get(site.value..)?;
    if Rule::mark_len(rest).is_some() {
        return None;
    }
    match typed(text, site) {
        Some(Typed::Quoted(open)) => return open.content(text),
        Some(Typed::Code) => return None,
        None => {}
    }
    if let Some(decided) = header(text, name, site.value) {
        return decided;
    }
    let context = match site {
        _ if is_upper(name) => Context::Strong { upper: true },
        Site { quoted_name: true, .. } => Context::Strong { upper: false },
        Site { separator: Separator::Equals, spaced: false, .. } => {
            Context::Strong { upper: false }
        }
        Site { .. } => Context::Weak,
    };
    unquoted(text, name, site.value, context)
}

/// Range of the text between three quotes and three quotes, on one line.
fn tripled(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| rest.starts_with(quotes))?;
    let inside = rest.get(quotes.len()..)?.lines().next()?;
    let content = inside.get(..inside.find(quotes)?)?;
    let hides = !is_placeholder(content) && Rule::mark_len(content).is_none();
    let start = at + quotes.len();
    (hides && !content.is_empty()).then(|| start..start + content.len())
}

/// The value that a name with a type is set to.
enum Typed {
    /// `password: string = "..."`.
    Quoted(Quote),
    /// `TOKEN_LEN: usize = 4`.
    Code,
}

fn typed(text: &str, site: &Site) -> Option<Typed> {
    /// No type that an example would show is longer.
    const TYPE_MAX: usize = 40;
    if site.separator != Separator::Colon {
        return None;
    }
    let window = text.as_bytes().get(site.value..)?;
    let len = window
        .iter()
        .take(TYPE_MAX)
        .position(|&byte| matches!(byte, b'=' | b'\n' | b',' | b';'))?;
    let equals = site.value + len;
    if byte(text, equals) != Some(b'=') || byte(text, equals + 1) == Some(b'=') {
        return None;
    }
    let value = skip(text, equals + 1, is_blank);
    if let Some(quote) = Quote::at(text, value) {
        return Some(Typed::Quoted(quote));
    }
    let of_type = |byte: &u8| byte.is_ascii_alphanumeric() || b"_<>&':?| ".contains(byte);
    let spaced =
        value > equals + 1 && equals.checked_sub(1).and_then(|at| byte(text, at)) == Some(b' ');
    (spaced && window.iter().take(len).all(of_type)).then_some(Typed::Code)
}

/// The part that is hidden of a header `Authorization: Scheme credential` or `Cookie: a=b`;
/// `None` if the text doesn't follow either.
fn header(text: &str, name: &str, start: usize) -> Option<Option<Range<usize>>> {
    let name = name.to_ascii_lowercase();
    let cookie = name.ends_with("cookie");
    if !cookie && !name.ends_with("authorization") {
        return None;
    }
    let line = |byte: u8| !matches!(byte, b'"' | b'\'' | b'\\' | b'\n' | b'\r');
    let rest = text.get(start..)?;
    if cookie {
        let pair = skip(text, start, is_word_byte);
        let written = pair > start && byte(text, pair) == Some(b'=');
        return written.then(|| Some(start..skip(text, pair, line)));
    }
    let (scheme, _) = rest.get(..SCHEME_MAX.min(rest.len()))?.split_once(' ')?;
    if !is_scheme(scheme) {
        return None;
    }
    let start = start + scheme.len() + 1;
    let first = start..skip(text, start, |byte| line(byte) && !is_blank(byte));
    let first = text.get(first)?;
    let written = is_random(first) && Rule::mark_len(first).is_none();
    Some(written.then(|| start..skip(text, start, line)))
}

/// The schemes of the header `Authorization` (IANA's registry and what is used beside it).
const SCHEMES: &[&str] =
    &["apikey", "aws4-hmac-sha256", "basic", "bearer", "digest", "negotiate", "token"];

fn is_scheme(word: &str) -> bool {
    SCHEMES.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// No scheme and the blank after it are longer.
const SCHEME_MAX: usize = 17;

/// An opening quote: in an encoded string, backslashes stand before it.
#[derive(Clone, Copy, Debug)]
struct Quote {
    slashes: usize,
    mark: u8,
    content: usize,
}

impl Quote {
    fn at(text: &str, at: usize) -> Option<Quote> {
        // `f"..."`, `rb'...'`: what kind of string it is, in Python, Rust and others.
        let letters = text.as_bytes().get(at..)?.iter().take(2);
        let kind = letters.take_while(|&byte| b"bBfFrRuU".contains(byte)).count();
        let at = at + kind;
        let open = skip(text, at, |byte| byte == b'\\');
        let mark = byte(text, open).filter(|mark| matches!(mark, b'"' | b'\'' | b'`'))?;
        Some(Quote { slashes: open - at, mark, content: open + 1 })
    }

    /// Range of the text between the quotes, to the end of the line at most, if it is worth hiding.
    fn content(self, text: &str) -> Option<Range<usize>> {
        let rest = text.get(self.content..)?;
        // Decided before the closing quote is searched, so that no byte is searched twice.
        let open =
            ["$", "<", "{", "*", "...", "\u{2026}"].iter().any(|start| rest.starts_with(start));
        if open || Rule::mark_len(rest).is_some() {
            return None;
        }
        let len = self.closing(rest);
        // A quote that closes what stands before it opens what stands behind it.
        let content = rest.get(..len).filter(|content| content.contains(char::is_alphanumeric))?;
        let (scheme, credential) = content.split_once(' ').unwrap_or_default();
        let templated = is_scheme(scheme) && is_placeholder(credential);
        (!is_placeholder(content) && !templated).then(|| self.content..self.content + len)
    }

    /// The length of the content, without the backslashes before the closing quote.
    fn closing(self, rest: &str) -> usize {
        let mut slashes = 0;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'\\' => slashes += 1,
                b'\n' | b'\r' => return at,
                byte if byte == self.mark => {
                    let escaped =
                        if self.slashes == 0 { slashes % 2 == 1 } else { slashes > self.slashes };
                    if !escaped {
                        return at - slashes.min(self.slashes);
                    }
                    slashes = 0;
                }
                _ => slashes = 0,
            }
        }
        rest.len()
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
