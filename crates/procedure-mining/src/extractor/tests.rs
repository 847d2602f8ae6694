use memlith_event::{Actor, Envelope, Said, SessionStarted};
use memlith_log::{RecordId, Timestamp};

use super::*;
use crate::Step;

fn scope<'a>(tenant: &'a str, subject: &'a str, session: &'a str) -> Scope<'a> {
    let named = |name: &'a str| (!name.is_empty()).then(|| name.into());
    Scope { subject: named(subject), session: named(session), ..Scope::tenant(tenant) }
}

fn stored<'a>(seq: u64, scope: Scope<'a>, event: Event<'a>) -> Stored<'a> {
    let envelope = Envelope::new(scope, Actor::new("tool", Rank::Tool), Timestamp(0));
    Stored {
        id: RecordId { seq: Seq(seq), hash: [0; 6] },
        recorded_at: Timestamp(0),
        content: Content::Event(Box::new(Body { envelope, event })),
    }
}

fn ran(
    tool: &'static str,
    arguments: &'static str,
    ok: Option<bool>,
    code: Option<i32>,
) -> Event<'static> {
    let (tool, arguments) = (tool.into(), arguments.into());
    let ran = ToolRan { tool, arguments, ok, exit_code: code, ..ToolRan::default() };
    Event::Turn(TurnEvent::ToolRan(ran))
}

fn steps(sessions: &Sessions, session: usize) -> Vec<(u64, &str, Option<bool>)> {
    let told = |step: Step<'_>| (step.seq.0, step.ok);
    let steps = sessions.steps(session);
    steps.map(|step| (told(step).0, step.verb, told(step).1)).collect()
}

#[test]
fn calls_are_grouped_by_their_session_in_the_order_of_the_log() {
    let mut extractor = Extractor::new(&scope("t", "ana", ""));
    let events = [
        (
            1,
            scope("t", "ana", "s2"),
            Event::Session(SessionEvent::Started(SessionStarted::default())),
        ),
        (2, scope("t", "ana", "s1"), ran("bash", "cargo fmt && cargo test", Some(false), None)),
        (3, scope("t", "ana", "s2"), ran("Read", r#"{"path": "a.rs"}"#, None, None)),
        (4, scope("t", "ana", "s1"), ran("bash", "cargo test", None, Some(0))),
        (5, scope("t", "ana", "s1"), ran("bash", "cargo test", None, Some(3))),
        (6, scope("t", "ana", "s1"), Event::Turn(TurnEvent::Said(Said::default()))),
        (7, scope("t", "ana", "s1"), Event::Session(SessionEvent::Ended)),
        // Of no session, of another subject, of another tenant; and shared.
        (8, scope("t", "ana", ""), ran("bash", "ls", None, None)),
        (9, scope("t", "bo", "s1"), ran("bash", "ls", None, None)),
        (10, scope("u", "ana", "s1"), ran("bash", "ls", None, None)),
        (11, scope("t", "", "s1"), ran("bash", "ls", None, None)),
    ];
    for (seq, scope, event) in events {
        extractor.push(&stored(seq, scope, event)).unwrap();
    }
    let erased = Content::Erased(memlith_event::Kind::TOOL_RAN);
    let other = stored(12, Scope::default(), Event::Session(SessionEvent::Ended));
    extractor.push(&Stored { content: erased, ..other.clone() }).unwrap();
    extractor.push(&Stored { content: Content::Other, ..other }).unwrap();
    extractor.end(&scope("t", "ana", "s1"), Ending::Failed);
    extractor.end(&scope("t", "bo", "s1"), Ending::Succeeded);
    extractor.end(&scope("t", "ana", ""), Ending::Succeeded);

    let sessions = extractor.finish().unwrap();
    let met: Vec<_> =
        (0..sessions.len()).map(|at| (sessions.name(at), sessions.ending(at))).collect();
    let expected = [("s2", Ending::Unknown), ("s1", Ending::Failed), ("s1", Ending::Unknown)];
    assert_eq!(met, expected);
    assert_eq!(steps(&sessions, 0), [(3, "Read", None)]);
    let expected = [
        (2, "cargo fmt", None),
        (2, "cargo test", Some(false)),
        (4, "cargo test", Some(true)),
        (5, "cargo test", Some(false)),
    ];
    assert_eq!(steps(&sessions, 1), expected);
    assert_eq!(steps(&sessions, 2), [(11, "ls", None)]);
}

#[test]
fn a_session_ended_as_the_last_outcome_says_that_counts() {
    let mut extractor = Extractor::new(&scope("t", "ana", ""));
    let reported = |result, verified| {
        let reported = Reported { result, verified, ..Reported::default() };
        Event::Outcome(OutcomeEvent::Reported(reported))
    };
    let mut seq = 0;
    let mut push = |session, rank, event| {
        seq += 1;
        let mut stored = stored(seq, scope("t", "ana", session), event);
        if let Content::Event(body) = &mut stored.content {
            body.envelope.actor.rank = rank;
        }
        extractor.push(&stored).unwrap();
    };
    for session in ["s1", "s2", "s3", "s4"] {
        push(session, Rank::Tool, ran("bash", "ls", None, None));
    }
    push("s1", Rank::User, reported(TaskResult::Failure, false));
    push("s1", Rank::Tool, reported(TaskResult::Success, true));
    push("s2", Rank::Tool, reported(TaskResult::Success, true));
    push("s2", Rank::User, reported(TaskResult::Partial, false));
    push("s3", Rank::Tool, reported(TaskResult::Failure, true));
    // An assistant's word on its own work is none.
    push("s3", Rank::Assistant, reported(TaskResult::Success, false));
    push("s9", Rank::User, reported(TaskResult::Success, false));

    let sessions = extractor.finish().unwrap();
    let endings: Vec<Ending> = (0..sessions.len()).map(|at| sessions.ending(at)).collect();
    let unknown = Ending::Unknown;
    assert_eq!(endings, [Ending::Succeeded, unknown, Ending::Failed, unknown]);
}

#[test]
fn no_events_are_no_sessions() {
    assert!(Extractor::new(&Scope::tenant("t")).finish().unwrap().is_empty());
}
