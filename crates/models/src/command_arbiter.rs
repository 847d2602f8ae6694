use std::ffi::OsString;
use std::time::Duration;

use memlith::RecordId;
use memlith::write::{Arbiter, ArbiterQuestion as Question, Cosine, Difference, Reply};
use serde::Serialize;

use crate::program::{Program, ProgramFailure};

/// An arbiter that is a program: one question as JSON on its standard input, one line on its
/// standard output.
///
/// The line is `add`, `skip`, or `update` and the id of a row that was shown. The program
/// gets no environment but what is given here, no open file but its input and output, and is
/// killed with all that it started when its time is up or it says more than 4 KiB.
#[derive(Clone, Debug)]
pub struct CommandArbiter {
    /// The program and its arguments; no shell stands between.
    pub words: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// How long one write waits for it.
    pub patience: Duration,
}

/// Maximum length of a reply in bytes; a longer one counts as none.
const REPLY_MAX: usize = 4 << 10;

/// The input of the program, as JSON.
#[derive(Serialize)]
struct Told<'a> {
    write: &'a str,
    candidates: Vec<ToldCandidate<'a>>,
}

#[derive(Serialize)]
struct ToldCandidate<'a> {
    id: RecordId,
    text: &'a str,
    cosine: f64,
    differs: Option<&'static str>,
}

impl Arbiter for CommandArbiter {
    fn name(&self) -> &str {
        Program::name(&self.words)
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn judge(&self, question: &Question, within: Duration) -> Reply {
        let (words, environment) = (&self.words, &self.environment);
        let program = Program { words, environment, folder: None, answer_max: REPLY_MAX };
        let Ok(told) = serde_json::to_vec(&told(question)) else { return Reply::Unavailable };
        match program.ask(told, within) {
            Ok(said) => reply(&said),
            Err(ProgramFailure::Unavailable) => Reply::Unavailable,
            Err(ProgramFailure::TimedOut) => Reply::TimedOut,
            Err(ProgramFailure::Failed(code)) => Reply::Failed(code),
            Err(ProgramFailure::TooLong) => Reply::TooLong,
        }
    }
}

fn told(question: &Question) -> Told<'_> {
    let candidates = question.candidates.iter().map(|one| ToldCandidate {
        id: one.id,
        text: &one.text,
        cosine: f64::from(one.cosine.0) / f64::from(Cosine::ONE),
        differs: one.differs.map(Difference::label),
    });
    Told { write: &question.write, candidates: candidates.collect() }
}

fn reply(said: &[u8]) -> Reply {
    let Ok(said) = std::str::from_utf8(said) else { return Reply::Unreadable };
    let words: Vec<&str> = said.split_whitespace().collect();
    match words.as_slice() {
        ["add"] => Reply::Add,
        ["skip"] => Reply::Skip,
        ["update", id] => id.parse().map_or(Reply::Unreadable, Reply::Update),
        _ => Reply::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use memlith::Seq;
    use memlith::write::Contender;

    use super::*;

    const ID: RecordId = RecordId { seq: Seq(7), hash: [1, 2, 3, 4, 5, 6] };

    fn question() -> Question {
        let one = Contender {
            id: ID,
            text: "old".into(),
            cosine: Cosine(9_000_000),
            differs: Some(Difference::Number),
        };
        Question { write: "new".into(), candidates: vec![one] }
    }

    /// Returns the reply of a shell's script, and how long it took.
    fn ask(script: &str, millis: u64) -> (Reply, Duration) {
        let words = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
        let environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
        let arbiter = CommandArbiter { words, environment, patience: Duration::ZERO };
        #[expect(clippy::disallowed_methods, reason = "the time limit is what is tested")]
        let from = Instant::now();
        let reply = arbiter.judge(&question(), Duration::from_millis(millis));
        (question().checked(reply), from.elapsed())
    }

    #[test]
    fn every_reply_is_told_from_every_failure() {
        let own = format!("echo update {ID}");
        for (script, expected) in [
            ("echo add", Reply::Add),
            ("printf 'skip'", Reply::Skip),
            (&own, Reply::Update(ID)),
            ("echo update mem_9_010203040506", Reply::Invented),
            ("echo update nothing", Reply::Unreadable),
            ("echo I would add it.", Reply::Unreadable),
            ("echo delete", Reply::Unreadable),
            ("echo ADD", Reply::Unreadable),
            (":", Reply::Unreadable),
            (r"printf '\377'", Reply::Unreadable),
            ("echo add; exit 3", Reply::Failed(Some(3))),
            ("kill -9 $$", Reply::Failed(None)),
            ("head -c 100000 /dev/zero; sleep 5", Reply::TooLong),
            ("yes", Reply::TooLong),
        ] {
            assert_eq!(ask(script, 4_000).0, expected, "{script}");
        }
        let missing = CommandArbiter {
            words: vec!["/nowhere/arbiter".into()],
            environment: Vec::new(),
            patience: Duration::ZERO,
        };
        assert_eq!(missing.judge(&question(), Duration::from_secs(1)), Reply::Unavailable);
        assert_eq!(missing.name(), "arbiter");
    }

    #[test]
    fn one_that_stalls_is_stopped_in_time_with_all_that_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join("left");
        let script = format!("(sleep 1; echo still here > {}) & sleep 5; echo add", left.display());
        let (reply, took) = ask(&script, 300);
        assert_eq!(reply, Reply::TimedOut);
        assert!(took < Duration::from_secs(4), "{took:?}");
        // One that leaves its output to a child of its own is not waited for longer.
        let (reply, took) = ask("sleep 5 & echo add", 300);
        assert_eq!(reply, Reply::TimedOut);
        assert!(took < Duration::from_secs(4), "{took:?}");
        let (_, _) = ask("sleep 1.2", 2_000);
        assert!(!left.exists());
    }

    #[test]
    fn it_is_told_the_question_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let (told, held) = (dir.path().join("told"), dir.path().join("held"));
        // As the ledger's files are: open here, and nobody else's.
        let open = std::fs::File::create(&held).unwrap();
        let script =
            format!("cat > {0}; ls -l /proc/self/fd/ >> {0}; env >> {0}; echo add", told.display());
        assert_eq!(ask(&script, 4_000).0, Reply::Add);
        let told = std::fs::read_to_string(&told).unwrap();
        let (json, rest) = told.rsplit_once('}').unwrap();
        let json: serde_json::Value = serde_json::from_str(&format!("{json}}}")).unwrap();
        assert_eq!(json["write"], "new");
        assert_eq!(json["candidates"][0]["id"], ID.to_string());
        assert_eq!(json["candidates"][0]["differs"], "number");
        assert!(rest.contains("/proc") && !rest.contains("held"), "{rest}");
        assert!(!rest.contains("CARGO"), "{rest}");
        drop(open);
    }
}
