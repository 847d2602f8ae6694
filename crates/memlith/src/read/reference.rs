//! How a caller names a record: every form in which one is printed, and shorter ones.

use std::fmt;
use std::str::FromStr;

use memlith_event::{Citation, Event, IdempotencyKey, MemoryEvent};
use memlith_log::{Record, RecordId, Seq};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::body_of;
use crate::ledger::Ledger;

/// A record as a caller names it.
///
/// | form | names |
/// |---|---|
/// | `17` | the record at this sequence |
/// | `mem_17_0a1b2c3d4e5f` | the record with this id |
/// | `mem_17_0a`, `mem_17_`, `mem_1` | the only record whose id begins so |
/// | `memlith://LEDGER/17#0a1b2c3d4e5f` | the record of a citation |
/// | 32 hex digits | the observation of the checkout with this id |
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// By its sequence alone.
    Seq(Seq),
    /// By its whole id.
    Id(RecordId),
    /// By the beginning of its id.
    Prefix(IdPrefix),
    /// By a citation.
    Cited(Citation),
    /// An observation, by the id of its checkout.
    Checkout(memlith_event::CheckoutId),
}

/// The beginning of a record's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdPrefix {
    /// The digits of the sequence.
    digits: String,
    /// The hex digits of the hash; `None` where the sequence may go on.
    hash: Option<String>,
}

/// The text names no record in any ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{shown}` names no record: {reason}; a record is named 17, mem_17_0a1b2c3d4e5f, the \
         beginning of that, or memlith://<32 hex>/17#0a1b2c3d4e5f"
)]
pub struct ParseReferenceError {
    /// The beginning of the text, at most 60 characters, those that a terminal would obey escaped.
    pub shown: String,
    /// The fault of the text.
    pub reason: &'static str,
}

/// No form is longer, in bytes: a citation with a sequence of 20 digits has 76.
const REFERENCE_LEN_MAX: usize = 96;

/// Characters of a refused text that an error repeats.
const SHOWN_CHARS_MAX: usize = 60;

/// Ids that an error lists of those that a prefix leaves open.
const CHOICES_MAX: usize = 3;

impl FromStr for Reference {
    type Err = ParseReferenceError;

    fn from_str(text: &str) -> Result<Reference, ParseReferenceError> {
        let refused = |reason| Err(ParseReferenceError { shown: shown(text), reason });
        if text.is_empty() {
            return refused("it is empty");
        }
        if text.len() > REFERENCE_LEN_MAX {
            return refused("it is longer than any id");
        }
        if let Some(found) = text.chars().find(|c| !is_of_ids(*c)) {
            return refused(match found {
                '\0' => "it has a NUL in it",
                found if found.is_whitespace() => "it has white space in it",
                found if found.is_control() => "it has a control character in it",
                _ => "it has a character in it that no id has",
            });
        }
        if text.starts_with("memlith:") {
            let cited = text.parse().map(Reference::Cited);
            return cited.or_else(|_| refused("it is no whole citation"));
        }
        if let Some(rest) = text.strip_prefix("mem_") {
            if let Ok(id) = text.parse() {
                return Ok(Reference::Id(id));
            }
            let prefix = IdPrefix::of(rest).map(Reference::Prefix);
            return prefix.map_or_else(|| refused("it is the beginning of no id"), Ok);
        }
        if let Some(checkout) = checkout_id(text) {
            return Ok(Reference::Checkout(checkout));
        }
        match sequence(text) {
            Some(seq) => Ok(Reference::Seq(seq)),
            None => refused("it has none of the forms that an id has"),
        }
    }
}

impl IdPrefix {
    /// Reads what stands behind `mem_`.
    fn of(rest: &str) -> Option<IdPrefix> {
        let (digits, hash) = match rest.split_once('_') {
            Some((digits, hash)) => (digits, Some(hash)),
            None => (rest, None),
        };
        sequence(digits)?;
        let is_hash = |hash: &str| {
            hash.len() < 12 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let fits = hash.is_none_or(is_hash);
        fits.then(|| IdPrefix { digits: digits.to_owned(), hash: hash.map(str::to_owned) })
    }

    /// The ranges of sequences that begin with the digits, up to `head`: one for each number
    /// of further digits.
    fn ranges(&self, head: Seq) -> Vec<(u64, u64)> {
        let Ok(first) = self.digits.parse::<u64>() else { return Vec::new() };
        let mut ranges = vec![(first, first)];
        if self.hash.is_none() && first > 0 {
            let mut scale: u64 = 10;
            while let Some(low) = first.checked_mul(scale).filter(|low| *low <= head.0) {
                ranges.push((low, low.saturating_add(scale - 1)));
                let Some(next) = scale.checked_mul(10) else { break };
                scale = next;
            }
        }
        ranges.retain(|(low, _)| *low <= head.0);
        ranges.into_iter().map(|(low, high)| (low, high.min(head.0))).collect()
    }
}

impl fmt::Display for IdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mem_{}", self.digits)?;
        self.hash.as_ref().map_or(Ok(()), |hash| write!(f, "_{hash}"))
    }
}

