use super::*;

fn told(tool: &str, arguments: &str) -> Vec<String> {
    let told = |call: Call| format!("{} | {}", call.verb, call.parameters).trim_end().to_owned();
    Call::steps(tool, arguments).into_iter().map(told).collect()
}

#[test]
fn tools_are_named_and_their_arguments_are_kinds() {
    let cases: [(&str, &str, &str); 17] = [
        (
            "Read",
            r#"{"file_path": "/a/b.rs", "limit": 20}"#,
            "Read | file_path=<path> limit=<number>",
        ),
        ("Grep", r#"{"pattern": "fn main", "-n": true}"#, "Grep | -n=true pattern=<text>"),
        ("edit_tool", r#"{"command": "view", "path": "a.rs"}"#, "edit_tool view | path=<path>"),
        (
            "edit_tool",
            r#"{"command": "view 2", "path": "a.rs"}"#,
            "edit_tool | command=<text> path=<path>",
        ),
        ("WebFetch", r#"{"url": "https://example.org"}"#, "WebFetch | url=<url>"),
        ("Ask", r#"{"options": [1, 2], "x": {"y": 1}}"#, "Ask | options=<list> x=<object>"),
        ("search", "two words", "search | <text>"),
        ("search", "", "search |"),
        ("search", "null", "search |"),
        ("search", "[1]", "search | <list>"),
        ("search", "7", "search | <number>"),
        ("", "{}", "tool |"),
        ("not a name\n---", "{}", "tool |"),
        ("Bash", "{}", "Bash |"),
        ("Bash", "", "Bash |"),
        ("Bash", r#"{"command": 7}"#, "Bash | command=<number>"),
        ("x", r#"{"a b\n": null, "c d": 1}"#, "x | <number>"),
    ];
    for (tool, arguments, expected) in cases {
        assert_eq!(told(tool, arguments), [expected.trim_end()], "{tool} {arguments}");
    }
}

#[test]
fn shells_are_taken_apart() {
    let cases: [(&str, &[&str]); 31] = [
        ("cargo test -p shop --jobs=4", &["cargo test | -p <word> --jobs=<number>"]),
        ("cargo +nightly miri test", &["cargo miri | <text> <word>"]),
        ("cargo xtask tidy", &["cargo xtask tidy |"]),
        ("git -C /x commit -m 'a b'", &["git commit | -C <path> -m <text>"]),
        ("git log -5 --oneline", &["git log | <number> --oneline"]),
        ("git checkout 9f8cda4", &["git checkout | <hash>"]),
        ("git add a.rs b.rs c.rs", &["git add | <path>..."]),
        ("npm run build:prod", &["npm run build:prod |"]),
        ("gh pr create --title x", &["gh pr create | --title <word>"]),
        ("docker compose up -d", &["docker compose up | -d"]),
        ("python3 -m pytest -x tests/a.py", &["python3 -m pytest | -x <path>"]),
        ("python3 x.py 3", &["python3 | <path> <number>"]),
        ("/usr/bin/sed -n 1,20p a.txt", &["sed | -n <text> <path>"]),
        ("RUST_LOG=debug sudo -n ls -la", &["ls | -la"]),
        ("timeout -k5 10 make -j8 all", &["make all | -j<number>"]),
        ("timeout 600 make -j8", &["make | -j<number>"]),
        ("grep -rn foo src 2>/dev/null | head -20", &["grep | -rn <word>..."]),
        ("cat <<EOF > src/a.rs\nlet x;\nEOF", &["cat > | <path>"]),
        ("echo done; echo x >> notes", &["echo > | <word>"]),
        ("ls 2>&1 | tee log.txt", &["ls |", "tee | <path>"]),
        ("cargo test 2>&1 | tail -5 > out", &["cargo test |", "tail | <number>"]),
        ("python3 -c 'print(1)'", &["python3 -c | <text>"]),
        ("python3 - <<EOF\nprint(1)\nEOF", &["python3 - |"]),
        ("curl -s x | bash", &["curl | -s <word>", "bash |"]),
        ("ls > out.txt 2>&1", &["ls |"]),
        ("for f in *.rs; do wc -l $f; done", &["wc | -l <variable>"]),
        ("if test -f x; then rm x; fi", &["rm | <word>"]),
        ("A=1", &[]),
        ("./run_2.sh x", &["run_2.sh | <word>"]),
        ("\u{1b}[0m x", &["<program> | <word>"]),
        ("cd a && cargo build; cd -", &["cargo build |"]),
    ];
    for (line, expected) in cases {
        let arguments = serde_json::json!({ "command": line }).to_string();
        let found = told("Bash", &arguments);
        let expected: Vec<&str> = expected.iter().map(|one| one.trim_end()).collect();
        assert_eq!(found, expected, "{line:?}");
    }
}

#[test]
fn agents_keep_their_own_books() {
    for tool in ["TodoWrite", "update_plan"] {
        assert_eq!(told(tool, r#"{"todos": []}"#), [""; 0]);
    }
}

#[test]
fn what_an_outcome_says_of_the_parts_of_a_line() {
    use Share::{None, Own, Success};
    let cases: [(&str, &[Share]); 9] = [
        ("a", &[Own]),
        ("a && b", &[Success, Own]),
        ("a; b && c", &[None, Success, Own]),
        ("a || b", &[None, None]),
        ("a || true", &[None]),
        // The outcome is that of the filter.
        ("a && b | tail", &[Success, None]),
        ("a && cd x && b", &[Success, Own]),
        ("a && b && echo ok", &[Success, Success]),
        ("a | b", &[None, Own]),
    ];
    for (line, expected) in cases {
        let shares: Vec<Share> = Call::steps("bash", line).iter().map(|call| call.share).collect();
        assert_eq!(shares, expected, "{line:?}");
    }
    let call = |share| Call { verb: String::new(), parameters: String::new(), share };
    assert_eq!(
        (call(Success).ok(Some(true)), call(Success).ok(Some(false))),
        (Some(true), Option::None)
    );
    assert_eq!((call(None).ok(Some(true)), call(Own).ok(Some(false))), (Option::None, Some(false)));
}

#[test]
fn a_line_comes_in_several_forms() {
    let expected = ["cargo clippy |"];
    for arguments in [
        r#"{"command": ["bash", "-lc", "cargo clippy"]}"#,
        r#"{"cmd": "cargo clippy"}"#,
        r#"["cargo", "clippy"]"#,
        r#""cargo clippy""#,
        "cargo clippy",
    ] {
        assert_eq!(told("Shell", arguments), expected, "{arguments}");
    }
}

#[test]
fn long_and_deep_arguments_end() {
    let long = format!("cargo test {}", "x ".repeat(1 << 20));
    assert_eq!(told("bash", &long), ["cargo test | <word>..."]);
    let many = "a b 1 c.d -e; ".repeat(1000);
    assert_eq!(Call::steps("bash", &many).len(), Call::PARTS_MAX);
    let deep = "[".repeat(100_000);
    assert_eq!(told("x", &deep), ["x | <text>"]);
    let flags: String = (0..100).map(|n| format!(" --{}", "a".repeat(n + 1))).collect();
    let parameters = &Call::steps("bash", &format!("ls{flags}"))[0].parameters;
    assert_eq!(parameters.split(' ').count(), Call::PARAMETERS_MAX + 1);
}

proptest::proptest! {
    #[test]
    fn no_call_panics_and_what_is_told_is_short(tool in ".{0,20}", arguments in ".{0,200}") {
        for call in Call::steps(&tool, &arguments) {
            proptest::prop_assert!(call.verb.len() <= 64 * 3 + 2);
            proptest::prop_assert!(!call.verb.is_empty());
            proptest::prop_assert!(!call.verb.contains(char::is_control));
            proptest::prop_assert!(!call.parameters.contains(char::is_control));
        }
    }

    #[test]
    fn no_line_panics(line in "[a-c '\"\\\\$()`;&|<>\n#=-]{0,60}") {
        for call in Call::steps("bash", &line) {
            proptest::prop_assert!(!call.verb.is_empty());
        }
    }
}
