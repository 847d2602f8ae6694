use memlith_event::{LeftOutReason, Purpose, Receipt};
use memlith_log::RecordId;

use crate::find::CANDIDATES_MAX;
use crate::terms::Terms;
use crate::walk::{Walk, Walked};
use crate::{Answerability, Ask, Cited, Error, Evidence, Request, TokenCounter, View, receipt};

/// The answer to a checkout: as much of the order as the budget holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// What is shown, best first.
    pub items: Vec<Cited>,
    /// What was found and isn't shown: what ranked first, then what may not be shown.
    pub left_out: Vec<Excluded>,
    /// The tokens of all excerpts together; never above the budget.
    pub tokens: u32,
    /// Whether it is enough to answer from.
    pub answerability: Answerability,
    /// What of it is evidence.
    pub evidence: Evidence,
    /// Everything that the pack depended on.
    pub receipt: Receipt<'static>,
}

/// An item that was found and isn't shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// The item.
    pub id: RecordId,
    /// Why not.
    pub reason: LeftOutReason,
}

/// Answers `request` from `view`: what is active, visible and trusted, ranked by
/// relevance and salience, one excerpt of each, as far as the budget goes.
///
/// A larger budget shows the same and then more. Nothing is changed: showing is learned
/// from only when the receipt is appended as an event.
///
/// Source: `docs/model.md`, "Checkout". Cost: a search, and reading the words of the
/// items shown and of those passed over before the last of them.
///
/// # Errors
/// [`Error`]: an empty or endless query, or no budget.
pub fn checkout(view: &View<'_>, request: &Request<'_>) -> Result<Pack, Error> {
    request.check()?;
    let found = view.find(&request.ask, request.purpose, CANDIDATES_MAX);
    let Walked { items, left_out, evidence } = Walk::new(view, request).over(&found);
    let answerability = Answerability::of(evidence, &found.candidates);
    let tokens = items.iter().map(|item| item.excerpt.tokens).fold(0, u32::saturating_add);
    let receipt = receipt::write(view, request, &items, &left_out);
    Ok(Pack { items, left_out, tokens, answerability, evidence, receipt })
}

/// The `limit` best answers to `ask`, each with why: for one who looks things up.
///
/// The order is a checkout's, without its economies: nothing is attenuated, folded or
/// held to a share. Nothing is learned from it.
///
/// # Errors
/// [`Error`]: an empty or endless query.
pub fn recall(
    view: &View<'_>,
    ask: &Ask<'_>,
    limit: usize,
    counter: &dyn TokenCounter,
) -> Result<Vec<Cited>, Error> {
    ask.check()?;
    let found = view.find(ask, Purpose::General, limit.max(CANDIDATES_MAX));
    let terms = Terms::of(ask.query);
    let cited = found
        .candidates
        .iter()
        .filter_map(|one| view.cite(one, (ask, Purpose::General), &terms, counter));
    Ok(cited.take(limit).collect())
}
