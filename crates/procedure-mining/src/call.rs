use serde_json::Value;

use crate::placeholder::{of_text, of_value, word};
use crate::program::{is_filter, program};
use crate::shell::{Part, Separator, parts, script};

/// One step of a tool call: what was done, and with what kinds of things.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The tool, or for a shell the program and its subcommand.
    pub verb: String,
    /// Placeholders and flags, separated by spaces.
    pub parameters: String,
    /// The part of the whole call's outcome that is this step's.
    pub share: Share,
}

/// The part of a call's outcome that one step of it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Share {
    /// It is the step's own.
    #[default]
    Own,
    /// If the call went well, so did the step.
    Success,
    /// Nothing.
    None,
}

/// Tools with which an agent keeps its own books: no step of any work.
const BOOKKEEPING: [&str; 6] =
    ["exit_plan_mode", "exitplanmode", "think", "todo_write", "todowrite", "update_plan"];

/// Tools whose `command` is a line for a shell, in lower case.
const SHELLS: [&str; 14] = [
    "bash",
    "cmd",
    "container.exec",
    "exec",
    "exec_command",
    "execute_command",
    "local_shell",
    "run_command",
    "run_shell_command",
    "run_terminal_cmd",
    "sh",
    "shell",
    "terminal",
    "zsh",
];

/// Keys whose value says what a tool does, where it does several things.
const ACTIONS: [&str; 4] = ["action", "command", "operation", "subcommand"];

/// Keys under which a shell gets its line.
const LINES: [&str; 4] = ["command", "cmd", "script", "code"];

impl Call {
    /// The most bytes of arguments that are looked at.
    pub const ARGUMENTS_MAX: usize = 1 << 16;
    /// The most steps that one command line becomes.
    pub const PARTS_MAX: usize = 32;
    /// The most parameters of a step; the rest is `...`.
    pub const PARAMETERS_MAX: usize = 12;

    /// The steps of a tool's call: one, or for a shell one for each part of its line that does
    /// something; none of a tool with which an agent keeps its own books.
    ///
    /// Of a line, parts that change nothing but the shell (`cd`, `export`) or only speak
    /// (`echo`) are left out, and filters behind a pipe (`| tail -20`).
    ///
    /// What differs from one time to the next becomes a placeholder: `<path>`, `<number>`,
    /// `<id>`, `<hash>`, `<time>`, `<url>`, `<word>`, `<text>`, `<variable>`, `<list>`,
    /// `<object>`. The same call gives the same steps in every version; a change of the
    /// rules would give every procedure a new id.
    ///
    /// ```
    /// use memlith_procedure_mining::Call;
    ///
    /// let calls = Call::steps("Bash", r#"{"command": "cd shop && cargo test --jobs 4 retry"}"#);
    /// let [test] = &calls[..] else { panic!() };
    /// assert_eq!(test.verb, "cargo test");
    /// assert_eq!(test.parameters, "--jobs <number> <word>");
    /// ```
    #[must_use]
    pub fn steps(tool: &str, arguments: &str) -> Vec<Call> {
        let end = arguments.floor_char_boundary(Call::ARGUMENTS_MAX);
        let arguments = arguments.get(..end).unwrap_or(arguments).trim();
        // It refuses what is nested deeper than 128 levels.
        let value = serde_json::from_str(arguments).ok();
        if SHELLS.contains(&tool.trim().to_lowercase().as_str()) {
            let line = value.as_ref().map_or(Some(arguments.to_owned()), line);
            let parts = line.map(|line| parts(&line)).unwrap_or_default();
            if !parts.is_empty() {
                return Call::of_parts(&parts);
            }
        }
        if BOOKKEEPING.contains(&tool.trim().to_lowercase().as_str()) {
            return Vec::new();
        }
        vec![Call::of_tool(tool, arguments, value.as_ref())]
    }

    /// The outcome of a step in a call that ended so, where it says anything.
    #[must_use]
    pub fn ok(&self, ok: Option<bool>) -> Option<bool> {
        match self.share {
            Share::Own => ok,
            Share::Success => ok.filter(|ok| *ok),
            Share::None => None,
        }
    }

