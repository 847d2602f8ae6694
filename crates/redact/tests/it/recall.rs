//! Made-up secrets of every rule, and how many of them are found.

use std::collections::BTreeMap;

use memlith_redact::{find_secrets, redact};

use crate::drawn::Drawn;

const TABLE: &str = include_str!("../samples/recall.txt");

/// Number of secrets drawn for each line of the table.
const EACH: usize = 8;

/// Rules of gitleaks that one of ours does the work of under another name.
const UNDER: &[(&str, &str)] = &[
    ("anthropic-admin-api-key", "anthropic-api-key"),
    ("bittrex-access-key", "bittrex-secret-key"),
    ("curl-auth-user", "command-line"),
    ("flutterwave-encryption-key", "flutterwave-secret-key"),
    ("gitlab-pat-routable", "gitlab-pat"),
    ("gitlab-runner-authentication-token-routable", "gitlab-runner-authentication-token"),
    ("slack-legacy-bot-token", "slack-bot-token"),
];

/// Rules whose secrets ours find by the name before them, whatever they look like.
const BY_NAME: &[&str] = &[
    "azure-ad-client-secret",
    "cohere-api-token",
    "curl-auth-header",
    "facebook-access-token",
    "freemius-secret-key",
    "generic-api-key",
    "hashicorp-tf-password",
    "nuget-config-password",
    "sidekiq-sensitive-url",
    "twitter-bearer-token",
    "bittrex-access-key",
    "sumologic-access-id",
    "airtable-api-key",
    "atlassian-api-token",
];

#[test]
fn made_up_secrets_of_every_rule_are_found() {
    let mut drawn = Drawn::new(23);
    let mut recall: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for (name, line) in rows() {
        for _ in 0..EACH {
            let (text, secret) = fill(line, &mut drawn);
            let (found, all) = recall.entry(name).or_default();
            *all += 1;
            let whole = is_found(name, &text, &secret);
            // In the string of a document, and between other lines.
            let document = serde_json::json!({ "text": text }).to_string();
            let lines = format!("first line\n{text}\nlast line");
            let elsewhere = [document, lines].iter().all(|text| gone(text, &secret));
            if whole && elsewhere {
                *found += 1;
            } else {
                missed.push(format!("{name}: {text} became {}", redact(&text).text));
            }
        }
    }
    let (found, all) = recall.values().fold((0, 0), |(a, b), (found, all)| (a + found, b + all));
    for (name, (found, all)) in &recall {
        println!("{name}: {found} of {all}");
    }
    println!("{} rules, {found} of {all} made-up secrets found", recall.len());
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
    assert!(recall.values().all(|(_, all)| *all >= 3));
}

/// The table's lines that have a secret.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.map(|line| line.split_once(" | ").unwrap());
    rows.filter(|(_, line)| !line.starts_with("- "))
}

/// Whether the secret is gone from a text, and the finding has the rule's name.
fn is_found(name: &str, text: &str, secret: &str) -> bool {
    let name = UNDER.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| *ours);
    let findings = find_secrets(text);
    let named = findings.iter().any(|found| found.name == name || found.rule.name() == name);
    gone(text, secret) && (named || BY_NAME.contains(&name) && !findings.is_empty())
}

/// Whether no four bytes of the secret in a row are left where it stood.
fn gone(text: &str, secret: &str) -> bool {
    let redacted = redact(text).text.into_owned();
    let tail = secret.get(secret.len() - 4..).unwrap();
    !redacted.contains(secret) && !redacted.contains(tail)
}

/// A line with its parts drawn, and the secret in it.
fn fill(line: &str, drawn: &mut Drawn) -> (String, String) {
    let mut filled = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        let close = from.find('}').unwrap();
        let part = draw(&from[1..close], drawn);
        filled.push_str(before);
        match part {
            Some(part) => {
                filled.push_str(&part);
                rest = &from[close + 1..];
            }
            None => {
                filled.push('{');
                rest = &from[1..];
            }
        }
    }
    filled.push_str(rest);
    let (start, end) = (filled.find("[[").unwrap(), filled.find("]]").unwrap());
    let secret = filled[start + 2..end].to_owned();
    (filled.replace("[[", "").replace("]]", ""), secret)
}

fn draw(part: &str, drawn: &mut Drawn) -> Option<String> {
    match part {
        "+" => return Some(String::new()),
        "nl" => return Some("\n".to_owned()),
        "uuid" => return Some(drawn.uuid()),
        _ => {}
    }
    let len = part.get(1..)?.parse().ok()?;
    Some(match part.as_bytes()[0] {
        b'a' => drawn.alnum(len),
        b'b' => drawn.base64(len),
        b'd' => drawn.digits(len),
        b'h' => drawn.hex(len),
        b'l' => drawn.lower_alnum(len),
        b'u' => drawn.upper(len),
        b'w' => drawn.base64_url(len),
        _ => return None,
    })
}
