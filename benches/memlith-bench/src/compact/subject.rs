use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

use anyhow::{Context as _, Result};
use memlith::compaction::{
    Authority, Bodies, Item, Key, Log2, OwnStatus, SessionEnd, Sort, SummaryId, Tier, View, Words,
};
use memlith::{Digest, RecordId, Seq, Timestamp};
use serde_json::Value;

use crate::words::Random;
use crate::workload::Workload;

/// The log of the workload as a planner sees it, with statuses drawn by the seed.
///
/// Sessions of 250 events in three scopes; of each two sessions one is known by name and
/// ends, the other is not. Reinforcements are bookkeeping, and move what they name.
pub(super) struct Subject {
    items: Vec<Item>,
    texts: Vec<String>,
    ends: Vec<SessionEnd>,
    written: BTreeSet<SummaryId>,
    head: u64,
}

/// The strengths of the default policy, as logarithms. Source: `docs/model.md`, "Salience".
const SURFACED: i64 = 1_238_302_151_806;
const CONFIRMED: i64 = 10_290_769_141_693;
const PROMOTED: i64 = 17_592_186_044_416;
const INVALIDATED: i64 = -40_847_791_027_015;

impl Subject {
    /// The first `events` events of the log of `seed`.
    ///
    /// # Errors
    /// The workload is not what it is documented to be.
    pub(super) fn new(seed: u64, events: u64) -> Result<Subject> {
        let mut subject = Subject {
            items: Vec::new(),
            texts: Vec::new(),
            ends: Vec::new(),
            written: BTreeSet::new(),
            head: 0,
        };
        let mut random = Random::new(seed);
        let mut session: Option<(String, Option<Key>)> = None;
        for line in BufReader::new(Workload::new(seed, events, events)).lines() {
            let event: Value = serde_json::from_str(&line?).context("a line of the workload")?;
            let thread = text(&event, "threadId")?;
            if session.as_ref().is_none_or(|(name, _)| name != thread) {
                subject.end(session.and_then(|(_, key)| key));
                let number: u64 = thread.trim_start_matches("session-").parse()?;
                let key =
                    number.is_multiple_of(2).then(|| Key::of("session", &[thread.as_bytes()]));
                session = Some((thread.to_owned(), key));
            }
            let of_session = session.as_ref().and_then(|(_, key)| *key);
            subject.take(&event, of_session, &mut random)?;
        }
        Ok(subject)
    }

    pub(super) fn view(&self) -> View<'_> {
        View { seq: Seq(self.head), items: &self.items, ends: &self.ends, written: &self.written }
    }

    pub(super) fn events(&self) -> u64 {
        self.items.len() as u64
    }

    /// The length of what the item at `seq` says.
    pub(super) fn text_len(&self, seq: Seq) -> u64 {
        self.text(seq).map_or(0, |text| text.len() as u64)
    }

    fn end(&mut self, session: Option<Key>) {
        if let Some(session) = session {
            self.head += 1;
            self.ends.push(SessionEnd { session, at: Seq(self.head) });
        }
    }

    fn take(&mut self, event: &Value, session: Option<Key>, random: &mut Random) -> Result<()> {
        self.head += 1;
        let payload = event.get("payload").context("an event without payload")?;
        let kind = text(event, "type")?;
        let hash = event.pointer("/integrity/hash").and_then(Value::as_str).unwrap_or_default();
        let at: Timestamp = text(event, "timestamp")?.parse()?;
        let bookkeeping = kind == "memory.reinforcement";
        if bookkeeping {
            self.move_targets(payload);
        }
        let sort = match kind {
            "memory.reinforcement" => Sort::Bookkeeping,
            "decision.made" | "issue.diagnosed" | "goal.created" => Sort::Memory,
            _ => Sort::Record,
        };
        let (own, label, derived) = standing(random.below(100));
        let scope = [u8::try_from(self.items.len() / 250 % 3)?];
        self.items.push(Item {
            seq: Seq(self.head),
            hash: Digest::from_hex(hash.trim_start_matches("sha256:"))?,
            sort,
            cell: Key::of("cell", &[&scope]),
            session,
            session_only: false,
            own,
            label,
            derived,
            tier: Tier(if random.below(5) == 0 { 2 } else { 4 }),
            level: Log2::at(at),
        });
        let mut said = String::new();
        push_strings(payload, &mut said);
        self.texts.push(if bookkeeping { String::new() } else { said });
        Ok(())
    }

    /// Raises or invalidates what a reinforcement names.
    fn move_targets(&mut self, payload: &Value) {
        let kind = payload.get("kind").and_then(Value::as_str).unwrap_or_default();
        let by = match kind {
            "surfaced" => SURFACED,
            "confirmed" => CONFIRMED,
            "promoted" => PROMOTED,
            _ => INVALIDATED,
        };
        let targets = payload.get("targets").and_then(Value::as_array);
        for target in targets.into_iter().flatten() {
            // Numbered from 1, ends of sessions not among them.
            let number = target.get("seq").and_then(Value::as_u64).unwrap_or_default();
            let place = usize::try_from(number).unwrap_or_default().wrapping_sub(1);
            if let Some(item) = self.items.get_mut(place) {
                item.level = item.level.plus(Log2(by));
                if by == INVALIDATED && item.own == OwnStatus::Active {
                    item.own = OwnStatus::Invalidated;
                }
            }
        }
    }

    fn text(&self, seq: Seq) -> Option<&str> {
        let place = self.items.binary_search_by_key(&seq, |item| item.seq).ok()?;
        self.texts.get(place).map(String::as_str)
    }
}

impl Bodies for Subject {
    fn read(&self, id: RecordId) -> Option<Words<'_>> {
        Some(Words { text: Cow::Borrowed(self.text(id.seq)?), entity: None })
    }
}

/// Returns the standing of an item, by a draw of a hundred: of ten one may not be shown.
fn standing(draw: u64) -> (OwnStatus, Authority, bool) {
    let active = OwnStatus::Active;
    match draw {
        0 => (OwnStatus::Pending, Authority::Pending, false),
        1 => (OwnStatus::Rejected, Authority::Rejected, false),
        2 => (OwnStatus::Erased, Authority::Erased, false),
        3 => (OwnStatus::Invalidated, Authority::Invalidated, false),
        4 | 5 => (active, Authority::Superseded, false),
        6 => (active, Authority::Stale, false),
        7 => (active, Authority::Expired, false),
        8 => (active, Authority::Active, true),
        9 => (active, Authority::Outdated, false),
        _ => (active, Authority::Active, false),
    }
}

fn text<'a>(event: &'a Value, key: &'static str) -> Result<&'a str> {
    event.get(key).and_then(Value::as_str).with_context(|| format!("an event without {key}"))
}

/// Appends the strings of a value, a line each.
fn push_strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| push_strings(value, out)),
        Value::Object(fields) => fields.values().for_each(|value| push_strings(value, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
