//! Sessions of all kinds, made from a number.

use memlith::{Seq, Timestamp};
use memlith_folder::{
    Class, Config, Ending, Fact, Files, Folder, Inputs, Part, Procedure, Request, Session,
    Statement, Work, render,
};

/// 2026-05-01T12:00:00Z.
pub(crate) const NOON: Timestamp = Timestamp(1_777_636_800_000_000);

pub(crate) const DIRECTORIES: [&str; 6] = [
    "/home/ana/logeng",
    "/home/ana/site",
    "/home/ana/work/api",
    "/home/ana/play/api",
    "/srv/general",
    "",
];

pub(crate) fn config() -> Config {
    Config::at(NOON.plus_us(90 * Timestamp::DAY_US))
}

/// `count` sessions in six directories, with what they support; each has unique markers
/// `uNNNN...` in each kind of statement.
pub(crate) fn mixed(count: usize) -> Inputs {
    let mut inputs = Inputs { view: Seq(count as u64 * 10), ..Inputs::default() };
    for number in 0..count {
        add(&mut inputs, number, DIRECTORIES[number % 6]);
    }
    if count > 12 {
        inputs.procedures.push(Procedure {
            id: "mem_9_000000000009".to_owned(),
            name: "cargo-fmt-git-commit-0a1b2c3d".to_owned(),
            description: "Format, test and commit.".to_owned(),
            steps: ["cargo fmt", "cargo test -p <name>", "git commit -m <text>"]
                .map(str::to_owned)
                .to_vec(),
            pitfalls: vec!["Step 2: 3 of 4 failed runs left out `cargo test`.".to_owned()],
            support: 3,
            succeeded: 3,
            failed: 1,
            threads: [0, 6, 12].map(thread).to_vec(),
        });
    }
    inputs
}

pub(crate) fn thread(number: usize) -> String {
    // Version 7: the time of session `number`, in milliseconds.
    let millis = 1_777_636_800_000_u64 + number as u64 * 7_200_000;
    format!("{:08x}-{:04x}-7cde-8123-{number:012x}", millis >> 16, millis & 0xFFFF)
}

pub(crate) fn add(inputs: &mut Inputs, number: usize, directory: &str) {
    let at = NOON.plus_us(number as i64 * 7_200_000_000);
    let work = [Work::Coding, Work::Browsing, Work::Reasoning][number % 3];
    inputs.sessions.push(Session {
        thread: thread(number),
        updated_at: at,
        directory: directory.to_owned(),
        transcript: format!("/home/ana/.codex/sessions/rollout-u{number:04}path.jsonl"),
        branch: (number.is_multiple_of(4)).then(|| format!("branch-u{number:04}")),
        title: if number.is_multiple_of(7) {
            "Mend the flaky tail-page test".to_owned()
        } else {
            format!("Look into u{number:04}title of the pages")
        },
        family: ["fix", "build", "review", "read"][number % 4].to_owned(),
        outcome: [Ending::Success, Ending::Partial, Ending::Fail, Ending::Uncertain][number % 4],
        work,
        keywords: vec![format!("u{number:04}key"), "mmap".to_owned()],
        requests: vec![Request {
            id: format!("mem_{number}_a"),
            text: format!("please look into u{number:04}request"),
        }],
        class: Class::Plain,
        facts: vec![Fact {
            part: [Part::Knowledge, Part::Failure][number % 2],
            text: format!("`cargo u{number:04}fact` failed: E0433"),
        }],
        ..Session::default()
    });
    for (part, word) in [
        (Part::Profile, "profile"),
        (Part::Preference, "preference"),
        (Part::Knowledge, "knowledge"),
        (Part::Failure, "failure"),
    ] {
        let is_told = part != Part::Profile || number.is_multiple_of(10);
        if is_told {
            inputs.statements.push(Statement {
                id: format!("mem_{}_{word}", number * 10),
                part,
                text: format!("the {word} of u{number:04}{word}, see `src/u{number:04}code.rs`"),
                threads: vec![thread(number)],
                at,
                class: Class::Plain,
                is_contested: number.is_multiple_of(9) && part == Part::Knowledge,
                newer: None,
                evidence: vec![format!("mem_{number}_a")],
            });
        }
    }
    inputs.statements.push(shared(number, at, "preference", Part::Preference));
    inputs.statements.push(shared(number, at, "failure", Part::Failure));
}

/// Makes a statement that many sessions say alike.
fn shared(number: usize, at: Timestamp, word: &str, part: Part) -> Statement {
    let group = number % 5;
    Statement {
        id: format!("mem_{}_shared_{word}", number * 10),
        part,
        text: format!("shared {word} s{group}mark: show the failing assert first"),
        threads: vec![thread(number)],
        at,
        class: Class::Plain,
        is_contested: false,
        newer: None,
        evidence: vec![format!("mem_{number}_a")],
    }
}

/// The files of a folder as text.
pub(crate) fn files(folder: &Folder) -> Files {
    folder.files.iter().map(|(path, page)| (path.clone(), page.text().to_owned())).collect()
}

pub(crate) fn rendered(inputs: &Inputs) -> Files {
    files(&render(inputs, &config()))
}
