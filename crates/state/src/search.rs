//! Where in sorted rows a key lies.

use std::cmp::Ordering;

/// Position of a key among others, as far as the key itself tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing: it is looked for by halves.
    Unknown,
    /// Keys are spread evenly, as digests are; this number of 2^64ths of all possible keys lies
    /// before it.
    Even(u64),
    /// It is a number, and its neighbours are close to it: between the first and the last key
    /// it lies about where its number does. Keys are in the order of their numbers.
    Number(u64),
}

impl Place {
    /// The position at which a search among `count` keys begins, of which `key_at` gives the
    /// numbers.
    pub(crate) fn guess(
        self,
        count: usize,
        key_at: impl Fn(usize) -> Option<Place>,
    ) -> Option<usize> {
        let ends = match self {
            Place::Number(_) => match (key_at(0)?, key_at(count.checked_sub(1)?)?) {
                (Place::Number(first), Place::Number(last)) => (first, last),
                _ => return Some(count),
            },
            Place::Unknown | Place::Even(_) => (0, 0),
        };
        self.guess_between(ends, count, key_at)
    }

    /// Guesses as [`Place::guess`] does, where the numbers of the first and the last key are known;
    /// they mean nothing for keys without a number.
    pub(crate) fn guess_between(
        self,
        (first, last): (u64, u64),
        count: usize,
        key_at: impl Fn(usize) -> Option<Place>,
    ) -> Option<usize> {
        let scaled = |part: u64| match self {
            Place::Unknown | Place::Even(_) => {
                usize::try_from((u128::from(part) * count as u128) >> 64).ok()
            }
            Place::Number(_) => Some(proportion(part, (first, last), count)),
        };
        let (sought, before) = match self {
            Place::Unknown => return None,
            Place::Even(part) => (part, part),
            Place::Number(sought) if sought > last => return Some(count),
            Place::Number(sought) => (sought, sought.saturating_sub(first)),
        };
        let guess = scaled(before)?.min(count.checked_sub(1)?);
        // Even digests lie some hundred places off; one look tells how far about.
        Some(match key_at(guess) {
            Some(Place::Even(found) | Place::Number(found)) if found < sought => {
                guess.saturating_add(scaled(sought - found)?)
            }
            Some(Place::Even(found) | Place::Number(found)) => {
                guess.saturating_sub(scaled(found - sought)?)
            }
            Some(Place::Unknown) | None => guess,
        })
    }
}

impl Place {
    /// About where this place lies, judged by the key at `at`: `count` keys are spread evenly.
    pub(crate) fn step(
        self,
        at: usize,
        count: usize,
        place_at: impl Fn(usize) -> Option<Place>,
    ) -> usize {
        let (Place::Even(sought), Some(Place::Even(found))) = (self, place_at(at)) else {
            return at;
        };
        let keys = (u128::from(sought.abs_diff(found)) * count as u128) >> 64;
        let keys = usize::try_from(keys).unwrap_or(usize::MAX);
        if found < sought { at.saturating_add(keys) } else { at.saturating_sub(keys) }
    }
}

/// Number of `count` keys, whose numbers are spread evenly from the first to the last, that are in
/// a stretch of `part` numbers.
pub(crate) fn proportion(part: u64, (first, last): (u64, u64), count: usize) -> usize {
    let numbers = last.saturating_sub(first).saturating_add(1);
    let keys = match part.checked_mul(count as u64) {
        Some(product) => product / numbers,
        None => {
            let wide = u128::from(part) * count as u128 / u128::from(numbers);
            u64::try_from(wide).unwrap_or(u64::MAX)
        }
    };
    usize::try_from(keys).unwrap_or(usize::MAX)
}

/// The first of `count` positions whose key is not below the one that is looked for; no
/// two have the same.
///
/// `compare` says how the key at a position compares with it. With a `guess` (see
/// [`Place::guess`]) the search begins there and widens, so that it stays within a page or
/// two however many rows there are.
/// Source: interpolation search (Perl, Itai and Avni, 1978), two steps of it.
pub(crate) fn lower_bound(
    count: usize,
    guess: Option<usize>,
    mut compare: impl FnMut(usize) -> Option<Ordering>,
) -> usize {
    let (mut low, mut high) = (0, count);
    let guess = guess.filter(|_| count > NEAR).map(|guess| guess.min(count - 1));
    let at_guess = guess.and_then(&mut compare);
    let mut is_below = |at: usize| compare(at) == Some(Ordering::Less);
    if let Some(guess) = guess {
        let mut step = 1;
        if at_guess == Some(Ordering::Equal) {
            return guess;
        }
        if at_guess == Some(Ordering::Less) {
            low = guess + 1;
            while high - low > step && is_below(low + step) {
                low += step + 1;
                step *= 2;
            }
            high = high.min(low + step);
        } else {
            high = guess;
            while high - low > step && !is_below(high - step) {
                high -= step;
                step *= 2;
            }
            low = low.max(high.saturating_sub(step));
        }
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// So few are looked through by halves at once.
const NEAR: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_changes_no_answer() {
        for count in [0, 1, 15, 16, 17, 40, 1_000] {
            for sought in 0..=count {
                let compare = |at: usize| Some(at.cmp(&sought));
                let expected = lower_bound(count, None, compare);
                assert_eq!(expected, sought);
                for guess in [0, 1, sought, sought / 2, count / 2, count, usize::MAX] {
                    assert_eq!(lower_bound(count, Some(guess), compare), expected, "{count}");
                }
            }
        }
    }

    #[test]
    fn an_evenly_spread_key_is_found_in_few_looks() {
        let count = 1_000_000;
        for sought in (0..count).step_by(9_973) {
            let mut looks = 0;
            let part = u64::try_from(((sought as u128) << 64) / count as u128).unwrap();
            let guess = Place::Even(part).guess(count, |_| None);
            lower_bound(count, guess, |at| {
                looks += 1;
                Some(at.cmp(&sought))
            });
            assert!(looks <= 8, "{looks} for {sought}");
        }
    }

    #[test]
    fn a_number_is_found_at_once() {
        let key_at = |at: usize| Some(Place::Number(100 + 2 * at as u64));
        for (sought, expected) in [(100, 0), (300, 100), (298, 99), (99, 0), (1_000, 101)] {
            let guess = Place::Number(sought).guess(101, key_at).unwrap();
            assert!(guess.abs_diff(expected) <= 1, "{sought}: {guess}");
        }
        assert_eq!(Place::Number(7).guess(1, |_| Some(Place::Number(7))), Some(0));
        assert_eq!(Place::Number(7).guess(2, |_| None), None);
    }
}
