//! Patterns that the shell commands of a session taught: what mended a failure, and what is run
//! again and again.

use memlith::RecordId;

use crate::{Pattern, Turn, What};

/// The most patterns that a job gives.
pub(crate) const PATTERNS_MAX: usize = 3;

/// A longer command, in bytes, is a script.
const COMMAND_BYTES: usize = 200;

/// A command is a way to do something once it went well so many times.
const TIMES: usize = 3;

/// Maximum number of commands that mend a failure.
const MENDING_MAX: usize = 4;

/// The aim of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intent {
    Test,
    Build,
}

/// One call of a shell.
struct Run {
    command: String,
    ok: bool,
    turn: RecordId,
}

/// Whether a tool's turn ran tests, and nothing that could end otherwise than they do.
pub(crate) fn runs_tests(name: &str, arguments: &str) -> bool {
    command_of(name, arguments).is_some_and(|command| intent(&command) == Some(Intent::Test))
}

/// The patterns of the turns, oldest first: what mended a failure before what is repeated.
pub(crate) fn patterns(turns: &[Turn]) -> Vec<Pattern> {
    let mut found: Vec<Pattern> = Vec::new();
    for at in 0..turns.len() {
        let mended = turns.get(at..).and_then(mended);
        if let Some(pattern) = mended.filter(|one| found.iter().all(|had| had.steps != one.steps)) {
            found.push(pattern);
        }
    }
    found.extend(repeated(turns));
    found.truncate(PATTERNS_MAX);
    found
}

/// The commands that mended the failure with which these turns begin.
///
/// Either the command right behind it is the same one through another program, or commands that
/// install or prepare something stand between it and its success. Anything else in between may
/// have been what mended it, so nothing is learned.
fn mended(turns: &[Turn]) -> Option<Pattern> {
    let (first, later) = turns.split_first()?;
    let failed = run_of(first).filter(|run| !run.ok)?;
    let mut mending: Vec<Run> = Vec::new();
    for turn in later {
        if let What::Assistant(_) = turn.what {
            continue;
        }
        let run = run_of(turn).filter(|run| run.ok)?;
        let is_other_program = mending.is_empty() && is_other_program(&failed, &run);
        if is_other_program || run.command == failed.command && !mending.is_empty() {
            return Some(lesson(&failed, mending, run));
        }
        if mending.len() == MENDING_MAX || !prepares(&run.command) {
            return None;
        }
        mending.push(run);
    }
    None
}

fn lesson(failed: &Run, mending: Vec<Run>, last: Run) -> Pattern {
    let runs = mending.iter().chain([&last]);
    let mut evidence: Vec<RecordId> = runs.clone().map(|run| run.turn).collect();
    evidence.push(failed.turn);
    evidence.sort_unstable();
    Pattern {
        trigger: format!("`{}` fails", failed.command),
        steps: runs.map(|run| run.command.clone()).collect(),
        verified: Some(true),
        evidence,
        ..Pattern::default()
    }
}

