//! Secrets told in a sentence: "my password is ...", "the token for x is ...".

use std::ops::Range;

use crate::Rule;
use crate::name::is_secret;
use crate::noun::Noun;
use crate::value::{is_placeholder, is_random};
use crate::word::{byte, skip};

/// Words of prose that stand between a secret's name and its value.
const COPULAS: &[&str] = &[
    "is", "was", "are", "equals", "has", "became", "ist", "lautet", "est", "es", "\u{e8}",
    "\u{e9}", "=",
];

/// Words between both in writing without blanks.
const JOINED: &[&str] =
    &["\u{306f}", "\u{662f}", "\u{ff1a}", "\u{b294}", "\u{c740}", ", it's", ", it is"];

/// Words that tell what a secret is for.
const PREPOSITIONS: &[&str] = &[
    "for", "of", "to", "on", "in", "at", "from", "behind", "there", "here", "f\u{fc}r", "von",
    "zum", "zur", "im", "vom", "de", "del", "du", "para", "pour", "do", "da",
];

/// Words between a copula and a value.
const FILLERS: &[&str] = &[
    "now",
    "currently",
    "still",
    "just",
    "simply",
    "set",
    "to",
    "been",
    "changed",
    "reset",
    "updated",
    "rotated",
];

/// Words for the owner of a password that is told as a plain word.
const OWNERS: &[&str] = &["my", "our", "his", "her", "their", "your"];

/// Words that say something of a password and are none.
const ABOUT: &[&str] = &[
    "bad",
    "better",
    "blank",
    "case",
    "correct",
    "different",
    "empty",
    "enough",
    "fine",
    "first",
    "gone",
    "good",
    "here",
    "invalid",
    "known",
    "long",
    "lost",
    "mandatory",
    "missing",
    "necessary",
    "needed",
    "never",
    "new",
    "next",
    "okay",
    "only",
    "optional",
    "private",
    "public",
    "required",
    "right",
    "safe",
    "same",
    "secret",
    "secure",
    "sent",
    "short",
    "shown",
    "simple",
    "strong",
    "terrible",
    "there",
    "these",
    "this",
    "true",
    "unique",
    "unknown",
    "unsafe",
    "valid",
    "weak",
    "what",
    "where",
    "wrong",
    "yours",
    "mine",
    "back",
    "leaked",
    "public",
    "complex",
    "local",
    "read",
    "set",
    "kept",
    "held",
    "written",
];

/// Words that no passphrase of drawn words has.
const OF_SENTENCES: &[&str] = &[
    "the", "and", "for", "you", "your", "are", "was", "not", "with", "that", "this", "from",
    "must", "should", "will", "can", "may", "use", "used", "using", "has", "have", "when", "what",
    "which", "how", "all", "any", "none", "new", "see", "enter", "type", "required", "optional",
    "string", "value", "text", "only", "its", "our", "their", "but", "into", "than", "then",
    "there", "here", "word", "words", "phrase", "password", "key", "secret", "protects", "unlocks",
    "asked",
];

/// Pieces of technical words, which mix letters and digits too.
const TECHNICAL: &[&str] = &[
    "sha1", "sha2", "sha5", "sha-", "sha3", "md5", "base64", "base32", "utf", "aes", "rsa",
    "pbkdf", "argon", "bcrypt", "scrypt", "hs256", "hs512", "rs256", "es256", "ed25519", "oauth",
    "http", "rfc", "x509", "x25519", "ipv", "hmac", "hex", "ascii", "blake", "p256", "ssl", "tls",
];

/// How far behind its name a secret is looked for.
const SENTENCE_MAX: usize = 120;

/// The secret that a sentence tells whose name is the word `name`, if it is one.
pub(crate) fn named(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let start = copula(text, name.end);
    is_secret(text.get(name.clone())?).then(|| value_at(text, name, start))?
}

/// The secret whose noun, which no assignment has, stands at `name`: also behind a colon.
pub(crate) fn value(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let end = name.start + text.get(name.clone())?.trim_end().len();
    let colon = skip(text, end, is_blank);
    let behind = (byte(text, colon) == Some(b':')).then(|| filled(text, colon + 1));
    value_at(text, &(name.start..end), behind.or_else(|| copula(text, end)))
}

/// The secret of a login at `at`, the part behind the slash: "login: NAME / PASSWORD".
pub(crate) fn login(text: &str, at: usize) -> Option<Range<usize>> {
    let name = word(text, skip(text, at, is_blank));
    let end = skip(text, at, is_blank) + name.split('/').next()?.len();
    let slash = skip(text, end, is_blank);
    let start = skip(text, slash + 1, is_blank);
    let password = word(text, start);
    let is_pair = byte(text, slash) == Some(b'/') && end > at && byte(text, start) != Some(b'/');
    (is_pair && is_password(password) && !is_placeholder(password))
        .then(|| start..start + password.len())
}

