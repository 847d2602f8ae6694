//! The folder of memories, as a person and an agent meet it.

use std::fs;

use crate::harness::{Desk, Run};
use crate::hooks::Agents;

/// A ledger with two memories, and their folder.
fn rendered() -> Desk {
    let desk = Desk::new();
    desk.remember("Always run cargo fmt before a commit.");
    desk.remember("The API listens on port 9090.");
    desk.ok(&["agent", "folder", "render", "memories"]);
    desk
}

fn handbook(desk: &Desk) -> String {
    fs::read_to_string(desk.path().join("memories/MEMORY.md")).unwrap()
}

/// The number of the line of the handbook that has these words.
fn line_of(desk: &Desk, words: &str) -> usize {
    1 + handbook(desk).lines().position(|line| line.contains(words)).unwrap()
}

fn cite(desk: &Desk, answer: &str) -> Run {
    desk.run_with_input(&["agent", "folder", "cite", "memories", "--json"], answer.as_bytes())
}

fn answer(desk: &Desk) -> String {
    let line = line_of(desk, "9090");
    format!(
        "It is 9090.\n<oai-mem-citation>\n<citation_entries>\nMEMORY.md:{line}-{line}|note=[port]\n\
         </citation_entries>\n<rollout_ids>\nnotes-all\n</rollout_ids>\n</oai-mem-citation>"
    )
}

/// A citation, as the documented keys are compared with.
pub(crate) fn cited() -> Run {
    let desk = rendered();
    cite(&desk, &answer(&desk))
}

#[test]
fn a_citation_confirms_once() {
    let desk = rendered();
    let id = desk.json(&["list", "--kind", "memory.remembered"])["items"][0]["id"].clone();
    let count = || {
        let history = desk.json(&["show", "--history", id.as_str().unwrap()]);
        history["records"].as_array().unwrap().len()
    };
    let before = count();
    for _ in 0..3 {
        let said = cite(&desk, &answer(&desk)).json();
        assert_eq!(said["confirmed"][0], id);
        assert_eq!(said["visible"], "It is 9090.\n");
        assert_eq!(count(), before + 1);
    }
    let other = format!("Again. {}", answer(&desk));
    cite(&desk, &other);
    assert_eq!(count(), before + 2);
    assert_eq!(cite(&desk, "nothing cited").json()["confirmed"].as_array().unwrap().len(), 0);
    // The folder is as it was: a citation within a class moves nothing.
    assert_eq!(
        desk.json(&["agent", "folder", "render", "memories"])["written"].as_array().unwrap().len(),
        0
    );
}

#[test]
fn a_line_leads_to_its_memory() {
    let desk = rendered();
    let place = format!("MEMORY.md:{}", line_of(&desk, "cargo fmt before"));
    let why = desk.json(&["agent", "folder", "why", "memories", &place]);
    let memory = why["rests_on"].as_array().unwrap().iter().find(|one| one["kind"] == "memory");
    assert_eq!(memory.unwrap()["text"], "Always run cargo fmt before a commit.");
    for (line, code) in
        [("MEMORY.md:9999", 1), ("MEMORY.md:0", 1), ("no.md:1", 1), ("MEMORY.md", 2)]
    {
        assert_eq!(desk.run(&["agent", "folder", "why", "memories", line]).code, code, "{line}");
    }
}

#[test]
fn an_edit_becomes_a_note_or_stops_the_render() {
    let desk = rendered();
    let path = desk.path().join("memories/MEMORY.md");
    let without = handbook(&desk)
        .lines()
        .filter(|line| !line.contains("port 9090"))
        .fold(String::new(), |text, line| text + line + "\n");
    fs::write(&path, without + "- I like tea with milk [Task 1]\n").unwrap();
    assert_eq!(desk.run(&["agent", "folder", "render", "memories"]).code, 1);
    assert!(handbook(&desk).contains("- I like tea with milk [Task 1]\n"));
    let said = desk.json(&["agent", "folder", "render", "memories", "--keep-edits"]);
    assert_eq!(said["notes"], serde_json::json!(["I like tea with milk"]));
    let put_back = &said["put_back"][0];
    assert!(put_back["text"].as_str().unwrap().contains("port 9090"), "{said}");
    desk.ok(&["show", put_back["rests_on"][0].as_str().unwrap()]);
    assert!(handbook(&desk).contains("- I like tea with milk [Task 1]\n"));
    fs::write(&path, "gone\n").unwrap();
    desk.ok(&["agent", "folder", "render", "memories", "--discard-edits"]);
    assert!(!handbook(&desk).contains("gone"));
    assert_eq!(desk.run(&["agent", "folder", "lint", "memories"]).code, 0);
}

