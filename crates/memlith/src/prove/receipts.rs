//! Checks that anybody can repeat: receipts run again, checkpoints folded again.

use std::collections::BTreeMap;
use std::io;

use memlith_checkout::{QuarterBytes, Verdict, reproduce};
use memlith_event::{Event, MemoryEvent, Receipt, SaliencePolicy};
use memlith_log::{Log, RecordId, Seq};
use memlith_state::{Checkpoint, Run, RunName};

use crate::error::Error;
use crate::fold::checkpoint::{Kept, Look, admitted, kept, loaded};
use crate::fold::state::{FOLD_VERSION, State, body_of};
use crate::fold::stride::Stride;
use crate::ledger::Ledger;
use crate::read::bodies::LogBodies;

/// One receipt, run again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReceiptAudit {
    /// The record that holds the receipt.
    pub id: RecordId,
    /// The verdict of the second run.
    pub verdict: Verdict,
}

/// One kept checkpoint, compared with a fold of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateAudit {
    /// The file.
    pub file: String,
    /// The sequence it covers.
    pub seq: Seq,
    /// `Ok` where the checkpoint is what the log folds to, otherwise the reason why not.
    pub verdict: Result<(), String>,
}

/// The receipts of a ledger, run again as far as it can be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReceiptsAudit {
    /// Those that were run again, ascending.
    pub audits: Vec<ReceiptAudit>,
    /// The last record up to which everything was read and held.
    pub held_through: Option<Seq>,
    /// The error that kept the rest from being read.
    pub damage: Option<Error>,
}

impl Ledger {
    fn run_again(
        &self,
        state: &State,
        (receipt, asker): (&Receipt<'_>, &str),
    ) -> Result<Verdict, Error> {
        let bodies = LogBodies::of(self);
        let mut view = self.view(state, &bodies);
        if receipt.ledger != self.id() {
            // A restored receipt names the ledger it was made in, whose chain only that
            // one can show; what it showed is the same here.
            view.head.ledger = receipt.ledger;
            view.head.chain = receipt.chain;
        }
        let verdict = reproduce(&view, (receipt, asker), &QuarterBytes);
        bodies.finish()?;
        Ok(verdict)
    }

    /// Compares the root with that of the fold, every byte of the runs with their digests,
    /// and the state which a reader of them gets with the fold's: a section that is loaded
    /// wrongly shows here and not in its digest.
    fn compare(&self, fold: &mut Fold, checkpoint: &Checkpoint) -> Result<(), String> {
        let loaded = loaded(&self.log, checkpoint).map_err(|error| error.to_string())?;
        for file in loaded.spans.iter().filter_map(|span| span.file.as_deref()) {
            file.run.check().map_err(|error| format!("{}: {error}", file.file))?;
        }
        let root = checkpoint.name.root;
        let folded =
            Checkpoint::root_of(FOLD_VERSION, &checkpoint.name.configuration, &fold.runs());
        if folded != root {
            return Err(format!("the log folds to root {folded}, the checkpoint is {root}"));
        }
        let (folded, loaded) = (fold.state.digest(1), loaded.digest(1));
        if loaded != folded {
            return Err(format!("the log folds to {folded}, what is loaded is {loaded}"));
        }
        Ok(())
    }
}

/// A fold of the log, and the runs it consists of.
#[derive(Default)]
struct Fold {
    state: State,
    /// By the policy of salience and the stretch that they cover: a run that is complete never
    /// changes, but another policy makes another one.
    known: BTreeMap<(SaliencePolicy, Seq, Seq), RunName>,
}

impl Fold {
    /// The names of the runs of a checkpoint that covers all that is folded in.
    fn runs(&mut self) -> Vec<RunName> {
        let mut state = self.state.clone();
        state.freeze();
        let policy = state.salience.policy();
        let mut runs = Vec::new();
        for group in state.groups() {
            let spans = state.spans.get(group.clone()).unwrap_or_default();
            let (Some(first), Some(last)) = (spans.first(), spans.last()) else { continue };
            let named = self.known.entry((policy, first.from, last.to)).or_insert_with(|| {
                Run::encode(FOLD_VERSION, first.from, last.to, &state.sections(group)).0
            });
            runs.push(*named);
        }
        runs
    }
}

fn is_gone(log: &Log, file: &Kept) -> bool {
    let named = log.env().storage.file_identity(&file.name);
    named.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn receipt_of<T>(
    record: &memlith_log::Record,
    read: impl FnOnce(&Receipt<'_>, &str) -> T,
) -> Result<Option<T>, Error> {
    let body = body_of(record).map_err(|source| Error::Decode { seq: record.seq, source });
    let Ok(Some(body)) = body else { return Ok(None) };
    let Event::Memory(MemoryEvent::Surfaced(surfaced)) = &body.event else { return Ok(None) };
    let asker = &*body.envelope.actor.name;
    Ok(surfaced.receipt.as_deref().map(|receipt| read(receipt, asker)))
}

/// Proof from the log: receipts and state run again, digests, heads, counts.
#[derive(Clone, Copy, Debug)]
pub struct Audit<'a> {
    pub(crate) ledger: &'a Ledger,
}

impl Ledger {
    /// Proof from the log: receipts and state run again, digests, heads, counts.
    #[must_use]
    pub fn audit(&self) -> Audit<'_> {
        Audit { ledger: self }
    }
}

impl Audit<'_> {
    /// Runs every receipt of the ledger again, on the state it was made from.
    ///
    /// One fold of the whole log, and one checkout for each receipt. A receipt of
    /// another ledger, from which this one was restored, is checked for what it showed.
    ///
    /// # Errors
    /// The log's.
    pub fn receipts(&self) -> Result<Vec<ReceiptAudit>, Error> {
        let audit = self.receipts_as_far(None)?;
        audit.damage.map_or(Ok(audit.audits), Err)
    }

