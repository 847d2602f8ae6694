use serde_json::{Value, json};

use crate::words::Random;

/// A task from being asked for to being done.
#[derive(Debug)]
pub(crate) struct Session {
    number: u64,
    day: u64,
    pub(crate) service: &'static str,
    pub(crate) trouble: Trouble,
    /// Each in its own words.
    pub(crate) asked: String,
    pub(crate) failure: String,
    pub(crate) read: String,
    pub(crate) decision: String,
    pub(crate) edited: String,
    pub(crate) passed: String,
    pub(crate) outcome: String,
    pub(crate) file: String,
    command: String,
}

/// Fault of a service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trouble {
    /// As it is reported.
    pub(crate) told: &'static str,
    /// As somebody else would say it.
    pub(crate) asked: &'static str,
    error: &'static str,
    cause: &'static str,
    remedy: &'static str,
    file: &'static str,
}

const MONTHS: &str = "January February March April May June July August September October \
    November December";

#[rustfmt::skip]
pub(crate) const SERVICES: [&str; 20] = [
    "billing", "search", "login", "inventory", "shipping", "notification", "gateway", "catalog",
    "payment", "report", "upload", "calendar", "chat", "analytics", "profile", "export",
    "recommendation", "audit", "scheduler", "pricing",
];

#[rustfmt::skip]
const TROUBLES: [Trouble; 14] = [
    Trouble { told: "requests time out under load", asked: "calls hang when traffic is heavy", error: "deadline exceeded after 30s waiting for a connection", cause: "the connection pool is exhausted", remedy: "raise the pool to 64 and release early", file: "pool.rs" },
    Trouble { told: "the worker crashes at startup", asked: "the process dies when it boots", error: "panicked at 'missing field `region`'", cause: "the configuration lacks a default", remedy: "give the region a default", file: "config.rs" },
    Trouble { told: "memory grows without bound", asked: "RAM usage keeps climbing", error: "killed by signal 9, resident 3.9 GiB", cause: "the cache never evicts", remedy: "bound the cache and evict the oldest", file: "cache.rs" },
    Trouble { told: "duplicate rows after a retry", asked: "records appear twice when an attempt is repeated", error: "unique constraint violated: key already exists", cause: "the insert is not idempotent", remedy: "key every insert by its request", file: "store.rs" },
    Trouble { told: "a test fails every few runs", asked: "the check is unreliable", error: "assertion failed: left 3, right 2 in retry_order", cause: "two threads share one clock", remedy: "inject the clock into the test", file: "clock.rs" },
    Trouble { told: "dates are off by one day", asked: "timestamps land on the wrong date", error: "expected 2026-03-01, found 2026-02-28", cause: "local time is taken for UTC", remedy: "convert at the boundary alone", file: "dates.rs" },
    Trouble { told: "queries are slow on large tables", asked: "lookups take long when there is much data", error: "sequential scan on events, 48211 ms", cause: "an index is missing", remedy: "add an index on tenant and time", file: "schema.sql" },
    Trouble { told: "the token expires too early", asked: "credentials run out ahead of time", error: "401 unauthorized: signature expired", cause: "seconds are read as milliseconds", remedy: "parse the lifetime with its unit", file: "token.rs" },
    Trouble { told: "non-ASCII names are garbled", asked: "accented letters come out broken", error: "invalid utf-8 sequence of 1 bytes from index 14", cause: "the header is decoded as Latin-1", remedy: "decode everything as UTF-8", file: "decode.rs" },
    Trouble { told: "the deploy rolls back silently", asked: "a release is undone without notice", error: "health probe failed: 503 for 5 checks", cause: "the probe hits a route that needs login", remedy: "give the probe a route of its own", file: "probe.rs" },
    Trouble { told: "messages arrive out of order", asked: "events are delivered in the wrong sequence", error: "sequence 118 came before 117", cause: "two consumers read one partition", remedy: "pin a partition to one consumer", file: "consumer.rs" },
    Trouble { told: "the disk fills up with logs", asked: "storage is used up by traces", error: "no space left on device (os error 28)", cause: "rotation is switched off", remedy: "rotate at 100 MB and keep five", file: "logging.toml" },
    Trouble { told: "rounding loses cents", asked: "amounts are a penny short", error: "expected 10.10, found 10.09", cause: "money is held in floats", remedy: "hold money in whole cents", file: "money.rs" },
    Trouble { told: "a deadlock under two writers", asked: "everything freezes when two threads store at once", error: "test timed out: two locks held", cause: "locks are taken in two orders", remedy: "take the ledger's lock first, always", file: "locks.rs" },
];