/// Forgotten words may still stand in a file that somebody edited: they are no note.
#[test]
fn an_edit_brings_nothing_back_that_was_forgotten() {
    let desk = rendered();
    let path = desk.path().join("memories/MEMORY.md");
    fs::write(&path, format!("{}- a line of mine\n", handbook(&desk))).unwrap();
    desk.ok(&["erase", "--mentions", "9090", "--as", "owner", "--yes"]);
    assert_eq!(desk.run(&["agent", "folder", "render", "memories", "--keep-edits"]).code, 1);
    assert!(!desk.ok(&["list"]).out.contains("port 9090"));
    desk.ok(&["agent", "folder", "render", "memories", "--discard-edits"]);
    // The digits alone may stand in a digest.
    let has = |word: &str| {
        let files = ["MEMORY.md", "memory_summary.md", "raw_memories.md", ".memlith-folder.json"];
        files.iter().any(|file| {
            fs::read_to_string(desk.path().join("memories").join(file)).unwrap().contains(word)
        })
    };
    assert!(has("cargo fmt") && !has("port 9090"));
}

#[test]
fn the_past_is_rendered_and_compared() {
    let desk = rendered();
    let before = handbook(&desk);
    let head = desk.json(&["agent", "folder", "render", "memories"])["view"].to_string();
    desk.remember("The site is built with zola.");
    desk.ok(&["agent", "folder", "render", "memories"]);
    assert_ne!(handbook(&desk), before);
    desk.ok(&["agent", "folder", "render", "then", "--at", &head]);
    assert_eq!(fs::read_to_string(desk.path().join("then/MEMORY.md")).unwrap(), before);
    let diff = desk.json(&["agent", "folder", "diff", "--from", &head]);
    assert_eq!(diff["added"][0], "notes-all");
    assert!(diff["files"].as_array().unwrap().iter().any(|file| file == "M MEMORY.md"));
    assert_eq!(desk.run(&["agent", "folder", "render", "then", "--at", "99999"]).code, 1);
}

#[test]
fn other_forms_are_rendered() {
    let desk = rendered();
    desk.ok(&["agent", "folder", "render", "seed", "--format", "seed"]);
    assert_eq!(desk.json(&["agent", "folder", "lint", "seed"])["form"], "seed");
    desk.ok(&["agent", "folder", "render", "claude", "--for", "claude-code"]);
    assert_eq!(desk.run(&["agent", "folder", "lint", "claude"]).code, 0);
    assert!(!desk.path().join("claude/memory_summary.md").exists());
    fs::create_dir(desk.path().join("theirs")).unwrap();
    fs::write(desk.path().join("theirs/x"), "x").unwrap();
    assert_eq!(desk.run(&["agent", "folder", "render", "theirs"]).code, 1);
    desk.ok(&["agent", "folder", "render", "theirs", "--adopt", "--no-baseline"]);
}