/// The secret that a sentence tells, whose name stands at `name`, and which begins at `start`.
fn value_at(text: &str, name: &Range<usize>, start: Option<usize>) -> Option<Range<usize>> {
    let noun = Noun::of(text.get(name.clone())?);
    // What a name piece begins is looked at as a word; the others have to be one.
    let before = text.get(..name.start)?.chars().next_back();
    if before.is_some_and(char::is_alphabetic) {
        return None;
    }
    let name = name.start..name.start + text.get(name.clone())?.trim_end().len();
    let Some(start) = start else { return given(text, &name, noun) };
    let rest = text.get(start..)?;
    if Rule::mark_len(rest).is_some() {
        return None;
    }
    if let Some(quoted) = quoted(text, start) {
        let content = text.get(quoted.clone())?;
        let marked = Rule::mark_len(content).is_some();
        // A quote before a blank closes what the sentence stands in; a name and an address
        // in quotes are somebody's.
        let other = content.starts_with(' ') || content.contains("://") || content.contains(" <");
        let hides = !marked && !other && !is_placeholder(content) && !ABOUT.contains(&content);
        return (hides && (noun.is_chosen() || is_token(content))).then_some(quoted);
    }
    if noun == Noun::Phrase
        && let Some(phrase) = phrase(text, start)
    {
        return Some(phrase);
    }
    let word = word(text, start);
    // What ends a sentence can be a password's last sign.
    let core = word.trim_end_matches(['!', '?']);
    let hides = match noun {
        Noun::Password | Noun::Phrase => {
            is_password(core) || owned(text, name.start) && is_told(text, start, core)
        }
        Noun::Code => is_code(core),
        Noun::Token => is_token(core),
    };
    (hides && !is_placeholder(core)).then(|| start..start + word.len())
}

/// The secret that is handed over without a verb: "with password X", "set the password to X",
/// "use token X".
fn given(text: &str, name: &Range<usize>, noun: Noun) -> Option<Range<usize>> {
    let mut start = skip(text, name.end, is_blank);
    if let Some(to) = text.get(start..)?.strip_prefix("to ")
        && noun == Noun::Password
    {
        start = text.len() - to.trim_start_matches(' ').len();
    }
    if start == name.end {
        return None;
    }
    let word = word(text, start);
    let core = word.trim_end_matches(['!', '?']);
    let mixed = core.bytes().any(|byte| byte.is_ascii_digit())
        && core.bytes().any(|byte| byte.is_ascii_alphabetic());
    let hides = match noun {
        Noun::Password => mixed && is_password(core),
        Noun::Token => core.len() >= TOKEN_MIN && is_token(core),
        Noun::Phrase | Noun::Code => false,
    };
    (hides && !is_placeholder(core)).then(|| start..start + word.len())
}

/// A word that only its name makes a token has so many bytes: what follows a name directly is
/// mostly the rest of a sentence.
const TOKEN_MIN: usize = 20;