/// The sessions, each of another service and trouble, a few hours to a few days apart.
pub(crate) fn sessions(count: u64, random: &mut Random) -> Vec<Session> {
    let mut pairs: Vec<(&'static str, Trouble)> =
        SERVICES.iter().flat_map(|service| TROUBLES.iter().map(|one| (*service, *one))).collect();
    let mut day = 0;
    let mut sessions = Vec::new();
    for number in 0..count.min(pairs.len() as u64) {
        let at = usize::try_from(random.below(pairs.len() as u64)).unwrap_or_default();
        let (service, trouble) = pairs.swap_remove(at);
        day += random.below(3);
        sessions.push(Session::draw(number, day, service, trouble, random));
    }
    sessions
}

impl Session {
    fn draw(
        number: u64,
        day: u64,
        service: &'static str,
        trouble: Trouble,
        random: &mut Random,
    ) -> Session {
        let Trouble { told, error, cause, remedy, .. } = trouble;
        let (line, passed, ticket) =
            (random.within(10, 900), random.within(20, 400), 1_000 + number);
        let file = format!("services/{service}/src/{}", trouble.file);
        let asks = ["please look into it", "find out why and fix it", "can you fix this today?"];
        let ask = random.pick(&asks).unwrap_or_default();
        Session {
            number,
            day,
            service,
            trouble,
            asked: format!("T-{ticket}: in the {service} service {told}, {ask}"),
            failure: format!(
                "error: {error}\n  --> {file}:{line}\ntest result: FAILED. {number} runs"
            ),
            read: format!("// {file}\nfn line_{line}() {{ todo_{number}() }}"),
            decision: format!(
                "The reason is that {cause}. Decision: {remedy}, rather than a larger timeout (T-{ticket})."
            ),
            edited: format!("The file {file} has been updated at line {line}."),
            passed: format!(
                "test result: ok. {passed} passed; 0 failed; finished in {}.{line}s",
                number % 9
            ),
            outcome: format!(
                "Done: T-{ticket} is closed, {passed} tests pass and the change is deployed."
            ),
            command: format!("cargo test -p {service}"),
            file,
        }
    }

    /// When it was, as a question names it.
    pub(crate) fn date(&self) -> String {
        let (month, day) = (self.day / 28, self.day % 28 + 1);
        let mut months = MONTHS.split(' ');
        let name = months.nth(usize::try_from(month % 12).unwrap_or_default()).unwrap_or("May");
        format!("{day} {name} {}", 2025 + month / 12)
    }

    /// The session as a transcript in the form of Claude Code.
    pub(crate) fn transcript(&self) -> String {
        let bash = |command: &str| json!({ "command": command });
        let path = json!({ "file_path": self.file });
        let steps = [
            ("user", json!(self.asked)),
            said(&format!("I will run the tests of {} first.", self.service)),
            self.called(1, "Bash", &bash(&self.command)),
            self.returned(1, &self.failure, true),
            self.called(2, "Read", &path),
            self.returned(2, &self.read, false),
            said(&self.decision),
            self.called(3, "Edit", &path),
            self.returned(3, &self.edited, false),
            self.called(4, "Bash", &bash(&self.command)),
            self.returned(4, &self.passed, false),
            said(&self.outcome),
        ];
        let (month, day) = (self.day / 28, self.day % 28 + 1);
        let (year, month) = (2025 + month / 12, month % 12 + 1);
        let lines = steps.into_iter().enumerate().map(|(at, (role, content))| {
            let line = json!({
                "type": role,
                "uuid": format!("s{}-{at}", self.number),
                "parentUuid": at.checked_sub(1).map(|before| format!("s{}-{before}", self.number)),
                "sessionId": format!("session-{}", self.number),
                "timestamp": format!("{year}-{month:02}-{day:02}T09:{at:02}:00.000Z"),
                "isSidechain": false,
                "message": { "role": role, "content": content },
            });
            format!("{line}\n")
        });
        lines.collect()
    }

    fn called(&self, call: u64, tool: &str, input: &Value) -> (&'static str, Value) {
        let id = format!("call-{}-{call}", self.number);
        let content = json!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]);
        ("assistant", content)
    }

    fn returned(&self, call: u64, output: &str, failed: bool) -> (&'static str, Value) {
        let id = format!("call-{}-{call}", self.number);
        let result = json!([{ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed }]);
        ("user", result)
    }
}

fn said(text: &str) -> (&'static str, Value) {
    ("assistant", json!([{ "type": "text", "text": text }]))
}
