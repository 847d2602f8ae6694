use memlith_event::{Link, LinkKind, Mention, Quote, Tier, quoted};
use memlith_log::Seq;

use crate::rules::{EXCERPT_TOKENS_MAX, EXEMPLARS_MAX, SPAN_ITEMS_MAX, SUMMARY_BYTES_MAX};
use crate::{
    Error, Exemplar, Group, IDENTITIES_MAX, IDENTITY_BYTES_MAX, Identity, Reason, Source, SpanId,
    Summary, SummaryId,
};

/// The version of the way summaries are made: any change of what is quoted raises it.
pub const ALGORITHM: u16 = 2;

/// A summary as it is written down: everything a reader needs of it, within limits.
///
/// The event that holds it is [`Summarised::event`]; its scope is that of the sources, and
/// its links are [`Summarised::links`], so that it goes stale with them. It is idempotent by
/// its `id`. An earlier summary that shares items of the log with it is superseded by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summarised {
    /// [`ALGORITHM`].
    pub algorithm: u16,
    /// Its identity; derivable from the sources' hashes.
    pub id: SummaryId,
    /// The span it is of.
    pub span: SpanId,
    /// The group it is of; an envelope says it with its scope.
    pub group: Group,
    /// The sequence of the span's first primary item.
    pub first: Seq,
    /// The sequence of the last primary item.
    pub last: Seq,
    /// The least tier of its sources.
    pub tier: Tier,
    /// Records it rests on, by sequence; at most [`SPAN_ITEMS_MAX`].
    pub sources: Vec<Source>,
    /// Excerpts it quotes, in the order of choice; at most [`EXEMPLARS_MAX`], each at most
    /// [`EXCERPT_TOKENS_MAX`] tokens.
    pub exemplars: Vec<Exemplar>,
    /// Names in its sources; at most [`IDENTITIES_MAX`].
    pub identities: Vec<Identity>,
    /// How many items of the span are no sources, by reason; each reason once.
    pub left_out: Vec<(Reason, u32)>,
}

impl Summary {
    /// The body of the event that writes this summary.
    #[must_use]
    pub fn body(&self) -> Summarised {
        let mut left_out: Vec<(Reason, u32)> = Vec::new();
        let mut reasons: Vec<Reason> = self.left_out.iter().map(|one| one.reason).collect();
        reasons.sort_unstable();
        for group in reasons.chunk_by(|one, other| one == other) {
            let count = u32::try_from(group.len()).unwrap_or(u32::MAX);
            left_out.extend(group.first().map(|reason| (*reason, count)));
        }
        Summarised {
            algorithm: ALGORITHM,
            id: self.id,
            span: self.span,
            group: self.group,
            first: self.first,
            last: self.last,
            tier: self.tier,
            sources: self.sources.clone(),
            exemplars: self.exemplars.clone(),
            identities: self.identities.clone(),
            left_out,
        }
    }

    /// [`Summarised::text`].
    #[must_use]
    pub fn text(&self) -> String {
        text(&self.exemplars)
    }
}

impl Summarised {
    /// Whether everything is within its limits: a door asks before it writes, a reader
    /// before it believes.
    ///
    /// # Errors
    /// [`Error::Outside`] names the first that isn't.
    pub fn check(&self) -> Result<(), Error> {
        Error::unless_within("sources", self.sources.len(), 1, SPAN_ITEMS_MAX)?;
        Error::unless_within("exemplars", self.exemplars.len(), 1, EXEMPLARS_MAX)?;
        Error::unless_within("identities", self.identities.len(), 0, IDENTITIES_MAX)?;
        Error::unless_within("reasons", self.left_out.len(), 0, REASONS_MAX)?;
        for exemplar in &self.exemplars {
            let bytes = exemplar.text.len();
            Error::unless_within("bytes of an excerpt", bytes, 1, EXCERPT_TOKENS_MAX * 4)?;
        }
        for identity in &self.identities {
            let bytes = identity.text.len();
            Error::unless_within("bytes of an identity", bytes, 1, IDENTITY_BYTES_MAX)?;
        }
        let bytes = text(&self.exemplars).len();
        Error::unless_within("bytes of the text", bytes, 1, SUMMARY_BYTES_MAX)
    }

    /// The links of its event: it rests on each of its sources.
    #[must_use]
    pub fn links(&self) -> Vec<Link> {
        let rests_on = |source: &Source| Link { kind: LinkKind::RestsOn, target: source.id() };
        self.sources.iter().map(rests_on).collect()
    }

    /// The content of its event.
    #[must_use]
    pub fn event(&self) -> memlith_event::Summarised<'static> {
        let quote = |one: &Exemplar| Quote {
            source: one.source,
            start: one.start,
            end: one.end,
            text: one.text.clone().into(),
        };
        let mention = |one: &Identity| Mention { kind: one.kind, text: one.text.clone().into() };
        memlith_event::Summarised {
            algorithm: self.algorithm,
            id: self.id.0,
            span: self.span.0,
            first: self.first,
            last: self.last,
            quotes: self.exemplars.iter().map(quote).collect(),
            mentions: self.identities.iter().map(mention).collect(),
            left_out: self.left_out.iter().map(|(reason, n)| (reason.code(), *n)).collect(),
        }
    }

    /// Reads a summary out of an event; the group, the tier and the sources stand in its
    /// envelope, or follow from it.
    #[must_use]
    pub fn of(
        event: &memlith_event::Summarised<'_>,
        group: Group,
        tier: Tier,
        sources: Vec<Source>,
    ) -> Summarised {
        let exemplar = |one: &Quote<'_>| Exemplar {
            source: one.source,
            start: one.start,
            end: one.end,
            text: one.text.to_string(),
        };
        let identity = |one: &Mention<'_>| Identity { kind: one.kind, text: one.text.to_string() };
        let left_out = event.left_out.iter();
        Summarised {
            algorithm: event.algorithm,
            id: SummaryId(event.id),
            span: SpanId(event.span),
            group,
            first: event.first,
            last: event.last,
            tier,
            sources,
            exemplars: event.quotes.iter().map(exemplar).collect(),
            identities: event.mentions.iter().map(identity).collect(),
            left_out: left_out
                .filter_map(|(code, n)| Some((Reason::from_code(*code)?, *n)))
                .collect(),
        }
    }

    /// The text of the summary: a line for each exemplar, in the order of the log, its source's
    /// id and then its own words; see [`quoted`].
    #[must_use]
    pub fn text(&self) -> String {
        text(&self.exemplars)
    }
}

/// There are no more reasons.
const REASONS_MAX: usize = 15;

fn text(exemplars: &[Exemplar]) -> String {
    quoted(exemplars.iter().map(|one| (one.source, one.text.as_str())))
}

#[cfg(test)]
mod tests;
