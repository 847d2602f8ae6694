use crate::Recall;
use crate::item::Item;
use crate::matches::Matches;
use crate::rows::Rows;
use crate::share::{share, sharpened};
use crate::signals::ONE;

/// Matches of a query with the items that began sessions.
///
/// In an agent's log what is asked for is said once, and what came of it doesn't repeat it:
/// the file that was edited names neither the service nor the trouble. Within a session each
/// item follows from the one before it, so the first is the cause of all.
#[derive(Debug, Default)]
pub(crate) struct Requests(Vec<Request>);

/// A session's first item, and how far the query asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Request {
    session: u32,
    /// How far it is asked for, in millionths.
    pub(crate) asked: i64,
    /// The number of the item.
    pub(crate) item: u32,
}

/// With no more than so many of the query's terms nothing is asked for; with [`ALL_TERMS`]
/// it is.
///
/// A greeting may well have two words of a question. Source: `memlith-bench recall --agents`
/// and `examples/fit.rs`, between which it is the best of five.
const NO_TERMS: i64 = 2;
const ALL_TERMS: i64 = 5;

impl Requests {
    /// Those among some items, mostly rows that a search reads anyway, whoever may see them.
    pub(crate) fn among(
        numbers: impl Iterator<Item = u32>,
        recall: &Recall,
        matches: &Matches,
        rows: &mut Rows,
    ) -> Requests {
        let found = numbers.filter_map(|number| matches.at(matches.place_of(number)?));
        let found: Vec<(u32, i64)> =
            found.map(|found| (found.item, matches.worth_with_near(found))).collect();
        let most = found.iter().map(|(_, worth)| *worth).max().unwrap_or_default().max(1);
        let found = found.into_iter().map(|(number, worth)| (number, asked(worth, most, matches)));
        let found: Vec<(u32, i64)> = found.filter(|(_, asked)| *asked > 0).collect();
        recall.items.will_need(&found.iter().map(|(number, _)| *number).collect::<Vec<_>>());
        let mut requests = Vec::new();
        for (item, asked) in found {
            let row = rows.find(recall, matches, item).and_then(|place| rows.at(place));
            let first = row.filter(|row| row.item.begins_session());
            requests.extend(first.map(|row| Request { session: row.item.session, asked, item }));
        }
        requests.sort_unstable();
        Requests(requests)
    }

    /// The request that led to an item: nothing to the first of its session.
    pub(crate) fn of(&self, item: &Item) -> Option<Request> {
        if item.begins_session() {
            return None;
        }
        let place = self.0.binary_search_by_key(&item.session, |request| request.session);
        self.0.get(place.ok()?).copied()
    }
}

/// How far a query asks for an item that has so much of it, in millionths.
fn asked(worth: i64, most: i64, matches: &Matches) -> i64 {
    let terms = i64::try_from(matches.worth.len()).unwrap_or_default();
    let had = share(worth, matches.worth.iter().sum::<i64>().max(1)) * terms;
    let enough = (had - NO_TERMS * ONE).clamp(0, (ALL_TERMS - NO_TERMS) * ONE);
    let asked = sharpened(share(worth, most)) * (enough / (ALL_TERMS - NO_TERMS)) / ONE;
    asked * asked / ONE
}
