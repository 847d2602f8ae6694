use std::cmp::Reverse;

use memlith_log::{RecordId, Seq};
use memlith_memory::{Authority, Item, ItemFlags};
use memlith_recall::Signals;
use memlith_salience::{Log2, Multiplier};

use crate::{Hinted, Learned};

/// An item that may be shown and answers the query, with all it is ranked by.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) item: Item,
    pub(crate) authority: Authority,
    pub(crate) relevance: i64,
    pub(crate) signals: Signals,
    /// The share of the question that it has itself, in millionths.
    pub(crate) own: i64,
    pub(crate) level: Log2,
    pub(crate) multiplier: Multiplier,
    /// Outcomes of it for the checkout's purpose.
    pub(crate) learned: Learned,
    /// Which hints it has to do with.
    pub(crate) hinted: Hinted,
    /// Whether it has faded so far that something better may push it out.
    pub(crate) attenuated: bool,
    /// Whether it is of a day or an actor that the question names.
    pub(crate) circumstance: bool,
    /// Whether it is a question.
    pub(crate) is_question: bool,
    /// Whether the question is about the one who asks, and a person of another name said this.
    pub(crate) anothers: bool,
    /// The item that says another value of the same thing later; none where nothing does.
    pub(crate) later: Option<RecordId>,
    /// The score that it has at least: it says the newer value of what another one says.
    pub(crate) least: i64,
}

/// A group that is searched apart, so that none can crowd out another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Crowd {
    /// Items that people, assistants, tools and files said, and web text that was vouched for.
    Primary,
    /// Text of the web that nobody above it stands behind.
    Web,
    /// Items that were made from other items.
    Derived,
}

/// The guard of an item that nobody above the web stands behind.
const WEB_GUARD: u8 = 1;

impl Candidate {
    /// Relevance, scaled by salience, outcomes and hints, or one more than that of an item whose
    /// newer value it says: what the order goes by.
    pub(crate) fn score(&self) -> i64 {
        let scaled = self.multiplier.scales(self.relevance);
        self.hinted.scales(self.learned.scales(scaled)).max(self.least)
    }

    /// The place in the order: best first, ties by sequence.
    pub(crate) fn order(&self) -> (Reverse<i64>, Seq) {
        (Reverse(self.score()), self.item.id.seq)
    }
}

impl Crowd {
    pub(crate) const ALL: [Crowd; 3] = [Crowd::Primary, Crowd::Web, Crowd::Derived];

    /// Web text that somebody of a higher rank confirmed, restated or accepted isn't
    /// held to the web's share: nothing of the web may take it out of a pack.
    pub(crate) fn of(item: &Item) -> Crowd {
        if item.is_derived() {
            Crowd::Derived
        } else if is_web(item) {
            Crowd::Web
        } else {
            Crowd::Primary
        }
    }
}

/// Whether the item counts for the web's share of a pack.
pub(crate) fn is_web(item: &Item) -> bool {
    item.tier.0 <= WEB_GUARD && item.guard <= WEB_GUARD
}

/// Whether the item can be attenuated at all.
///
/// Source: `docs/model.md`, "Salience", "Attenuation": records are exempt, pinned and
/// accepted items too.
pub(crate) fn may_fade(item: &Item) -> bool {
    !item.is_record() && !item.is_pinned() && !item.flags.has(ItemFlags::ACCEPTED)
}
