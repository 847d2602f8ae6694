use memlith_event::{Citation, Key, Origin, Purpose, Tier};
use memlith_log::{RecordId, Timestamp};
use memlith_memory::{Authority, Item, ItemFlags, Memory};
use memlith_recall::Signals;
use memlith_salience::{Decimal, Multiplier};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::candidate::Candidate;
use crate::evidence::is_evidence;
use crate::history::Past;
use crate::spoken::Spoken;
use crate::{Ask, Excerpt, Former, Hinted, Learned, View, asked, newer};

/// An item as it is shown: words, where they stand in the log, and why they are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cited {
    /// The item.
    pub id: RecordId,
    /// Its citation.
    pub citation: Citation,
    /// The part of its words that is shown.
    pub excerpt: Excerpt,
    /// The speaker of it; at most 64 characters of the name.
    pub speaker: String,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// In which session of whose, by their names in folded state; `None` where in none.
    pub said_in: Option<(Key, Key)>,
    /// Relevance times the factors of salience, outcomes and hints: what the order goes by.
    pub score: i64,
    /// Why it is here.
    pub why: Why,
}

/// Why an item is shown, and how far to trust it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Why {
    /// Active, contested or outdated.
    pub authority: Authority,
    /// Whether it is a record of what happened; otherwise a memory.
    pub record: bool,
    /// Whether it is a question.
    pub question: bool,
    /// The kind of source that spoke.
    pub origin: Origin,
    /// How far the source is trusted, 1 to 4.
    pub tier: Tier,
    /// Whether somebody of authority pinned it.
    pub pinned: bool,
    /// Whether review accepted it.
    pub accepted: bool,
    /// Whether something that may not displace it speaks against it.
    pub disputed: bool,
    /// Whether a proposal against it waits for review; that takes nothing from it.
    pub waits: bool,
    /// Whether it may be taken for evidence: see [`Evidence`](crate::Evidence).
    pub evidence: bool,
    /// Whether its salience is below 0.15, and it isn't exempt.
    pub attenuated: bool,
    /// The newer values of what an outdated item rests on, ascending.
    pub newer: Vec<RecordId>,
    /// The item that says another value of the same thing later, where both stand.
    pub later: Option<RecordId>,
    /// The values that it took the place of, the last first, where the question asks for them.
    pub former: Vec<Former>,
    /// Items that stand beside it and contradict it, as far as the scope sees them; ascending.
    pub contested_with: Vec<RecordId>,
    /// How well it answers the query.
    pub relevance: i64,
    /// The signals that the relevance is made of; written beside it, with the item.
    #[serde(skip)]
    pub signals: Signals,
    /// Its salience at the instant of the query.
    pub salience: Decimal,
    /// The factor that salience gave the relevance.
    pub multiplier: Multiplier,
    /// Outcomes of it for the same purpose, and the factor that this gave.
    pub learned: Learned,
    /// Which hints it has to do with, and the factor that this gave.
    #[serde(rename = "hints")]
    pub hinted: Hinted,
}

impl Serialize for Cited {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Cited", 10)?;
        out.serialize_field("id", &self.id)?;
        out.serialize_field("citation", &self.citation)?;
        out.serialize_field("score", &self.score)?;
        out.serialize_field("signals", &self.why.signals)?;
        out.serialize_field("text", &self.excerpt.text)?;
        out.serialize_field("tokens", &self.excerpt.tokens)?;
        out.serialize_field("excerpt", &self.excerpt)?;
        out.serialize_field("speaker", &self.speaker)?;
        out.serialize_field("occurred_at", &self.occurred_at)?;
        out.serialize_field("why", &self.why)?;
        out.end()
    }
}

impl View<'_> {
    /// The candidate as it is shown, or `None` where its words quote what may not be shown
    /// itself.
    pub(crate) fn cite(
        &self,
        candidate: &Candidate,
        (ask, purpose): (&Ask<'_>, Purpose),
        spoken: Spoken,
    ) -> Option<Cited> {
        let item = &candidate.item;
        let Spoken { speaker, excerpt, quotes, salience } = spoken;
        if self.are_forgotten(&quotes, ask) {
            return None;
        }
        let tells = asked::can_answer(ask.query, &excerpt.text);
        Some(Cited {
            id: item.id,
            citation: Citation { ledger: self.head.ledger, id: item.id },
            excerpt,
            speaker,
            occurred_at: item.occurred_at,
            said_in: (item.session != Key::default()).then_some((item.cell, item.session)),
            score: candidate.score(),
            why: self.why(candidate, (salience, tells), (ask, purpose)),
        })
    }

    /// Whether any of what a summary quotes was superseded, expired or taken out since.
    fn are_forgotten(&self, quotes: &[RecordId], ask: &Ask<'_>) -> bool {
        !self.memory.tells_nothing_forgotten(quotes.iter().copied(), ask.now)
    }

    fn contested_with(&self, item: &Item, ask: &Ask<'_>) -> Vec<RecordId> {
        let seen = |id: &RecordId| {
            let other = self.memory.item(id.seq);
            other.is_some_and(|other| Memory::sees(ask.scope, &other))
        };
        self.memory.contested_with(item.id.seq, ask.now).filter(seen).collect()
    }

    fn why(
        &self,
        candidate: &Candidate,
        (salience, tells): (Decimal, bool),
        (ask, purpose): (&Ask<'_>, Purpose),
    ) -> Why {
        let item = &candidate.item;
        let (disputed, waits) = self.memory.is_disputed(item.id.seq);
        let newer = match candidate.authority {
            Authority::Outdated => newer::values(self.memory, item.id.seq, ask),
            Authority::Erased
            | Authority::Invalidated
            | Authority::Rejected
            | Authority::Retracted
            | Authority::Pending
            | Authority::Stale
            | Authority::Superseded
            | Authority::Expired
            | Authority::Future
            | Authority::Contested
            | Authority::Active => Vec::new(),
        };
        let past = Past::asked_for(ask.query, ask.now);
        let former = past.map_or_else(Vec::new, |past| self.former(item.id.seq, past, ask));
        Why {
            authority: candidate.authority,
            record: item.is_record(),
            question: candidate.is_question,
            origin: item.origin,
            tier: item.tier,
            pinned: item.is_pinned(),
            accepted: item.flags.has(ItemFlags::ACCEPTED),
            disputed,
            waits,
            evidence: is_evidence(candidate, disputed, purpose) && tells,
            attenuated: candidate.attenuated,
            newer,
            later: candidate.later,
            former,
            contested_with: self.contested_with(item, ask),
            relevance: candidate.relevance,
            signals: candidate.signals,
            salience,
            multiplier: candidate.multiplier,
            learned: candidate.learned,
            hinted: candidate.hinted,
        }
    }
}
