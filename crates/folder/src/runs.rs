//! The commands of a session: what failed, what mended it, what was committed.

use std::collections::{BTreeMap, BTreeSet};

use memlith::log::ToolRan;
use memlith::procedures::Call;
use serde_json::Value;

use crate::inputs::{Fact, Part};
use crate::named::names;
use crate::output::{error_in, went_well};
use crate::safe::cut;

/// The most failures, commits and changed files that are kept of a session.
const KEPT_MAX: usize = 4;

/// The most different commands that are counted of a session.
const VERBS_MAX: usize = 1_000;

/// The most characters of an error, and of the subject of a commit.
const TEXT_CHARS: usize = 200;

/// The commands of a session, as far as they were met.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    failures: Vec<Failure>,
    commits: Vec<String>,
    /// The files that were changed, by their last names, the latest last.
    changed: Vec<String>,
    /// How often each program ran, and each of its subcommands.
    programs: BTreeMap<String, usize>,
}

/// A command that failed.
#[derive(Debug)]
struct Failure {
    verb: String,
    error: String,
    /// The files that were changed before the same command passed; `None` while it did not.
    mended: Option<Vec<String>>,
    /// The number of files that had been changed when it failed.
    changed_before: usize,
}

impl Runs {
    pub(crate) fn take(&mut self, ran: &ToolRan<'_>) {
        let arguments: Value = serde_json::from_str(&ran.arguments).unwrap_or_default();
        let is_command = ["command", "cmd"].iter().any(|key| arguments.get(*key).is_some());
        if !is_command {
            return self.change(&ran.tool, &arguments);
        }
        let calls = Call::steps(&ran.tool, &ran.arguments);
        for call in &calls {
            if self.programs.len() < VERBS_MAX {
                *self.programs.entry(call.verb.clone()).or_default() += 1;
            }
        }
        let Some(verb) = calls.last().map(|call| call.verb.as_str()) else { return };
        let command = ["command", "cmd"].iter().find_map(|key| arguments.get(*key)?.as_str());
        let command = command.unwrap_or_default();
        // Behind a pipe the exit code is another program's: the output tells.
        let has_failed = ran.ok == Some(false) || ran.exit_code.is_some_and(|code| code != 0);
        let has_passed = ran.ok == Some(true) && !command.contains(['|', ';']);
        let is_well = match has_failed {
            true => Some(false),
            false => went_well(&ran.output).or(has_passed.then_some(true)),
        };
        match is_well {
            Some(true) => self.passed(verb),
            Some(false) => self.failed(verb, &ran.output),
            None => {}
        }
        if !has_failed && calls.iter().any(|call| call.verb == "git commit") {
            self.committed(command, &ran.output);
        }
    }

    /// Takes in a change of a file by a tool of the client.
    fn change(&mut self, tool: &str, arguments: &Value) {
        let is_change = ["edit", "write", "patch", "replace"];
        let tool = tool.to_lowercase();
        let path = ["file_path", "path", "notebook_path"];
        let path = path.iter().find_map(|key| arguments.get(*key)?.as_str());
        if let Some(path) = path.filter(|_| is_change.iter().any(|word| tool.contains(word))) {
            let name = path.rsplit('/').next().unwrap_or(path).to_owned();
            if self.changed.last() != Some(&name) {
                self.changed.push(name);
            }
        }
    }

    fn passed(&mut self, verb: &str) {
        for one in self.failures.iter_mut().filter(|one| one.verb == verb) {
            let changed = self.changed.get(one.changed_before..).unwrap_or_default();
            one.mended.get_or_insert_with(|| distinct(changed));
        }
    }

    fn failed(&mut self, verb: &str, output: &str) {
        let Some(error) = error_in(output) else { return };
        let error = cut(error, TEXT_CHARS);
        let is_known = self.failures.iter().any(|one| one.verb == verb && one.error == error);
        if !is_known && self.failures.len() < KEPT_MAX {
            let changed_before = self.changed.len();
            let verb = verb.to_owned();
            self.failures.push(Failure { verb, error, mended: None, changed_before });
        }
    }

