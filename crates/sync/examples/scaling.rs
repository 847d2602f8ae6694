//! The model of `docs/scaling.md`, simulated: nodes that write shared ledgers, and a fleet of
//! machines that sync. Deterministic: the same numbers on every machine.
//!
//! `cargo run --release -p memlith-sync --example scaling`

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A store by its answers, in microseconds.
struct Store {
    name: &'static str,
    put_us: u64,
    get_us: u64,
}

const STORES: [Store; 3] = [
    Store { name: "folder", put_us: 2_000, get_us: 50 },
    Store { name: "PostgreSQL", put_us: 4_500, get_us: 300 },
    Store { name: "S3", put_us: 30_000, get_us: 15_000 },
];

/// Time that is simulated.
const RUN_US: u64 = 60_000_000;

/// Nodes that write one ledger.
struct Contention {
    nodes: usize,
    writes: u64,
    conflicts: u64,
    waits_us: Vec<u64>,
    waiting: usize,
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound.max(1)
    }
}

/// Simulates `nodes` that each write every `every_us` on average, and take in what they missed
/// where another one came first.
fn contend(store: &Store, nodes: usize, every_us: u64) -> Contention {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut queues: Vec<VecDeque<u64>> = vec![VecDeque::new(); nodes];
    let mut seen = vec![0_u64; nodes];
    let (mut head, mut found) = (0_u64, Contention::of(nodes));
    // When something happens, at which node: an arrival, or the answer to a put.
    let mut agenda = BinaryHeap::new();
    for node in 0..nodes {
        agenda.push(Reverse((random.below(2 * every_us), node, false)));
    }
    while let Some(Reverse((now, node, is_answer))) = agenda.pop() {
        if now > RUN_US {
            break;
        }
        let Some((queue, seen)) = queues.get_mut(node).zip(seen.get_mut(node)) else { continue };
        if !is_answer {
            agenda.push(Reverse((now + 1 + random.below(2 * every_us), node, false)));
            queue.push_back(now);
            if queue.len() == 1 {
                agenda.push(Reverse((now + store.put_us, node, true)));
            }
            continue;
        }
        if *seen == head {
            head += 1;
            found.writes += 1;
            found.waits_us.extend(queue.pop_front().map(|since| now - since));
            *seen = head;
        } else {
            found.conflicts += 1;
        }
        if !queue.is_empty() {
            // One read for each frame that was missed, and one that finds none behind them.
            let missed = head - *seen + u64::from(*seen < head);
            *seen = head;
            let pause = random.below(store.put_us / 4);
            agenda.push(Reverse((now + missed * store.get_us + pause + store.put_us, node, true)));
        }
    }
    found.waiting = queues.iter().map(VecDeque::len).sum();
    found
}

impl Contention {
    fn of(nodes: usize) -> Contention {
        Contention { nodes, writes: 0, conflicts: 0, waits_us: Vec::new(), waiting: 0 }
    }

    fn row(&mut self, store: &Store, every_us: u64) -> String {
        self.waits_us.sort_unstable();
        let last = self.waits_us.len() * 99 / 100;
        let p99 = self.waits_us.get(last).copied().unwrap_or_default();
        let asked = 1_000_000 * self.nodes as u64 / every_us;
        let holds = if self.waiting > self.nodes * 2 { "no" } else { "yes" };
        format!(
            "| {} | {} | {asked} | {} | {}.{} | {} | {holds} |",
            store.name,
            self.nodes,
            self.writes * 1_000_000 / RUN_US,
            self.conflicts / self.writes.max(1),
            self.conflicts * 10 / self.writes.max(1) % 10,
            p99 / 1_000
        )
    }
}

/// Frames that a node reads to join, one behind the other.
const JOINED: [u64; 3] = [1_000, 100_000, 1_000_000];

/// A fleet that syncs: ledgers, machines of each person, seconds between two runs.
const FLEETS: [(u64, u64, u64); 3] = [(10_000, 3, 600), (10_000, 3, 60), (10_000, 10, 600)];

fn main() {
    println!(
        "| store | nodes on one ledger | asked/s | written/s | conflicts a write | p99 ms | holds |"
    );
    println!("|---|---|---|---|---|---|---|");
    for store in &STORES {
        for (nodes, every_us) in [
            (1, 20_000),
            (2, 40_000),
            (6, 120_000),
            (6, 600_000),
            (20, 2_000_000),
            (100, 10_000_000),
            (100, 2_000_000),
        ] {
            println!("{}", contend(store, nodes, every_us).row(store, every_us));
        }
    }
    println!("\n| store | frames | seconds to join |");
    println!("|---|---|---|");
    for store in &STORES {
        for frames in JOINED {
            println!("| {} | {frames} | {} |", store.name, frames * store.get_us / 1_000_000);
        }
    }
    println!("\n| persons | machines each | seconds between runs | requests/s at the place |");
    println!("|---|---|---|---|");
    for (persons, machines, every) in FLEETS {
        // A run lists once, and reads a manifest twice and a card once of each other machine.
        let requests = persons * machines * (1 + 3 * (machines - 1) + 2);
        println!("| {persons} | {machines} | {every} | {} |", requests / every);
    }
}