    /// The steps of a line for a shell.
    fn of_parts(parts: &[Part]) -> Vec<Call> {
        let shared = parts.iter().zip(shares(parts));
        let does = shared.filter_map(|(part, share)| {
            if part.before == Separator::Pipe && is_filter(&part.words) {
                return None;
            }
            Some(Call { share, ..Call::told(program(&part.words)?) })
        });
        does.take(Call::PARTS_MAX).collect()
    }

    fn of_tool(tool: &str, arguments: &str, value: Option<&Value>) -> Call {
        let tool = match word(tool.trim()) {
            "" => "tool",
            tool => tool,
        };
        let mut verb = tool.to_owned();
        let mut parameters = Vec::new();
        match value {
            Some(Value::Object(fields)) => {
                let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
                fields.sort_by_key(|(key, _)| *key);
                let action = fields.iter().find_map(|(key, value)| action(key, value));
                if let Some((_, action)) = action {
                    verb = format!("{tool} {action}");
                }
                let rest = fields.iter().filter(|(key, value)| {
                    !value.is_null() && action.is_none_or(|(action, _)| action != key.as_str())
                });
                let told = |(key, value): &(&String, &Value)| match word(key) {
                    "" => of_value(value).to_owned(),
                    key => format!("{key}={}", of_value(value)),
                };
                parameters.extend(rest.map(told));
            }
            Some(Value::Null) => {}
            Some(other) => parameters.push(of_value(other).to_owned()),
            None if arguments.is_empty() => {}
            None => parameters.push(of_text(arguments).to_owned()),
        }
        Call::told((verb, parameters))
    }

    /// Puts the parameters together: what comes again is said once, `...` behind it.
    fn told((verb, given): (String, Vec<String>)) -> Call {
        let mut parameters: Vec<String> = Vec::new();
        for group in given.chunk_by(|a, b| a == b) {
            let Some(first) = group.first() else { continue };
            let again = if group.len() > 1 { "..." } else { "" };
            parameters.push(format!("{first}{again}"));
        }
        if parameters.len() > Call::PARAMETERS_MAX {
            parameters.truncate(Call::PARAMETERS_MAX);
            parameters.push("...".to_owned());
        }
        Call { verb, parameters: parameters.join(" "), share: Share::Own }
    }
}

/// The share that each part of a line has in the line's outcome: the last one all, those that
/// it runs after only if they went well, that they did; what feeds a pipe nothing.
fn shares(parts: &[Part]) -> Vec<Share> {
    let mut shares = Vec::new();
    let (mut follows, mut piped) = (true, false);
    for (number, part) in parts.iter().enumerate().rev() {
        shares.push(match part.before {
            _ if piped || !follows => Share::None,
            // Where what comes before went well, it didn't run.
            Separator::Or => Share::None,
            _ if number + 1 == parts.len() => Share::Own,
            Separator::And | Separator::Pipe | Separator::Next => Share::Success,
        });
        follows &= matches!(part.before, Separator::And | Separator::Pipe);
        piped = part.before == Separator::Pipe;
    }
    shares.reverse();
    shares
}

/// The line that a shell's arguments hold: a text, words, or either of them by a key.
fn line(value: &Value) -> Option<String> {
    match value {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            Some(script(&words?))
        }
        Value::Object(fields) => {
            let found = LINES.iter().find_map(|key| fields.get(*key));
            found.filter(|found| !found.is_object()).and_then(line)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The action that the tool is told to do, where the key is one of an action and the value a name.
fn action<'a>(key: &'a str, value: &'a Value) -> Option<(&'a str, &'a str)> {
    let value = value.as_str().filter(|_| ACTIONS.contains(&key))?;
    let is_name = !value.is_empty() && value.len() <= 32 && word(value) == value;
    (is_name && !value.bytes().any(|byte| byte.is_ascii_digit())).then_some((key, value))
}

#[cfg(test)]
mod tests;
