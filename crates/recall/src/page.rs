use memlith_event::{CompactionEvent, Event, MemoryEvent, ProcedureEvent, TurnEvent};

use crate::analysis::{Word, scan_through};
use crate::ascii::{BLANK, WORD, is};
use crate::days::Days;
use crate::item::Traits;
use crate::posting::Field;

/// The texts of an item by field, the one that says most first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts(Vec<(Field, String)>);

/// Facts about the first text of an item, read off its words.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// How many words speak of the speaker.
    pub(crate) first_person: u8,
    /// Short facts about the item, one bit each.
    pub(crate) traits: Traits,
}

/// A gap between the positions of two fields, so that no two terms of different
/// fields are adjacent.
const FIELD_GAP: u16 = 16;

/// Number of bytes of speech in one unit of length.
const UNIT_BYTES: u64 = 4;

impl Texts {
    /// The texts of an event; `None` where it is no item.
    pub(crate) fn of(event: &Event<'_>) -> Option<Texts> {
        let mut texts = Texts::default();
        let mut add = |field, text: &str| texts.0.push((field, text.to_owned()));
        match event {
            Event::Turn(TurnEvent::Said(said)) => {
                add(Field::Text, &said.text);
                if let Some(caption) = &said.caption {
                    add(Field::Caption, caption);
                }
            }
            Event::Turn(TurnEvent::ToolRan(ran)) => {
                add(Field::Text, &ran.arguments);
                add(Field::Label, &ran.tool);
                add(Field::Text, &ran.output);
            }
            Event::Memory(MemoryEvent::Remembered(memory)) => {
                add(Field::Text, &memory.text);
                if let Some(slot) = &memory.slot {
                    add(Field::Label, &slot.entity);
                    add(Field::Label, &slot.predicate);
                    add(Field::Label, &slot.value);
                }
            }
            // The ids beside the quotes are nobody's words.
            Event::Compaction(CompactionEvent::Summarised(summary)) => {
                for quote in &summary.quotes {
                    add(Field::Text, &quote.text);
                }
            }
            Event::Procedure(ProcedureEvent::Mined(mined)) => add(Field::Text, &mined.text()),
            Event::Foreign(foreign) => {
                add(Field::Text, &foreign.json);
                add(Field::Label, &foreign.kind);
            }
            Event::Memory(_)
            | Event::Session(_)
            | Event::Reconcile(_)
            | Event::Outcome(_)
            | Event::Review(_)
            | Event::Policy(_)
            | Event::Job(_)
            | Event::Delivery(_)
            | Event::Tombstone(_) => return None,
        }
        Some(texts)
    }

    /// The length: a unit for every [`UNIT_BYTES`] of speech, and as much less for a caption
    /// or a label as it counts less.
    ///
    /// In bytes and not in terms, so that it is known before anything is taken apart.
    /// Source: ADR 0010, with what that does to recall.
    pub(crate) fn length(&self) -> u16 {
        let weighted = |(field, text): &(Field, String)| {
            (text.len() as u64).saturating_mul(u64::from(field.fifths()))
        };
        let weighted = self.0.iter().map(weighted).fold(0, u64::saturating_add);
        u16::try_from(weighted / u64::from(Field::Text.fifths()) / UNIT_BYTES).unwrap_or(u16::MAX)
    }

