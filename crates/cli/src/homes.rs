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
const FEATURES: [&str; 2] = ["deliver", "mcp"];

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
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_home_is_a_verb_and_no_word_is_one() {
        let program = Cli::command();
        for (word, home) in HOMES {
            if FEATURES.iter().any(|verb| home.starts_with(verb)) && cfg!(not(feature = "full")) {
                continue;
            }
            assert!(program.find_subcommand(word).is_none(), "{word} is a verb");
            let mut verb = &program;
            for part in home.split(' ').take_while(|part| !part.starts_with("--")) {
                match verb.find_subcommand(part) {
                    Some(below) => verb = below,
                    // A value of the verb, as in `list events`.
                    None => assert!(verb.get_positionals().next().is_some(), "{home}"),
                }
            }
            let flag = home.split(' ').find_map(|part| part.strip_prefix("--"));
            let has = |flag| verb.get_arguments().any(|one| one.get_long() == Some(flag));
            assert!(flag.is_none_or(has), "{home}");
        }
        assert!(HOMES.is_sorted(), "sort the words");
    }
}
