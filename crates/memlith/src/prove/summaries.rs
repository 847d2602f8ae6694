//! An audit of the summaries that were written.

use std::collections::BTreeMap;

use memlith_compaction::{
    Audit as Comparison, Finding, Group, Item as Planned, Share, Source, Summarised, View, audit,
};
use memlith_event::{
    Body, CompactionEvent, Content, Envelope, Event, LinkKind, Projection, Stored,
};
use memlith_log::{Digest, FIRST_EVENT_KIND, Record, RecordId, Seq};
use memlith_memory::{Authority, Memory, Sight};
use memlith_salience::Salience;

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::stored;
use crate::prove::receipts::Audit;
use crate::read::bodies::LogBodies;
use crate::write::compact::{Spoken, planned};

/// Audit of a ledger's summaries: how much each keeps of its span, as it was when written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SummariesAudit {
    /// Number of summaries that were read.
    pub summaries: u64,
    /// Share of the items that had to be cited which are.
    pub cited: Share,
    /// Share of the identities that these name which are kept.
    pub identities: Share,
    /// Of the top decile's salience in the summary that keeps least, in thousandths.
    pub salience_least_per_mille: u32,
    /// The faults that were found, each with the summary that has it.
    pub findings: Vec<(RecordId, Finding)>,
}

struct Auditing<'a> {
    sight: Sight,
    bodies: &'a LogBodies<'a>,
    memory: Memory,
    salience: Salience,
    /// The hash of each item's record.
    hashes: BTreeMap<Seq, Digest>,
    erased: Vec<Seq>,
    /// Whether the policy of salience isn't the one of all times.
    rechosen: bool,
    audit: SummariesAudit,
}

impl Auditing<'_> {
    fn take(&mut self, record: &Record) {
        let stored = stored(record);
        self.salience.apply(&stored, &self.memory);
        self.memory.apply(&stored, &Memory::default());
        if record.kind >= FIRST_EVENT_KIND && matches!(stored.content, Content::Erased(_)) {
            self.erased.push(record.seq);
        }
        let Some(item) = self.memory.item(record.seq) else { return };
        self.hashes.insert(record.seq, record.record_hash);
        if let Content::Event(body) = &stored.content
            && let Body { envelope, event: Event::Compaction(event) } = body.as_ref()
            && self.sight.has(&item)
        {
            let CompactionEvent::Summarised(event) = event;
            let group = Group {
                cell: item.cell,
                session: envelope.scope.session_key(),
                session_only: envelope.scope.session_only,
            };
            let sources = self.sources(envelope);
            let summary = Summarised::of(event, group, item.tier, sources);
            self.check(&stored, &summary);
        }
    }

    fn sources(&self, envelope: &Envelope<'_>) -> Vec<Source> {
        let source = |id: RecordId| {
            let hash = self.hashes.get(&id.seq).copied().unwrap_or_default();
            // An id that isn't the record's is to be found wrong.
            let named = RecordId::new(id.seq, &hash) == id;
            Source { seq: id.seq, hash: if named { hash } else { Digest::default() } }
        };
        envelope.linked(LinkKind::RestsOn).map(source).collect()
    }

    fn check(&mut self, stored: &Stored<'_>, summary: &Summarised) {
        let (at, now) = (stored.seq(), stored.recorded_at);
        let range = summary.first.min(summary.last)..=summary.last;
        let items: Vec<Planned> = self
            .hashes
            .range(range.clone())
            .filter_map(|(seq, hash)| {
                let item = self.memory.item(*seq)?;
                let mut item = planned(&self.memory, &self.salience, &item, *hash, now);
                // What contradicted it then may be erased now: the summary alone says so.
                let is_cited = summary.sources.iter().any(|source| source.seq == *seq);
                if !is_cited && self.memory.contested_with_erased(*seq) {
                    item.label = item.label.min(Authority::Contested);
                }
                Some(item)
            })
            .collect();
        let written = std::collections::BTreeSet::new();
        let view = View { seq: at, items: &items, ends: &[], written: &written };
        let audit = audit(&view, &Spoken(self.bodies), summary, at);
        let gone = self.erased.iter().any(|seq| range.contains(seq));
        // What the span was, and what of it weighed most, can't be known any more.
        let unknowable = |finding: &Finding| {
            let weighed = matches!(finding, Finding::Unpreserved { .. });
            let cut = matches!(finding, Finding::WrongSpan { .. });
            weighed && (gone || self.rechosen) || cut && gone
        };
        let Comparison { cited, identities, salience, findings, .. } = audit;
        let found = findings.into_iter().filter(|one| !unknowable(one));
        self.audit.findings.extend(found.map(|finding| (stored.id, finding)));
        self.audit.summaries += 1;
        self.audit.cited = plus(self.audit.cited, cited);
        self.audit.identities = plus(self.audit.identities, identities);
        let least = self.audit.salience_least_per_mille.min(salience.per_mille());
        self.audit.salience_least_per_mille = least;
    }
}

fn plus(one: Share, other: Share) -> Share {
    Share {
        part: one.part.saturating_add(other.part),
        whole: one.whole.saturating_add(other.whole),
    }
}

impl Audit<'_> {
    /// Reads every summary that the caller sees again, with all that it was made of, as it
    /// stood when it was written: citations, quotes, names, and what is represented.
    ///
    /// Words that an erasure has taken since are no finding, nor that another policy of salience
    /// finds something else salient.
    ///
    /// Cost: a fold of the log without the index, and reading each span twice.
    ///
    /// # Errors
    /// The log's.
    pub fn summaries(&self, caller: &Caller) -> Result<SummariesAudit, Error> {
        let head = self.ledger.refresh()?.seq;
        let (policy, chosen_by) = self.ledger.policy().salience()?;
        let bodies = LogBodies::of(self.ledger);
        let mut auditing = Auditing {
            sight: Sight::of(&caller.scope),
            bodies: &bodies,
            memory: Memory::default(),
            salience: Salience::under(policy),
            hashes: BTreeMap::new(),
            erased: Vec::new(),
            rechosen: chosen_by.is_some(),
            audit: SummariesAudit {
                summaries: 0,
                cited: Share::default(),
                identities: Share::default(),
                salience_least_per_mille: 1_000,
                findings: Vec::new(),
            },
        };
        for record in self.ledger.log.scan(Seq::GENESIS, head) {
            auditing.take(&record?);
        }
        let audit = auditing.audit;
        bodies.finish()?;
        Ok(audit)
    }
}
