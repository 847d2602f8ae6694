//! Cutting the items of a ledger into spans.
//!
//! Invariants
//! 1. A span has items of one cell and one session, or of one cell and none; session-only
//!    items are never with others.
//! 2. A closed span is the same in every later view: where it begins and ends depends on
//!    what is before its end alone, and on nothing that is decided later.

use std::collections::BTreeMap;

use memlith_event::Key;
use memlith_log::{Digest, Seq};

use crate::{Error, Excluded, Item, Reason, Rules, View};

/// The identity of a span: BLAKE3 over the record hashes of all its primary items, whatever
/// became of them. Two summaries of one span have it in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanId(pub Digest);

/// The cell and session whose items a span has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// Tenant, agent and subject.
    pub cell: Key,
    /// The session within the cell.
    pub session: Option<Key>,
    /// Whether only queries of the session see them.
    pub session_only: bool,
}

/// Items that are summarised together, or not at all.
#[derive(Debug)]
pub(crate) struct Span<'a> {
    pub(crate) group: Group,
    /// By sequence; what isn't primary is among them.
    pub(crate) items: Vec<&'a Item>,
    pub(crate) closed: bool,
}

/// The spans of a view.
#[derive(Debug)]
pub(crate) struct Cut<'a> {
    /// By the sequence of their first primary items.
    pub(crate) spans: Vec<Span<'a>>,
    /// Items that belong to no span.
    pub(crate) left_out: Vec<Excluded>,
}

/// More items than this are no view of one ledger.
pub const ITEMS_MAX: usize = 1 << 28;

impl Group {
    /// The group of an item; `None` where nobody could see it.
    #[must_use]
    pub fn of(item: &Item) -> Option<Group> {
        let Item { cell, session, session_only, .. } = *item;
        (session.is_some() || !session_only).then_some(Group { cell, session, session_only })
    }
}

impl SpanId {
    /// The identity of a span with these primary items, by sequence.
    pub(crate) fn of<'a>(primary: impl Iterator<Item = &'a Item>) -> SpanId {
        let mut hasher = blake3::Hasher::new_derive_key("memlith v1 span");
        for item in primary {
            hasher.update(&item.hash.0);
        }
        SpanId(Digest(*hasher.finalize().as_bytes()))
    }
}

/// Cuts the items of a view into spans.
///
/// The primary items of a group are counted off from its first. A span ends behind
/// `span_items` of them, and where a session ends. It is closed where its session ended
/// behind its last item, or where it is whole and `tail_events` events stand behind it.
///
/// # Errors
/// [`Error`] for an item that is there twice, or past the view.
pub(crate) fn cut<'a>(view: &View<'a>, rules: &Rules) -> Result<Cut<'a>, Error> {
    Error::unless_within("items of a view", view.items.len(), 0, ITEMS_MAX)?;
    let mut items: Vec<&Item> = view.items.iter().collect();
    items.sort_unstable_by_key(|item| item.seq);
    if let Some(twice) = items.windows(2).find_map(|pair| match pair {
        [one, other] if one.seq == other.seq => Some(one.seq),
        _ => None,
    }) {
        return Err(Error::Twice { seq: twice });
    }
    if let Some(last) = items.last().filter(|last| last.seq > view.seq) {
        return Err(Error::Beyond { seq: last.seq, view: view.seq });
    }
    let mut cutting =
        Cutting { rules, view: view.seq, ends: ends(view), open: BTreeMap::new(), spans: vec![] };
    let mut left_out = Vec::new();
    for item in items {
        match Group::of(item) {
            Some(group) => cutting.take(group, item),
            None => left_out.push(Excluded { id: item.id(), reason: Reason::NoSession }),
        }
    }
    Ok(Cut { spans: cutting.finish(), left_out })
}

/// The ends of each session, ascending.
fn ends(view: &View<'_>) -> BTreeMap<Key, Vec<Seq>> {
    let mut ends: BTreeMap<Key, Vec<Seq>> = BTreeMap::new();
    for end in view.ends.iter().filter(|end| end.at <= view.seq) {
        ends.entry(end.session).or_default().push(end.at);
    }
    ends.values_mut().for_each(|ends| ends.sort_unstable());
    ends
}

struct Cutting<'a, 'r> {
    rules: &'r Rules,
    view: Seq,
    ends: BTreeMap<Key, Vec<Seq>>,
    open: BTreeMap<Group, Open<'a>>,
    spans: Vec<Span<'a>>,
}

/// A span that can still grow, as far as was read.
#[derive(Default)]
struct Open<'a> {
    items: Vec<&'a Item>,
    primary: usize,
}

impl<'a> Cutting<'a, '_> {
    fn take(&mut self, group: Group, item: &'a Item) {
        let ended = self
            .open
            .get(&group)
            .and_then(|open| open.items.last())
            .is_some_and(|last| self.ends_within(group, last.seq, item.seq));
        if ended {
            self.close(group, true);
        }
        let open = self.open.entry(group).or_default();
        open.items.push(item);
        open.primary += usize::from(item.is_primary());
        if open.primary == self.rules.span_items {
            let behind = self.view.0.saturating_sub(item.seq.0);
            let ended = self.ends_within(group, item.seq, self.view);
            self.close(group, ended || behind >= self.rules.tail_events);
        }
    }

    /// Whether the session of the group ended behind `after`, at or before `until`.
    fn ends_within(&self, group: Group, after: Seq, until: Seq) -> bool {
        let ends = group.session.and_then(|session| self.ends.get(&session));
        ends.is_some_and(|ends| {
            let next = ends.partition_point(|end| *end <= after);
            ends.get(next).is_some_and(|end| *end <= until)
        })
    }

    fn close(&mut self, group: Group, closed: bool) {
        if let Some(open) = self.open.remove(&group).filter(|open| open.primary > 0) {
            self.spans.push(Span { group, items: open.items, closed });
        }
    }

    fn finish(mut self) -> Vec<Span<'a>> {
        while let Some((group, last)) = self
            .open
            .iter()
            .next()
            .map(|(group, open)| (*group, open.items.last().map_or(self.view, |last| last.seq)))
        {
            let ended = self.ends_within(group, last, self.view);
            self.close(group, ended);
            self.open.remove(&group);
        }
        self.spans.sort_by_key(Span::first);
        self.spans
    }
}

impl Span<'_> {
    pub(crate) fn id(&self) -> SpanId {
        SpanId::of(self.primary())
    }

    /// The sequence of the first primary item.
    pub(crate) fn first(&self) -> Seq {
        self.primary().next().map_or(Seq::MAX, |item| item.seq)
    }

    /// The sequence of the last primary item.
    pub(crate) fn last(&self) -> Seq {
        self.primary().last().map_or(Seq::GENESIS, |item| item.seq)
    }

    pub(crate) fn primary(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().copied().filter(|item| item.is_primary())
    }
}

#[cfg(test)]
mod tests;
