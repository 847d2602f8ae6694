//! Requests at random: nothing panics, nothing grows, and the ledger verifies.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::server::{Server, call};
use super::{desk, memlith};
use crate::cargo::{output, succeed};

/// Number of requests sent before one is waited for, so that no pipe fills up.
const BATCH: u32 = 100;

/// The most memory that the second half of the requests may add, in KiB: pages of the ledger
/// that they write, and what the allocator keeps.
const GROWTH_KIB: u64 = 8 << 10;

const METHODS: [&str; 14] = [
    "tools/call",
    "tools/call",
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "prompts/get",
    "prompts/list",
    "initialize",
    "ping",
    "completion/complete",
    "logging/setLevel",
    "no/such",
];

const NOTES: [&str; 5] = [
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
    "notifications/initialized",
    "notifications/none",
];

const TOOLS: [&str; 12] = [
    "memory_checkout",
    "memory_remember",
    "memory_search",
    "memory_list",
    "memory_update",
    "memory_forget",
    "memory_outcome",
    "memory_explain",
    "memory_review",
    "memory_trace",
    "memory_none",
    "",
];

const FIELDS: [&str; 16] = [
    "query",
    "text",
    "id",
    "ids",
    "limit",
    "budget_tokens",
    "as_of",
    "reason",
    "result",
    "do",
    "kind",
    "cursor",
    "rank",
    "name",
    "uri",
    "arguments",
];

const TEXTS: [&str; 12] = [
    "",
    "-",
    "--as=owner",
    "tea",
    "mem_2",
    "2",
    "\u{0}",
    "</memlith-memory>",
    "\u{202e}x",
    "memlith://00/1#00",
    "list",
    "2026-05-01",
];

/// Chances that come again with the seed.
struct Chance(u64);

/// Sends so many requests at random to one server, and looks at it.
///
/// # Errors
/// It panics, ends early, hangs or grows, or the ledger doesn't verify afterwards.
pub(super) fn send(program: &Path, requests: u32, seed: u32) -> anyhow::Result<()> {
    let desk = desk(program)?;
    let mut server = Server::start(memlith(program, desk.path(), &[]))?;
    let mut chance = Chance(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut sent, mut half_kib, mut writes) = (0, 0, 0);
    while sent < requests {
        for number in 0..BATCH.min(requests - sent) {
            // Few are let through to write: what is looked for is not the ledger's growth.
            let line = if number == 0 && chance.below(4) == 0 {
                writes += 1;
                note(sent)
            } else {
                chance.line()
            };
            server.write(&line)?;
        }
        sent += BATCH.min(requests - sent);
        server.settle(sent).with_context(|| format!("after {sent} requests, seed {seed}"))?;
        if sent <= requests / 2 {
            half_kib = server.memory_kib()?;
        }
    }
    let end_kib = server.memory_kib()?;
    server.end()?;
    succeed(memlith(program, desk.path(), &["verify", "--full"]).stdout(Stdio::null()))?;
    let counted = output(&mut memlith(program, desk.path(), &["maintain", "stat", "--json"]))?;
    let counted: Value = serde_json::from_str(&counted).context("count the records")?;
    let records = counted.get("events").and_then(Value::as_u64).unwrap_or_default();
    println!(
        "{sent} requests at random (seed {seed}), {writes} of them writes, {records} records: 0 \
         panics, {half_kib} KiB at half, {end_kib} KiB at the end, the ledger verifies"
    );
    ensure!(end_kib <= half_kib + GROWTH_KIB, "the server grows: see the line above");
    Ok(())
}

/// A memory to be written.
fn note(number: u32) -> Vec<u8> {
    let arguments = json!({"text": format!("Note {number} is kept.")});
    call(json!(number), "memory_remember", &arguments).to_string().into_bytes()
}

impl Chance {
    fn next(&mut self) -> u64 {
        // Xorshift; the state is never 0.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn of(&mut self, all: &[&'static str]) -> &'static str {
        let at = usize::try_from(self.below(all.len() as u64)).unwrap_or(0);
        all.get(at).copied().unwrap_or_default()
    }

    /// A line that may be anything, without a line end in it.
    fn line(&mut self) -> Vec<u8> {
        let mut line = match self.below(10) {
            0 => (0..self.below(64)).map(|_| self.next().to_le_bytes()[0]).collect(),
            1 => json!([self.request(), self.request()]).to_string().into_bytes(),
            2 => self.value(4).to_string().into_bytes(),
            3 => {
                let (method, params) = (self.of(&NOTES), self.value(3));
                let note = json!({"jsonrpc": "2.0", "method": method, "params": params});
                note.to_string().into_bytes()
            }
            4 => {
                let mut line = self.request().to_string().into_bytes();
                let len = line.len() as u64;
                let at = usize::try_from(self.below(len)).unwrap_or(0);
                match line.get_mut(at) {
                    Some(byte) if self.below(2) == 0 => *byte ^= 1 << self.below(8),
                    Some(_) | None => line.truncate(at),
                }
                line
            }
            _ => self.request().to_string().into_bytes(),
        };
        line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        line
    }

    fn request(&mut self) -> Value {
        let method = self.of(&METHODS);
        let params = match (method, self.below(8)) {
            (_, 0) => self.value(3),
            ("tools/call", _) => json!({"name": self.of(&TOOLS), "arguments": self.fields(3)}),
            (_, _) => self.fields(2),
        };
        let id = match self.below(8) {
            0 => self.value(1),
            _ => json!(self.below(1_000)),
        };
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    fn fields(&mut self, depth: u32) -> Value {
        let count = self.below(5);
        let fields = (0..count).map(|_| (self.of(&FIELDS).to_owned(), self.value(depth)));
        Value::Object(fields.collect())
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.next()),
            3 => json!(-1.5),
            4 | 5 => json!(self.of(&TEXTS)),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => self.fields(depth - 1),
        }
    }
}
