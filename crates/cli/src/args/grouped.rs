//! The help of the whole program: verbs by what they are for, and what every verb takes once.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::verb::GROUPS;

/// Columns of a line of help, as the argument parser has them.
const WIDTH: usize = 100;

/// The column at which a verb's sentence begins.
const INDENT: usize = 15;

/// The parser of all verbs, whose help lists them in groups.
///
/// A verb's own help leaves out the options that every verb takes, and says where they are.
pub(super) fn grouped(command: Command) -> Command {
    let global = command.get_arguments().filter(|arg| arg.is_global_set());
    let hidden: Vec<Arg> = global.map(|arg| arg.clone().hide(true)).collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}",
        list(&command)
    );
    command.help_template(template).mut_subcommands(|verb| without_global(verb, &hidden))
}

/// A verb, and those below it, without the options that every verb takes in their help.
fn without_global(verb: Command, hidden: &[Arg]) -> Command {
    let examples = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let help = format!("{examples}\n\n`memlith --help` has the options that every verb takes.");
    // A verb's argument of the same name takes the place of the one that is handed down.
    let verb = verb.args(hidden.to_vec()).after_help(help.trim_start().to_owned());
    verb.mut_subcommands(|below| without_global(below, hidden))
}

/// Every verb with its sentence, under the headings of their groups.
fn list(command: &Command) -> String {
    let mut list = String::new();
    for (group, verbs) in GROUPS {
        list.push_str(&format!("{group}:\n"));
        for name in *verbs {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let mut column = 0;
            for word in about.split(' ') {
                if column == 0 {
                    let _ = write!(list, "  {name:width$}{word}", width = INDENT - 2);
                    column = INDENT;
                } else if column + 1 + word.len() > WIDTH {
                    let _ = write!(list, "\n{:INDENT$}{word}", "");
                    column = INDENT;
                } else {
                    list.push(' ');
                    list.push_str(word);
                    column += 1;
                }
                column += word.len();
            }
            list.push('\n');
        }
        list.push('\n');
    }
    list
}
