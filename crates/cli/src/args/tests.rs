use clap::CommandFactory as _;

use super::*;

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
