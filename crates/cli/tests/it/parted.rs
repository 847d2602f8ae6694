//! Projects, however they lie in each other: none sees another's memory.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::{Chance, Desk, Run, amount};

/// A folder that an agent works in.
#[derive(Debug)]
struct Place {
    folder: PathBuf,
    /// Project that its memories are about, and the ledger they lie in where that is its own.
    project: (String, Option<PathBuf>),
    /// The word that only it was told, as a session and as a memory.
    words: [String; 2],
    kind: &'static str,
}

const KINDS: [&str; 7] =
    ["repository", "clone", "worktree", "part", "folder", "own ledger", "folder of it"];

/// Places in one home.
struct Layout {
    desk: Desk,
    places: Vec<Place>,
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// An address of a repository, in one of the ways to write it.
fn address(chance: &Chance, name: &str) -> String {
    let ways = ["git@h.org:ana/NAME.git", "https://h.org/ana/NAME", "ssh://git@H.org:22/ana/NAME/"];
    chance.of(&ways).replace("NAME", name)
}

impl Layout {
    fn random(chance: &Chance) -> Layout {
        let desk = Desk::empty();
        desk.ok(&["agent", "install", "claude-code"]);
        let mut layout = Layout { desk, places: Vec::new() };
        for at in 0..3 + chance.below(4) {
            layout.add(chance, at);
        }
        layout
    }

    fn add(&mut self, chance: &Chance, at: u64) {
        let kind = *chance.of(&KINDS);
        // Half of them lie in another one.
        let above = self.places.get(usize::try_from(chance.below(2 * at + 1)).unwrap());
        let base = above.map_or_else(|| self.desk.path().to_owned(), |one| one.folder.clone());
        let root = base.join(format!("p{at}"));
        let is_repository = |one: &&Place| one.folder.join(".git").is_dir();
        let repositories: Vec<&Place> = self.places.iter().filter(is_repository).collect();
        let own = |folder: &Path| folder.join(".memlith");
        let repository = || {
            let url =
                format!("[remote \"origin\"]\n\turl = {}\n", address(chance, &format!("r{at}")));
            write(&root.join(".git/config"), &url);
            format!("h.org/ana/r{at}")
        };
        let path = || root.display().to_string();
        fs::create_dir_all(&root).unwrap();
        let project = match (kind, repositories.is_empty()) {
            ("clone", false) => {
                let of = chance.of(&repositories);
                let url = match of.project.0.strip_prefix("h.org/ana/") {
                    Some(name) => address(chance, name),
                    None => format!("file://{}", of.project.0),
                };
                write(&root.join(".git/config"), &format!("[remote \"origin\"]\nurl={url}\n"));
                (of.project.0.clone(), None)
            }
            ("worktree", false) => {
                let of = chance.of(&repositories);
                let git = of.folder.join(format!(".git/worktrees/w{at}"));
                write(&git.join("commondir"), "../..\n");
                write(&root.join(".git"), &format!("gitdir: {}\n", git.display()));
                (of.project.0.clone(), None)
            }
            ("part", _) => {
                write(&root.join(".memlith/project"), &format!("part {at}\n"));
                (format!("part {at}"), None)
            }
            ("own ledger", _) => {
                let project = if chance.below(2) == 0 { repository() } else { path() };
                let mut init = self.desk.command(&["init"]);
                assert!(init.current_dir(&root).output().unwrap().status.success());
                let is_apart = root.join(".git").exists() || self.project_of(&base).is_none();
                let name =
                    if is_apart { project } else { self.project_of(&base).unwrap().0.clone() };
                (name, Some(own(&root)))
            }
            ("folder" | "folder of it", _) => {
                self.project_of(&base).cloned().unwrap_or_else(|| (path(), None))
            }
            _ if chance.below(3) == 0 => {
                fs::create_dir_all(root.join(".git")).unwrap();
                (path(), None)
            }
            _ => (repository(), None),
        };
        let words = [format!("saxifrage{at}q"), format!("tamarisk{at}q")];
        self.places.push(Place { folder: root, project, words, kind });
    }

    /// Returns the project of a folder that is none by itself: what lies above it, unless that is
    /// no project either. Of a folder without a repository only its ledger reaches further down.
    fn project_of(&self, folder: &Path) -> Option<&(String, Option<PathBuf>)> {
        let place = self.places.iter().find(|one| one.folder == folder)?;
        let is_bounded = folder
            .ancestors()
            .any(|folder| folder.join(".git").exists() || folder.join(".memlith/project").exists());
        (is_bounded || place.project.1.is_some()).then_some(&place.project)
    }

    fn run(&self, place: &Place, words: &[&str]) -> Run {
        let mut command = self.desk.command(words);
        Run::of(command.current_dir(&place.folder).output().unwrap())
    }

    fn hook(&self, place: &Place, name: &str, session: &str, prompt: &str) -> String {
        let transcript = self.desk.path().join(format!("{session}.jsonl"));
        let event = json!({
            "hook_event_name": name, "session_id": session, "cwd": place.folder,
            "transcript_path": transcript, "prompt": prompt, "source": "startup",
        });
        let run = self
            .desk
            .run_with_input(&["agent", "hook", "claude-code"], event.to_string().as_bytes());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{event}");
        run.out
    }

