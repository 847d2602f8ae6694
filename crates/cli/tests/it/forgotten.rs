//! Erased texts stay out, whatever hooks and imports do afterwards.

use std::fs;
use std::path::Path;

use crate::harness::{Chance, amount};
use crate::hooks::Agents;

const ERASED: &[u8] = b"quincunx";

/// The files below `folder` that hold the secret.
fn holding(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holding(&path, found);
        } else if fs::read(&path).unwrap().windows(ERASED.len()).any(|bytes| bytes == ERASED) {
            found.push(path.display().to_string());
        }
    }
}

/// The files of the ledger and of the notes that do.
fn held(agents: &Agents) -> Vec<String> {
    let mut found = Vec::new();
    for folder in [".local", ".config", ".claude"] {
        let folder = agents.desk.path().join(folder);
        if folder.is_dir() {
            holding(&folder, &mut found);
        }
    }
    found
}

/// After an erasure `MEMLITH_HOOKS` hooks.
#[test]
fn no_hook_and_no_import_brings_back_a_byte_of_what_was_erased() {
    let (agents, chance) = (Agents::new(), Chance::new());
    agents.says("s1", "user", "Plant the trees as it is written.");
    agents.says("s1", "assistant", "The trees are planted as a quincunx by the wall.");
    agents.says("s1", "user", "Good, the wall it is.");
    agents.hook("Stop", "shop", "s1", "");
    assert!(!held(&agents).is_empty(), "what is not there needs no erasing");
    let log = agents.log();
    let id = log.lines().find(|line| line.contains("quincunx")).unwrap().split(' ').next().unwrap();
    let erased = agents.in_project("shop", &["erase", id, "--as", "owner", "--yes"]);
    assert_eq!(erased.code, 0, "{erased:?}");
    assert_eq!(held(&agents), Vec::<String>::new());
    let mut told = String::new();
    for at in 0..amount("MEMLITH_HOOKS", 100) {
        if chance.below(4) == 0 || at == 0 {
            let state = agents.desk.path().join(".local/state");
            fs::remove_dir_all(&state).unwrap_or_default();
        }
        let session = *chance.of(&["s1", "s1", "s2"]);
        if chance.below(8) == 0 {
            agents.says(session, "user", &format!("And then, for the {at}th time?"));
        }
        let hooks = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "PreCompact"];
        let hook = *chance.of(&hooks);
        told += &agents.hook(hook, "shop", session, "How are the trees planted?");
    }
    let transcript = agents.transcript("s1").display().to_string();
    let imported = agents.in_project("shop", &["import", "claude-code", &transcript, "--json"]);
    assert_eq!(imported.json()["skipped"]["erased-here"], 1, "{imported:?}");
    told += &imported.out;
    for words in [
        &["list", "events"][..],
        &["list"],
        &["agent", "brief"],
        &["export", "jsonl"],
        &["search", "trees"],
    ] {
        told += &agents.in_project("shop", words).out;
    }
    assert!(told.contains("as it is written"), "{told}");
    assert!(!told.contains("quincunx"), "{told}");
    assert_eq!(held(&agents), Vec::<String>::new());
}
