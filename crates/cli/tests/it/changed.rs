//! New sentences that change older ones, as people meet them: through the program.

use crate::harness::{Desk, id};
use crate::hooks::Agents;

/// The status of a write, and the ids that it names as near.
fn write(desk: &Desk, args: &[&str]) -> (String, Vec<String>) {
    let written = desk.json(&[&["remember"], args].concat());
    let status = written["outcome"].as_str().unwrap().to_owned();
    let near = written["near"].as_array().unwrap();
    (status, near.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect())
}

/// The outcome of the second sentence of each pair, in a ledger of its own.
fn statuses(pairs: &[[&str; 2]]) -> Vec<(String, String)> {
    let status = |[old, new]: &[&str; 2]| {
        let desk = Desk::new();
        desk.remember(old);
        ((*old).to_owned(), write(&desk, &[new]).0)
    };
    pairs.iter().map(status).collect()
}

#[test]
fn nothing_true_is_ended_by_another_property() {
    for (old, status) in statuses(&[
        ["Ana works with Raj.", "Ana moved to Berlin."],
        ["Staging runs on Postgres 15.", "We moved staging to Frankfurt."],
        ["The frontend is built with React.", "We switched the frontend to Vercel."],
        ["Our backups run with restic.", "We moved our backups to Backblaze."],
        ["The tram out is at 7", "The tram back is at 19"],
        ["We deploy with Kamal to Hetzner, never on Fridays.", "We moved to fly.io for deploys"],
        ["Lena is allergic to nuts.", "Lena switched to a vegan diet."],
        ["I live in Oslo", "I lived in Pune"],
        ["Rhea sings alto", "Rhea is singing tenor too from now on"],
        ["sample 007 has a cracked lid", "sample 07 has a cracked lid"],
    ]) {
        assert_eq!(status, "added", "{old}");
    }
}

#[test]
fn what_is_plainly_over_is_ended() {
    for (old, status) in statuses(&[
        ["We use npm", "We switched from npm to pnpm"],
        ["My favorite coffee is a cortado", "My favorite coffee is a latte"],
        ["The API port is 8080", "The API listens on port 9090"],
        ["I work at Siemens", "I no longer work at Siemens"],
    ]) {
        assert_eq!(status, "superseded", "{old}");
    }
}

#[test]
fn a_project_is_no_person() {
    let desk = Desk::new();
    let scope = ["--scope", "tenant=default,subject=/home/ana/shop"];
    for text in ["She lives in Pune.", "She lives in Oslo."] {
        let written = desk.json(&[&["remember", text], &scope[..]].concat());
        assert_eq!(written["outcome"], "added", "{text}");
    }
}

#[test]
fn what_may_have_ended_stands_below_the_newer_one_and_the_write_names_it() {
    let desk = Desk::new();
    let long = |port: u32| {
        let steps = "Stop the workers, drain the queue, copy the folder, start the workers again. ";
        format!("Runbook of the gateway. {}It listens on port {port}.", steps.repeat(8))
    };
    let chinese =
        |port: u32| format!("\u{7db2}\u{95dc}\u{670d}\u{52d9}\u{5728}{port}\u{7aef}\u{53e3}");
    for (old, new, asked) in [
        (
            "Use Jina for web search".to_owned(),
            "Use Exa for web search now".to_owned(),
            "what for web search?",
        ),
        (long(8080), long(9090), "which port has the gateway in the runbook?"),
        (chinese(8080), chinese(9090), "\u{7db2}\u{95dc}\u{670d}\u{52d9}"),
    ] {
        let older = desk.remember(&old);
        let (status, near) = write(&desk, &[&new]);
        assert_eq!((status.as_str(), near), ("added", vec![older.clone()]), "{new}");
        let pack = desk.json(&["checkout", asked]);
        let items = pack["items"].as_array().unwrap();
        let newer = items[0]["id"].as_str().unwrap();
        assert_ne!(newer, older, "{asked}: {pack}");
        // One whose excerpt repeats the newer one's is left out.
        for item in items.iter().filter(|item| item["id"] == older.as_str()) {
            assert_eq!(item["why"]["later"], newer, "{asked}");
        }
        let listed = desk.json(&["list", "memories"]);
        let row =
            listed["items"].as_array().unwrap().iter().find(|row| row["id"] == older.as_str());
        assert_eq!(row.unwrap()["newer"], newer);
    }
}

#[test]
fn words_about_the_memory_are_no_memories() {
    let desk = Desk::new();
    let port = desk.remember("The API listens on port 8080.");
    for text in
        ["forget what I said about Bob", "don't remember this", "scratch that", "never mind"]
    {
        desk.refused(1, &["remember", text], &["memlith"][..0]);
    }
    // With a value it corrects what was said last; which that is, its writer says.
    assert_eq!(write(&desk, &["scratch that, it's 9090"]), ("added".to_owned(), vec![port]));
}

