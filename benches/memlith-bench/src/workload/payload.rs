//! Payloads of each kind of event.

use serde_json::{Value, json};

use crate::workload::Workload;

/// A kind of event, and how often it comes.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) actor: &'static str,
    /// Of a hundred draws, those below this and not below the one before.
    pub(super) until: u64,
}

const fn kind(name: &'static str, actor: &'static str, until: u64) -> Kind {
    Kind { name, actor, until }
}

/// The mix by count: 30, 22, 12, 10, 8, 4, 4, 3, 3, 3 and 1 in a hundred.
pub(super) const KINDS: [Kind; 11] = [
    kind("transcript.turn", "assistant", 30),
    kind("tool.call.completed", "assistant", 52),
    kind("command.completed", "assistant", 64),
    kind("file.edit.applied", "assistant", 74),
    kind("issue.diagnosed", "assistant", 82),
    kind("decision.made", "assistant", 86),
    kind("memory.reinforcement", "zaxy-memory", 90),
    kind("task.proposed", "assistant", 93),
    kind("task.completed", "assistant", 96),
    kind("verification.recorded", "assistant", 99),
    kind("goal.created", "user", 100),
];

const TOOLS: [&str; 6] = ["read_file", "search", "list_files", "run_query", "open_page", "lint"];
const COMMANDS: [&str; 5] =
    ["cargo test", "cargo clippy", "git status", "python -m pytest", "make build"];

impl Workload {
    pub(super) fn payload(&mut self, kind: &str) -> Value {
        match kind {
            "transcript.turn" => {
                let role = if self.one_in(4) { "user" } else { "assistant" };
                json!({ "role": role, "content": self.words(24, 106) })
            }
            "tool.call.completed" => self.tool_call(),
            "command.completed" => self.command(),
            "file.edit.applied" => json!({
                "path": self.path(), "lines_added": self.random.within(1, 80),
                "lines_removed": self.random.within(0, 40), "summary": self.words(23, 101),
            }),
            "issue.diagnosed" => json!({
                "title": self.words(4, 10), "cause": self.words(16, 55),
                "evidence": self.words(12, 47), "path": self.path(),
            }),
            "decision.made" => json!({
                "title": self.words(4, 10), "rationale": self.words(23, 70),
                "rejected": [self.words(4, 16), self.words(4, 16)],
            }),
            "memory.reinforcement" => self.reinforcement(),
            "task.proposed" => json!({
                "taskId": self.task(), "title": self.words(4, 10), "detail": self.words(23, 94),
            }),
            "task.completed" => json!({
                "taskId": self.task(), "outcome": "done", "summary": self.words(23, 101),
            }),
            "verification.recorded" => json!({
                "target": self.path(), "passed": !self.one_in(10), "detail": self.words(23, 101),
            }),
            _ => json!({ "goalTitle": self.words(4, 10), "detail": self.words(31, 109) }),
        }
    }

    fn tool_call(&mut self) -> Value {
        let status = if self.one_in(12) { "failed" } else { "succeeded" };
        json!({
            "tool_name": self.random.pick(&TOOLS), "status": status,
            "arguments": { "path": self.path(), "query": self.words(2, 6) },
            "result_summary": self.words(23, 101),
        })
    }

    fn command(&mut self) -> Value {
        let exit_code = i32::from(self.one_in(8));
        let command = self.random.pick(&COMMANDS).unwrap_or_default();
        json!({
            "command": format!("{command} {}", self.words(1, 3)), "exit_code": exit_code,
            "stdout_excerpt": self.words(23, 109),
        })
    }

    /// 88 % surfaced, 7 confirmed, 2 promoted, 3 invalidated; 3 to 10 events of late.
    fn reinforcement(&mut self) -> Value {
        let kind = match self.random.below(100) {
            0..88 => "surfaced",
            88..95 => "confirmed",
            95..97 => "promoted",
            _ => "invalidated",
        };
        let count = self.random.within(3, 10);
        let last = (self.targets.len() as u64).max(1);
        let mut places: Vec<u64> = (0..count).map(|_| self.random.below(last)).collect();
        places.sort_unstable();
        places.dedup();
        let places = places.into_iter().filter_map(|place| usize::try_from(place).ok());
        let targets: Vec<Value> = places
            .filter_map(|place| self.targets.get(place))
            .map(|target| json!({ "seq": target.seq, "hash": target.hash }))
            .collect();
        json!({
            "kind": kind, "targets": targets, "authority_status": "non_authoritative",
            "source": { "checkout_id": format!("checkout-{:06}", self.seq) },
        })
    }

    fn path(&mut self) -> String {
        format!("src/{}/{}.rs", self.words(1, 1), self.words(1, 1))
    }

    fn task(&mut self) -> String {
        format!("task-{:05}", self.random.below(100_000))
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.random.below(count) == 0
    }
}
