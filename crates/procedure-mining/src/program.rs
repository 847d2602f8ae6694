//! Takes a command apart: its program, its subcommand, and the rest as placeholders.

use crate::placeholder::{of_text, word};

/// Programs that do what their first word says.
const WITH_SUBCOMMAND: [&str; 42] = [
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "conda",
    "deno",
    "docker",
    "dotnet",
    "gcloud",
    "gh",
    "git",
    "go",
    "gradle",
    "gradlew",
    "helm",
    "journalctl",
    "just",
    "kubectl",
    "make",
    "mvn",
    "nix",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "poetry",
    "rake",
    "rustup",
    "systemctl",
    "task",
    "terraform",
    "uv",
    "yarn",
    "bazel",
    "ninja",
];

/// Subcommands that do what the next word says; of every subcommand where none is named.
const WITH_SECOND: [(&str, &str); 17] = [
    ("aws", ""),
    ("az", ""),
    ("bun", "run"),
    ("bundle", "exec"),
    ("cargo", "xtask"),
    ("docker", "compose"),
    ("gcloud", ""),
    ("gh", ""),
    ("git", "stash"),
    ("go", "mod"),
    ("npm", "run"),
    ("pnpm", "run"),
    ("podman", "compose"),
    ("poetry", "run"),
    ("uv", "pip"),
    ("uv", "run"),
    ("yarn", "run"),
];

/// Flags before the subcommand that take a word with them.
const WITH_VALUE: [(&str, &str); 8] = [
    ("cargo", "--manifest-path"),
    ("docker", "-H"),
    ("git", "-C"),
    ("git", "-c"),
    ("kubectl", "-n"),
    ("kubectl", "--namespace"),
    ("make", "-C"),
    ("npm", "--prefix"),
];

/// Programs that take their program as a word behind a flag, and that flag.
const WITH_CODE: [(&str, &str); 8] = [
    ("bun", "-e"),
    ("node", "-e"),
    ("perl", "-e"),
    ("php", "-r"),
    ("python", "-c"),
    ("python3", "-c"),
    ("R", "-e"),
    ("ruby", "-e"),
];

/// Programs that write what they are given where a redirection says.
const WRITERS: [&str; 3] = ["cat", "echo", "printf"];

/// Commands that change nothing but the shell, or only say something: no step by themselves.
const BYSTANDERS: [&str; 29] = [
    ":", "[", "[[", "alias", "break", "cd", "clear", "continue", "echo", "exit", "export", "false",
    "history", "local", "popd", "printf", "pushd", "pwd", "read", "return", "set", "shift",
    "sleep", "test", "trap", "true", "umask", "unset", "wait",
];

/// Programs that, behind a pipe, only choose from what another wrote.
const FILTERS: [&str; 19] = [
    "awk", "cat", "column", "cut", "egrep", "fgrep", "fold", "grep", "head", "jq", "less", "more",
    "nl", "sed", "sort", "tail", "tr", "uniq", "wc",
];

/// Words before a command that say how it runs, and not what.
const BEFORE: [&str; 16] = [
    "!", "builtin", "command", "do", "else", "elif", "env", "exec", "if", "nice", "nohup", "sudo",
    "then", "time", "while", "{",
];

/// Words that begin no command.
const NONE: [&str; 8] = ["case", "done", "esac", "fi", "for", "function", "in", "}"];

/// Whether a command only chooses from what another wrote, behind whose pipe it stands.
pub(crate) fn is_filter(words: &[String]) -> bool {
    let (words, target) = without_redirections(words);
    let first = before_program(&words).first();
    target.is_none() && first.is_some_and(|first| FILTERS.contains(first))
}