/// The word that begins at `start`, without what ends a sentence.
fn word(text: &str, start: usize) -> &str {
    let end =
        skip(text, start, |byte| !byte.is_ascii_whitespace() && !is_quote(byte) && byte != b'\\');
    let mut end = end.min(start + WORD_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let word = text.get(start..end).unwrap_or_default();
    word.trim_end_matches(['.', ',', ';', ':', ')', '\u{3002}'])
}

/// Whether a word is a code that one types: four to ten digits.
fn is_code(word: &str) -> bool {
    (4..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// No secret in a sentence is longer.
const WORD_MAX: usize = 256;

/// Where a value starts whose name ends at `at`: behind "is", or "for the database is".
fn copula(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if let Some(joined) = JOINED.iter().find(|joined| rest.starts_with(**joined)) {
        return Some(filled(text, at + joined.len()));
    }
    let mut words = 0;
    let mut at = at;
    let limit = at + SENTENCE_MAX;
    loop {
        let start = skip(text, at, is_blank);
        if start == at {
            return None;
        }
        let letters = text.as_bytes().get(start..)?.iter().take(SENTENCE_MAX);
        let end = start + letters.take_while(|byte| !byte.is_ascii_whitespace()).count();
        let word = text.get(start..end).filter(|word| !word.is_empty())?;
        if end > limit {
            return None;
        }
        if COPULAS.contains(&word.trim_end_matches(':')) {
            return Some(filled(text, end));
        }
        if words == 0 && !PREPOSITIONS.contains(&word) {
            return None;
        }
        if word.ends_with([',', ';', '.', '!', '?', ')']) {
            return None;
        }
        if word.ends_with(':') && words > 0 {
            return Some(filled(text, end));
        }
        words += 1;
        at = end;
    }
}

/// Where a value starts behind the words that may stand before it.
fn filled(text: &str, at: usize) -> usize {
    let mut at = skip(text, at, |byte| is_blank(byte) || byte == b':');
    for _ in 0..3 {
        let end = skip(text, at, |byte| byte.is_ascii_alphabetic());
        let filler = text.get(at..end).is_some_and(|word| FILLERS.contains(&word));
        if !filler || !byte(text, end).is_some_and(|byte| is_blank(byte) || byte == b':') {
            break;
        }
        at = skip(text, end, |byte| is_blank(byte) || byte == b':');
    }
    at
}

/// Range of the text in quotes at `at`, on one line.
fn quoted(text: &str, at: usize) -> Option<Range<usize>> {
    let open = skip(text, at, |byte| matches!(byte, b'*' | b'\\')).min(at + 3);
    let quote = byte(text, open).filter(|byte| is_quote(*byte))?;
    let rest = text.as_bytes().get(open + 1..)?;
    let len = rest
        .iter()
        .take(WORD_MAX)
        .position(|&byte| byte == quote || matches!(byte, b'\n' | b'\\'))?;
    (len > 0).then_some(open + 1..open + 1 + len)
}

/// A passphrase of drawn words at `at`, to the end of its line or sentence.
///
/// Three words or more, of small letters alone, of which none makes a sentence; or joined
/// by dashes.
pub(crate) fn phrase(text: &str, at: usize) -> Option<Range<usize>> {
    const PHRASE_MAX: usize = 160;
    let rest = text.as_bytes().get(at..)?;
    let phrase = rest.iter().take(PHRASE_MAX + 1);
    let len = phrase.take_while(|&&byte| byte.is_ascii_lowercase() || byte == b' ' || byte == b'-');
    let len = len.count();
    let phrase = text.get(at..at + len)?.trim_end();
    let next = byte(text, at + len);
    let ends = next.is_none_or(|byte| {
        matches!(byte, b'\n' | b'\r' | b'.' | b'"' | b'\'' | b'`' | b'\\' | b'<' | b',')
    });
    let separator = if phrase.contains(' ') { ' ' } else { '-' };
    let drawn = |word: &str| {
        (3..=12).contains(&word.len()) && !OF_SENTENCES.contains(&word) && !word.contains('-')
    };
    let words = phrase.split(separator);
    let fits = len <= PHRASE_MAX && ends && words.clone().count() >= 3 && words.clone().all(drawn);
    fits.then(|| at..at + phrase.len())
}

/// Whether the word before `at` says whose password it is.
fn owned(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().as_bytes();
    let blanks = before.iter().rev().take_while(|&&byte| is_blank(byte)).count();
    let end = before.len() - blanks;
    // `my wifi password`: one word may stand between.
    let mut at = end;
    for _ in 0..2 {
        let letters = before.get(..at).unwrap_or_default().iter().rev().take(WORD_MAX);
        let len = letters.take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = text.get(at - len..at).unwrap_or_default().to_ascii_lowercase();
        if OWNERS.contains(&word.as_str()) {
            return true;
        }
        at = (at - len).saturating_sub(1);
    }
    false
}

/// Whether a plain word at the end of a sentence is told as a password.
fn is_told(text: &str, start: usize, word: &str) -> bool {
    let next = byte(text, start + word.len());
    let after = byte(text, start + word.len() + 1);
    let ends = match next {
        None | Some(b'\n' | b'\r' | b'"' | b'\\') => true,
        Some(b'.' | b'!') => {
            after.is_none_or(|byte| byte.is_ascii_whitespace() || byte == b'"' || byte == b'\\')
        }
        Some(_) => false,
    };
    let about = ["ed", "ing", "able", "ible", "ly", "ful", "less"];
    let about = about.iter().any(|end| word.ends_with(end)) || ABOUT.contains(&word);
    let letters = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    word.len() >= 4 && letters && ends && !about
}

/// Whether a word mixes letters with digits or signs as passwords do, and no other word does.
fn is_password(word: &str) -> bool {
    let digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let sign = word.bytes().any(|byte| b"!@#$%^&*+?".contains(&byte));
    (5..=WORD_MAX).contains(&word.len()) && letters >= 2 && (digit || sign) && !is_plain(word)
}

/// Whether a word looks like a token.
fn is_token(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    word.len() >= 10 && digits >= 2 && is_random(word) && !is_plain(word)
}

/// Whether a word with digits is a measure, a technical term, a place, an address or code.
fn is_plain(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let digits = lower.bytes().take_while(u8::is_ascii_digit).count();
    let unit = lower.get(digits..).unwrap_or_default();
    let measure = (1..=4).contains(&digits)
        && unit.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'%' | b'+'));
    let technical = TECHNICAL.iter().any(|piece| lower.contains(piece));
    let code = ["::", "://", "(", "[", "{", "<", "/", "&quot", "&amp", "&lt", "&gt", "&#"];
    let code = code.iter().any(|piece| lower.contains(piece));
    let address = lower.contains('@') && lower.contains('.') && !lower.starts_with('@');
    measure || technical || code || address || lower.starts_with(['#', '@', '&', '-'])
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