#[test]
fn a_procedure_that_was_accepted_is_a_skill_and_one_that_waits_is_none() {
    let desk = Desk::new();
    crate::mined::worked(&desk, 24, 10);
    let id = desk.json(&["procedures", "find"])["procedures"][0]["id"].as_str().unwrap().to_owned();
    desk.ok(&["agent", "folder", "render", "memories"]);
    assert!(!desk.path().join("memories/skills").exists());
    desk.hold(desk.json(&["review", "token"])["token"].as_str().unwrap());
    desk.ok(&["review", "accept", &id, "--as", "reviewer"]);
    let written = desk.json(&["agent", "folder", "render", "memories"])["written"].clone();
    let is_skill = |path: &&serde_json::Value| path.as_str().unwrap().starts_with("skills/");
    let skill = written.as_array().unwrap().iter().find(is_skill).unwrap().as_str().unwrap();
    assert!(handbook(&desk).contains(&format!("- Related skill: {skill} [Task ")));
    let text = fs::read_to_string(desk.path().join("memories").join(skill)).unwrap();
    assert!(text.contains("1. `cargo fmt`\n") && text.contains("cargo test"), "{text}");
    let linted = desk.run(&["agent", "folder", "lint", "memories"]);
    assert_eq!(linted.code, 0, "{}", linted.out);
}

#[test]
fn a_note_that_an_agent_left_is_taken_in_once() {
    let desk = rendered();
    let notes = desk.path().join("memories/extensions/ad_hoc/notes");
    fs::create_dir_all(&notes).unwrap();
    fs::write(notes.join("2026-05-01T12-00-00-tea.md"), "Ana wants green tea.\n").unwrap();
    let render =
        || desk.json(&["agent", "folder", "render", "memories", "--keep-edits"])["notes"].clone();
    assert_eq!(render(), serde_json::json!(["Ana wants green tea."]));
    assert!(handbook(&desk).contains("- Ana wants green tea. [Task 1]\n"));
    assert_eq!(render(), serde_json::json!([]));
    // What was forgotten stays away, though its file is there.
    desk.ok(&["erase", "--mentions", "green tea", "--as", "owner", "--yes"]);
    assert_eq!(render(), serde_json::json!([]));
    assert!(!handbook(&desk).contains("green tea"));
    assert!(notes.join("2026-05-01T12-00-00-tea.md").exists());
    fs::write(notes.join("2026-05-01T12-00-00-long.md"), "x".repeat(20_000)).unwrap();
    assert_eq!(desk.run(&["agent", "folder", "render", "memories", "--keep-edits"]).code, 1);
}

/// Writes the folder that Codex itself would have left.
pub(crate) fn foreign(desk: &Desk) {
    let raw = "# Raw Memories\n\nMerged stage-1 raw memories (stable ascending thread-id order):\n\n\
        ## Thread `t-1`\nupdated_at: 2026-05-01T12:00:00+00:00\ncwd: /home/ana/shop\n\
        rollout_path: /r.jsonl\nrollout_summary_file: a.md\n\n### Task 1: move\n\n\
        Preference signals:\n- when moving, the user said \"ask me first\" -> ask before a move\n\n\
        Reusable knowledge:\n- The shop's API listens on port 9090.\n\n\
        ## Thread `t-2`\nupdated_at: 2026-05-02T12:00:00+00:00\ncwd: /home/ana/shop\n\
        rollout_path: /s.jsonl\nrollout_summary_file: b.md\n\n\
        Failures and how to do differently:\n- The nightly backup broke on a full disk.\n";
    fs::create_dir_all(desk.path().join("codex")).unwrap();
    fs::write(desk.path().join("codex/raw_memories.md"), raw).unwrap();
}

