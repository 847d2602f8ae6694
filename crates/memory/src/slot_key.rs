use memlith_event::{Actor, Key, Slot};
use memlith_text::{is_first_person, normalised};

/// The key of a text that `speaker` says in a room. Of what is said in the first person each
/// named speaker has their own.
pub(crate) fn text_key(room: Key, text: &str, speaker: &str) -> Key {
    let speaker = if is_first_person(text) { normalised(speaker) } else { String::new() };
    match speaker.is_empty() {
        true => Key::of("text", &[&room.0, normalised(text).as_bytes()]),
        false => Key::of("own text", &[&room.0, normalised(text).as_bytes(), speaker.as_bytes()]),
    }
}

/// Of whom alone a text speaks that `speaker` says: the key of their name, where it is in the
/// first person and they have one.
#[must_use]
pub fn owner_of(text: &str, speaker: &Actor<'_>) -> Option<Key> {
    let is_own = is_first_person(text) && !normalised(&speaker.name).is_empty();
    is_own.then(|| speaker.key())
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