    /// Takes in the subject of a commit: as git prints it behind branch and hash, else as the
    /// command has it.
    fn committed(&mut self, command: &str, output: &str) {
        let printed = output.lines().find_map(|line| {
            let (head, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
            let is_hash =
                |word: &str| word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
            head.rsplit(' ').next().is_some_and(is_hash).then(|| subject.to_owned())
        });
        let Some(subject) = printed.or_else(|| subject_of(command)) else { return };
        let subject = cut(&subject, TEXT_CHARS);
        if self.commits.len() < KEPT_MAX && !self.commits.contains(&subject) {
            self.commits.push(subject);
        }
    }

    /// The failures and commits, in words.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let failures = self.failures.iter().map(|one| {
            let Failure { verb, error, mended, .. } = one;
            let text = match mended.as_deref() {
                None => format!("`{verb}` failed: {error}"),
                Some([]) => format!("`{verb}` failed: {error}; later it passed"),
                Some(files) => {
                    let files = files.join("`, `");
                    format!("`{verb}` failed: {error}; it passed after changes of `{files}`")
                }
            };
            Fact { part: Part::Failure, text }
        });
        let commits = self
            .commits
            .iter()
            .map(|subject| Fact { part: Part::Knowledge, text: format!("committed: {subject}") });
        failures.chain(commits).collect()
    }

    /// Words to search for: names of errors, programs that ran, files that were changed.
    pub(crate) fn keywords(&self) -> Vec<String> {
        let mut found = Vec::new();
        found.extend(
            self.failures
                .iter()
                .flat_map(|one| names(&one.error))
                .take(KEPT_MAX)
                .map(str::to_owned),
        );
        let mut programs: Vec<(&String, &usize)> = self.programs.iter().collect();
        programs.sort_by(|one, other| other.1.cmp(one.1).then_with(|| one.0.cmp(other.0)));
        found.extend(programs.into_iter().take(KEPT_MAX).map(|(verb, _)| verb.clone()));
        let changed = distinct(&self.changed);
        found.extend(changed.into_iter().rev().take(KEPT_MAX));
        found
    }
}

/// The first line of the message that a command line gives to `git commit`.
fn subject_of(command: &str) -> Option<String> {
    let words = shlex::split(command)?;
    let mut words = words.iter().skip_while(|word| *word != "commit").skip(1);
    let message = loop {
        let word = words.next()?;
        let is_short = word.starts_with('-') && !word.starts_with("--") && word.ends_with('m');
        if is_short || word == "--message" {
            break words.next()?.as_str();
        }
        if let Some(message) = word.strip_prefix("--message=") {
            break message;
        }
    };
    // A here-document begins with the line that names its end.
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let subject = if first.contains("<<") { lines.next()? } else { first };
    Some(subject.to_owned())
}

/// Each once, in the order of their first.
fn distinct(names: &[String]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let new = names.iter().filter(|name| taken.insert(name.as_str()));
    new.take(KEPT_MAX).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(tool: &str, arguments: &str, output: &str, ok: bool) -> ToolRan<'static> {
        ToolRan {
            tool: tool.to_owned().into(),
            arguments: arguments.to_owned().into(),
            output: output.to_owned().into(),
            ok: Some(ok),
            ..ToolRan::default()
        }
    }

    #[test]
    fn a_failure_is_told_with_what_mended_it() {
        let mut runs = Runs::default();
        let test = r#"{"command": "npm test -- cart"}"#;
        let output = "FAIL src/cart.test.ts\nTypeError: Reduce of empty array\nTests: 1 failed";
        runs.take(&ran("Bash", test, output, false));
        runs.take(&ran("Edit", r#"{"file_path": "/w/src/cart.ts"}"#, "ok", true));
        runs.take(&ran("Read", r#"{"file_path": "/w/src/other.ts"}"#, "ok", true));
        runs.take(&ran("Bash", test, "PASS", true));
        let commit = r#"{"command": "git commit -am x"}"#;
        runs.take(&ran("Bash", commit, "[main 1a2b3c4] cart: mend\n 1 file changed", true));
        let told: Vec<String> = runs.facts().into_iter().map(|fact| fact.text).collect();
        let failure = "`npm test` failed: TypeError: Reduce of empty array; it passed after \
                       changes of `cart.ts`";
        assert_eq!(told, [failure, "committed: cart: mend"]);
        assert_eq!(runs.keywords(), ["TypeError", "npm test", "git commit", "cart.ts"]);
    }

    #[test]
    fn the_subject_of_a_commit_is_in_its_command() {
        for (command, subject) in [
            ("git commit -qam 'wip flush' && git log", Some("wip flush")),
            ("git add -A && git commit -m \"a: b\\n\" -q", Some("a: b\\n")),
            (
                "git commit -m \"$(cat <<'EOF'\nfix: the cart\n\nbody\nEOF\n)\"",
                Some("fix: the cart"),
            ),
            ("git commit --amend --no-edit", None),
            ("git commit -m 'open", None),
        ] {
            assert_eq!(subject_of(command).as_deref(), subject, "{command}");
        }
    }
}