#[test]
fn what_codex_kept_is_taken_in_once_and_stays_forgotten() {
    let desk = Desk::new();
    foreign(&desk);
    let ingest = || desk.json(&["agent", "folder", "ingest", "codex"]);
    let first = ingest();
    assert_eq!((&first["found"], &first["added"]), (&3.into(), &3.into()), "{first}");
    assert_eq!(ingest()["added"], 0);
    let listed = desk.json(&["list", "--scope", "all", "--kind", "memory.remembered"]);
    let items = listed["items"].as_array().unwrap();
    assert_eq!(items.len(), 3);
    assert!(items.iter().all(|item| item["origin"] == "assistant"), "{listed}");
    let of_it = desk.json(&["list", "--scope", "subject=/home/ana/shop"]);
    assert_eq!(of_it["items"].as_array().unwrap().len(), 3, "{of_it}");
    let backup = items.iter().find(|item| item.to_string().contains("backup")).unwrap();
    let id = backup["id"].as_str().unwrap();
    desk.ok(&["erase", id, "--scope", "subject=/home/ana/shop", "--as", "owner", "--yes"]);
    assert_eq!(ingest()["added"], 0, "what was erased came back");

    desk.ok(&["agent", "folder", "render", "memories", "--scope", "all"]);
    assert!(handbook(&desk).contains("port 9090"));
    assert!(!handbook(&desk).contains("nightly backup"));
    desk.refused(1, &["agent", "folder", "ingest", "memories"], &["rendered from this ledger"]);
    desk.refused(4, &["agent", "folder", "ingest", "nowhere"], &["nowhere could not be listed"]);
}

#[test]
fn a_project_is_one_group_with_what_its_commands_came_to_and_takes_notes_in_its_scope() {
    let agents = Agents::new();
    let clone = agents.folder("clone");
    std::fs::create_dir_all(clone.join(".git")).unwrap();
    let config = agents.folder("shop").join(".git/config");
    std::fs::copy(config, clone.join(".git/config")).unwrap();
    let command = |line: &str| serde_json::json!({"command": line});
    for (session, folder) in [("s1", "shop"), ("s2", "clone")] {
        agents.says(session, "user", &format!("Mend the total of the cart, as {session} says."));
        agents.calls(session, "Bash", command("npm test"), "TypeError: no initial value");
        agents.calls(session, "Bash", command("npm test"), "ok");
        let commit = format!("[main 1a2b3c4d] cart: {session} mends it\n 1 file changed");
        agents.calls(session, "Bash", command("git commit -am x"), &commit);
        agents.says(session, "user", "We never use floats for money.");
        let path = agents.transcript(session);
        let [here, there] = ["shop", folder].map(|name| agents.folder(name).display().to_string());
        let text = std::fs::read_to_string(&path).unwrap().replace(&here, &there);
        let text = text.replace(r#""content":"Type"#, r#""is_error":true,"content":"Type"#);
        let text = text.replace(r#""content":"ok""#, r#""is_error":false,"content":"ok""#);
        std::fs::write(&path, text).unwrap();
        agents.hook("SessionEnd", folder, session, "");
        agents.learn(folder, "claude-code");
    }
    let memories = agents.desk.path().join("memories").display().to_string();
    let render = |more: &[&str]| {
        let args = ["agent", "folder", "render", &memories, "--scope", "all", "--json"];
        let run = agents.in_project("shop", &[&args[..], more].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.json()
    };
    render(&[]);
    let path = agents.desk.path().join("memories/MEMORY.md");
    let handbook = std::fs::read_to_string(&path).unwrap();
    assert_eq!(handbook.matches("# Task Group: ").count(), 1, "{handbook}");
    // The manifest knows the scope, wherever it is asked.
    let line = 1 + handbook.lines().position(|line| line.contains("floats for money")).unwrap();
    let why = ["agent", "folder", "why", &memories, &format!("MEMORY.md:{line}")];
    let why = agents.in_project("bank", &why);
    assert!(why.out.contains("We never use floats for money"), "{why:?}");
    for words in [
        "## Task 1: Mend the total of the cart, as s1 says., success",
        "- TypeError, npm test, git commit",
        "- committed: cart: s2 mends it [Task ",
        "- `npm test` failed: TypeError: no initial value; later it passed [Task 1][Task 2]",
    ] {
        assert!(handbook.contains(words), "{words}\n{handbook}");
    }
    std::fs::write(&path, format!("{handbook}- Totals are rounded half to even.\n")).unwrap();
    let kept = render(&["--keep-edits"]);
    assert_eq!(kept["notes"], serde_json::json!(["Totals are rounded half to even."]));
    let seen = |project: &str| agents.in_project(project, &["list"]).out.contains("half to even");
    assert!(seen("shop") && !seen("bank"));
}