#[test]
fn values_are_kept_letter_for_letter_and_printed_as_said() {
    let desk = Desk::new();
    for text in ["The ticket of the outage is 00123.", "The ticket of the outage is 123."] {
        assert_ne!(write(&desk, &[text]).0, "restated", "{text}");
    }
    desk.remember("Ana lives in Mainz");
    let got = desk.json(&["list", "facts", "--entity", "ana", "--predicate", "lives_in"]);
    assert_eq!(got["values"][0]["value"], "Mainz");
}

#[test]
fn two_days_are_two_tomorrows() {
    let desk = Desk::new();
    for (now, expected) in [
        ("2026-11-02T09:00:00Z", "added"),
        ("2026-11-02T18:00:00Z", "restated"),
        ("2026-11-09T09:00:00Z", "added"),
    ] {
        let (status, _) = write(&desk, &["The call with Ines is tomorrow.", "--now", now]);
        assert_eq!(status, expected, "{now}");
    }
}

#[test]
fn a_correction_of_a_corrected_memory_corrects_its_successor() {
    let desk = Desk::new();
    let first = desk.remember("The launch is in May.");
    let second = id(&desk.json(&["update", &first, "The launch is in June."]));
    let third = desk.json(&["update", &first, "The launch is in July."]);
    assert_eq!(third["outcome"], "corrected", "{third}");
    let listed = desk.ok(&["list", "memories", "--status", "active"]).out;
    assert!(listed.contains("July") && !listed.contains("June"), "{second}: {listed}");
}

#[test]
fn what_held_at_an_instant_is_asked_for() {
    let desk = Desk::new();
    let at = |text: &str, when: &str| desk.ok(&["remember", text, "--now", when]);
    at("Kim leads the platform team", "2026-03-01T00:00:00Z");
    at("Noor leads the platform team now", "2026-10-01T00:00:00Z");
    let asked = "who leads the platform team?";
    let now = desk.json(&["checkout", asked]);
    assert!(now["items"][0]["text"].as_str().unwrap().contains("Noor"), "{now}");
    let then = desk.json(&["checkout", asked, "--valid-at", "2026-05-01"]);
    let texts: Vec<&str> = then["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Kim leads the platform team"]);
    assert_eq!(then["observed"], false);
    desk.refused(2, &["checkout", asked, "--valid-at", "2026-05-01", "--as-of", "1"], &["as-of"]);
    desk.refused(2, &["checkout", asked, "--valid-at", "then"], &["2026-05-01"]);
}

#[test]
fn whoever_asks_of_themself_has_their_own_words_first() {
    let desk = Desk::new();
    desk.ok(&["remember", "My desk is in room 4", "--as", "user:ines"]);
    desk.ok(&["remember", "My desk is in room 7", "--as", "user:otto"]);
    for (asker, expected) in [("user:ines", "room 4"), ("user:otto", "room 7")] {
        let pack = desk.json(&["checkout", "where is my desk?", "--as", asker]);
        let first = pack["items"][0]["text"].as_str().unwrap();
        assert!(first.contains(expected), "{asker}: {pack}");
    }
}

#[test]
fn a_question_of_a_past_day_is_told_what_held_then() {
    let desk = Desk::new();
    for (text, when) in [
        ("Standup is at 9:15.", "2026-11-01T10:00:00Z"),
        ("Standup is at 9:45.", "2026-11-10T10:00:00Z"),
        ("Standup is at 10:30.", "2026-11-20T10:00:00Z"),
    ] {
        desk.ok(&["remember", text, "--now", when]);
    }
    let former = |asked: &str| {
        let pack = desk.json(&["checkout", asked, "--now", "2026-11-28T10:00:00Z"]);
        let former = pack["items"][0]["why"]["former"].as_array().cloned().unwrap_or_default();
        let text = |one: &serde_json::Value| one["text"].as_str().unwrap().to_owned();
        former.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(former("when was standup on 5 November?"), ["Standup is at 9:15."]);
    assert_eq!(
        former("when was standup on 10 November?"),
        ["Standup is at 9:45.", "Standup is at 9:15."]
    );
    assert!(former("when was standup on 25 November?").is_empty());
    assert!(former("when is standup?").is_empty());
}

#[test]
fn a_brief_and_a_prompt_show_the_newest_first() {
    let agents = Agents::new();
    for text in
        ["The kiln is set to 1,060 degrees on weekdays.", "The kiln is at 1,020 degrees now."]
    {
        assert_eq!(agents.in_project("shop", &["remember", text]).code, 0);
    }
    let started = agents.hook("SessionStart", "shop", "s2", "");
    let asked = "how many degrees is the kiln set to on weekdays?";
    let prompted = agents.hook("UserPromptSubmit", "shop", "s3", asked);
    for said in [started, prompted] {
        let places = said.find("1,020").zip(said.find("1,060"));
        assert!(places.is_some_and(|(new, old)| new < old), "{said}");
        assert!(said.contains("older; newer: mem_"), "{said}");
    }
}
