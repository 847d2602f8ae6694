//! Compares what the workers told with the ledger that they left.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use memlith::{
    Ledger, Options, RecordId, Seq,
    log::{Event, LogEvent, Record, decode},
    prove::{Level, Replay},
    read::Verdict,
    verify,
};

use crate::Outcome;
use crate::parent::{Counts, Story};
use crate::told::Told;
use crate::worker::MARKER_LEN;

/// Findings of a verification that others may be in the middle of.
const UNDER_WAY: [&str; 7] = [
    "unacknowledged bytes behind the end",
    "a copy that was not finished",
    "is not sealed in the log",
    "is retired by erasure",
    "an erasure is pending",
    // One that began after the verification had found the end.
    "ErasedWithoutAuthority",
    "the prepared segment is not all zeros",
];

/// Content of the log.
#[derive(Default)]
struct Found {
    records: Vec<RecordId>,
    /// The records that are the last of their batch.
    ends: BTreeSet<Seq>,
    /// The records whose texts hold a marker.
    marked: BTreeMap<String, Vec<Seq>>,
    /// Records that were erased, each with the record that erased it.
    erased: BTreeMap<Seq, Seq>,
    writer: Option<String>,
    changes: u64,
}

/// Whether the ledger is what was told; the counts of all that was compared.
pub(crate) fn judge(folder: &Path, story: &Story) -> Outcome<Counts> {
    let mut counts = judge_log(folder, story)?;
    // Whatever was cut short is finished by the next writer and the next checkpoint.
    let ledger = Ledger::open(folder, Options::default())?;
    ledger.checkpoints().write()?;
    ledger.close()?;
    if let Some(finding) = verify(folder, Level::Full)?.findings.first() {
        return Err(format!("verification found {finding:?}").into());
    }
    counts.insert("kills".to_owned(), story.kills);
    Ok(counts)
}

fn judge_log(folder: &Path, story: &Story) -> Outcome<Counts> {
    let ledger = Ledger::open(folder, Options::default())?;
    ledger.check_writable()?;
    ledger.close()?;
    let ledger = Ledger::open(folder, Options { read_only: true, ..Options::default() })?;
    let found = read(&ledger)?;
    let mut counts = Counts::new();
    for told in &story.told {
        check(&found, told, &mut counts)?;
    }
    check_attempts(&found, story)?;
    check_erased_files(folder, &found, story)?;
    check_state(&ledger)?;
    counts.insert("records".to_owned(), found.records.len() as u64);
    counts.insert("changes of writer".to_owned(), found.changes);
    Ok(counts)
}

/// One chain of whole batches.
fn read(ledger: &Ledger) -> Outcome<Found> {
    let mut found = Found::default();
    let mut chain = None;
    for record in ledger.records(Seq::GENESIS, None)? {
        let record = record?;
        if record.seq.0 != found.records.len() as u64 {
            return Err(format!("record {} stands at {}", record.seq, found.records.len()).into());
        }
        let linked = chain
            .is_none_or(|before| memlith_log::link(&before, &record.record_hash) == record.chain);
        if !linked {
            return Err(format!("record {} is not linked", record.seq).into());
        }
        chain = Some(record.chain);
        found.take(&record)?;
    }
    let last = found.records.last().map(|id| id.seq);
    if last.is_none_or(|last| !found.ends.contains(&last)) {
        return Err(format!("half a batch at {last:?}").into());
    }
    Ok(found)
}

impl Found {
    fn take(&mut self, record: &Record) -> Outcome<()> {
        self.records.push(record.id());
        if record.ends_batch() {
            self.ends.insert(record.seq);
        }
        let event = record.body().and_then(|body| LogEvent::decode(record.kind, body));
        if let Some((LogEvent::Erasure { targets, .. }, _)) = event {
            self.erased.extend(targets.into_iter().map(|(seq, _)| (seq, record.seq)));
        }
        let Some(body) = decode(record)? else { return Ok(()) };
        let writer = body.envelope.actor.name.to_string();
        self.changes += u64::from(self.writer.as_ref().is_some_and(|last| *last != writer));
        self.writer = Some(writer);
        if let Event::Memory(memlith_event::MemoryEvent::Remembered(row)) = &body.event {
            let text = row.text.to_string();
            let marker = text.split(' ').find(|word| word.starts_with("zq"));
            let marker = marker.ok_or("a row of nobody")?.to_owned();
            self.marked.entry(marker).or_default().push(record.seq);
        }
        Ok(())
    }

    fn is_in_place(&self, id: RecordId) -> bool {
        usize::try_from(id.seq.0).is_ok_and(|at| self.records.get(at) == Some(&id))
    }
}

