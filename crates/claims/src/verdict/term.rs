use memlith_text::{Sort, Token, Word, is_exact, tokens};

use super::words::{Known, Section, known};

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// In lower case, without a possessive ending.
    pub(super) text: String,
    /// Its stem; of a value what is compared letter for letter.
    pub(super) key: String,
    pub(super) kind: Kind,
    /// Whether it says something: neither a function word nor a word of change.
    pub(super) content: bool,
    /// Whether a comma or another sign that ends a part stands before it.
    pub(super) broken: bool,
    /// Whether it is a time that comes again: "Mondays".
    pub(super) recurs: bool,
    /// Whether it stands in the possessive: "Ana's".
    pub(super) owner: bool,
    /// Its sections in the word lists.
    pub(super) known: Known,
}

/// The kind of value that a word is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number with the unit that its form names; empty where none does.
    Amount(String),
    Clock,
    Day,
    Date,
    Often,
    /// An identifier, a path, a version.
    Code,
    /// A word with a capital that begins no sentence.
    Name,
    Plain,
}

/// A longer text is compared by its words alone.
const TERMS_MAX: usize = 160;

impl Term {
    /// Takes a text apart; none where it has too many words.
    pub(super) fn all(text: &str) -> Option<Vec<Term>> {
        let text = text.replace("->", " arrow ").replace(['\u{2192}', '\u{21d2}'], " arrow ");
        let tokens = tokens(&text, TERMS_MAX)?;
        let mut terms = Vec::new();
        let (mut at, mut broken) = (0, false);
        while let Some(token) = tokens.get(at) {
            let (word, count) = Word::at(&tokens, at)?;
            let last = tokens.get(at + count - 1).unwrap_or(token);
            let written = text.get(token.range.start..last.range.end).unwrap_or_default();
            // "Favourite food: pizza" is one thing.
            let before = text.get(..token.range.start).unwrap_or_default();
            let colon = before.trim_end().ends_with(':');
            broken |= token.broken && !colon && !terms.is_empty();
            let mut all = Term::of(&word, token, written);
            if let Some(first) = all.first_mut() {
                first.broken = broken;
            }
            terms.append(&mut all);
            (at, broken) = (at + count, false);
        }
        Some(terms)
    }

    /// The term of a word; two of one that is run together with "not".
    fn of(word: &Word, token: &Token, written: &str) -> Vec<Term> {
        let mut text = word.text.clone();
        let mut rest = None;
        if let Some(verb) = text.strip_suffix("n't") {
            (text, rest) = (verb.to_owned(), Some("not"));
        } else if let Some((one, ending)) = text.split_once('\'') {
            (text, rest) = match ending {
                "s" | "re" | "m" => (one.to_owned(), Some("is")),
                "ve" => (one.to_owned(), Some("have")),
                "ll" => (one.to_owned(), Some("will")),
                "d" => (one.to_owned(), Some("would")),
                _ => (text, None),
            };
        }
        let raw = written.trim_end_matches("'s").trim_end_matches("\u{2019}s");
        let kind = kind_of(word, token, raw);
        let (known, stem) = known(&text);
        let key = match kind {
            Kind::Code => raw.to_owned(),
            // 3.10 is another version than 3.1, and 007 another code than 7.
            Kind::Amount(_) if raw.starts_with('0') || raw.contains('.') => {
                format!("{text} {raw}")
            }
            Kind::Name | Kind::Plain => stem,
            Kind::Amount(_) | Kind::Clock | Kind::Day | Kind::Date | Kind::Often => text.clone(),
        };
        let plain = matches!(kind, Kind::Name | Kind::Plain);
        // A word that says nothing by itself, or tells of a change alone.
        let light = known.is(Section::Function) || known.is_form_of(Section::Change);
        let content = !(plain && light);
        let recurs = matches!(kind, Kind::Day) && token.lower.ends_with('s');
        let mut terms = vec![Term {
            text,
            key,
            kind,
            content,
            broken: false,
            recurs,
            owner: word.owner,
            known,
        }];
        terms.extend(rest.map(Term::light));
        terms
    }

    pub(super) fn light(text: &str) -> Term {
        let (text, key) = (text.to_owned(), text.to_owned());
        let (kind, (known, _)) = (Kind::Plain, known(&text));
        Term { text, key, kind, content: false, broken: false, recurs: false, owner: false, known }
    }

    pub(super) fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }

    /// Whether it is of a kind that is told by its form.
    pub(super) fn is_typed(&self) -> bool {
        !matches!(self.kind, Kind::Name | Kind::Plain)
    }

    pub(super) fn is_moment(&self) -> bool {
        matches!(self.kind, Kind::Clock | Kind::Day | Kind::Date | Kind::Often)
    }
}

fn kind_of(word: &Word, token: &Token, raw: &str) -> Kind {
    match word.sort {
        Sort::Clock => Kind::Clock,
        Sort::Day => Kind::Day,
        Sort::Date | Sort::Relative => Kind::Date,
        Sort::Often => Kind::Often,
        Sort::Amount => {
            let unit = word.text.split_once(' ').map_or("", |(_, unit)| unit);
            Kind::Amount(unit.to_owned())
        }
        Sort::Plain if is_exact(raw) => Kind::Code,
        Sort::Plain if token.capital && !token.first => Kind::Name,
        Sort::Plain => Kind::Plain,
    }
}
