//! Imported events, as lines that a person can read.

use std::io::Cursor;

use memlith_event::{Event, Scope, SessionEvent, TurnEvent};
use memlith_import::{Format, ImportError, Imported, Options, Reader};

/// Reads a whole input; the error, if there is one, is last.
pub(crate) fn read(format: Format, input: &[u8]) -> Vec<Result<Imported, ImportError>> {
    Reader::new(format, Cursor::new(input), long_after()).collect()
}

/// As of an instant at which every session has ended.
pub(crate) fn long_after() -> Options {
    Options { now: Some("2100-01-01T00:00:00Z".parse().unwrap()), ..Options::default() }
}

/// Reads a whole input at an instant.
pub(crate) fn read_at(
    format: Format,
    input: &[u8],
    now: &str,
) -> Vec<Result<Imported, ImportError>> {
    let now = Some(now.parse().unwrap());
    Reader::new(format, Cursor::new(input), Options { now, ..Options::default() }).collect()
}

pub(crate) fn render(imported: &Imported) -> String {
    match imported {
        Imported::Skipped { line, reason } => format!("- line {line}: {reason}"),
        Imported::Reinforced(reinforced) => format!(
            "{} {} {:?} {} by {} ({:?}), weight {:?}",
            reinforced.occurred_at,
            place(&reinforced.scope),
            reinforced.kind,
            reinforced
                .targets
                .iter()
                .map(|target| format!("{}:{}", target.actor.name, short(&target.key.0)))
                .collect::<Vec<_>>()
                .join(" "),
            reinforced.actor.name,
            reinforced.actor.rank,
            reinforced.weight.map(|weight| weight.0),
        ),
        Imported::Event(body) => {
            let envelope = &body.envelope;
            format!(
                "{} {} {} {} ({:?}, {:?}): {}",
                envelope.occurred_at,
                place(&envelope.scope),
                short(&envelope.key.expect("every event has a key").0),
                envelope.actor.name,
                envelope.actor.rank,
                envelope.origin,
                words(&body.event),
            )
        }
    }
}

fn words(event: &Event<'_>) -> String {
    let text = match event {
        Event::Session(SessionEvent::Started(started)) => format!("started {started:?}"),
        Event::Session(SessionEvent::Ended) => "ended".to_owned(),
        Event::Turn(TurnEvent::Said(said)) => {
            let context = if said.context { "context " } else { "" };
            format!("{context}{:?} {:?}", said.text, said.caption)
        }
        Event::Turn(TurnEvent::ToolRan(ran)) => {
            format!("{} ok {:?} exit {:?}: {:?}", ran.arguments, ran.ok, ran.exit_code, ran.output)
        }
        Event::Foreign(foreign) => format!("{} {}", foreign.kind, foreign.json),
        Event::Memory(_)
        | Event::Reconcile(_)
        | Event::Outcome(_)
        | Event::Review(_)
        | Event::Policy(_)
        | Event::Procedure(_)
        | Event::Compaction(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_) => unreachable!("importers decide nothing"),
    };
    text.replace('\n', "\\n")
}

fn place(scope: &Scope<'_>) -> String {
    let part = |part: &Option<memlith_event::Text<'_>>| part.as_deref().unwrap_or("*").to_owned();
    format!("{}/{}", part(&scope.subject), part(&scope.session))
}

fn short(key: &[u8]) -> String {
    key.iter().take(3).map(|byte| format!("{byte:02x}")).collect()
}
