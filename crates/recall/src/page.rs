use memlith_event::{Event, MemoryEvent, TurnEvent};

use crate::analysis::{Token, tokens};
use crate::days::Days;
use crate::item::Traits;
use crate::posting::Field;

/// An item taken apart for the index.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Its tokens, field by field.
    pub(crate) tokens: Vec<(Field, Token)>,
    /// The days its text names.
    pub(crate) days: Option<Days>,
    /// How many words speak of the speaker.
    pub(crate) first_person: u8,
    /// What its text is like.
    pub(crate) traits: Traits,
}

/// A gap between the positions of two fields, so that no two terms of different
/// fields are adjacent.
const FIELD_GAP: u16 = 16;

impl Page {
    /// The page of an item that happened on `day`; `None` where the event is no item.
    pub(crate) fn of(event: &Event<'_>, day: i32) -> Option<Page> {
        let mut page = Page::default();
        match event {
            Event::Turn(TurnEvent::Said(said)) => {
                page.read(&said.text, day);
                page.add(Field::Text, &said.text);
                if let Some(caption) = &said.caption {
                    page.add(Field::Caption, caption);
                }
            }
            Event::Turn(TurnEvent::ToolRan(ran)) => {
                page.read(&ran.arguments, day);
                page.add(Field::Label, &ran.tool);
                page.add(Field::Text, &ran.arguments);
                page.add(Field::Text, &ran.output);
            }
            Event::Memory(MemoryEvent::Remembered(memory)) => {
                page.read(&memory.text, day);
                page.add(Field::Text, &memory.text);
                if let Some(slot) = &memory.slot {
                    page.add(Field::Label, &slot.entity);
                    page.add(Field::Label, &slot.predicate);
                    page.add(Field::Label, &slot.value);
                }
            }
            Event::Foreign(foreign) => {
                page.read(&foreign.json, day);
                page.add(Field::Label, &foreign.kind);
                page.add(Field::Text, &foreign.json);
            }
            Event::Memory(_) | Event::Session(_) | Event::Reconcile(_) => return None,
        }
        Some(page)
    }

    /// The length in fifths of a term: a whole identifier counts as its parts do.
    pub(crate) fn length(&self) -> u16 {
        let parts = self.tokens.iter().filter(|(_, token)| !token.whole);
        parts.fold(0, |length, (field, _)| length.saturating_add(field.fifths()))
    }

    fn add(&mut self, field: Field, text: &str) {
        let next = |(_, token): &(Field, Token)| token.position.saturating_add(FIELD_GAP);
        let start = self.tokens.last().map_or(0, next);
        self.tokens.extend(tokens(text).into_iter().map(|token| {
            let position = start.saturating_add(token.position);
            (field, Token { position, ..token })
        }));
    }

    /// Notes what the text is like.
    fn read(&mut self, text: &str, day: i32) {
        self.days = Days::named_in(text, day);
        for word in text.split_whitespace().take(WORDS_MAX) {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let speaks_of_self = u8::from(is_first_person(bare));
            self.first_person = self.first_person.saturating_add(speaks_of_self);
            let number = bare.starts_with(|c: char| c.is_ascii_digit()) || is_number_word(bare);
            self.traits = self.traits.with(Traits::NUMBER, number);
        }
        self.traits = self
            .traits
            .with(Traits::TIME, self.days.is_some())
            .with(Traits::QUESTION, text.trim_end().ends_with('?'));
    }
}

/// What a text is like is read off so many words.
const WORDS_MAX: usize = 512;

fn is_first_person(word: &str) -> bool {
    let word = word.split(['\'', '\u{2019}']).next().unwrap_or_default();
    ["i", "me", "my", "mine", "myself", "we", "us", "our", "ours"]
        .iter()
        .any(|own| own.eq_ignore_ascii_case(word))
}

fn is_number_word(word: &str) -> bool {
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen", "hundred"]
        .iter()
        .any(|number| number.eq_ignore_ascii_case(word))
}
