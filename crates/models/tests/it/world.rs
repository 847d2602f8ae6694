use std::path::{Path, PathBuf};
use std::sync::Arc;

use memlith::copy::{Format, ImportOptions};
use memlith::log::decode;
use memlith::read::{ListedItem, Listing};
use memlith::storage::FixedClock;
use memlith::{Authority, Caller, Ledger, Options, Scope, Timestamp};
use memlith_models::{ChatExtractor, Settings, SettingsError};
use memlith_writeback::{JobEnd, JobQueue, JobRun};
use serde_json::json;

/// The key of every server here; it may be found nowhere. It looks like no secret, so that what
/// takes secrets out of the log hides no leak.
pub(crate) const KEY: &str = "violet-harbour-lantern";

/// The words of a person in the session of [`World::talk`].
pub(crate) const SAID: &str = "The shop listens on port 8080.";

/// The reply of a model that read it.
pub(crate) const REPLY: &str =
    r#"{"facts": [{"text": "The shop listens on port 8080.", "evidence": [1]}]}"#;

pub(crate) const SECOND_US: i64 = 1_000_000;

/// A ledger, a clock, and the settings of a server.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) ledger: Ledger,
    pub(crate) clock: Arc<FixedClock>,
    /// All that was said, to look for the key in.
    said: std::cell::RefCell<String>,
}

impl World {
    /// A world whose settings name the server at `address`, with further lines.
    pub(crate) fn new(address: &str, lines: &str) -> World {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::create(folder.path().join("ledger"), Options::default()).unwrap();
        let now = ledger.now();
        let clock = Arc::new(FixedClock::new(now));
        let world = World { folder, ledger, clock, said: String::new().into() };
        let least = format!("endpoint = {address:?}\nmodel = \"small\"\nkey_env = \"A_KEY\"\n");
        std::fs::write(world.dir().join(Settings::FILE), format!("{least}{lines}\n")).unwrap();
        world
    }

    /// The ledger's folder.
    pub(crate) fn dir(&self) -> PathBuf {
        self.folder.path().join("ledger")
    }

    pub(crate) fn extractor(&self) -> ChatExtractor {
        self.extractor_with(Some(KEY)).unwrap()
    }

    pub(crate) fn extractor_with(&self, key: Option<&str>) -> Result<ChatExtractor, SettingsError> {
        let settings = Settings::load(&self.dir())?;
        let extractor = ChatExtractor::new(&self.dir(), settings, key, (&self.dir(), Vec::new()))?;
        Ok(extractor.with_clock(self.clock.clone()))
    }

    pub(crate) fn now(&self) -> Timestamp {
        memlith::storage::Clock::now(&*self.clock)
    }

    /// Somebody speaks in a session, which is queued at once.
    pub(crate) fn talk(&self, session: &'static str, said: &str) {
        let line = json!({
            "timestamp": self.now().to_string(), "type": "user", "sessionId": session,
            "parentUuid": null, "uuid": format!("{session}-1"), "isSidechain": false,
            "message": {"role": "user", "content": said},
        });
        let options = ImportOptions { scope: project(), ..ImportOptions::default() };
        let text = format!("{line}\n");
        self.ledger.import(Format::ClaudeCode, text.as_bytes(), options).unwrap();
        let mut caller = Caller::user("default", "user");
        caller.scope = Scope { session: Some(session.into()), ..project() };
        assert!(JobQueue::of(&self.ledger).queue(&caller, self.now()).unwrap());
    }

    /// Does the job that is due now, with an extractor of its own.
    pub(crate) fn run(&self) -> JobRun {
        let extractor = self.extractor();
        let run =
            JobQueue::of(&self.ledger).run(&extractor, self.now()).unwrap().expect("a job is due");
        self.said.borrow_mut().push_str(&format!("{run:?} {extractor:?}\n"));
        run
    }

    /// Does the job as often as it is tried, each time when it is due; why it failed, in order.
    pub(crate) fn run_to_the_end(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        loop {
            match self.run().end {
                JobEnd::Retrying { reason, at } => {
                    assert!(at.0 >= self.now().plus_us(60 * SECOND_US).0, "it backs off");
                    reasons.push(reason);
                    self.clock.set(at);
                }
                JobEnd::Dead { reason } => {
                    reasons.push(reason);
                    return reasons;
                }
                JobEnd::Applied(applied) => panic!("{applied:?} after {reasons:?}"),
            }
        }
    }

    /// Does the job, which is to be applied.
    pub(crate) fn apply(&self) {
        let run = self.run();
        assert!(matches!(run.end, JobEnd::Applied(_)), "{run:?}");
    }

    /// The memories that stand.
    pub(crate) fn standing(&self) -> Vec<String> {
        let mut caller = Caller::user("default", "user");
        caller.scope = project();
        let active = Some(Authority::Active);
        let listing = Listing { status: active, limit: 100, ..Listing::default() };
        let text = |one: &ListedItem| {
            let body = decode(&one.record).unwrap().unwrap();
            body.event.item_text().unwrap().into_owned()
        };
        self.ledger.list(&caller, &listing).unwrap().items.iter().map(text).collect()
    }

    /// Checks that nothing that was said and no file of the ledger has the key.
    pub(crate) fn is_key_nowhere(&self) {
        let said = self.said.borrow();
        assert!(!said.contains(KEY), "{said}");
        let files = files(&self.dir());
        let has = |words: &str| {
            files
                .iter()
                .any(|bytes| bytes.windows(words.len()).any(|part| part == words.as_bytes()))
        };
        assert!(has(SAID), "words of the session are found where they are");
        assert!(!has(KEY), "the key lies in a file");
    }
}

fn project() -> Scope<'static> {
    Scope { subject: Some("shop".into()), ..Scope::tenant("default") }
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path))
        } else {
            all.push(std::fs::read(path).unwrap())
        }
    }
    all
}
