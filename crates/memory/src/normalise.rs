use memlith_event::{Key, Slot};
use unicode_normalization::UnicodeNormalization;

/// The text in the form in which two writings are the same: NFKC, lower case, runs of
/// white space as one blank, no full stop or white space at the end.
#[must_use]
pub(crate) fn normalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.nfkc().flat_map(char::to_lowercase));
    }
    out.truncate(out.trim_end_matches(['.', ' ']).len());
    out
}

/// The key of a text in a room.
pub(crate) fn text_key(room: Key, text: &str) -> Key {
    Key::of("text", &[&room.0, normalised(text).as_bytes()])
}

/// The key of a slot in a room. Where the property can have many values at a time, the
/// value is part of it.
pub(crate) fn slot_key(room: Key, slot: &Slot<'_>) -> Key {
    let value = if slot.single { String::new() } else { normalised(&slot.value) };
    let single = [u8::from(slot.single)];
    let (entity, predicate) = (normalised(&slot.entity), normalised(&slot.predicate));
    let parts = [&room.0[..], entity.as_bytes(), predicate.as_bytes(), &single, value.as_bytes()];
    Key::of("slot", &parts)
}

/// The key of a slot with its value.
pub(crate) fn value_key(room: Key, slot: &Slot<'_>) -> Key {
    let (entity, predicate) = (normalised(&slot.entity), normalised(&slot.predicate));
    let value = normalised(&slot.value);
    let parts = [&room.0[..], entity.as_bytes(), predicate.as_bytes(), value.as_bytes()];
    Key::of("slot value", &parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_text() {
        for (text, expected) in [
            ("  Prefers\te-mail. ", "prefers e-mail"),
            ("cafe\u{301} at 5", "caf\u{e9} at 5"),
            ("\u{ff21}na", "ana"),
            ("...", ""),
            ("v1.2", "v1.2"),
            ("", ""),
        ] {
            assert_eq!(normalised(text), expected);
            assert_eq!(normalised(&normalised(text)), expected);
        }
    }

    #[test]
    fn a_single_slot_has_one_key_for_all_values() {
        let pune = Slot {
            entity: "Ana".into(),
            predicate: "lives_in".into(),
            value: "Pune".into(),
            single: true,
        };
        let other = Slot { value: "Bangalore".into(), ..pune.clone() };
        let cell = Key::default();
        assert_eq!(slot_key(cell, &pune), slot_key(cell, &other));
        assert_ne!(value_key(cell, &pune), value_key(cell, &other));
        let many = |slot: &Slot<'_>| slot_key(cell, &Slot { single: false, ..slot.clone() });
        assert_ne!(many(&pune), many(&other));
    }
}
