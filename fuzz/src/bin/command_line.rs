//! Any words as a command line: what is understood is understood the same when it is
//! written out in full, and its values are what a second reading makes of them.
//!
//! Each line of the input is an argument. Nothing is done but to parse.
#![no_main]

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use libfuzzer_sys::fuzz_target;
use memlith::Scope;
use memlith_cli::Cli;

thread_local! {
    /// Building the parser takes longer than parsing.
    static PARSER: RefCell<Command> = RefCell::new(parser());
}

fuzz_target!(|input: &[u8]| {
    let words = input.split(|byte| *byte == b'\n').map(OsStr::from_bytes);
    let words: Vec<OsString> = words.map(OsStr::to_owned).collect();
    let Some((matches, cli)) = parse(&words) else { return };
    check_globals(&matches, &cli);
    let full = PARSER.with_borrow(|parser| in_full(parser, &matches));
    let (_, again) = parse(&full).unwrap_or_else(|| panic!("{full:?} is no command any more"));
    assert_eq!(again, cli, "{words:?} is not {full:?}");
});

fn parser() -> Command {
    let mut parser = Cli::command().no_binary_name(true).disable_help_subcommand(true);
    parser.build();
    parser
}

/// Reads a command line, as the parser's matches and as the command shows itself.
fn parse(words: &[OsString]) -> Option<(ArgMatches, String)> {
    let matches = PARSER.with_borrow_mut(|parser| parser.try_get_matches_from_mut(words)).ok()?;
    let cli = Cli::from_arg_matches(&matches).expect("what matches is a command");
    Some((matches, format!("{cli:?}")))
}

/// Writes the command line in full, every option with its long name and `=`, words after `--`.
fn in_full(parser: &Command, matches: &ArgMatches) -> Vec<OsString> {
    let (mut full, mut words) = (Vec::new(), Vec::new());
    let (mut command, mut matches) = (parser, matches);
    loop {
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            // A verb repeats the options that are global.
            let repeated = argument.is_global_set() && !std::ptr::eq(command, parser);
            if repeated || matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let values = matches.get_raw(id).into_iter().flatten();
            match argument.get_long() {
                None => words.extend(values.map(OsStr::to_owned)),
                Some(long) if argument.get_action().takes_values() => {
                    full.extend(values.map(|value| {
                        let mut option = OsString::from(format!("--{long}="));
                        option.push(value);
                        option
                    }));
                }
                Some(long) => full.push(format!("--{long}").into()),
            }
        }
        let Some((name, inner)) = matches.subcommand() else { break };
        full.push(name.into());
        matches = inner;
        command = command.find_subcommand(name).expect("a verb that was matched");
    }
    if !words.is_empty() {
        full.push("--".into());
    }
    full.extend(words);
    full
}

/// The values of the global options, read a second time.
fn check_globals(matches: &ArgMatches, cli: &str) {
    let given = |id: &str| matches.get_raw(id)?.next_back()?.to_str();
    if let Some(text) = given("lock_timeout") {
        let expected = format!("lock_timeout: Wait({:?})", wait(text));
        assert!(cli.contains(&expected), "{text:?}: {cli}");
    }
    if let Some(text) = given("now") {
        let midnight = || memlith_fuzz::instant(&format!("{text}T00:00:00Z"));
        let moment = memlith_fuzz::instant(text).or_else(midnight);
        let expected = format!("now: Some(Timestamp({}))", moment.expect(text));
        assert!(cli.contains(&expected), "{text:?}: {cli}");
    }
    if let Some(text) = given("scope") {
        let expected = format!("scope: Some(ScopeArg({:?}))", scope(text));
        assert!(cli.contains(&expected), "{text:?}: {cli}");
    }
}

/// A time to wait as `10`, `0.5s` or `200ms`, from its digits.
fn wait(text: &str) -> std::time::Duration {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = &text[..text.len() - unit.len()];
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let mut micros = if unit == "ms" { 1_000 } else { 1_000_000 };
    let mut sum = whole.bytes().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')) * micros;
    for digit in part.bytes() {
        micros /= 10;
        sum += u64::from(digit - b'0') * micros;
    }
    std::time::Duration::from_micros(sum)
}

/// A scope, from its parts.
fn scope(text: &str) -> Scope<'static> {
    let mut scope = Scope::tenant("default");
    for part in text.split(',') {
        let value = || part.split_once('=').expect(part).1.to_owned();
        let shared = |value: String| (value != "*").then(|| value.into());
        match part.split('=').next() {
            Some("tenant") => scope.tenant = value().into(),
            Some("agent") => scope.agent = shared(value()),
            Some("subject") => scope.subject = shared(value()),
            Some("session") => scope.session = Some(value().into()),
            _ => scope.session_only = true,
        }
    }
    scope
}
