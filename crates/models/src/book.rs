//! Counts of a day's calls, and the replies that were got: one small file beside the ledger.
//!
//! It is replaced whole, under a lock, so that two workers count together. It holds no words that
//! can be read without the question ([`crate::seal`]).

use std::path::{Path, PathBuf};

use memlith::Timestamp;
use serde::{Deserialize, Serialize};

use crate::seal;

/// The file of what was called.
#[derive(Clone, Debug)]
pub(crate) struct Book {
    path: PathBuf,
    lock: PathBuf,
    caps: Caps,
}

/// Calls and tokens that a day of UTC may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caps {
    pub(crate) calls: u64,
    pub(crate) tokens: u64,
}

/// Why no call is made before an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) until: Timestamp,
    pub(crate) why: &'static str,
}

/// The book can't be used, so nothing may be called.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BookError {
    #[error("the calls can't be counted in {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{} is damaged: delete it, and the day's calls are counted from none", path.display())]
    Damaged { path: PathBuf },
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    /// The day since 1970 that the counts are of.
    day: i64,
    calls: u64,
    tokens: u64,
    /// Their cost in millionths of a US dollar, where that was said.
    #[serde(default)]
    cost_micros: u64,
    /// The calls whose cost nobody said.
    #[serde(default)]
    uncosted: u64,
    /// Until when the server asked to be left alone, in microseconds since 1970.
    rest_until: i64,
    /// The newest last.
    replies: Vec<Kept>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    question: String,
    reply: String,
}

/// Maximum number of replies that are kept.
const REPLIES_MAX: usize = 32;

/// Maximum length of the file in bytes: all replies, of 64 KiB each, in base64.
const FILE_BYTES_MAX: u64 = 4 << 20;

const CALLS_SPENT: &str = "calls_per_day in writeback.toml is reached: it goes on tomorrow (UTC)";
const TOKENS_SPENT: &str = "tokens_per_day in writeback.toml is reached: it goes on tomorrow (UTC)";
const ASKED: &str = "the model server asked to be left alone";

/// The calls of a day, with their tokens and cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The calls.
    pub calls: u64,
    /// Their tokens.
    pub tokens: u64,
    /// Their cost in millionths of a US dollar; absent where a provider didn't say it.
    pub cost_micros: Option<u64>,
}

/// The calls of `now`'s day (UTC) for the ledger in the folder `ledger`; nothing where the
/// file that counts them can't be read.
#[must_use]
pub fn spent(ledger: &Path, now: Timestamp) -> Spent {
    let page = Book::of(ledger, Caps { calls: 0, tokens: 0 }).read().unwrap_or_default().at(now);
    let is_costed = page.uncosted == 0 && (page.calls == 0 || page.cost_micros > 0);
    let cost_micros = is_costed.then_some(page.cost_micros);
    Spent { calls: page.calls, tokens: page.tokens, cost_micros }
}

impl Book {
    /// The book in the ledger's folder.
    pub(crate) fn of(ledger: &Path, caps: Caps) -> Book {
        let (path, lock) =
            (ledger.join("writeback-calls.json"), ledger.join("writeback-calls.lock"));
        Book { path, lock, caps }
    }

    /// Until when nothing may be called, if a call would be refused at `now`.
    pub(crate) fn rest(&self, now: Timestamp) -> Result<Option<Rest>, BookError> {
        self.read().map(|page| page.at(now).rest(now, self.caps, 1))
    }

    /// Counts a call of so many tokens before it is made, or returns when it may be.
    pub(crate) fn admit(&self, now: Timestamp, tokens: u64) -> Result<Option<Rest>, BookError> {
        self.change(now, |page| {
            let rest = page.rest(now, self.caps, tokens);
            if rest.is_none() {
                page.calls = page.calls.saturating_add(1);
                page.tokens = page.tokens.saturating_add(tokens);
            }
            rest
        })
    }

    /// Puts the tokens that a call took, and its cost, in the place of those it was counted with.
    pub(crate) fn settle(
        &self,
        now: Timestamp,
        counted: u64,
        (taken, cost_micros): (u64, Option<u64>),
    ) -> Result<(), BookError> {
        self.change(now, |page| {
            page.tokens = page.tokens.saturating_sub(counted).saturating_add(taken);
            page.cost_micros = page.cost_micros.saturating_add(cost_micros.unwrap_or_default());
            page.uncosted = page.uncosted.saturating_add(u64::from(cost_micros.is_none()));
        })
    }

    /// Leaves the server alone until then.
    pub(crate) fn leave_alone(&self, now: Timestamp, until: Timestamp) -> Result<(), BookError> {
        self.change(now, |page| page.rest_until = page.rest_until.max(until.0))
    }

    /// The reply that was got to a question.
    pub(crate) fn reply(&self, question: &[u8]) -> Result<Option<String>, BookError> {
        let (page, name) = (self.read()?, seal::name(question));
        let kept = page.replies.iter().find(|kept| kept.question == name);
        Ok(kept.and_then(|kept| seal::opened(question, &kept.reply)))
    }

    /// Keeps a reply; the oldest makes room.
    pub(crate) fn keep(
        &self,
        now: Timestamp,
        question: &[u8],
        reply: &str,
    ) -> Result<(), BookError> {
        let kept = Kept { question: seal::name(question), reply: seal::sealed(question, reply) };
        self.change(now, |page| {
            page.replies.retain(|other| other.question != kept.question);
            page.replies.push(kept);
            let over = page.replies.len().saturating_sub(REPLIES_MAX);
            page.replies.drain(..over);
        })
    }

