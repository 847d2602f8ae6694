//! Reading on from a place is reading the whole.

use memlith_event::Body;
use memlith_import::{Format, ImportError, Imported, InputEnd, Options, Reader, Resume};

use crate::fixtures::FIXTURES;

fn events(format: Format, input: &[u8], from: Option<Resume>) -> (Vec<Body<'static>>, Reading) {
    let options = Options { from, end: InputEnd::Growing, ..Options::default() };
    let mut reader = Reader::new(format, input, options);
    let mut bodies = Vec::new();
    for imported in reader.by_ref() {
        match imported {
            Ok(Imported::Event(body)) => bodies.push(*body),
            Ok(Imported::Reinforced(_) | Imported::Skipped { .. }) => (),
            Err(ImportError::BeforeResume { .. }) => return (bodies, Reading::NeedsBeginning),
            Err(error) => panic!("{error}"),
        }
    }
    let resume = reader.resume();
    (bodies, Reading::Whole(resume))
}

#[derive(Debug)]
enum Reading {
    Whole(Option<Resume>),
    NeedsBeginning,
}

#[test]
fn a_transcript_read_piece_by_piece_is_the_whole() {
    let mut resumed = 0;
    for (format, name, input, _) in
        FIXTURES.iter().filter(|(format, ..)| matches!(format, Format::ClaudeCode | Format::Codex))
    {
        let (whole, _) = events(*format, input, None);
        let mut from: Option<Resume> = None;
        let mut met: Vec<Body<'static>> = Vec::new();
        let mut ends: Vec<usize> = input
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at)
            .collect();
        // A file of which fewer lines are there may not be known for what it is.
        let ends = ends.split_off(8.min(ends.len() - 1));
        for end in ends {
            let start = from.as_ref().map_or(0, |from| usize::try_from(from.offset()).unwrap());
            let (mut bodies, mut reading) = events(*format, &input[start..=end], from.clone());
            if matches!(reading, Reading::NeedsBeginning) {
                (bodies, reading) = events(*format, &input[..=end], None);
            }
            let Reading::Whole(resume) = reading else { panic!("{name}@{end}: {reading:?}") };
            // A resumed session names its beginning anew, by the key that it had.
            for body in bodies {
                let key =
                    |body: &Body<'_>| (body.envelope.actor.name.to_string(), body.envelope.key);
                match met.iter().find(|known| key(known) == key(&body)) {
                    Some(known) => assert_eq!(known.envelope.scope, body.envelope.scope, "{name}"),
                    None => met.push(body),
                }
            }
            resumed += u32::from(resume.is_some());
            from = resume;
        }
        let order = |bodies: &[Body<'static>]| {
            let mut shown: Vec<String> = bodies
                .iter()
                .map(|body| format!("{:?}", (&body.envelope.key, &body.event)))
                .collect();
            shown.sort();
            shown
        };
        assert_eq!(order(&met), order(&whole), "{name}");
    }
    assert!(resumed > 8, "{resumed}");
}

#[test]
fn a_place_survives_being_written_down() {
    let (format, _, input, _) = FIXTURES[0];
    let (_, reading) = events(format, input, None);
    let Reading::Whole(Some(resume)) = reading else { panic!("{reading:?}") };
    let json = serde_json::to_string(&resume).unwrap();
    assert_eq!(serde_json::from_str::<Resume>(&json).unwrap(), resume);
    assert!(input[usize::try_from(resume.offset()).unwrap()..].starts_with(b"{"), "{json}");
}
