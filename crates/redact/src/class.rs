/// A set of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Class {
    /// Letters and digits.
    Alnum,
    /// Digits.
    Digit,
    /// Hexadecimal digits.
    Hex,
    /// Upper-case letters and digits.
    Upper,
    /// Lower-case letters and digits.
    Lower,
    /// Letters, digits, `_` and `-`.
    Base64Url,
    /// Letters, digits, `+` and `/`; up to three `=` may follow.
    Base64,
    /// Both alphabets of base 64 and their padding.
    Any64,
    /// As `Base64Url`, and `.`, `=`, `~`.
    Wide,
    /// A URL's path.
    Path,
}

impl Class {
    pub(crate) const fn has(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Class::Alnum => alnum,
            Class::Digit => byte.is_ascii_digit(),
            Class::Hex => byte.is_ascii_hexdigit(),
            Class::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Class::Lower => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Class::Base64Url => alnum || matches!(byte, b'_' | b'-'),
            Class::Base64 => alnum || matches!(byte, b'+' | b'/'),
            Class::Any64 => alnum || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
            Class::Wide => alnum || matches!(byte, b'_' | b'-' | b'.' | b'=' | b'~'),
            Class::Path => alnum || matches!(byte, b'_' | b'-' | b'/' | b'@' | b'+'),
        }
    }
}
