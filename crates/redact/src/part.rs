use crate::class::Class;
use crate::word::{byte, skip};

/// A part of a token.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// At least and at most so many bytes of a class.
    Run(Class, usize, usize),
    /// Just these bytes.
    Just(&'static str),
}

/// A part of exactly `len` bytes of a class.
pub(crate) const fn run(class: Class, len: usize) -> Part {
    Part::Run(class, len, len)
}

/// A part of `len_min` bytes of a class, or more.
pub(crate) const fn at_least(class: Class, len_min: usize) -> Part {
    Part::Run(class, len_min, usize::MAX)
}

/// How much of a run is looked at: many prefixes can stand in one long word.
pub(crate) const WINDOW: usize = 256;

/// Where the parts end that start at `at`, if all are there and no letter or digit follows.
///
/// A run takes as many bytes as it may: no part goes back for a later one.
pub(crate) fn end_of(parts: &[Part], text: &str, at: usize) -> Option<usize> {
    let mut end = at;
    let mut last = None;
    for part in parts {
        match *part {
            Part::Just(bytes) => {
                text.get(end..).filter(|rest| rest.starts_with(bytes))?;
                end += bytes.len();
                last = None;
            }
            Part::Run(class, len_min, len_max) => {
                let rest = text.as_bytes().get(end..)?;
                let window = rest.iter().take(len_max.min(WINDOW.max(len_min)));
                let len = window.take_while(|&&byte| class.has(byte)).count();
                if len < len_min {
                    return None;
                }
                end += len;
                last = Some((class, len_max));
            }
        }
    }
    // What is longer than the window is taken to its end, once it is known for a token.
    if let Some((class, usize::MAX)) = last {
        end = skip(text, end, |byte| class.has(byte));
    }
    if let Some((Class::Base64, _)) = last {
        end = skip(text, end, |byte| byte == b'=').min(end + 3);
    }
    byte(text, end).is_none_or(|next| !next.is_ascii_alphanumeric()).then_some(end)
}
