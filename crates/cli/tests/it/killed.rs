//! Hooks that are killed: whatever they were at, the next one makes good.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use memlith::storage::{Clock as _, SystemClock};

use crate::harness::{BINARY, Chance, amount};
use crate::hooks::Agents;

/// Hook events that clients send in the course of a session.
const HOOKS: [&str; 4] = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];

/// Package managers, which replace each other in this order.
const TOOLS: [&str; 6] = ["pnpm", "yarn", "bun", "cargo", "poetry", "bazel"];

/// A home is used so often before the next one.
const KILLS_PER_HOME: u64 = 25;

/// A hook that gave up, or found the ledger locked, is followed by so many others.
const TRIES: usize = 40;

/// A session that is killed in, and what must be known of it.
struct Session {
    agents: Agents,
    turns: u64,
    /// How many tools the packages were managed with.
    tools: usize,
    settings: Vec<u8>,
    /// Hooks that had to be called once more, as this machine was busy.
    late: u64,
}

impl Session {
    fn new() -> Session {
        let agents = Agents::new();
        let settings = fs::read(agents.desk.path().join(".claude/settings.json")).unwrap();
        let wrote = agents.in_project("shop", &["remember", "We use npm for packages."]);
        assert_eq!(wrote.code, 0, "{wrote:?}");
        let mut session = Session { agents, turns: 0, tools: 0, settings, late: 0 };
        session.grow(1);
        session.agents.hook("Stop", "shop", "s1", "");
        session
    }

    fn grow(&mut self, turns: u64) {
        for _ in 0..turns {
            let turn = self.turns;
            self.agents.says("s1", "user", &format!("Prompt number {turn} about llamas."));
            self.agents.says("s1", "assistant", &format!("Answer number {turn}."));
            self.turns += 1;
        }
    }

    /// The prompt that is typed: it says that another tool is used, while there is one.
    fn prompt(&mut self) -> String {
        match TOOLS.get(self.tools) {
            Some(tool) => {
                self.tools += 1;
                format!("No, we use {tool} for packages.")
            }
            None => "What do we use for packages?".to_owned(),
        }
    }

    /// Starts a hook behind the words of `wrapper`.
    fn start(&self, wrapper: &[String], hook: &str, prompt: &str) -> Child {
        let words = [BINARY, "agent", "hook", "claude-code"].map(str::to_owned);
        let line = [wrapper, &words].concat();
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).current_dir(self.agents.desk.path()).env_clear();
        let home = self.agents.desk.path();
        command.env("USER", "ana").env("TMPDIR", home).env("HOME", home);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let event = self.agents.event(hook, "shop", "s1", prompt).to_string();
        // What was killed before it had read it needs none.
        let _ = child.stdin.take().unwrap().write_all(event.as_bytes());
        child
    }

    /// The next hook, and what must be so after it.
    fn judge(&mut self, what: &str) {
        let state = self.agents.desk.path().join(".local/state/memlith/failures.jsonl");
        let failures = || fs::read_to_string(&state).map_or(0, |text| text.lines().count());
        for _ in 0..TRIES {
            let before = failures();
            self.agents.hook("Stop", "shop", "s1", "");
            // Where the machine is busy a hook gives up, and says so.
            if failures() == before {
                break;
            }
            self.late += 1;
        }
        let log = self.agents.log();
        for turn in 0..self.turns {
            for words in [format!("Prompt number {turn} "), format!("Answer number {turn}.")] {
                assert_eq!(log.matches(&words).count(), 1, "{what}: {words}\n{log}");
            }
        }
        for tool in TOOLS {
            let said = log.matches(&format!("we use {tool} for packages")).count();
            assert!(said <= 1, "{what}: {tool} {said} times\n{log}");
        }
        let verified = self.agents.in_project("shop", &["verify"]);
        assert_eq!(verified.code, 0, "{what}: {verified:?}");
        let settings = self.agents.desk.path().join(".claude/settings.json");
        assert_eq!(fs::read(settings).unwrap(), self.settings, "{what}");
    }

    /// A prompt that is typed again stands alone.
    fn judge_correction(&mut self, prompt: &str, what: &str) {
        let Some(tool) = prompt.strip_prefix("No, we use ") else { return };
        for _ in 0..TRIES {
            self.agents.hook("UserPromptSubmit", "shop", "s1", prompt);
            let list = self.agents.in_project("shop", &["list", "--status", "active"]).out;
            if list.contains(tool.trim_end_matches('.')) {
                assert_eq!(list.matches("for packages").count(), 1, "{what}: {list}");
                return;
            }
            self.late += 1;
        }
        panic!("{what}: {prompt} was never written down");
    }
}

