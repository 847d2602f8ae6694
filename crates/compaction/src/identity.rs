use std::collections::{BTreeMap, BTreeSet};

use memlith_event::IdentityKind;

/// Something that a text names, so that it can be asked for by name.
///
/// By byte order of kind and text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The sort of thing it is.
    pub kind: IdentityKind,
    /// Its name, as it is written; of a session its key in 32 hex digits.
    pub text: String,
}

/// A name in a text, with its sort, before it is written down.
pub(crate) type Named<'a> = (IdentityKind, &'a str);

/// No identity is longer, in bytes.
pub const IDENTITY_BYTES_MAX: usize = 96;

/// No summary lists more identities; those of the most salient sources are kept.
pub const IDENTITIES_MAX: usize = 512;

/// No text names more.
const OF_TEXT_MAX: usize = 64;

/// An ending of a file name is no longer.
const ENDING_MAX: usize = 5;

impl Identity {
    pub(crate) fn of((kind, text): Named<'_>) -> Identity {
        Identity { kind, text: text.to_owned() }
    }
}

/// Names in a text, each once; the first 64. Cost: linear in the text.
///
/// Coarse on purpose, and the same everywhere: no model, no list of names.
pub(crate) fn named(text: &str) -> BTreeSet<Named<'_>> {
    let mut found = BTreeSet::new();
    // At the beginning, and behind a stop or the end of a line, a capital says nothing.
    let mut begins = true;
    for line in text.split('\n') {
        begins |= !line.is_empty();
        for part in line.split(separates).filter(|part| !part.is_empty()) {
            let bare = part.trim_matches(['.', ':', '!', '?', '-', '*']);
            if let Some(kind) = kind_of(bare, begins)
                && found.len() < OF_TEXT_MAX
            {
                found.insert((kind, bare));
            }
            begins = part.ends_with(['.', ':', '!', '?']);
        }
        begins = true;
    }
    found
}

/// The identities of most weight, by byte order.
pub(crate) fn heaviest(of: &BTreeMap<Named<'_>, u64>) -> Vec<Identity> {
    let mut by_weight: Vec<(&Named<'_>, &u64)> = of.iter().collect();
    by_weight.sort_by(|one, other| other.1.cmp(one.1).then_with(|| one.0.cmp(other.0)));
    by_weight.truncate(IDENTITIES_MAX);
    let mut kept: Vec<Identity> =
        by_weight.into_iter().map(|(named, _)| Identity::of(*named)).collect();
    kept.sort_unstable();
    kept
}

/// An entity as far as it can be an identity.
pub(crate) fn entity(text: &str) -> Option<Named<'_>> {
    let text = text.trim();
    let fits = !text.is_empty() && text.len() <= IDENTITY_BYTES_MAX;
    fits.then_some((IdentityKind::Entity, text))
}

fn separates(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\''
                | '`'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | ','
                | ';'
                | '|'
                | '='
        )
        || matches!(c, '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}')
}

fn kind_of(word: &str, begins: bool) -> Option<IdentityKind> {
    let plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if plain || word.len() < 2 || word.len() > IDENTITY_BYTES_MAX {
        return None;
    }
    if is_path(word) {
        return Some(IdentityKind::Path);
    }
    if is_id(word) {
        return Some(IdentityKind::Id);
    }
    is_name(word, begins).then_some(IdentityKind::Name)
}

fn is_path(word: &str) -> bool {
    if !word.contains(char::is_alphabetic) {
        return false;
    }
    let slashes = word.matches(['/', '\\']).count();
    let rooted = word.starts_with(['/', '~', '\\']) && word.len() > 2;
    slashes > 1 || (slashes == 1 && (rooted || word.contains('.'))) || is_file(word)
}

/// Whether a word is a name, a point and a short ending.
fn is_file(word: &str) -> bool {
    let Some((name, ending)) = word.rsplit_once('.') else { return false };
    let named = name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    let ends = (1..=ENDING_MAX).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_lowercase())
        && ending.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    named && ends
}

fn is_id(word: &str) -> bool {
    let digit = word.contains(|c: char| c.is_ascii_digit());
    let letter = word.contains(char::is_alphabetic);
    if digit && (letter || word.starts_with('#')) {
        return true;
    }
    let inner = word.trim_matches('_');
    letter && (word.contains("::") || inner.contains('_') || has_hump(word))
}

/// Whether a capital follows a small letter, as in `maxRecords`.
fn has_hump(word: &str) -> bool {
    let next = word.chars().skip(1);
    word.chars().zip(next).any(|(one, other)| one.is_lowercase() && other.is_uppercase())
}

fn is_name(word: &str, begins: bool) -> bool {
    let letters = word.chars().all(|c| c.is_alphabetic() || c == '-');
    let capital = word.starts_with(char::is_uppercase);
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let acronym = capitals > 1 && !word.contains(char::is_lowercase);
    letters && capital && (acronym || !begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Named<'_>]) {
        assert_eq!(named(text).into_iter().collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn a_text_names_things() {
        use IdentityKind::{Id, Name, Path};
        check("nothing here. Really, I mean it", &[]);
        check(
            "Fixed src/log/wal.rs and notes.md, see https://host/page.",
            &[(Path, "https://host/page"), (Path, "notes.md"), (Path, "src/log/wal.rs")],
        );
        check("either/or is no path, 1/2 neither, e.g. this", &[]);
        check("/tmp ~/x a/b.c", &[(Path, "/tmp"), (Path, "a/b.c"), (Path, "~/x")]);
        check("ABC-123 (#42) v2 42 2026-06-01", &[(Id, "#42"), (Id, "ABC-123"), (Id, "v2")]);
        check(
            "retry_budget maxRecords queue::Worker _x",
            &[(Id, "maxRecords"), (Id, "queue::Worker"), (Id, "retry_budget")],
        );
        check(
            "Today Ana met Jean-Luc. Then NATO: Boom",
            &[(Name, "Ana"), (Name, "Jean-Luc"), (Name, "NATO")],
        );
        check("a\nBob and Bo's dog", &[(Name, "Bo")]);
    }

    #[test]
    fn identities_are_bounded() {
        let long = format!("x1{}", "a".repeat(IDENTITY_BYTES_MAX));
        assert!(named(&long).is_empty() && entity(&long).is_none() && entity(" ").is_none());
        let many: Vec<String> = (0..100).map(|number| format!("id{number}")).collect();
        assert_eq!(named(&many.join(" ")).len(), OF_TEXT_MAX);
        let texts: Vec<String> =
            (0..IDENTITIES_MAX + 9).map(|number| format!("{number:04}")).collect();
        let weigh = |(text, weight): (&'_ String, u64)| ((IdentityKind::Id, text.clone()), weight);
        let owned: Vec<_> = texts.iter().zip(1..).map(weigh).collect();
        let map =
            owned.iter().map(|((kind, text), weight)| ((*kind, text.as_str()), *weight)).collect();
        let kept = heaviest(&map);
        assert_eq!(kept.len(), IDENTITIES_MAX);
        assert_eq!(kept[0].text, "0009");
    }
}
