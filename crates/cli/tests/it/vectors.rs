//! Vectors on the command line: handed in, refused, made by a program.

use crate::harness::Desk;

/// A desk with a file of that many numbers, all one.
fn desk() -> Desk {
    let desk = Desk::new();
    for (name, text) in [("v2.json", "[1, 0]"), ("v3.json", "[1, 0, 0]"), ("away.json", "[-1, 0]")]
    {
        std::fs::write(desk.path().join(name), text).unwrap();
    }
    desk
}

#[test]
fn what_shares_no_word_is_found_by_a_vector_from_a_file() {
    let desk = desk();
    let of = |file| ["--vector", file, "--model", "m"];
    desk.ok(&[&["remember", "The harbour is closed."], &of("v2.json")[..]].concat());
    desk.ok(&[&["remember", "Lunch is at noon."], &of("away.json")[..]].concat());
    let asked = ["search", "quay", "--query-vector", "-", "--model", "m", "--json"];
    let found = desk.run_with_input(&asked, b"[2.5, 0]").json();
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{found}");
    assert_eq!(results[0]["signals"]["vector"], 1_000_000);
    let checkout = ["checkout", "quay", "--query-vector", "v2.json", "--model", "m"];
    assert_eq!(desk.json(&checkout)["receipt"]["vector"]["model"], "m");
    assert_eq!(desk.json(&["verify", "receipts"])["reproduced"], 1);
}

#[test]
fn what_is_no_vector_is_refused_before_anything_is_written() {
    let desk = desk();
    let one = desk.remember("The harbour is closed.");
    desk.ok(&["maintain", "vectors", &one, "--vector", "v2.json", "--model", "m"]);
    let history = desk.ok(&["show", "--history", &one]).out;
    let line = history.lines().last().unwrap();
    assert!(
        line.contains("memory.embedded") && line.contains(&format!("by ana ({one})")),
        "{line}"
    );
    let before = desk.json(&["maintain", "stat"])["head"].clone();
    for (text, says) in [
        ("[1, 2", "no JSON array"),
        ("[1, NaN]", "no JSON array"),
        ("{}", "no JSON array"),
        ("[1, 1e39]", "infinite"),
        ("[0, 0]", "length 0"),
        ("[]", "of 0 numbers"),
        ("[1, 0, 0]", "have 2"),
    ] {
        std::fs::write(desk.path().join("bad.json"), text).unwrap();
        for verb in [
            &["maintain", "vectors", &one, "--vector"][..],
            &["remember", "Other words.", "--vector"],
            &["search", "harbour", "--query-vector"],
        ] {
            let run = desk.run(&[verb, &["bad.json", "--model", "m"]].concat());
            assert_eq!(run.code, 2, "{verb:?} {text}: {run:?}");
            assert!(run.err.contains(says), "{verb:?} {text}: {run:?}");
        }
    }
    for args in [
        &["maintain", "vectors", &one, "--vector", "v2.json", "--model", "two words"][..],
        &["maintain", "vectors", &one, "--vector", "v2.json", "--model", ""],
        &["maintain", "vectors", &one, "--vector", "v2.json"],
        &["maintain", "vectors", &one, "--with", "table"],
        &["maintain", "vectors", "--command", "cat"],
        &["maintain", "vectors"],
        &["remember", "x", "--vector", "v2.json"],
        &["remember", "-", "--vector", "-", "--model", "m"],
        &["search", "x", "--query-vector", "v2.json", "--model", "m", "--profile", "matrix"],
    ] {
        assert_eq!(desk.run(args).code, 2, "{args:?}");
    }
    let gone = desk.run(&["maintain", "vectors", &one, "--vector", "none.json", "--model", "m"]);
    assert_eq!(gone.code, 4, "{gone:?}");
    let nobody =
        ["maintain", "vectors", "mem_9_010203040506", "--vector", "v2.json", "--model", "m"];
    assert_eq!(desk.run(&nobody).code, 1);
    assert_eq!(desk.json(&["maintain", "stat"])["head"], before);
}

#[test]
fn what_has_no_vector_is_given_one_by_the_table_or_a_program() {
    let desk = desk();
    for text in ["The harbour is closed.", "Lunch is at noon.", "Rex is a dog."] {
        desk.remember(text);
    }
    let table = ["maintain", "vectors", "--with", "table"];
    let counted = |args: &[&str], key: &str| desk.json(args)[key].as_u64().unwrap();
    assert_eq!(counted(&[&table[..], &["--dry-run"]].concat(), "missing"), 3);
    assert_eq!(counted(&table, "written"), 3);
    assert_eq!(counted(&table, "missing"), 0);
    let program = r#"sed -e /Lunch/d -e 's/"text":.*/"vector": [1, 2]}/'"#;
    let of_program = ["maintain", "vectors", "--command", program, "--model", "sed"];
    let done = desk.json(&of_program);
    assert_eq!((&done["written"], &done["without"]), (&2.into(), &1.into()));
    assert_eq!(counted(&of_program, "missing"), 1);
    // One that fails has written nothing, and says why.
    let failing = desk.run(&["maintain", "vectors", "--command", "false", "--model", "other"]);
    assert_eq!(failing.code, 4, "{failing:?}");
    assert!(failing.err.contains("false ended with 1"), "{failing:?}");
    let late =
        ["maintain", "vectors", "--command", "sleep 9", "--model", "other", "--timeout", "0.2s"];
    assert_eq!(desk.run(&late).code, 4);
    let counted = ["maintain", "vectors", "--command", "cat", "--model", "other", "--dry-run"];
    assert_eq!(desk.json(&counted)["missing"], 3);
}