/// `MEMLITH_KILLS` of them.
#[test]
fn a_hook_that_is_killed_at_any_instant_loses_nothing_and_repeats_nothing() {
    let (kills, chance, clock) = (amount("MEMLITH_KILLS", 20), Chance::new(), SystemClock::new());
    let (mut session, mut died, mut late) = (Session::new(), 0, 0);
    let begun = clock.elapsed();
    session.agents.hook("Stop", "shop", "s1", "");
    let life = (clock.elapsed() - begun) * 5 / 4;
    for kill in 0..kills {
        if kill % KILLS_PER_HOME == KILLS_PER_HOME - 1 {
            late += session.late;
            session = Session::new();
        }
        session.grow(chance.below(4));
        let (hook, prompt) = (*chance.of(&HOOKS), session.prompt());
        let mut child = session.start(&[], hook, &prompt);
        let lived = Duration::from_micros(chance.below(life.as_micros().try_into().unwrap()));
        clock.pause(lived);
        child.kill().unwrap();
        died += u64::from(!child.wait().unwrap().success());
        let what = format!("kill {kill}: {hook} after {lived:?}");
        session.judge(&what);
        if hook == "UserPromptSubmit" {
            session.judge_correction(&prompt, &what);
        }
    }
    late += session.late;
    println!("{kills} hooks, {died} killed before their end; {late} calls came late");
    assert!(died > kills / 4, "hooks end before they are killed: {died} of {kills}");
}

/// The system calls of a hook, each with how often a thread of it makes it.
///
/// `strace` counts for each thread: where both come to a number, the first one dies there.
fn calls(session: &Session, hook: &str, prompt: &str) -> BTreeMap<String, u64> {
    let log = session.agents.desk.path().join("calls");
    let wrapper = ["strace", "-f", "-o", log.to_str().unwrap()].map(str::to_owned);
    assert!(session.start(&wrapper, hook, prompt).wait().unwrap().success());
    let (mut counts, mut most) = (BTreeMap::new(), BTreeMap::new());
    for line in fs::read_to_string(&log).unwrap().lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((name, _)) = rest.trim_start().split_once('(') else { continue };
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        let count: &mut u64 = counts.entry((thread.to_owned(), name.to_owned())).or_default();
        *count += 1;
        let most: &mut u64 = most.entry(name.to_owned()).or_default();
        *most = (*most).max(*count);
    }
    most
}

/// Every `MEMLITH_CALLS`th call of each hook; none where that is 0, or `strace` is missing.
#[test]
fn a_hook_that_is_killed_at_a_system_call_loses_nothing_and_repeats_nothing() {
    let step = amount("MEMLITH_CALLS", 0);
    let has_strace = Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok();
    if step == 0 || !has_strace {
        println!("SKIPPED: killed at every system call: `cargo xtask hooks` runs it, with strace");
        return;
    }
    let mut session = Session::new();
    let home = session.agents.desk.path().to_owned();
    let kept = tempfile::tempdir().unwrap();
    let copy = |from: &std::path::Path, to: &std::path::Path| {
        let from = from.join(".");
        assert!(Command::new("cp").arg("-a").args([&from, to]).status().unwrap().success());
    };
    session.grow(2);
    let prompt = session.prompt();
    copy(&home, kept.path());
    let again = || {
        for entry in fs::read_dir(&home).unwrap() {
            let path = entry.unwrap().path();
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
        copy(kept.path(), &home);
    };
    let (mut tried, mut died) = (0, 0);
    for hook in HOOKS {
        again();
        let all = calls(&session, hook, &prompt);
        let all = all.iter().flat_map(|(name, most)| (1..=*most).map(move |nth| (name, nth)));
        for (name, nth) in all.step_by(usize::try_from(step).unwrap()) {
            again();
            let inject = format!("--inject={name}:signal=SIGKILL:when={nth}");
            let trace = format!("--trace={name}");
            // Not with --seccomp-bpf: strace 6.1 then lets every call but the first pass.
            let words = ["strace", "-f", "-o", "/dev/null", &trace, &inject];
            let status = session.start(&words.map(str::to_owned), hook, &prompt).wait().unwrap();
            tried += 1;
            died += u64::from(!status.success());
            let what = format!("{hook} killed at {name} number {nth}");
            session.judge(&what);
            if hook == "UserPromptSubmit" {
                session.judge_correction(&prompt, &what);
            }
        }
    }
    println!("{tried} calls, {died} killed there; {} calls came late", session.late);
    assert!(died * 10 > tried * 8, "{died} of {tried}");
}