impl Ledger {
    /// The id of the record that `reference` names.
    ///
    /// Every form reads one record. A checkout is looked up under the caller's name and scope,
    /// and where it isn't found there, by one pass over the log. A whole id or citation is given
    /// back also where no such record is there: the call that it goes to says so.
    ///
    /// # Errors
    /// [`Error::Reference`], [`Error::OtherLedger`], [`Error::AmbiguousReference`],
    /// [`Error::NothingNamed`], [`Error::OtherHash`], and the log's.
    pub fn resolve(&self, caller: &Caller, reference: &str) -> Result<RecordId, Error> {
        match reference.parse()? {
            Reference::Id(id) => self.with_this_hash(id),
            Reference::Cited(citation) if citation.ledger == self.id() => {
                self.with_this_hash(citation.id)
            }
            Reference::Cited(citation) => Err(Error::OtherLedger { citation, ledger: self.id() }),
            Reference::Seq(seq) => {
                let head = self.refresh()?.seq;
                if seq > head {
                    return Err(Error::NothingNamed { reference: seq.to_string(), head });
                }
                Ok(self.log.read(seq)?.id())
            }
            Reference::Prefix(prefix) => self.completed(&prefix),
            Reference::Checkout(checkout) => {
                let head = self.refresh()?.seq;
                let found = self.observation_of(caller, IdempotencyKey(checkout.0))?;
                let reference = reference.to_owned();
                found.ok_or(Error::NothingNamed { reference, head })
            }
        }
    }

    /// Returns the ledger that holds the record which `reference` names, this one or a copy beside
    /// it, and its id there. This ledger's own record comes first where a short name fits several.
    ///
    /// # Errors
    /// Those of [`Ledger::resolve`].
    pub fn find(&self, caller: &Caller, reference: &str) -> Result<(Ledger, RecordId), Error> {
        let own = self.resolve(caller, reference);
        if let Ok(id) = own
            && self.holds(id)
        {
            return Ok((self.clone(), id));
        }
        for ledger in self.beside() {
            if let Ok(id) = ledger.resolve(caller, reference)
                && ledger.holds(id)
            {
                return Ok((ledger, id));
            }
        }
        Ok((self.clone(), own?))
    }

    fn holds(&self, id: RecordId) -> bool {
        id.seq <= self.head().seq && self.log.read(id.seq).is_ok_and(|record| record.id() == id)
    }

    /// The id, unless the record there has another hash. One that isn't there, or can't be read,
    /// is left to who asks for it.
    fn with_this_hash(&self, asked: RecordId) -> Result<RecordId, Error> {
        self.refresh()?;
        match self.log.read(asked.seq) {
            Ok(record) if record.id() != asked => {
                Err(Error::OtherHash { asked, found: record.id() })
            }
            Ok(_) | Err(_) => Ok(asked),
        }
    }

    fn completed(&self, prefix: &IdPrefix) -> Result<RecordId, Error> {
        let head = self.refresh()?.seq;
        let ranges = prefix.ranges(head);
        let count = ranges.iter().map(|(low, high)| high - low + 1).fold(0, u64::saturating_add);
        let seqs = ranges.iter().flat_map(|(low, high)| *low..=*high).take(CHOICES_MAX);
        let ids = seqs.map(|seq| Ok(self.log.read(Seq(seq))?.id()));
        let ids: Vec<RecordId> = ids.collect::<Result<_, Error>>()?;
        match ids.as_slice() {
            [id] if id.to_string().starts_with(&prefix.to_string()) => Ok(*id),
            [] | [_] => Err(Error::NothingNamed { reference: prefix.to_string(), head }),
            _ => {
                let listed: Vec<String> = ids.iter().map(ToString::to_string).collect();
                let more = count.saturating_sub(ids.len() as u64);
                let listed = listed.join(", ");
                let found = if more > 0 { format!("{listed} and {more} more") } else { listed };
                Err(Error::AmbiguousReference { prefix: prefix.to_string(), found })
            }
        }
    }