/// The commands that ran tests or built, and went well, [`TIMES`] times.
fn repeated(turns: &[Turn]) -> Vec<Pattern> {
    let mut kinds: Vec<(String, &'static str, Vec<RecordId>)> = Vec::new();
    for run in turns.iter().filter_map(run_of).filter(|run| run.ok) {
        let name = match intent(&run.command) {
            Some(Intent::Test) => "run the tests",
            Some(Intent::Build) => "build",
            None => continue,
        };
        match kinds.iter_mut().find(|(command, ..)| *command == run.command) {
            Some((.., times)) => times.push(run.turn),
            None => kinds.push((run.command, name, vec![run.turn])),
        }
    }
    let often = kinds.into_iter().filter(|(.., times)| times.len() >= TIMES);
    often
        .map(|(command, name, mut evidence)| {
            evidence.sort_unstable();
            let (name, steps) = (name.to_owned(), vec![command]);
            Pattern { name, steps, verified: Some(true), evidence, ..Pattern::default() }
        })
        .collect()
}

/// The call of a shell that a turn is, where it is known how it ended.
fn run_of(turn: &Turn) -> Option<Run> {
    let What::Tool { name, arguments, ok: Some(ok), .. } = &turn.what else { return None };
    Some(Run { command: command_of(name, arguments)?, ok: *ok, turn: turn.id })
}

/// The command that a shell was called with: one line, all of it, and nothing taken out of it.
fn command_of(name: &str, arguments: &str) -> Option<String> {
    const SHELLS: [&str; 8] = [
        "bash",
        "shell",
        "sh",
        "exec_command",
        "local_shell",
        "terminal",
        "run_command",
        "run_terminal_cmd",
    ];
    if !SHELLS.contains(&name.to_lowercase().as_str()) {
        return None;
    }
    let command = match serde_json::from_str::<serde_json::Value>(arguments) {
        Ok(value) => value.get("command").or(value.get("cmd"))?.as_str()?.to_owned(),
        Err(_) => arguments.to_owned(),
    };
    let command = command.trim();
    let is_plain = !command.is_empty()
        && command.len() <= COMMAND_BYTES
        && !command.contains(['\n', '\r'])
        && !command.to_lowercase().contains("redacted");
    is_plain.then(|| command.to_owned())
}

/// The aim of a command. One that goes on behind a pipe, or in spite of a failure, has the
/// exit code of something else, and is run for nothing.
fn intent(command: &str) -> Option<Intent> {
    const TESTS: [&str; 13] = [
        "cargo test",
        "cargo nextest run",
        "npm test",
        "npm run test",
        "pnpm test",
        "yarn test",
        "pytest",
        "python -m pytest",
        "go test",
        "make test",
        "npx vitest",
        "npx jest",
        "bundle exec rspec",
    ];
    const BUILDS: [&str; 8] = [
        "cargo build",
        "npm run build",
        "pnpm build",
        "yarn build",
        "go build",
        "make build",
        "docker build",
        "./gradlew build",
    ];
    if command.contains(['|', ';', '`']) || command.ends_with('&') || command.contains("$(") {
        return None;
    }
    let last = command.rsplit("&&").next().unwrap_or_default().trim();
    let runs = |list: &[&str]| {
        list.iter().any(|run| {
            let rest = last.strip_prefix(run);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    let is_dry = ["--help", "--version", "--no-run", "--collect-only", "--listTests"]
        .iter()
        .any(|flag| last.split(' ').any(|word| word == *flag));
    match () {
        () if is_dry => None,
        () if runs(&TESTS) => Some(Intent::Test),
        () if runs(&BUILDS) => Some(Intent::Build),
        () => None,
    }
}

/// Whether a command installs or prepares something, by the first words behind its program.
fn prepares(command: &str) -> bool {
    const VERBS: [&str; 16] = [
        "install", "add", "sync", "ci", "migrate", "generate", "restore", "update", "start", "up",
        "clean", "login", "init", "get", "tidy", "fetch",
    ];
    const PROGRAMS: [&str; 26] = [
        "cargo",
        "npm",
        "pnpm",
        "yarn",
        "pip",
        "pip3",
        "uv",
        "poetry",
        "go",
        "bundle",
        "gem",
        "apt",
        "apt-get",
        "brew",
        "docker",
        "rustup",
        "make",
        "composer",
        "dotnet",
        "mix",
        "flutter",
        "npx",
        "prisma",
        "terraform",
        "systemctl",
        "docker-compose",
    ];
    if command.contains(['|', ';', '>', '`']) || command.contains("$(") {
        return false;
    }
    let mut words = command.split_whitespace().skip_while(|word| *word == "sudo");
    let is_known = words.next().is_some_and(|program| PROGRAMS.contains(&program));
    is_known && words.take(2).any(|word| VERBS.contains(&word))
}

/// Whether `run` is `failed` with another program in front of the same words.
fn is_other_program(failed: &Run, run: &Run) -> bool {
    const LOOKING: [&str; 14] = [
        "cat", "ls", "grep", "rg", "find", "head", "tail", "sed", "cd", "echo", "less", "stat",
        "which", "test",
    ];
    let Some((before, words)) = failed.command.split_once(' ') else { return false };
    let Some((after, same)) = run.command.split_once(' ') else { return false };
    let is_looking = LOOKING.contains(&before) || LOOKING.contains(&after);
    words == same && before != after && !is_looking
}

#[cfg(test)]
mod tests;