    /// Asks a hook until it answers: one that finds a ledger locked says nothing.
    fn ask(&self, place: &Place, name: &str, session: &str, prompt: &str) -> String {
        let mut asked = (0..10).map(|_| self.hook(place, name, session, prompt));
        asked.find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Each place is told its words, and the person says something of themself.
    fn tell(&self) {
        for (at, place) in self.places.iter().enumerate() {
            let [said, kept] = &place.words;
            let line = json!({
                "type": "user", "uuid": format!("u{at}"), "sessionId": format!("told{at}"),
                "cwd": place.folder, "timestamp": "2026-05-01T12:00:00Z",
                "message": {"role": "user", "content": format!("The codeword is {said} here.")},
            });
            write(&self.desk.path().join(format!("told{at}.jsonl")), &format!("{line}\n"));
            for _ in 0..10 {
                self.hook(place, "Stop", &format!("told{at}"), "");
                if self.run(place, &["list", "events"]).out.contains(said) {
                    break;
                }
            }
            let kept =
                self.run(place, &["remember", &format!("Gate {at} opens with codeword {kept}.")]);
            assert_eq!(kept.code, 0, "{kept:?}");
        }
        let own = self.desk.path().join(".local/share/memlith").display().to_string();
        let themself = ["remember", "I am called Wilhelmina.", "--ledger", &own];
        self.desk.ok(&[&themself[..], &["--scope", "tenant=default"]].concat());
    }

    fn judge(&self) {
        for (at, place) in self.places.iter().enumerate() {
            let session = format!("asks{at}");
            let brief = self.ask(place, "SessionStart", &session, "");
            let prompt = self.ask(
                place,
                "UserPromptSubmit",
                &format!("{session}p"),
                &format!("Which codeword opens gate {at}?"),
            );
            let list = self.run(place, &["list", "--json", "--limit", "100"]).out;
            let told = self.run(place, &["agent", "brief"]).out;
            let all = [("brief", &brief), ("prompt", &prompt), ("list", &list), ("told", &told)];
            for (what, text) in all {
                for other in self.places.iter().filter(|one| !sees(place, one)) {
                    let [said, kept] = &other.words;
                    let sees = text.contains(said.as_str()) || text.contains(kept.as_str());
                    assert!(!sees, "{what} of {place:?} shows {other:?}:\n{text}");
                }
            }
            let kept = place.words[1].as_str();
            for (what, text) in [("list", &list), ("brief", &brief), ("prompt", &prompt)] {
                assert!(text.contains(kept), "{what} of {place:?}: {text}");
            }
            assert!(brief.contains("Wilhelmina"), "{place:?}: {brief}");
        }
    }
}

/// Whether a place may see what another one was told: it is of its project, and in a ledger that
/// the place reads.
fn sees(place: &Place, other: &Place) -> bool {
    let (name, own) = &place.project;
    match &other.project {
        (_, Some(ledger)) => own.as_ref() == Some(ledger),
        (project, None) => project == name,
    }
}

/// `MEMLITH_LAYOUTS` of them.
#[test]
fn no_project_sees_another_however_they_lie_in_each_other() {
    let chance = Chance::new();
    let layouts = amount("MEMLITH_LAYOUTS", 30);
    let mut places = 0;
    for layout in 0..layouts {
        let made = Layout::random(&chance);
        let all: Vec<_> = made
            .places
            .iter()
            .map(|one| format!("{} {}", one.kind, one.folder.display()))
            .collect();
        println!("layout {layout}: {all:?}");
        made.tell();
        made.judge();
        places += made.places.len();
    }
    println!("{layouts} layouts of {places} places");
}

/// The owner looks at everything at once, and writes nothing that way.
#[test]
fn all_scopes_together_are_read_and_never_written() {
    let desk = Desk::new();
    let shop = "subject=h.org/ana/shop";
    let alone = "subject=h.org/ana/bank,session=s1,session-only";
    let other = "tenant=other,agent=a";
    for (scope, text) in [
        (shop, "The shop listens on port 8080."),
        (alone, "The bank listens on port 9090."),
        (other, "The mill listens on port 7070."),
    ] {
        desk.ok(&["remember", text, "--scope", scope]);
    }
    desk.ok(&[
        "remember",
        "The kiosk opens at nine.",
        "--entity",
        "kiosk",
        "--predicate",
        "opens",
        "--value",
        "nine",
        "--scope",
        shop,
    ]);
    let ports = ["8080", "9090", "7070"];
    let question = "Which port does it listen on?";
    for words in [
        &["list", "--json"][..],
        &["search", question, "--json"],
        &["checkout", question, "--json"],
        &["agent", "status"],
        &["agent", "brief"],
    ] {
        let run = |scope: &[&str]| desk.ok(&[words, scope].concat()).out;
        let all = run(&["--scope", "all"]);
        assert!(ports.iter().all(|port| all.contains(port)), "{words:?}: {all}");
        // Each is in a scope of its own, that the others don't see.
        let one = run(&["--scope", shop]);
        assert!(one.contains("8080") && !one.contains("7070"), "{words:?}: {one}");
    }
    let before = desk.ok(&["head"]).out;
    let of_session = desk.json(&["list", "--session", "s1", "--scope", "all"]);
    assert_eq!(of_session["items"].as_array().unwrap().len(), 1, "{of_session}");
    let got = desk.ok(&["list", "facts", "--entity", "kiosk", "--scope", "all"]).out;
    assert!(got.contains("opens = nine"), "{got}");
    let checkout = desk.json(&["checkout", question, "--scope", "all"]);
    assert_eq!(checkout["observed"], false, "{checkout}");
    let item = checkout["items"][0]["id"].as_str().unwrap().to_owned();
    desk.ok(&["show", &item, "--scope", "all"]);
    for words in [
        &["remember", "It rains.", "--scope", "all"][..],
        &["pin", &item, "--scope", "all"],
        &["erase", &item, "--as", "owner", "--yes", "--scope", "all"],
        &["import", "claude-code", ".", "--scope", "all"],
        &["review", "list", "--scope", "all"],
    ] {
        desk.refused(2, words, &["--scope all", "name the one scope"]);
    }
    assert_eq!(desk.ok(&["head"]).out, before, "something was written");
}