    /// The observation of the checkout whose id is `key`.
    fn observation_of(
        &self,
        caller: &Caller,
        key: IdempotencyKey,
    ) -> Result<Option<RecordId>, Error> {
        let state = self.snapshot()?;
        if let Some(id) = state.memory.known(key, &caller.scope, &caller.actor()) {
            return Ok(Some(id));
        }
        let head = state.next.previous().unwrap_or_default();
        for record in self.log.scan(Seq::GENESIS, head) {
            let record = record?;
            if observes(&record, key) {
                return Ok(Some(record.id()));
            }
        }
        Ok(None)
    }
}

/// Whether the record says what the checkout with this id showed.
fn observes(record: &Record, key: IdempotencyKey) -> bool {
    if record.kind != memlith_event::Kind::SURFACED.number {
        return false;
    }
    let body = body_of(record).ok().flatten();
    body.is_some_and(|body| {
        let Event::Memory(MemoryEvent::Surfaced(surfaced)) = &body.event else { return false };
        surfaced.receipt.as_ref().is_some_and(|receipt| receipt.checkout.0 == key.0)
    })
}

/// Letters, digits, and what stands between them in an id or a citation.
fn is_of_ids(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '/' | '#')
}

/// A sequence as it is printed: no sign, no leading zero.
fn sequence(digits: &str) -> Option<Seq> {
    let canonical = digits == "0" || digits.starts_with(|c: char| ('1'..='9').contains(&c));
    let plain = canonical && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok().map(Seq)).flatten()
}

fn checkout_id(text: &str) -> Option<memlith_event::CheckoutId> {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 32 || !text.bytes().all(is_hex) {
        return None;
    }
    let bytes = u128::from_str_radix(text, 16).ok()?.to_be_bytes();
    Some(memlith_event::CheckoutId(bytes))
}

/// The beginning of `text`, so that a terminal shows it and obeys none of it.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut left = text.chars();
    for c in left.by_ref().take(SHOWN_CHARS_MAX) {
        match c {
            ' '..='~' => shown.push(c),
            c => shown.extend(c.escape_unicode()),
        }
    }
    if left.next().is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_nothing_else() {
        let whole = "mem_17_0a1b2c3d4e5f";
        let ledger = "000102030405060708090a0b0c0d0e0f";
        let prefix = |digits: &str, hash: Option<&str>| {
            let hash = hash.map(str::to_owned);
            Reference::Prefix(IdPrefix { digits: digits.to_owned(), hash })
        };
        let citation = format!("memlith://{ledger}/17#0a1b2c3d4e5f");
        for (text, expected) in [
            ("0", Reference::Seq(Seq(0))),
            ("17", Reference::Seq(Seq(17))),
            (whole, Reference::Id(whole.parse().unwrap())),
            ("mem_17_0a", prefix("17", Some("0a"))),
            ("mem_17_", prefix("17", Some(""))),
            ("mem_17", prefix("17", None)),
            (&citation, Reference::Cited(citation.parse().unwrap())),
            (ledger, Reference::Checkout(checkout_id(ledger).unwrap())),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        let long = format!("mem_{}", "1".repeat(100_000));
        for text in [
            "",
            " 17",
            "017",
            "+17",
            "-1",
            "1.5",
            "mem_",
            "mem_017",
            "mem_17_0A",
            "mem_17_zz",
            "mem_17_0a1b2c3d4e5f0",
            "mem_x",
            "memlith://x",
            "$(reboot)",
            "`id`",
            "17;ls",
            "17\0",
            "17\n",
            "mem_17_0a\u{1b}[31m",
            "18446744073709551616",
            "ana",
            &long,
            &citation[..citation.len() - 1],
            &ledger[1..],
            "\u{ff11}",
        ] {
            let error = text.parse::<Reference>().unwrap_err();
            assert!(error.shown.len() <= 700, "{}", error.shown.len());
            assert!(error.to_string().chars().all(|c| (' '..='~').contains(&c)), "{error}");
        }
    }

    #[test]
    fn a_sequence_goes_on_until_an_underscore_ends_it() {
        let ranges = |text: &str, head| {
            let Ok(Reference::Prefix(prefix)) = text.parse() else { panic!("{text}") };
            prefix.ranges(Seq(head))
        };
        assert_eq!(ranges("mem_1", 9), [(1, 1)]);
        assert_eq!(ranges("mem_1", 112), [(1, 1), (10, 19), (100, 112)]);
        assert_eq!(ranges("mem_1_", 112), [(1, 1)]);
        assert_eq!(ranges("mem_0", 112), [(0, 0)]);
        assert_eq!(ranges("mem_113", 112), []);
        assert_eq!(ranges("mem_18446744073709551615", u64::MAX), [(u64::MAX, u64::MAX)]);
    }
}