    /// Runs the receipts of the ledger again, or one of them, as far as the log can be read:
    /// what lies before damage is audited all the same.
    ///
    /// # Errors
    /// [`Error::NoCheckout`] where `only` names no receipt, and the log's where it isn't bytes
    /// that are wrong.
    pub fn receipts_as_far(&self, only: Option<RecordId>) -> Result<ReceiptsAudit, Error> {
        let head = self.ledger.refresh()?.seq;
        let mut due: BTreeMap<Seq, Vec<RecordId>> = BTreeMap::new();
        let (mut held_through, mut damage) = (None, None);
        for record in self.ledger.log.scan(Seq::GENESIS, head) {
            let record = match record {
                Ok(record) => record,
                Err(error) if error.is_integrity() => {
                    damage = Some(error.into());
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            held_through = Some(record.seq);
            let wanted = only.is_none_or(|only| only == record.id());
            if let Some(view) = receipt_of(&record, |receipt, _| receipt.view)?.filter(|_| wanted) {
                due.entry(view).or_default().push(record.id());
            }
        }
        if let Some(id) = only.filter(|id| due.is_empty() && Some(id.seq) <= held_through) {
            return Err(Error::NoCheckout { id });
        }
        let mut audits = Vec::new();
        let mut state = self.ledger.nothing();
        for (view, receipts) in due {
            if Some(view) <= held_through {
                crate::ledger::catch_up(&self.ledger.log, &mut state, view)?;
            }
            for id in receipts {
                let record = self.ledger.log.read(id.seq)?;
                let verdict = receipt_of(&record, |receipt, asker| {
                    self.ledger.run_again(&state, (receipt, asker))
                })?;
                let verdict = verdict.transpose()?;
                audits.extend(verdict.map(|verdict| ReceiptAudit { id, verdict }));
            }
        }
        audits.sort_unstable_by_key(|audit| audit.id);
        Ok(ReceiptsAudit { audits, held_through, damage })
    }

    /// Compares every kept checkpoint with a fold of the log from its first record.
    ///
    /// One that another process removes meanwhile is passed over.
    ///
    /// # Errors
    /// The log's.
    pub fn state(&self) -> Result<Vec<StateAudit>, Error> {
        let mut audits = Vec::new();
        let mut fold = Fold::default();
        for file in kept(&self.ledger.log)? {
            let verdict = match admitted(&self.ledger.log, &file, Look::AtTheTail) {
                Err(_) if is_gone(&self.ledger.log, &file) => continue,
                Err(reason) => Err(reason.to_string()),
                Ok(checkpoint) => {
                    let stride = Stride(checkpoint.stride);
                    if fold.state.stride != stride {
                        fold = Fold { state: State::empty(stride), ..Fold::default() };
                    }
                    crate::ledger::catch_up(&self.ledger.log, &mut fold.state, file.seq)?;
                    match self.ledger.compare(&mut fold, &checkpoint) {
                        Err(_) if is_gone(&self.ledger.log, &file) => continue,
                        verdict => verdict,
                    }
                }
            };
            audits.push(StateAudit { file: file.name, seq: file.seq, verdict });
        }
        Ok(audits)
    }
}
