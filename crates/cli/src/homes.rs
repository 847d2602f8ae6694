/// Words that people type and that are no verbs, and the verb that does what they mean: words of
/// other memories, and those that this program had.
const HOMES: &[(&str, &str)] = &[
    ("accept", "review accept"),
    ("audit", "verify receipts"),
    ("brief", "agent brief"),
    ("calibrate", "config --thresholds"),
    ("checkpoint", "maintain checkpoint"),
    ("compact", "maintain compact"),
    ("correct", "update"),
    ("embed", "maintain vectors"),
    ("events", "list events"),
    ("explain", "show ID --why"),
    ("facts", "list facts"),
    ("folder", "agent folder"),
    ("history", "show ID --history"),
    ("hook", "agent hook"),
    ("install", "agent install"),
    ("invalidate", "forget"),
    ("knows", "search --exists"),
    ("log", "list events"),
    ("mine", "procedures find"),
    ("note", "deliver note"),
    ("novelty", "remember --dry-run"),
    ("off", "agent off"),
    ("on", "agent on"),
    ("outcome", "confirm --outcome"),
    ("policy", "config"),
    ("procedure", "procedures"),
    ("promote", "review promote"),
    ("recall", "search"),
    ("receipts", "verify receipts"),
    ("reconfirm", "undo"),
    ("redact", "scan"),
    ("reject", "review reject"),
    ("remove", "forget"),
    ("replay", "verify replay"),
    ("restore", "import"),
    ("rm", "forget"),
    ("rollback", "undo"),
    ("scope", "agent scope"),
    ("serve", "mcp serve"),
    ("server", "mcp serve"),
    ("sessions", "list sessions"),
    ("skill", "procedures show"),
    ("stat", "maintain stat"),
    ("stats", "maintain stat"),
    ("status", "agent status"),
    ("store", "remember"),
    ("taint", "show ID --effects"),
    ("today", "agent status"),
    ("tombstones", "maintain tombstones"),
    ("trace", "show ID --sources"),
    ("uninstall", "agent remove"),
    ("vectors", "maintain vectors"),
    ("writeback", "jobs run"),
];

/// Verbs that a build may lack: each is the name of its feature.
pub(crate) const FEATURES: [&str; 2] = ["deliver", "mcp"];

/// A tip for `word`, which is no verb here: the verb that does what it means.
pub(crate) fn home(word: &str) -> Option<String> {
    if FEATURES.contains(&word) {
        return Some(format!(
            "this program was built without `{word}`: take a released one, or build it with \
             --features {word}"
        ));
    }
    let (_, home) = HOMES.iter().find(|(one, _)| *one == word)?;
    Some(format!("`memlith {home}` does that"))
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::*;
    use crate::args::Cli;

    /// The verb that `line` names, if there is one.
    fn verb<'a>(program: &'a Command, line: &str) -> Option<&'a Command> {
        let is_name = |word: &&str| word.chars().all(|one| one.is_ascii_lowercase() || one == '-');
        let names =
            line.split_whitespace().take_while(|word| is_name(word) && !word.starts_with('-'));
        names.into_iter().try_fold(program, |verb, name| {
            // Else it is a value of the verb, as in `list events`.
            let has_values = verb.get_positionals().next().is_some();
            verb.find_subcommand(name).or(has_values.then_some(verb))
        })
    }

    /// Whether this build lacks the verb.
    fn is_left_out(line: &str) -> bool {
        cfg!(not(feature = "full")) && FEATURES.iter().any(|verb| line.starts_with(verb))
    }

    #[test]
    fn every_home_is_a_verb_and_no_word_is_one() {
        let program = Cli::command();
        for (word, home) in HOMES {
            assert!(program.find_subcommand(word).is_none(), "{word} is a verb");
            if is_left_out(home) {
                continue;
            }
            let verb = verb(&program, home).unwrap_or_else(|| panic!("no verb: {home}"));
            let flag = home.split(' ').find_map(|part| part.strip_prefix("--"));
            let has = |flag| verb.get_arguments().any(|one| one.get_long() == Some(flag));
            assert!(flag.is_none_or(has), "{home}");
        }
        assert!(HOMES.is_sorted(), "sort the words");
    }
}
