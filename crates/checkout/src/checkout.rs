use memlith_event::{LeftOutReason, Purpose, Receipt};
use memlith_log::RecordId;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::find::{CANDIDATES_MAX, End, Found};
use crate::spoken::Source;
use crate::terms::Terms;
use crate::walk::{Walk, Walked};
use crate::{
    Ask, AskedOf, Cited, Error, Evidence, Prompt, Request, TokenCounter, View, lifted, newest,
    prompt, receipt,
};

/// The answer to a checkout: as much of the order as the budget holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// Items shown: the pinned block in order of sequence, then what answers, best first.
    pub items: Vec<Cited>,
    /// Number of the items in the pinned block, which doesn't depend on what was asked.
    pub stable_items: usize,
    /// Items found and not shown: what ranked first, then what may not be shown.
    pub left_out: Vec<Excluded>,
    /// The tokens of the pack as [`for_prompt`](crate::for_prompt) gives it to a model; never above
    /// the budget.
    pub tokens: u32,
    /// The evidence in the pack.
    pub evidence: Evidence,
    /// Names and identifiers of the question that nothing which may be shown has; at most 8.
    pub nowhere: Vec<String>,
    /// Margin of the person that the question names over everybody else; `None` where it names none
    /// or nobody else said anything on it.
    pub asked_of: Option<AskedOf>,
    /// Everything that the pack depended on.
    pub receipt: Receipt<'static>,
}

impl Pack {
    /// The length in bytes of what its rendering for a prompt begins with whatever was asked:
    /// the same bytes in every pack of this scope and purpose, until a pinned item changes.
    #[must_use]
    pub fn stable_prefix_bytes(&self) -> usize {
        if self.items.is_empty() {
            return 0;
        }
        let stable = self.items.iter().take(self.stable_items);
        Prompt::OPENING_BYTES + stable.map(|item| prompt::line(item).len()).sum::<usize>()
    }
}

impl Serialize for Pack {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Pack", 9)?;
        out.serialize_field("items", &self.items)?;
        out.serialize_field("left_out", &self.left_out)?;
        out.serialize_field("tokens", &self.tokens)?;
        out.serialize_field("stable_items", &self.stable_items)?;
        out.serialize_field("stable_prefix_bytes", &self.stable_prefix_bytes())?;
        out.serialize_field("evidence", &self.evidence)?;
        out.serialize_field("nowhere", &self.nowhere)?;
        out.serialize_field("asked_of", &self.asked_of)?;
        out.serialize_field("receipt", &self.receipt)?;
        out.end()
    }
}

/// An item that was found and isn't shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
    let mut found = view.find(&request.ask, request.end(), CANDIDATES_MAX);
    newest::put_first(&mut found.candidates, view.bodies, &request.ask);
    lifted::settle(&mut found, view, &request.ask);
    let block = view.block(&request.ask, request.purpose, &found);
    let Walked { items, stable, left_out, evidence, tokens } =
        Walk::new(view, request).over(&block, &found);
    let receipt = receipt::write(view, request, &items, &left_out);
    let Found { nowhere, asked_of, .. } = found;
    let stable_items = stable;
    Ok(Pack { items, stable_items, left_out, tokens, evidence, nowhere, asked_of, receipt })
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
    let mut found = view.find(ask, End::default(), limit.max(CANDIDATES_MAX));
    newest::put_first(&mut found.candidates, view.bodies, ask);
    lifted::settle(&mut found, view, ask);
    let terms = Terms::of(ask.query);
    let cited = found.candidates.iter().filter_map(|one| {
        let spoken = Source::of(one, ask.now).read(view.bodies, &terms, counter)?;
        view.cite(one, (ask, Purpose::General), spoken)
    });
    Ok(cited.take(limit).collect())
}
