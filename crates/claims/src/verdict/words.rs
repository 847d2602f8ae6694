use std::collections::BTreeMap;
use std::sync::LazyLock;

use memlith_text::snowball;

use super::term::Term;

/// A section of `words.txt`, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Function,
    Change,
    Now,
    Openers,
    Corrections,
    Reasons,
    Be,
    Prepositions,
    Instead,
    Replaces,
    PastEvents,
    Quits,
    Likes,
    Forget,
    NotToKeep,
    TakeBack,
    NoLonger,
    Allowed,
    AnyMore,
    Questions,
    Hedges,
    Reports,
    Future,
    Past,
    Adds,
    Imperatives,
}

/// The sections that a word is of, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// Those of which it is a phrase by itself.
    word: u32,
    /// Those of which it begins a phrase.
    begins: u32,
    /// Those of which a form of it is a phrase by itself.
    form: u32,
}

/// The phrases of all sections, loaded once.
struct Lexicon {
    by_word: BTreeMap<String, Known>,
    /// The sections of each stem of a phrase of one word.
    by_stem: BTreeMap<String, u32>,
    /// Each phrase as its words, by section and first word.
    phrases: BTreeMap<(u32, String), Vec<Vec<String>>>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of(include_str!("words.txt")));

/// Returns what is known of a word in lower case, and its stem; a word that says nothing is its
/// own.
pub(super) fn known(word: &str) -> (Known, String) {
    let known = LEXICON.by_word.get(word).copied().unwrap_or_default();
    if known.is(Section::Function) {
        return (Known { form: known.word, ..known }, word.to_owned());
    }
    let stem = snowball(word);
    let form = LEXICON.by_stem.get(&stem).copied().unwrap_or_default();
    (Known { form, ..known }, stem)
}

/// Returns how many of these terms the longest phrase of a section takes that they begin with.
pub(super) fn phrase<'a>(
    terms: impl Iterator<Item = &'a Term> + Clone,
    section: Section,
) -> Option<usize> {
    let first = terms.clone().next().filter(|first| first.known.begins(section))?;
    let phrases = LEXICON.phrases.get(&(section.bit(), first.text.clone()))?;
    let begins = |phrase: &&Vec<String>| {
        let mut own = terms.clone();
        phrase.iter().all(|word| own.next().is_some_and(|term| term.text == *word))
    };
    phrases.iter().filter(begins).map(Vec::len).max()
}

impl Known {
    /// Whether the word is a phrase of the section by itself.
    pub(super) fn is(self, section: Section) -> bool {
        self.word & section.bit() != 0
    }

    /// Whether a form of the word is a phrase of the section by itself.
    pub(super) fn is_form_of(self, section: Section) -> bool {
        self.form & section.bit() != 0
    }

    /// Whether a phrase of the section begins with the word.
    pub(super) fn begins(self, section: Section) -> bool {
        self.begins & section.bit() != 0
    }

    /// Whether it begins a phrase that tells how a sentence is meant.
    pub(super) fn begins_a_stance(self) -> bool {
        Section::OF_STANCE.into_iter().any(|section| self.begins(section))
    }
}

impl Section {
    const OF_STANCE: [Section; 5] =
        [Section::Hedges, Section::Reports, Section::Future, Section::Past, Section::Adds];

    /// The sections whose single words count in all their forms.
    const WITH_FORMS: [Section; 6] = [
        Section::Change,
        Section::Now,
        Section::Replaces,
        Section::Quits,
        Section::Likes,
        Section::Imperatives,
    ];

    const ALL: [(&str, Section); 26] = [
        ("function", Section::Function),
        ("change", Section::Change),
        ("now", Section::Now),
        ("openers", Section::Openers),
        ("corrections", Section::Corrections),
        ("reasons", Section::Reasons),
        ("be", Section::Be),
        ("prepositions", Section::Prepositions),
        ("instead", Section::Instead),
        ("replaces", Section::Replaces),
        ("past events", Section::PastEvents),
        ("quits", Section::Quits),
        ("likes", Section::Likes),
        ("forget", Section::Forget),
        ("not to keep", Section::NotToKeep),
        ("take back", Section::TakeBack),
        ("no longer", Section::NoLonger),
        ("allowed", Section::Allowed),
        ("any more", Section::AnyMore),
        ("questions", Section::Questions),
        ("hedges", Section::Hedges),
        ("reports", Section::Reports),
        ("future", Section::Future),
        ("past", Section::Past),
        ("adds", Section::Adds),
        ("imperatives", Section::Imperatives),
    ];

    fn has_forms(self) -> bool {
        Section::WITH_FORMS.contains(&self)
    }

    fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

impl Lexicon {
    fn of(text: &str) -> Lexicon {
        let mut lexicon = Lexicon {
            by_word: BTreeMap::new(),
            by_stem: BTreeMap::new(),
            phrases: BTreeMap::new(),
        };
        for part in text.split("\n[").skip(1) {
            let Some((name, rest)) = part.split_once("]\n") else { continue };
            let Some((_, section)) = Section::ALL.iter().find(|(own, _)| *own == name) else {
                continue;
            };
            let lines = rest.lines().filter(|line| !line.starts_with('#'));
            for phrase in lines.flat_map(|line| line.split(',')) {
                lexicon.add(*section, phrase.split_whitespace().map(str::to_owned).collect());
            }
        }
        lexicon
    }

    fn add(&mut self, section: Section, phrase: Vec<String>) {
        let Some(first) = phrase.first() else { return };
        let known = self.by_word.entry(first.clone()).or_default();
        known.begins |= section.bit();
        if phrase.len() == 1 {
            known.word |= section.bit();
            if section.has_forms() {
                *self.by_stem.entry(snowball(first)).or_default() |= section.bit();
            }
        }
        self.phrases.entry((section.bit(), first.clone())).or_default().push(phrase);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_matches_itself() {
        assert_eq!(Section::ALL.len(), include_str!("words.txt").matches("\n[").count());
        for ((bit, first), phrases) in &LEXICON.phrases {
            let (_, section) = Section::ALL.iter().find(|(_, one)| one.bit() == *bit).unwrap();
            for words in phrases {
                let terms: Vec<Term> = words.iter().map(|word| Term::light(word)).collect();
                assert_eq!(phrase(terms.iter(), *section), Some(words.len()), "{first}");
            }
        }
    }
}