/// Whether what was acknowledged is there, once.
fn check(found: &Found, told: &Told, counts: &mut Counts) -> Outcome<()> {
    let wrong = |what: &str| Err(format!("{told}: {what}").into());
    let kind = match told {
        Told::Wrote(marker, id) => {
            let times = found.marked.get(marker).map_or(0, Vec::len);
            let expected = usize::from(!found.erased.contains_key(&id.seq));
            if !found.is_in_place(*id) || times != expected {
                return wrong(&format!(
                    "acknowledged; in its place {:?}, its text {times} times, not {expected}",
                    usize::try_from(id.seq.0).map(|at| found.records.get(at)),
                ));
            }
            "writes"
        }
        Told::Asked(view, observed, items) => {
            if !found.ends.contains(view) || !found.is_in_place(*observed) {
                return wrong("the view is no end of a batch, or the observation is lost");
            }
            let erased = |id: &&RecordId| found.erased.get(&id.seq).is_some_and(|by| by <= view);
            if let Some(id) = items.iter().find(erased) {
                return wrong(&format!("{id} was erased before"));
            }
            if items.iter().any(|id| id.seq > *view || !found.is_in_place(*id)) {
                return wrong("an item that the view does not hold");
            }
            "observed checkouts"
        }
        Told::Erased(id) => {
            if !found.erased.contains_key(&id.seq) {
                return wrong("acknowledged, and not in the log");
            }
            "erasures"
        }
        Told::Found(what) => {
            if !UNDER_WAY.iter().any(|known| what.contains(known)) {
                return wrong("a finding in a sound ledger");
            }
            "findings of what was under way"
        }
        Told::Unobserved(_) => "unobserved checkouts",
        Told::Checkpointed(how) => {
            *counts.entry(format!("checkpoints {how}")).or_default() += 1;
            return Ok(());
        }
        Told::Verified => "verifications",
        Told::Reopened => "openings",
        Told::Writing(_) | Told::Erasing(_) | Told::Ended => return Ok(()),
    };
    *counts.entry(kind.to_owned()).or_default() += 1;
    Ok(())
}

/// Checks that each attempt that was not acknowledged is there at most once, and nothing else is.
fn check_attempts(found: &Found, story: &Story) -> Outcome<()> {
    let tried: BTreeSet<&String> = story.told.iter().filter_map(writing).collect();
    for (marker, places) in &found.marked {
        if !tried.contains(marker) || places.len() > 1 {
            return Err(format!("{marker} stands at {places:?}").into());
        }
    }
    Ok(())
}

fn writing(told: &Told) -> Option<&String> {
    let Told::Writing(marker) = told else { return None };
    Some(marker)
}

fn check_state(ledger: &Ledger) -> Outcome<()> {
    let (live, replay) = (ledger.audit().digest()?, ledger.audit().replay(&Replay::default())?);
    if live != replay {
        return Err(format!("the state {live:?} is not the fold {replay:?}").into());
    }
    for audit in ledger.audit().receipts()? {
        if !matches!(audit.verdict, Verdict::Reproduced | Verdict::Affected { .. }) {
            return Err(format!("the receipt {}: {:?}", audit.id, audit.verdict).into());
        }
    }
    for audit in ledger.audit().state()? {
        let under_way = |what: &String| UNDER_WAY.iter().any(|known| what.contains(known));
        if let Err(what) = audit.verdict.as_ref().map_err(|what| (what, under_way(what)))
            && !what.1
        {
            return Err(format!("the checkpoint {}: {}", audit.file, what.0).into());
        }
    }
    Ok(())
}

/// No file of the folder holds a marker of what was erased.
fn check_erased_files(folder: &Path, found: &Found, story: &Story) -> Outcome<()> {
    let erased: BTreeSet<&str> = story
        .told
        .iter()
        .filter_map(|told| {
            let Told::Wrote(marker, id) = told else { return None };
            found.erased.contains_key(&id.seq).then_some(marker.as_str())
        })
        .collect();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(marker) = held(&std::fs::read(&path)?, &erased) {
                return Err(format!("{marker} was erased and is in {}", path.display()).into());
            }
        }
    }
    Ok(())
}

/// The first of `markers` that stands in `bytes`.
fn held<'a>(bytes: &'a [u8], markers: &BTreeSet<&str>) -> Option<&'a str> {
    let marker = |window: &'a [u8]| {
        let text = window.starts_with(b"zq").then(|| std::str::from_utf8(window).ok())??;
        markers.contains(text).then_some(text)
    };
    bytes.windows(MARKER_LEN).find_map(marker)
}
