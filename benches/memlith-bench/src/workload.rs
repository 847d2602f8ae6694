//! The log of an agent's work: what it looks like is documented, its words are made up.
//!
//! Lines are Eventloom's, one event each, chained by SHA-256 as Zaxy chains them, so that
//! both engines can be given the same bytes. Equal seeds give equal bytes.
//!
//! Source: the workload of the published Zaxy measurements: mix by count, 1,040 bytes a
//! line, Zipf text over 20,000 words, 45 days from 2026-06-01.

mod payload;

use std::collections::VecDeque;
use std::io::{self, Read};

use memlith::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use self::payload::KINDS;
use crate::words::{Random, Vocabulary};

/// Raised whenever the bytes of a seed change.
pub(crate) const WORKLOAD_VERSION: u32 = 1;

/// 2026-06-01T00:00:00Z.
const START: Timestamp = Timestamp(1_780_272_000_000_000);

/// The time that the events are spread over.
const SPAN_US: u64 = 45 * 86_400_000_000;

/// Events of one session.
const SESSION_EVENTS: u64 = 250;

/// A reinforcement names events that are at most so far back.
const REMEMBERED: usize = 1_000;

/// The first events of the log of a seed, as bytes to be read.
#[derive(Debug)]
pub(crate) struct Workload {
    random: Random,
    vocabulary: Vocabulary,
    /// Events of the whole log: what times are spread over.
    events: u64,
    /// Events that are read.
    until: u64,
    seq: u64,
    /// Events of the files before this one.
    before: u64,
    previous: Option<String>,
    /// Events that a reinforcement can name.
    targets: VecDeque<Target>,
    line: Vec<u8>,
    read: usize,
}

#[derive(Clone, Debug)]
struct Target {
    seq: u64,
    hash: String,
}

impl Workload {
    /// The first `until` of the `events` events of the log of `seed`.
    pub(crate) fn new(seed: u64, events: u64, until: u64) -> Workload {
        let mut random = Random::new(seed);
        let vocabulary = Vocabulary::new(&mut random);
        Workload {
            random,
            vocabulary,
            events,
            until,
            seq: 0,
            before: 0,
            previous: None,
            targets: VecDeque::new(),
            line: Vec::new(),
            read: 0,
        }
    }

    /// Goes on with so many more events, once all that were to be read have been: as another
    /// file, whose chain begins anew.
    pub(crate) fn go_on(&mut self, events: u64) {
        self.until = self.until.saturating_add(events).min(self.events);
        self.before = self.seq;
        self.previous = None;
        self.targets.clear();
    }

    /// When the last of `events` events has just happened.
    pub(crate) fn end() -> Timestamp {
        START.plus_us(i64::try_from(SPAN_US).unwrap_or(i64::MAX))
    }

    /// Writes the next event to the line; `false` where there is none.
    fn advance(&mut self) -> bool {
        if self.seq == self.until {
            return false;
        }
        self.seq += 1;
        let draw = self.random.below(100);
        let drawn = KINDS.iter().find(|kind| draw < kind.until);
        // The first event can't reinforce another.
        let kind = drawn.filter(|_| !self.targets.is_empty()).unwrap_or(&KINDS[0]);
        let payload = self.payload(kind.name);
        let spread =
            u128::from(SPAN_US) * u128::from(self.seq - 1) / u128::from(self.events.max(1));
        let at = START.plus_us(i64::try_from(spread).unwrap_or(i64::MAX)).to_string();
        // Only a turn has a role: its speaker's.
        let actor = payload.get("role").and_then(Value::as_str).unwrap_or(kind.actor).to_owned();
        let number = self.seq - self.before;
        let name = json!({
            "actor": actor, "seq": number, "timestamp": at, "type": kind.name,
        });
        let id = format!("evt_zaxy_{number:012}_{:.16}", sha256(&name));
        let thread = format!("session-{:04}", (self.seq - 1) / SESSION_EVENTS + 1);
        self.chain(kind.name, &[&id, &actor, &thread, &at], payload);
        true
    }

    /// Hashes the event with the one before it and writes the line, in the order of keys
    /// that Zaxy writes.
    fn chain(&mut self, kind: &str, [id, actor, thread, at]: &[&str; 4], payload: Value) {
        let previous = self.previous.take();
        // Keys sort themselves and everything is ASCII: this is canonical already.
        let hashed = json!({
            "event": {
                "actorId": actor, "causedBy": [], "id": id, "parentEventId": null,
                "payload": payload, "threadId": thread, "timestamp": at, "type": kind,
            },
            "previousHash": previous,
        });
        let hash = sha256(&hashed);
        if kind != "memory.reinforcement" {
            self.targets.push_back(Target { seq: self.seq - self.before, hash: hash.clone() });
            if self.targets.len() > REMEMBERED {
                self.targets.pop_front();
            }
        }
        let integrity = json!({ "hash": format!("sha256:{hash}"), "previousHash": previous });
        let line = format!(
            "{{\"id\":\"{id}\",\"type\":\"{kind}\",\"actorId\":\"{actor}\",\
             \"threadId\":\"{thread}\",\"parentEventId\":null,\"causedBy\":[],\
             \"timestamp\":\"{at}\",\"payload\":{payload},\"integrity\":{integrity}}}\n"
        );
        self.line = line.into_bytes();
        self.read = 0;
        self.previous = Some(format!("sha256:{hash}"));
    }

    fn words(&mut self, fewest: u64, most: u64) -> String {
        let count = self.random.within(fewest, most);
        self.vocabulary.text(&mut self.random, count)
    }
}

impl Read for Workload {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() && !self.advance() {
            return Ok(0);
        }
        let mut rest = self.line.get(self.read..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.read += count;
        Ok(count)
    }
}

fn sha256(value: &Value) -> String {
    use std::fmt::Write;
    let digest = Sha256::digest(value.to_string().as_bytes());
    digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string can't fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests;