/// The verb and the parameters of a command; nothing of a mere assignment, of a
/// shell's own words, and of what changes nothing but the shell.
pub(crate) fn program(words: &[String]) -> Option<(String, Vec<String>)> {
    let (words, target) = without_redirections(words);
    let mut rest = before_program(&words);
    let (path, after) = rest.split_first()?;
    if NONE.contains(path) {
        return None;
    }
    rest = after;
    let name = match word(path.rsplit(['/', '\\']).next().unwrap_or(path)) {
        "" => "<program>",
        name => name,
    };
    let mut verb = name.to_owned();
    let mut flags = Vec::new();
    if let Some(target) = target.filter(|_| WRITERS.contains(&name)) {
        // What is written differs; that it is written is the step.
        return Some((format!("{name} >"), vec![of_text(target).to_owned()]));
    }
    if BYSTANDERS.contains(&name) {
        return None;
    }
    if rest.first().is_some_and(|flag| WITH_CODE.contains(&(name, flag))) {
        return Some((format!("{name} {}", rest.first()?), vec!["<text>".to_owned()]));
    }
    if name.starts_with("python") && (rest.is_empty() || rest.first() == Some(&"-")) {
        verb = format!("{name} -");
        rest = rest.get(1..).unwrap_or(&[]);
    } else if name.starts_with("python") && rest.first() == Some(&"-m") {
        if let Some(module) = rest.get(1).map(|module| word(module)).filter(|name| !name.is_empty())
        {
            verb = format!("{name} -m {module}");
            rest = rest.get(2..).unwrap_or(&[]);
        }
    } else if WITH_SUBCOMMAND.contains(&name) {
        while let Some((flag, after)) = rest.split_first().filter(|(flag, _)| is_flag(flag)) {
            flags.push(parameter(flag));
            rest = after;
            if WITH_VALUE.contains(&(name, flag))
                && let Some((value, after)) = rest.split_first()
            {
                flags.push(of_text(value).to_owned());
                rest = after;
            }
        }
        let (sub, after) = subcommands(name, rest);
        sub.iter().for_each(|sub| verb.extend([" ", sub]));
        rest = after;
    }
    flags.extend(rest.iter().map(|word| parameter(word)));
    Some((verb, flags))
}

/// The words without those that send input and output elsewhere, and the file that the
/// output goes to.
fn without_redirections(words: &[String]) -> (Vec<&str>, Option<&str>) {
    let mut kept = Vec::new();
    let (mut target, mut writes, mut file) = (false, false, None);
    for word in words.iter().map(String::as_str) {
        let arrow = word.trim_start_matches(|char: char| char.is_ascii_digit() || char == '&');
        if std::mem::take(&mut target) {
            file = Some(word).filter(|word| writes && *word != "/dev/null").or(file);
            continue;
        }
        if arrow.starts_with(['>', '<']) {
            let to = arrow.trim_start_matches(['>', '<', '&', '|', '-']);
            // Of the streams the first alone is what was asked for.
            writes = arrow.starts_with('>') && !word.starts_with('2') && !arrow.contains(">&");
            target = to.is_empty();
            file = Some(to).filter(|to| writes && !to.is_empty() && *to != "/dev/null").or(file);
            continue;
        }
        kept.push(word);
    }
    (kept, file)
}

/// The words from the program on: assignments and what says how to run it are left out.
fn before_program<'a, 'w>(words: &'w [&'a str]) -> &'w [&'a str] {
    let mut rest = words;
    let mut wrapped = false;
    while let Some((first, after)) = rest.split_first() {
        if *first == "timeout" {
            let mut after = after;
            while let Some((_, next)) = after.split_first().filter(|(flag, _)| is_flag(flag)) {
                after = next;
            }
            rest = after.get(1..).unwrap_or(&[]);
            wrapped = true;
        } else if BEFORE.contains(first) {
            rest = after;
            wrapped = true;
        } else if is_assignment(first) || (wrapped && is_flag(first)) {
            rest = after;
        } else {
            break;
        }
    }
    rest
}

fn is_assignment(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.starts_with(|char: char| char.is_ascii_digit())
    };
    text.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The subcommand, the second where there is one, and the words behind.
fn subcommands<'a, 'w>(name: &str, words: &'w [&'a str]) -> (Vec<&'a str>, &'w [&'a str]) {
    let mut found: Vec<&'a str> = Vec::new();
    let mut rest = words;
    while let Some((first, after)) = rest.split_first().filter(|(first, _)| is_subcommand(first)) {
        let wanted = match found.first() {
            None => true,
            Some(sub) => {
                found.len() == 1
                    && (WITH_SECOND.contains(&(name, sub)) || WITH_SECOND.contains(&(name, "")))
            }
        };
        if !wanted {
            break;
        }
        found.push(first);
        rest = after;
    }
    (found, rest)
}

fn is_subcommand(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || b"-_:".contains(&byte);
    text.len() <= 32
        && text.starts_with(|char: char| char.is_ascii_lowercase())
        && text.bytes().all(is_letter)
}

fn is_flag(text: &str) -> bool {
    text.len() > 1 && text.starts_with(['-', '+'])
}

/// A flag by its name, anything else by a placeholder.
fn parameter(text: &str) -> String {
    if !is_flag(text) || text.starts_with('+') {
        return of_text(text).to_owned();
    }
    let (flag, value) = text.split_once('=').map_or((text, None), |(a, b)| (a, Some(b)));
    let name = word(flag).trim_end_matches(|char: char| char.is_ascii_digit());
    match (name, value) {
        ("", _) => "<text>".to_owned(),
        ("-" | "--", _) if flag != name => "<number>".to_owned(),
        (name, Some(value)) => format!("{name}={}", of_text(value)),
        (name, None) if name.len() < flag.len() => format!("{name}<number>"),
        (name, None) => name.to_owned(),
    }
}
