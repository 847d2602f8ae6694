//! Classes of characters in the model's tokenizer. Source: BERT's basic tokenizer (Devlin et
//! al., 2019).

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Whether a character is dropped: a control or format character, or a place-holder.
pub(crate) fn is_dropped(char: char) -> bool {
    match char {
        '\t' | '\n' | '\r' => false,
        '\0' | '\u{fffd}' => true,
        _ => matches!(
            char.general_category(),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        ),
    }
}

/// Whether a character is a mark on the one before it, dropped with the accents.
pub(crate) fn is_accent(char: char) -> bool {
    !char.is_ascii() && char.general_category() == GeneralCategory::NonspacingMark
}

/// Whether a character is a word by itself: punctuation, and all other signs of ASCII.
pub(crate) fn is_sign(char: char) -> bool {
    if char.is_ascii() {
        return char.is_ascii_punctuation();
    }
    char.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// Whether a character is of the Chinese script as Unicode's blocks have it, and so a word by
/// itself; those of Japanese and Korean alone are not.
pub(crate) fn is_ideograph(char: char) -> bool {
    matches!(
        char,
        '\u{4e00}'..='\u{9fff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{20000}'..='\u{2a6df}'
            | '\u{2a700}'..='\u{2ceaf}'
            | '\u{f900}'..='\u{faff}'
            | '\u{2f800}'..='\u{2fa1f}'
    )
}
