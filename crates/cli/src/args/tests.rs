use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::*;
use crate::homes::FEATURES;

/// `line` as a shell takes it apart.
fn words(line: &str) -> Vec<OsString> {
    shlex::split(line).unwrap().into_iter().map(OsString::from).collect()
}

fn shown(cli: &Cli) -> String {
    format!("{cli:?}")
}

/// Both parsers on `line`: the same command, or none.
fn check(line: &str, is_command: bool) {
    let words = words(line);
    let whole = Cli::try_parse_from(&words).ok().as_ref().map(shown);
    assert_eq!(whole.is_some(), is_command, "{line}");
    assert_eq!(Cli::of_verbs_in(&words).as_ref().map(shown), whole, "{line}");
}

/// The command lines in the help of `command` and of all below it.
fn examples(command: &Command, found: &mut Vec<String>) {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    for line in help.lines() {
        // Without what a shell does: a file for its input or output, a second command.
        let line = line.trim_start().trim_start_matches("Examples:").trim_start();
        if line.starts_with("memlith ") {
            found.push(line.split([';', '|', '<', '>']).next().unwrap().to_owned());
        }
    }
    command.get_subcommands().for_each(|inner| examples(inner, found));
}

#[test]
fn a_parser_of_the_verbs_that_are_named_reads_every_example_as_the_whole_one_does() {
    let mut lines = Vec::new();
    examples(&Cli::command(), &mut lines);
    assert!(lines.len() > 60, "{}", lines.len());
    let mut verbs = BTreeSet::new();
    for line in &lines {
        if line.contains('$') || line.contains("...") {
            // Filled in by a shell, or by the reader.
            continue;
        }
        check(line, true);
        verbs.extend(line.split(' ').nth(1).map(str::to_owned));
    }
    let all: BTreeSet<String> =
        Cli::command().get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    assert_eq!(verbs, all);
}

#[test]
fn verbs_that_are_values_and_words_change_nothing() {
    for line in [
        "memlith checkout checkout",
        "memlith --json checkout show --quiet",
        "memlith --ledger show checkout list",
        "memlith checkout --ledger list 'what is new?'",
        "memlith checkout -- --help",
        "memlith checkout help",
        "memlith remember 'Ana' --as owner --now 2026-05-01",
        "memlith review accept mem_17_0a1b2c3d4e5f --reason show",
        // The first word is the program.
        "checkout doctor",
        "doctor doctor",
        "memlith get mem_17_0a1b2c3d4e5f",
        "memlith agent status --json",
        "memlith maintain stat --ledger agent",
    ] {
        check(line, true);
    }
}

#[test]
fn help_and_errors_are_left_to_the_whole_parser() {
    for line in [
        "memlith",
        "memlith checkout",
        "memlith checkout x y",
        "memlith chekout x",
        "memlith CHECKOUT x",
        "memlith 'checkout x'",
        "memlith --version",
        "memlith -V checkout x",
        "memlith checkout x --version",
        "memlith help checkout",
        "memlith --help checkout x",
        "memlith checkout --help",
        "memlith --prompt checkout x",
        "memlith --ledger checkout",
        "memlith -- checkout x",
        "memlith checkout x --now yesterday",
        "memlith review",
        "memlith agent",
        "memlith recall x",
        "memlith show",
        "show 17",
    ] {
        check(line, false);
    }
}

/// The files below `folder` whose names end so.
fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = entry.file_name().into_string().unwrap();
        if path.is_dir() && !["target", ".git", "tests"].contains(&&*name) {
            files(&path, end, found);
        } else if name.ends_with(end) && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The commands between backticks of a text, and those of its blocks for a shell.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_shell = false;
    for line in text.lines() {
        let line = line.trim_start().trim_start_matches("//").trim_start_matches(['/', '!', ' ']);
        if line.starts_with("```") {
            is_shell = line.starts_with("```sh") || line.starts_with("```console");
            continue;
        }
        let shell = line.trim_start_matches("$ ");
        if is_shell && shell.starts_with("memlith ") {
            found.push(shell.to_owned());
        } else {
            let quoted = line.split('`').skip(1).step_by(2);
            found.extend(quoted.filter(|one| one.starts_with("memlith ")).map(str::to_owned));
        }
    }
    found
}

/// Whether a word of a command stands for one of the reader's, or of the program.
fn is_placeholder(word: &str) -> bool {
    word.contains('{') || word.chars().all(|one| one.is_ascii_uppercase())
}

/// The error of a command that is written down, if it has one that a reader would meet: what a
/// sentence leaves out is theirs.
fn error_of(line: &str) -> Option<String> {
    let line = line.split(" #").next().unwrap().replace("...", "").replace("\\\"", "\"");
    let line = line.split(['|', '<', '>', ';']).next().unwrap();
    let Some(words) = shlex::split(line) else { return Some("its quotes don't end".to_owned()) };
    let of_example = |word: &String| match word.as_str() {
        "ID" | "ANSWER" | "{id}" => "mem_17_0a1b2c3d4e5f".to_owned(),
        "TIME" => "2026-05-01".to_owned(),
        "N" | "PORT" => "7".to_owned(),
        _ => word.clone(),
    };
    let words: Vec<String> = words.iter().map(of_example).collect();
    let error = Cli::try_parse_from(&words).err()?;
    let kind = error.kind();
    let is_cut = [
        ErrorKind::MissingRequiredArgument,
        ErrorKind::DisplayHelp,
        ErrorKind::DisplayVersion,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
        ErrorKind::MissingSubcommand,
    ]
    .contains(&kind);
    let is_of_a_value = [ErrorKind::InvalidValue, ErrorKind::ValueValidation].contains(&kind);
    let lacks_value = error.to_string().contains("but none was supplied");
    let has_placeholder = words.iter().skip(1).any(|word| is_placeholder(word));
    let is_verb_filled_in = words.get(1).is_some_and(|verb| verb.contains('{'));
    let is_partial = is_cut
        || is_of_a_value && (lacks_value || has_placeholder)
        || kind == ErrorKind::InvalidSubcommand && is_verb_filled_in;
    (!is_partial).then(|| error.to_string().lines().next().unwrap_or_default().to_owned())
}

/// Whether this build lacks the verb of a command.
fn is_left_out(line: &str) -> bool {
    let verb = line.split(' ').nth(1).unwrap_or_default();
    // Keys of hashes look like commands.
    verb == "v1" || cfg!(not(feature = "full")) && FEATURES.contains(&verb)
}

#[test]
fn every_command_that_a_page_or_a_message_names_is_one() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut pages, mut wrong, mut count) = (Vec::new(), Vec::new(), 0);
    files(&top, ".md", &mut pages);
    files(&top.join("crates"), ".rs", &mut pages);
    // A decision of the past names what was there then.
    for page in pages.into_iter().filter(|page| !page.starts_with(top.join("ADR"))) {
        let text = std::fs::read_to_string(&page).unwrap();
        for line in commands(&text).iter().filter(|line| !is_left_out(line)) {
            count += 1;
            let error = error_of(line);
            wrong.extend(error.map(|error| format!("{}: {line}: {error}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 200, "{count}");
}
