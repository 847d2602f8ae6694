//! The name of a session's file.

use memlith::Timestamp;

use crate::date::for_name;
use crate::inputs::Session;

/// The most characters of the slug.
const SLUG_CHARS: usize = 60;

const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// `<time>-<hash>[-<slug>]`: the time is that of the id where that is a UUID with one.
pub(crate) fn stem(session: &Session) -> String {
    let uuid = uuid(&session.thread);
    let at = uuid.and_then(time_of).unwrap_or(session.updated_at);
    let seed = match uuid {
        // The low 32 bits: the mask makes the cast exact.
        Some(bits) => u32::try_from(bits & u128::from(u32::MAX)).unwrap_or_default(),
        None => session
            .thread
            .bytes()
            .fold(0_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte))),
    };
    let mut stem = format!("{}-{}", for_name(at), hash(seed));
    let slug = slug(session.slug.as_deref().unwrap_or_default());
    if !slug.is_empty() {
        stem.push('-');
        stem.push_str(&slug);
    }
    stem
}

/// Four digits of base 62, the most significant first.
fn hash(seed: u32) -> String {
    let value = seed % 62_u32.pow(4);
    let powers = [62_u32.pow(3), 62_u32.pow(2), 62, 1];
    let digit = |power: u32| DIGITS.get((value / power % 62) as usize).copied();
    powers.into_iter().filter_map(digit).map(char::from).collect()
}

/// A slug: each character a lower-case letter or digit of ASCII, or an underscore.
pub(crate) fn slug(text: &str) -> String {
    let char_of = |char: char| {
        if char.is_ascii_alphanumeric() { char.to_ascii_lowercase() } else { '_' }
    };
    let slug: String = text.chars().take(SLUG_CHARS).map(char_of).collect();
    slug.trim_end_matches('_').to_owned()
}

/// The bits of a UUID, written with hyphens.
fn uuid(text: &str) -> Option<u128> {
    let hyphens = [8, 13, 18, 23];
    let is_shaped = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| {
            if hyphens.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        });
    if !is_shaped {
        return None;
    }
    u128::from_str_radix(&text.replace('-', ""), 16).ok()
}

/// The instant in a UUID of version 1, 6 or 7.
fn time_of(bits: u128) -> Option<Timestamp> {
    /// Between the beginnings of the Gregorian calendar and of Unix time, in 100 ns (RFC 9562).
    const GREGORIAN: i64 = 0x01B2_1DD2_1381_4000;
    let part = |shift: u32, mask: u128| i64::try_from((bits >> shift) & mask).ok();
    let micros = match (bits >> 76) & 0xF {
        1 => {
            let high = part(64, 0xFFF)? << 48 | part(80, 0xFFFF)? << 32;
            (high | part(96, 0xFFFF_FFFF)?).checked_sub(GREGORIAN)? / 10
        }
        6 => {
            let time = part(96, 0xFFFF_FFFF)? << 28 | part(80, 0xFFFF)? << 12;
            (time | part(64, 0xFFF)?).checked_sub(GREGORIAN)? / 10
        }
        7 => part(80, 0xFFFF_FFFF_FFFF)?.checked_mul(1_000)?,
        _ => return None,
    };
    Some(Timestamp(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "0194f5a6-89ab-7cde-8123-456789abcdef";

    fn of(thread: &str, slug: Option<&str>) -> String {
        // 2026-05-01T12:00:00Z.
        let updated_at = Timestamp(1_777_636_800_000_000);
        let slug = slug.map(str::to_owned);
        stem(&Session { thread: thread.to_owned(), updated_at, slug, ..Session::default() })
    }

    #[test]
    fn stems_are_those_of_the_format() {
        assert_eq!(of(UUID, None), "2025-02-11T15-35-19-jqmb");
        assert_eq!(of("thread-a", None), "2026-05-01T12-00-00-Jb1I");
        let slug = "Unsafe Slug/With Spaces & Symbols + EXTRA_LONG_12345_67890_ABCDE_fghij_klmno";
        let expected =
            "2025-02-11T15-35-19-jqmb-unsafe_slug_with_spaces___symbols___extra_long_12345_67890_a";
        assert_eq!(of(UUID, Some(slug)), expected);
        assert_eq!(of(UUID, Some("///")), "2025-02-11T15-35-19-jqmb");
    }

    #[test]
    fn the_time_is_that_of_the_id() {
        // RFC 9562, A.1 and A.5: the same instant in version 1 and 6.
        let first = of("c232ab00-9414-11ec-b3c8-9f6bdeced846", None);
        let sixth = of("1ec9414c-232a-6b00-b3c8-9f6bdeced846", None);
        assert_eq!(&first[..19], "2022-02-22T19-22-22");
        assert_eq!(first, sixth);
        // Version 4 has no time.
        assert_eq!(&of("919108f7-52d1-4320-9bac-f847db4148a8", None)[..10], "2026-05-01");
    }
}
