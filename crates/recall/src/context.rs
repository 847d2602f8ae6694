use memlith_event::Scope;
use memlith_log::Timestamp;

use crate::cell::cells_of;
use crate::matches::Matches;
use crate::question::Question;
use crate::{Hit, Recall};

/// Matches of a few words: items that have all of them, and sessions of that name.
///
/// Cost: O(postings of the words in the visible cells), as of a search.
#[derive(Clone, Debug)]
pub struct Context {
    /// The items that have all words, ascending.
    items: Vec<u32>,
    /// The sessions that are called so, one for a cell, ascending.
    sessions: Vec<u32>,
}

impl Context {
    /// Finds the items and sessions that match `text` in the cells that `scope` sees.
    ///
    /// A word is met as in a search: by its stem, in what was said, in tool names and in
    /// slots. A text without content words has no items.
    #[must_use]
    pub fn of(recall: &Recall, text: &str, scope: &Scope<'_>, now: Timestamp) -> Context {
        let cells = cells_of(recall, scope);
        let question = Question::plain(text, now);
        let matches = Matches::gather(recall, &cells, &question);
        let all = question.terms.len();
        let has_all = |place: usize| all > 0 && matches.of(Some(place)).count() == all;
        let items = matches.items().iter().enumerate();
        let items = items.filter(|(place, _)| has_all(*place)).map(|(_, found)| found.item);
        let mut sessions: Vec<u32> = (scope.visible_cells().into_iter())
            .flat_map(|cell| {
                let session = Scope::session_named(cell, text);
                [cell, Scope::room_of_session(session)]
                    .map(|cell| recall.session_number(cell, session))
            })
            .flatten()
            .collect();
        sessions.sort_unstable();
        Context { items: items.collect(), sessions }
    }

    /// Whether a hit of the same recall has to do with it.
    #[must_use]
    pub fn meets(&self, hit: &Hit) -> bool {
        self.items.binary_search(&hit.number).is_ok()
            || self.sessions.binary_search(&hit.session).is_ok()
    }
}
