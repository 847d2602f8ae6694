use std::fmt::Write;

use memlith_event::{Citation, Link, LinkKind, Tier};
use memlith_log::{LedgerId, Seq};

use crate::rules::{EXCERPT_TOKENS_MAX, EXEMPLARS_MAX, SPAN_ITEMS_MAX, SUMMARY_BYTES_MAX};
use crate::{
    Error, Exemplar, Group, IDENTITIES_MAX, IDENTITY_BYTES_MAX, Identity, Reason, Source, SpanId,
    Summary, SummaryId,
};

/// The version of the way summaries are made: any change of what is quoted raises it.
pub const ALGORITHM: u16 = 1;

/// The body of a `compaction.summarised` event, as proposed: everything a reader needs of a
/// summary, within limits.
///
/// The event that holds it is derived, its scope is that of the sources, and its links are
/// [`Summarised::links`], so that it goes stale with them. It is idempotent by its `id`.
/// An earlier summary of the same `span` is superseded by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summarised {
    /// [`ALGORITHM`].
    pub algorithm: u16,
    /// Its identity; derivable from the sources' hashes.
    pub id: SummaryId,
    /// The span it is of.
    pub span: SpanId,
    /// Whose it is; an envelope says it with its scope.
    pub group: Group,
    /// The sequence of the span's first primary item.
    pub first: Seq,
    /// That of the last.
    pub last: Seq,
    /// The least tier of its sources.
    pub tier: Tier,
    /// What it rests on, by sequence; at most [`SPAN_ITEMS_MAX`].
    pub sources: Vec<Source>,
    /// What it quotes, in the order of choice; at most [`EXEMPLARS_MAX`], each at most
    /// [`EXCERPT_TOKENS_MAX`] tokens.
    pub exemplars: Vec<Exemplar>,
    /// What its sources name; at most [`IDENTITIES_MAX`].
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
    pub fn text(&self, ledger: LedgerId) -> String {
        text(&self.exemplars, ledger)
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
        let bytes = text(&self.exemplars, LedgerId::default()).len();
        Error::unless_within("bytes of the text", bytes, 1, SUMMARY_BYTES_MAX)
    }

    /// The links of its event: it rests on each of its sources.
    #[must_use]
    pub fn links(&self) -> Vec<Link> {
        let rests_on = |source: &Source| Link { kind: LinkKind::RestsOn, target: source.id() };
        self.sources.iter().map(rests_on).collect()
    }

    /// What the summary says: a line for each exemplar, in the order of the log, its citation
    /// and then its own words.
    ///
    /// White space within an excerpt is a blank here, and so is a control character: nobody's
    /// words can begin a line and pass for a citation.
    #[must_use]
    pub fn text(&self, ledger: LedgerId) -> String {
        text(&self.exemplars, ledger)
    }
}

/// There are no more reasons.
const REASONS_MAX: usize = 15;

fn text(exemplars: &[Exemplar], ledger: LedgerId) -> String {
    let mut sorted: Vec<&Exemplar> = exemplars.iter().collect();
    sorted.sort_unstable_by_key(|one| one.source);
    let mut out = String::new();
    for one in sorted {
        let citation = Citation { ledger, id: one.source };
        // Writing to a string can't fail.
        let _ = write!(out, "{citation}:");
        let parts = one.text.split(|c: char| c.is_whitespace() || c.is_control());
        for part in parts.filter(|part| !part.is_empty()) {
            out.push(' ');
            out.push_str(part);
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests;
