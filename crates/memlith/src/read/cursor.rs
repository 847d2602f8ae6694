use std::fmt;
use std::str::FromStr;

use memlith_log::{LedgerId, Seq};
use serde::{Serialize, Serializer};

use crate::read::reference::shown;

/// Where a page of a list ended: the next one goes on there.
///
/// Text form `cursor_<ledger, 32 hex>_<list>_<seq>`, where the list is `memories`, `records` or
/// `sessions`, with `-oldest` behind it where that order was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The ledger.
    pub ledger: LedgerId,
    /// Which list, in which order.
    pub list: List,
    /// The last row of the page.
    pub seq: Seq,
}

/// A list and its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    /// The rows that are listed.
    pub what: ListOf,
    /// Whether the oldest rows come first; the newest do otherwise.
    pub oldest: bool,
}

/// The kinds of rows that can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ListOf {
    /// Memories and summaries.
    #[default]
    Memories,
    /// Records of everything that happened.
    Records,
    /// In which sessions something happened.
    Sessions,
}

/// A cursor that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CursorError {
    /// The text is none.
    #[error("`{shown}` is no cursor; give the one that the page before printed, or none to begin")]
    NotACursor {
        /// The beginning of the text.
        shown: String,
    },
    /// It is of another ledger.
    #[error("the cursor is of ledger {found}, this one is {ledger}; begin without a cursor")]
    OtherLedger {
        /// The cursor's.
        found: LedgerId,
        /// The one that is open.
        ledger: LedgerId,
    },
    /// It is of another list, or of another order.
    #[error(
        "the cursor is of the list {found}, what is asked for is {asked}; begin without a \
             cursor"
    )]
    OtherList {
        /// The cursor's.
        found: List,
        /// The list that is asked for.
        asked: List,
    },
}

impl ListOf {
    /// Everything that can be listed.
    pub const ALL: [ListOf; 3] = [ListOf::Memories, ListOf::Records, ListOf::Sessions];

    /// The word for it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            ListOf::Memories => "memories",
            ListOf::Records => "records",
            ListOf::Sessions => "sessions",
        }
    }
}

impl Cursor {
    /// Where a list of the ledger goes on behind this cursor.
    pub(crate) fn behind(self, ledger: LedgerId, asked: List) -> Result<Seq, CursorError> {
        if self.ledger != ledger {
            return Err(CursorError::OtherLedger { found: self.ledger, ledger });
        }
        if self.list != asked {
            return Err(CursorError::OtherList { found: self.list, asked });
        }
        Ok(self.seq)
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what.label())?;
        if self.oldest { f.write_str("-oldest") } else { Ok(()) }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cursor_{}_{}_{}", self.ledger, self.list, self.seq)
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Cursor, CursorError> {
        let parse = || {
            let (ledger, rest) = text.strip_prefix("cursor_")?.split_once('_')?;
            let (list, seq) = rest.split_once('_')?;
            let (name, oldest) = match list.strip_suffix("-oldest") {
                Some(name) => (name, true),
                None => (list, false),
            };
            let what = ListOf::ALL.into_iter().find(|what| what.label() == name)?;
            let cursor = Cursor {
                ledger: LedgerId::from_hex(ledger).ok()?,
                list: List { what, oldest },
                seq: Seq(seq.parse().ok()?),
            };
            (cursor.to_string() == text).then_some(cursor)
        };
        parse().ok_or_else(|| CursorError::NotACursor { shown: shown(text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_round_trips_and_nothing_else_is_one() {
        for what in ListOf::ALL {
            for oldest in [false, true] {
                let list = List { what, oldest };
                let cursor = Cursor { ledger: LedgerId([7; 16]), list, seq: Seq(12) };
                assert_eq!(cursor.to_string().parse(), Ok(cursor));
            }
        }
        let ledger = "07".repeat(16);
        for text in [
            "".to_owned(),
            "12".to_owned(),
            "$(reboot)\0".to_owned(),
            format!("cursor_{ledger}_memories"),
            format!("cursor_{ledger}_memories_"),
            format!("cursor_{ledger}_memories_012"),
            format!("cursor_{ledger}_memories_+1"),
            format!("cursor_{ledger}_everything_1"),
            format!("cursor_{}_memories_1", &ledger[1..]),
            format!("cursor_{ledger}_memories_{}", "9".repeat(30)),
        ] {
            assert!(text.parse::<Cursor>().is_err(), "{text}");
        }
    }
}
