//! The tables of `tests/samples`.

use memlith_redact::{Rule, find_secrets, redact};

fn rows(table: &'static str) -> impl Iterator<Item = String> {
    table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.replace("{+}", "").replace("{nl}", "\n"))
}

#[test]
fn secrets_are_replaced_and_counted() {
    let mut seen = Vec::new();
    for row in rows(include_str!("../samples/secrets.txt")) {
        let [rule, text, expected] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("a row has three parts: {row}")
        };
        let redacted = redact(text);
        assert_eq!(redacted.text, expected, "{text}");
        let rule = Rule::ALL.into_iter().find(|known| known.name() == rule).unwrap();
        assert_eq!(redacted.counts.into_iter().collect::<Vec<_>>(), [(rule, 1)], "{text}");
        assert_eq!(redact(expected).text, expected, "{text}");
        seen.push(rule);
    }
    for rule in Rule::ALL {
        assert!(seen.contains(&rule) || rule == Rule::Unstable, "{rule} has no sample");
    }
}

#[test]
fn ordinary_lines_pass() {
    for text in rows(include_str!("../samples/clean.txt")) {
        let redacted = redact(&text);
        assert_eq!(redacted.text, text);
        assert!(redacted.counts.is_empty(), "{text}");
    }
}

#[test]
fn a_secret_is_found_wherever_it_stands() {
    // Straight, in a JSON string, in JSON within JSON, after an escape, at both ends.
    let secret = format!("gh{}{}", "p_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let json = |text: &str| format!("{{\"text\":{text:?}}}");
    let once = json(&format!("a {secret} b"));
    for text in [
        secret.clone(),
        format!("é{secret}é"),
        format!("({secret})"),
        once.clone(),
        json(&once),
        json(&json(&once)),
        format!("cut off: {}", json(&once).trim_end_matches('}')),
        format!("q=%3D{secret}%26"),
    ] {
        let redacted = redact(&text);
        assert!(!redacted.text.contains(&secret), "{text} became {}", redacted.text);
    }
}

#[test]
fn what_is_found_has_its_line_in_whatever_pass() {
    let key = format!("-----BEG{}IN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n", "");
    let token = format!("gh{}{}", "p_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    // The first pass takes out the key, of three lines, and the password; the second the token.
    let end = "-----END PRIVATE KEY-----";
    let text = format!("a\n{key}{end}\ncurl -u {token}:hunter22 x\npw=hunter");
    let found: Vec<(u64, &str, String)> = find_secrets(&text)
        .into_iter()
        .map(|found| (found.line, found.name, found.masked))
        .collect();
    let expected = [
        (2, "private-key", "--***"),
        (5, "github-pat", "gh***"),
        (5, "command-line", "hu***"),
        (6, "assignment", "***"),
    ];
    assert_eq!(found, expected.map(|(line, name, masked)| (line, name, masked.to_owned())));
    let counted: u64 = redact(&text).counts.values().sum();
    assert_eq!(counted, 4);
}

#[test]
fn a_document_stays_one() {
    for (text, expected) in [
        (
            r#"{ "token" : [1, 2] , "n": 1.50 }"#,
            r#"{ "token" : "[REDACTED:json-key]" , "n": 1.50 }"#,
        ),
        (r#"{"token":-1e400,"a":1e400}"#, r#"{"token":"[REDACTED:json-key]","a":1e400}"#),
        (r#"{"a":1,"token":1e4}"#, r#"{"a":1,"token":"[REDACTED:json-key]"}"#),
        (
            r#"{"token":"x","token":"y"}"#,
            r#"{"token":"[REDACTED:json-key]","token":"[REDACTED:json-key]"}"#,
        ),
        // In a string, a quote that opens a value need not be closed before the string is.
        (r#""{my_password:f\"f\\" "#, r#""{my_password:f\"[REDACTED:assignment]" "#),
        (r#""the password: 'hunter2""#, r#""the password: '[REDACTED:assignment]""#),
        (r#"["\ud800 password=hunter2"]"#, "[\"\\\\ud800 password=[REDACTED:assignment]\"]"),
    ] {
        let redacted = redact(text);
        if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
            assert_eq!(redacted.text, expected);
            assert!(
                serde_json::from_str::<serde::de::IgnoredAny>(&redacted.text).is_ok(),
                "{text}"
            );
        }
        assert_eq!(redact(&redacted.text).text, redacted.text);
    }
}

#[test]
fn a_document_that_does_not_come_to_rest_is_replaced_by_one() {
    let text = r#""  }u:*@hx://uTOKEN=eTEN=__TOKEN=N=ec56f::6s*=e_TOKEN=e://uTOKEN=eTEN=__TOKEN=N=ec56f::6KEN=eT:p@h  ""#;
    assert!(serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok());
    let redacted = redact(text);
    assert_eq!(redacted.text, r#""[REDACTED:unstable]""#);
    assert_eq!(redact(&redacted.text).text, redacted.text);
}

#[test]
fn deep_nesting_is_plain_text() {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    assert_eq!(redact(&deep).text, deep);
    let mut text = "password=hunter2".to_owned();
    for _ in 0..12 {
        text = format!("[{}]", serde_json::to_string(&text).unwrap());
        assert!(!redact(&text).text.contains("hunter2"), "{}", text.len());
    }
}
