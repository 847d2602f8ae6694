use std::fmt;

use memlith_event::OwnStatus;
use memlith_memory::Authority;

use crate::{Item, Sort};

/// Why an item is no source of a summary: the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The engine's own notes are never summarised.
    Bookkeeping,
    /// It was made from other items: a summary of summaries would drift from what was said.
    Derived,
    /// Only its session sees it, and it names none.
    NoSession,
    /// It waits for review.
    Pending,
    /// Review refused it.
    Rejected,
    /// It was declared wrong, or withdrawn.
    Invalidated,
    /// It was taken back.
    Retracted,
    /// Its body is gone.
    Erased,
    /// Nothing that it rests on is left.
    Stale,
    /// Another memory has taken its place.
    Superseded,
    /// Its own end has passed.
    Expired,
    /// It doesn't hold yet.
    Future,
    /// A source of it has a newer value, which a summary couldn't name.
    Outdated,
    /// Its words can't be read.
    Unreadable,
    /// It has no word.
    Wordless,
    /// It stands beside what contradicts it, which a summary couldn't name.
    Contested,
}

impl Reason {
    /// Why the item may not be a source, as far as its words don't matter; `None` where it
    /// may.
    #[must_use]
    pub fn of(item: &Item) -> Option<Reason> {
        if item.sort == Sort::Bookkeeping {
            return Some(Reason::Bookkeeping);
        }
        if item.derived {
            return Some(Reason::Derived);
        }
        if item.session_only && item.session.is_none() {
            return Some(Reason::NoSession);
        }
        match item.own {
            OwnStatus::Pending => Some(Reason::Pending),
            OwnStatus::Rejected => Some(Reason::Rejected),
            OwnStatus::Invalidated => Some(Reason::Invalidated),
            OwnStatus::Retracted => Some(Reason::Retracted),
            OwnStatus::Erased => Some(Reason::Erased),
            OwnStatus::Active => Reason::of_label(item.label),
        }
    }

    fn of_label(label: Authority) -> Option<Reason> {
        match label {
            Authority::Erased => Some(Reason::Erased),
            Authority::Invalidated => Some(Reason::Invalidated),
            Authority::Rejected => Some(Reason::Rejected),
            Authority::Retracted => Some(Reason::Retracted),
            Authority::Pending => Some(Reason::Pending),
            Authority::Stale => Some(Reason::Stale),
            Authority::Superseded => Some(Reason::Superseded),
            Authority::Expired => Some(Reason::Expired),
            Authority::Future => Some(Reason::Future),
            Authority::Outdated => Some(Reason::Outdated),
            Authority::Contested => Some(Reason::Contested),
            Authority::Active => None,
        }
    }

    /// Every reason, by its code.
    const ALL: [Reason; 16] = [
        Reason::Bookkeeping,
        Reason::Derived,
        Reason::NoSession,
        Reason::Pending,
        Reason::Rejected,
        Reason::Invalidated,
        Reason::Retracted,
        Reason::Erased,
        Reason::Stale,
        Reason::Superseded,
        Reason::Expired,
        Reason::Future,
        Reason::Outdated,
        Reason::Unreadable,
        Reason::Wordless,
        Reason::Contested,
    ];

    /// The reason as a byte of an event.
    #[must_use]
    pub fn code(self) -> u8 {
        let code = Reason::ALL.iter().position(|reason| *reason == self);
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
    }

    /// The reason that [`Reason::code`] gives `code`, if there is one.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Reason> {
        Reason::ALL.get(usize::from(code)).copied()
    }

    /// The label in output.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Reason::Bookkeeping => "bookkeeping",
            Reason::Derived => "derived",
            Reason::NoSession => "no_session",
            Reason::Pending => "pending",
            Reason::Rejected => "rejected",
            Reason::Invalidated => "invalidated",
            Reason::Retracted => "retracted",
            Reason::Erased => "erased",
            Reason::Stale => "stale",
            Reason::Superseded => "superseded",
            Reason::Expired => "expired",
            Reason::Future => "future",
            Reason::Outdated => "outdated",
            Reason::Unreadable => "unreadable",
            Reason::Wordless => "wordless",
            Reason::Contested => "contested",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
