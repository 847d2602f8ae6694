use crate::Recall;
use crate::item::Item;
use crate::matches::{MatchedItem, Matches};
use crate::rows::Rows;
use crate::share::{share, sharpened};
use crate::signals::ONE;

/// What a query has in common with the items that began sessions.
///
/// In an agent's log what is asked for is said once, and what came of it doesn't repeat it:
/// the file that was edited names neither the service nor the trouble. Within a session each
/// item follows from the one before it, so the first is the cause of all.
#[derive(Debug, Default)]
pub(crate) struct Requests(Vec<(u32, i64)>);

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
        let found = found.map(|found| (found.item, asked(found, matches)));
        let found: Vec<(u32, i64)> = found.filter(|(_, asked)| *asked > 0).collect();
        recall.items.will_need(&found.iter().map(|(number, _)| *number).collect::<Vec<_>>());
        let mut requests = Vec::new();
        for (number, asked) in found {
            let row = rows.find(recall, matches, number).and_then(|place| rows.at(place));
            let first = row.filter(|row| row.item.begins_session());
            requests.extend(first.map(|row| (row.item.session, asked)));
        }
        requests.sort_unstable();
        Requests(requests)
    }

    /// What led to an item: nothing to the first of its session.
    pub(crate) fn of(&self, item: &Item) -> i64 {
        if item.begins_session() {
            return 0;
        }
        let place = self.0.binary_search_by_key(&item.session, |request| request.0);
        place.ok().and_then(|place| self.0.get(place)).map_or(0, |request| request.1)
    }
}

/// How far a query asks for what an item says, in millionths.
fn asked(found: &MatchedItem, matches: &Matches) -> i64 {
    let terms = i64::try_from(matches.worth.len()).unwrap_or_default();
    let had = share(found.worth, matches.worth.iter().sum()) * terms;
    let enough = (had - NO_TERMS * ONE).clamp(0, (ALL_TERMS - NO_TERMS) * ONE);
    sharpened(share(found.worth, matches.most)) * (enough / (ALL_TERMS - NO_TERMS)) / ONE
}