    /// Calls `found` with each word, the field it stands in, and its place in the item.
    pub(crate) fn scan(&self, found: &mut impl FnMut(Field, u16, &Word<'_>)) {
        self.scan_through((usize::MAX, usize::MAX), found);
    }

    /// Scans as [`Texts::scan`] does, up to a byte of a text, without the words of what begins
    /// behind it.
    pub(crate) fn scan_through(
        &self,
        (last_text, last_byte): (usize, usize),
        found: &mut impl FnMut(Field, u16, &Word<'_>),
    ) {
        let mut start = 0_u16;
        let texts = self.0.iter().enumerate().take_while(|(at, _)| *at <= last_text);
        for (at, (field, text)) in texts {
            let mut last = None;
            let through = if at == last_text { last_byte } else { usize::MAX };
            scan_through(text, through, &mut |word| {
                let position = start.saturating_add(word.position);
                last = Some(position);
                found(*field, position, word);
            });
            start = last.map_or(start, |last| last.saturating_add(FIELD_GAP));
        }
    }

    /// The texts, the one that says most first.
    pub(crate) fn each(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.0.iter().map(|(_, text)| text.as_str())
    }

    fn first(&self) -> &str {
        self.0.first().map_or("", |(_, text)| text)
    }
}

impl Page {
    /// Reads the facts about the first of `texts`, which was written on `day`.
    pub(crate) fn of(texts: &Texts, day: i32) -> Page {
        let mut page = Page::default();
        page.read(texts.first(), day);
        page
    }

    /// Notes what the text is like.
    fn read(&mut self, text: &str, day: i32) {
        let says_when = Days::named_in(text, day).is_some();
        each_word(text, &mut |word| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let speaks_of_self = u8::from(is_first_person(bare));
            self.first_person = self.first_person.saturating_add(speaks_of_self);
        });
        self.traits = self
            .traits
            .with(Traits::TIME, says_when)
            .with(Traits::QUESTION, text.trim_end().ends_with('?'));
    }
}

/// Calls `found` with the words between blanks; of plain ASCII only with those that a word of
/// the list may be.
///
/// Cost: a few steps a byte of ASCII, some ten times as much of other texts.
fn each_word(text: &str, found: &mut impl FnMut(&str)) {
    if !text.is_ascii() {
        return text.split_whitespace().take(WORDS_MAX).for_each(found);
    }
    let (mut at, mut words) = (0, 0);
    while words < WORDS_MAX {
        let left = text.get(at..).unwrap_or_default();
        let Some(blanks) = left.bytes().position(|byte| !is(BLANK, byte)) else { return };
        let left = left.get(blanks..).unwrap_or_default();
        let len = left.bytes().position(|byte| is(BLANK, byte)).unwrap_or(left.len());
        let word = left.get(..len).unwrap_or_default();
        let first = word.bytes().find(|byte| is(WORD, *byte));
        if first.is_some_and(|first| LETTERS >> (first & 31) & 1 == 1) {
            found(word);
        }
        words += 1;
        at += blanks + len;
    }
}

/// Maximum number of words of a text that its facts are read off.
const WORDS_MAX: usize = 512;

/// Words that speak of the speaker.
const FIRST_PERSON: [&str; 9] = ["i", "me", "my", "mine", "myself", "we", "us", "our", "ours"];

/// First letters of the words in [`FIRST_PERSON`], one bit each.
const LETTERS: u32 = first_letters(&FIRST_PERSON);

fn is_first_person(word: &str) -> bool {
    if !begins(word, LETTERS) {
        return false;
    }
    let word = word.split(['\'', '\u{2019}']).next().unwrap_or_default();
    FIRST_PERSON.iter().any(|own| own.eq_ignore_ascii_case(word))
}

/// Whether a word in any case may begin with one of `letters`: seldom, and what doesn't is
/// compared with no list.
fn begins(word: &str, letters: u32) -> bool {
    word.bytes().next().is_some_and(|first| letters >> (first & 31) & 1 == 1)
}

/// The low bits of the words' first letters, which are those of their capitals too.
#[expect(
    clippy::indexing_slicing,
    reason = "worked out by the compiler alone, which refuses what lies outside"
)]
const fn first_letters(words: &[&str]) -> u32 {
    let (mut letters, mut at) = (0, 0);
    while at < words.len() {
        letters |= 1 << (words[at].as_bytes()[0] & 31);
        at += 1;
    }
    letters
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_word_of_the_list_counts_in_any_case_and_no_other() {
        for word in FIRST_PERSON {
            let long = format!("{word}'ve");
            assert!([word, &word.to_uppercase(), &long].into_iter().all(is_first_person), "{word}");
            assert!(!is_first_person(&format!("{word}x")), "{word}");
        }
        assert!(!is_first_person(""));
    }

    proptest! {
        #[test]
        fn plain_texts_are_read_as_all_others_are(
            text in "([ \\t\\x0b\\x1f,.'-]{0,3}([Ii]|[Ww]e|us|mine|two|TEN|7[a-z]|-|eye|x2|our's)){0,9}",
        ) {
            let texts = |text: String| Texts(vec![(Field::Text, text)]);
            let (plain, other) = (texts(text.clone()), texts(format!("\u{e9} {text}")));
            let (plain, other) = (Page::of(&plain, 0), Page::of(&other, 0));
            prop_assert_eq!(plain.first_person, other.first_person);
        }
    }
}
