//! Redaction is idempotent, keeps JSON, and is linear.

use memlith_redact::{Rule, redact};
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

/// Pieces that secrets, names and delimiters are made of; every seam between two is a
/// chance for one pass to make what the next one finds.
fn pieces() -> impl Strategy<Value = String> {
    let fixed = [
        "password",
        "token",
        "api_key",
        "API_TOKEN",
        "secret",
        "Cookie",
        "Authorization",
        "max_",
        "_count",
        "=",
        ":",
        ": ",
        " = ",
        "=>",
        "\"",
        "\\\"",
        "'",
        "`",
        " ",
        "\n",
        "\\n",
        "\\",
        "/",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        "&",
        "(",
        ")",
        "<",
        ">",
        "$",
        "@",
        ".",
        "-",
        "--",
        "-----",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "://",
        "https://u:p@h",
        "Bearer ",
        "Basic ",
        "ghp_",
        "sk-",
        "sk-ant-",
        "eyJ",
        "AKIA",
        "AIza",
        "SG.",
        "xoxb-",
        "SK0123456789abcdef0123456789abcdef",
        "123456789:AA",
        "curl ",
        " -u ",
        "--user=",
        "mysql ",
        " -p",
        "machine h.x login u password ",
        "a:5432:b:c:",
        "my password is ",
        "the token for x is ",
        "passphrase: ",
        "lamp river stone",
        "<password>",
        "</",
        "heroku api key: ",
        "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
        "pw=",
        "hooks.slack.com/services/",
        "A1b2C3d4E5f6G7h8I9j0",
        "0123456789ABCDEF",
        "hunter2",
        "a",
        "Z9",
        "é",
        "\u{1f600}",
        "\\ud800",
        "\\u0022",
        "%3D",
        "[REDACTED:",
        "[REDACTED:jwt]",
        "[REDACTED:assignment]",
        "redacted",
        "null",
        "true",
        "...",
        "MIIEpAIBAAKCAQEA1c7abcdefgh",
    ];
    prop::sample::select(fixed.to_vec()).prop_map(str::to_owned)
}

fn adversarial() -> impl Strategy<Value = String> {
    prop::collection::vec(pieces(), 0..24).prop_map(|pieces| pieces.concat())
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        adversarial().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((adversarial(), inner.clone()), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

fn check(text: &str) {
    let once = redact(text);
    let twice = redact(&once.text);
    assert_eq!(once.text, twice.text, "{text:?}");
    assert!(twice.counts.is_empty(), "{text:?}");
    assert_eq!(once.counts.is_empty(), once.text == text, "{text:?}");
    assert!(!once.counts.contains_key(&Rule::Unstable), "gave up on {text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn redaction_is_idempotent(text in adversarial()) {
        check(&text);
    }

    #[test]
    fn any_text_is_taken(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn a_document_stays_a_document(value in json()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            check(&text);
            let redacted = redact(&text).text.into_owned();
            prop_assert!(serde_json::from_str::<serde_json::Value>(&redacted).is_ok(), "{redacted}");
        }
    }
}

#[test]
fn text_of_one_piece_takes_time_by_its_length() {
    let lure = [
        "sk-",
        "eyJ-",
        "eyJ.",
        "SG.",
        "token:",
        "token=",
        "token:=",
        "password=\"",
        "password='$",
        "authorization: basic ",
        "authorization: ",
        "cookie: a",
        "bearer a",
        "://a:",
        "://a@",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN ",
        "{\"token\":",
        "[{",
        "\"\\",
        "[REDACTED:",
        "token-----",
        "hooks.slack.com/services/a",
        "--token ",
        "_key=",
        "token: a=",
        "\\token",
        "password=\\\"",
        "ghp_A",
        "xoxb-.",
        "password=...",
        "secret\\\\\"",
        "curl -u ",
        "curl -u a:",
        "mysql -p",
        " -p",
        "curl \\\n -u a:$",
        "machine a login ",
        "machine a.b login c password $",
        "machine ",
        ":*:",
        ":5432:a:",
        "password is ",
        "password for a ",
        "my password is a ",
        "token is",
        "passphrase: a ",
        "passphrase: lamp-",
        "<token>",
        "<token>a",
        "heroku",
        "heroku api key: ",
        "twilio key=a",
        "SK0",
        ":AA",
        "a.atlasv1.",
        "EAAA",
        "ABSK",
        "glc_",
        "API-A",
        "_mmk",
        "é",
    ];
    for piece in lure {
        let text = |len: usize| piece.repeat(len / piece.len());
        let (short, long) = (text(SHORT_LEN), text(SHORT_LEN * TIMES));
        let (short, long) = (cost(&short), cost(&long));
        assert!(long / 100 < short.max(FLOOR_NS), "{piece:?}: {short} ns and {long} ns");
    }
}

const SHORT_LEN: usize = 64 << 10;

/// Length of the long text, in short texts: linear work takes as many times as long, and
/// quadratic work takes the square of it.
const TIMES: usize = 16;

/// Below this a clock says little.
const FLOOR_NS: u64 = 100_000;

/// The processor's time that redacting takes this thread: no neighbour adds to it.
fn cost(text: &str) -> u64 {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        u64::try_from(now.tv_sec * 1_000_000_000 + now.tv_nsec).unwrap_or_default()
    };
    let begun = now();
    drop(redact(text));
    now() - begun
}