    fn change<T>(
        &self,
        now: Timestamp,
        change: impl FnOnce(&mut Page) -> T,
    ) -> Result<T, BookError> {
        let io = |source| BookError::Io { path: self.path.clone(), source };
        let _held = memlith_files::hold(&self.lock).map_err(io)?;
        let mut page = self.read()?.at(now);
        let changed = change(&mut page);
        let bytes = serde_json::to_vec(&page).map_err(|error| io(error.into()))?;
        memlith_files::replace(&self.path, &bytes).map_err(io)?;
        Ok(changed)
    }

    fn read(&self) -> Result<Page, BookError> {
        let read = memlith_files::read(&self.path, FILE_BYTES_MAX);
        let bytes = read.map_err(|source| BookError::Io { path: self.path.clone(), source })?;
        let Some(bytes) = bytes else { return Ok(Page::default()) };
        serde_json::from_slice(&bytes).map_err(|_| BookError::Damaged { path: self.path.clone() })
    }
}

impl Page {
    /// The page at `now`: another day begins without calls.
    fn at(mut self, now: Timestamp) -> Page {
        let day = now.0.div_euclid(Timestamp::DAY_US);
        if day != self.day {
            (self.day, self.calls, self.tokens) = (day, 0, 0);
            (self.cost_micros, self.uncosted) = (0, 0);
        }
        self
    }

    fn rest(&self, now: Timestamp, caps: Caps, tokens: u64) -> Option<Rest> {
        let tomorrow = self.day.saturating_add(1).saturating_mul(Timestamp::DAY_US);
        let rest = |until, why| Some(Rest { until: Timestamp(until), why });
        match () {
            () if self.rest_until > now.0 => rest(self.rest_until, ASKED),
            () if self.calls >= caps.calls => rest(tomorrow, CALLS_SPENT),
            () if self.tokens.saturating_add(tokens) > caps.tokens => rest(tomorrow, TOKENS_SPENT),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(20_000 * Timestamp::DAY_US + Timestamp::DAY_US / 2);

    fn book(folder: &tempfile::TempDir) -> Book {
        Book::of(folder.path(), Caps { calls: 2, tokens: 100 })
    }

    #[test]
    fn a_day_takes_what_it_may_and_the_next_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let book = book(&folder);
        assert_eq!(book.admit(NOON, 60).unwrap(), None);
        let tomorrow = Timestamp(20_001 * Timestamp::DAY_US);
        let spent = Some(Rest { until: tomorrow, why: TOKENS_SPENT });
        assert_eq!(book.admit(NOON, 60).unwrap(), spent);
        book.settle(NOON, 60, (10, None)).unwrap();
        assert_eq!(book.admit(NOON, 60).unwrap(), None);
        // Another worker, or the same one after a restart, counts on.
        let spent = Some(Rest { until: tomorrow, why: CALLS_SPENT });
        assert_eq!(Book::of(folder.path(), book.caps).rest(NOON).unwrap(), spent);
        assert_eq!(book.admit(tomorrow, 60).unwrap(), None);
    }

    #[test]
    fn workers_count_together() {
        let folder = tempfile::tempdir().unwrap();
        let admitted = || {
            let book = Book::of(folder.path(), Caps { calls: 10, tokens: 1_000 });
            (0..5).filter(|_| book.admit(NOON, 1).unwrap().is_none()).count()
        };
        let all: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(admitted)).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        assert_eq!(all, 10);
    }

    #[test]
    fn a_server_is_left_alone_as_long_as_it_asked() {
        let folder = tempfile::tempdir().unwrap();
        let book = book(&folder);
        book.leave_alone(NOON, NOON.plus_us(9)).unwrap();
        book.leave_alone(NOON, NOON.plus_us(5)).unwrap();
        let asked = Some(Rest { until: NOON.plus_us(9), why: ASKED });
        assert_eq!(book.rest(NOON.plus_us(8)).unwrap(), asked);
        assert_eq!(book.rest(NOON.plus_us(9)).unwrap(), None);
    }

    #[test]
    fn the_newest_replies_are_kept_and_can_t_be_read_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let book = book(&folder);
        for number in 0..40 {
            let question = format!("question {number}");
            book.keep(NOON, question.as_bytes(), &format!("reply {number}")).unwrap();
        }
        assert_eq!(book.reply(b"question 39").unwrap().as_deref(), Some("reply 39"));
        assert_eq!(book.reply(b"question 8").unwrap().as_deref(), Some("reply 8"));
        assert_eq!(book.reply(b"question 7").unwrap(), None);
        let text = std::fs::read_to_string(&book.path).unwrap();
        assert!(!text.contains("reply 39") && !text.contains("question 39"));
        for path in [&book.path, &book.lock] {
            let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(path).unwrap());
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_damaged_book_lets_no_call_through() {
        let folder = tempfile::tempdir().unwrap();
        let book = book(&folder);
        for damaged in ["", "{", "[]", "{\"day\":1}"] {
            std::fs::write(&book.path, damaged).unwrap();
            assert!(matches!(book.admit(NOON, 1), Err(BookError::Damaged { .. })), "{damaged:?}");
        }
    }
}
