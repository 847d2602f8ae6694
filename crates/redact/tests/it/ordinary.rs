//! Ten thousand lines and more in which nothing is a secret.

use std::path::{Path, PathBuf};

use memlith_redact::find_secrets;

use crate::drawn::Drawn;

/// Lines of the project that hold what only looks like a secret, or a made-up one that
/// shows what is found: each with the reason.
const REASONS: &[(&str, &str)] = &[
    ("crates/redact/", "what redaction is tested and explained with"),
    ("crates/cli/tests/it/documented.rs", "a password that the command line has to take out"),
    ("crates/cli/tests/it/redact.rs", "secrets that the command line has to find"),
    ("crates/cli/tests/it/session.rs", "a password that an import has to take out"),
    ("crates/delivery/tests/it/flow.rs", "the secret that a receiver under test signs with"),
    ("crates/models/src/settings/tests.rs", "a key that stands in the wrong place"),
    ("crates/folder/src/safe.rs", "a token that a folder has to take out"),
    ("crates/folder/tests/it/linting.rs", "a password that lint has to find"),
    ("crates/log/tests/it/erasing.rs", "a constant SECRET with a text to erase"),
    ("tests/engine-tests/it/tombstones.rs", "a constant SECRET with a text to erase"),
    ("tests/engine-tests/it/reviews.rs", "a password that the engine has to take out"),
];

/// The project's own sources, documents and locks.
fn of_the_project() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let mut entries: Vec<PathBuf> = entries.collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() && !name.starts_with('.') && name != "target" && name != "artifacts" {
                folders.push(path);
            } else if kind.is_file()
                && [".rs", ".md", ".toml", ".lock"].iter().any(|end| name.ends_with(end))
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                files.push((path.strip_prefix(&root).unwrap().to_owned(), text));
            }
        }
    }
    files
}

/// Logs, listings and configurations as programs write them, with everything in them that
/// is drawn by lot and no secret.
fn of_programs(lines: usize) -> Vec<String> {
    let mut drawn = Drawn::new(7);
    let make = |index: usize| {
        let sha1 = drawn.hex(40);
        let sha256 = drawn.hex(64);
        let uuid = drawn.uuid();
        let base64 = drawn.base64(76);
        let word = drawn.lower(9);
        let number = drawn.digits(9);
        match index % 32 {
            0 => format!("commit {sha1}"),
            1 => format!("index {}..{} 100644", &sha1[..7], &sha256[..7]),
            2 => format!(
                "2026-07-14T10:12:{:02}Z INFO request id={uuid} status=200 took=12ms",
                index % 60
            ),
            3 => format!("sha256:{sha256}  {word}.tar.gz"),
            4 => format!("checksum = \"{sha256}\""),
            5 => format!("{{\"id\":\"{uuid}\",\"digest\":\"{sha256}\",\"size\":{number}}}"),
            6 => format!("data:image/png;base64,{base64}"),
            7 => base64,
            8 => format!(
                "/usr/lib/{word}/x86_64-linux-gnu/{word}-{number}/lib{word}.so.{}",
                index % 9
            ),
            9 => format!("test {word}::{word}_{number} ... ok"),
            10 => format!(
                "   Compiling {word} v0.{}.{} (registry+https://example.org/{word})",
                index % 10,
                index % 7
            ),
            11 => format!(
                "[{number}.123456] usb 1-1: new high-speed USB device number {}",
                index % 99
            ),
            12 => format!(
                "10.0.{}.7 - - [14/Jul/2026:10:12:01 +0000] \"GET /a/{word}?page={number} HTTP/1.1\" 200 512",
                index % 250
            ),
            13 => format!("etag: W/\"{}\"", &sha1[..16]),
            14 => format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} ana@laptop", drawn.base64(43)),
            15 => format!("let {word} = {word}_{word}(\"{word}\", {number}); // {word}"),
            16 => format!("trace_id={} span_id={}", drawn.hex(32), drawn.hex(16)),
            17 => format!("docker.io/library/{word}@sha256:{sha256}"),
            18 => format!("\"resolved\": \"https://registry.example/{word}/-/{word}-1.2.3.tgz\","),
            19 => format!("\"integrity\": \"sha512-{}==\",", drawn.base64(86)),
            20 => format!("tokens: {number} in, {} out, max_tokens=4096", index),
            21 => format!(
                "ETA {}:{:02}, {number} bytes, md5 {}",
                index % 9,
                index % 60,
                drawn.hex(32)
            ),
            22 => format!("session {uuid} of user {word} ended after {} s", index),
            23 => format!("class=\"{word}-{word}-{word} sk-{word}-{word} task-{word}\""),
            24 => format!("https://example.org/{word}/{uuid}/{sha1}?v={number}#{word}"),
            25 => format!("0x{} <{word}+0x{}>: mov %rax,%rbx", drawn.hex(16), drawn.hex(3)),
            26 => format!("arn:aws:iam::{}:role/{word}", drawn.digits(12)),
            27 => format!("{word}.example:5432 is up, {word}.example:443 is down, pid {number}"),
            28 => format!("key={word}:{number} value={} cache=hit", drawn.hex(40)),
            29 => format!("memlith://{}/{}", drawn.hex(32), drawn.hex(52)),
            30 => format!(
                "discord: joined channel {} of guild {}",
                drawn.digits(18),
                drawn.digits(18)
            ),
            _ => format!("id: {}{} {word}: {}", drawn.upper(10), number, drawn.alnum(22)),
        }
    };
    (0..lines).map(make).collect()
}

#[test]
fn ordinary_text_has_no_secrets() {
    let mut lines = 0;
    let mut explained = [0; REASONS.len()];
    let mut false_hits = Vec::new();
    for (path, text) in of_the_project() {
        let path = path.display().to_string().replace('\\', "/");
        lines += text.lines().count();
        for finding in find_secrets(&text) {
            match REASONS.iter().position(|(known, _)| path.starts_with(known)) {
                Some(reason) => explained[reason] += 1,
                None => false_hits.push(format!("{path}:{}: {}", finding.line, finding.name)),
            }
        }
    }
    let made = of_programs(16_384);
    lines += made.len();
    for line in &made {
        false_hits
            .extend(find_secrets(line).iter().map(|finding| format!("{line}: {}", finding.name)));
    }
    println!("{lines} ordinary lines, {} false hits", false_hits.len());
    for ((place, reason), count) in REASONS.iter().zip(explained) {
        println!("{count} in {place}: {reason}");
        assert!(count > 0, "{place} has nothing to explain");
    }
    assert!(lines >= 10_000, "{lines}");
    assert!(false_hits.is_empty(), "{} false hits:\n{}", false_hits.len(), false_hits.join("\n"));
}
