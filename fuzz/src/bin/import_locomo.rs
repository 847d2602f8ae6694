//! Any bytes as the LoCoMo dialogues: a second implementation reads the same.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use memlith_event::{Event, TurnEvent};
use memlith_fuzz::days;
use memlith_import::{Format, Imported, locomo_key};
use memlith_log::Timestamp;
use serde_json::Value;

/// Parts of a turn that are kept: subject, session, key, speaker, text, caption, time.
type Turn =
    (String, String, memlith_event::IdempotencyKey, String, String, Option<String>, Timestamp);

fuzz_target!(|input: &[u8]| {
    let outcome = memlith_fuzz::read(Format::Locomo, input);
    let read: Vec<Turn> = outcome.imported.into_iter().filter_map(turn).collect();
    // What is not read, such as a number beyond a float, may be what serde_json refuses.
    let Ok(document) = serde_json::from_slice::<Value>(input) else { return };
    let mut expected = Vec::new();
    let whole = document.as_array().is_some_and(|dialogues| {
        dialogues.iter().enumerate().all(|(index, one)| take(index, one, &mut expected).is_some())
    });
    // Where the second implementation gives up, both have read the same up to there.
    let common = read.len().min(expected.len());
    assert_eq!(read[..common], expected[..common]);
    if whole && outcome.error.is_none() {
        assert_eq!(read.len(), expected.len());
    }
});

fn turn(imported: Imported) -> Option<Turn> {
    let Imported::Event(body) = imported else { return None };
    let Event::Turn(TurnEvent::Said(said)) = body.event else { panic!("{:?}", body.event) };
    let envelope = body.envelope;
    let scope = envelope.scope;
    Some((
        scope.subject.unwrap().to_string(),
        scope.session.unwrap().to_string(),
        envelope.key.unwrap(),
        envelope.actor.name.to_string(),
        said.text.to_string(),
        said.caption.map(|caption| caption.to_string()),
        envelope.occurred_at,
    ))
}

/// The turns of a dialogue in the order of its sessions; `None` where it isn't plain.
fn take(index: usize, dialogue: &Value, turns: &mut Vec<Turn>) -> Option<()> {
    let subject = match dialogue.as_object()?.get("sample_id") {
        None | Some(Value::Null) => format!("dialogue-{index}"),
        Some(name) => name.as_str()?.to_owned(),
    };
    let conversation = dialogue.get("conversation")?.as_object()?;
    let number = |key: &String| -> Option<u32> {
        key.strip_prefix("session_")?.trim_end_matches("_date_time").parse().ok()
    };
    for number in conversation.keys().filter_map(number).collect::<BTreeSet<u32>>() {
        let session = format!("session_{number}");
        let Some(said) = conversation.get(&session) else { continue };
        let at = date(conversation.get(&format!("{session}_date_time"))?.as_str()?)?;
        let before = turns.len();
        for turn in said.as_array()? {
            let text = |name: &str| turn.get(name).and_then(Value::as_str).map(str::to_owned);
            let said = match turn.as_object()?.get("text") {
                None => String::new(),
                Some(said) => said.as_str()?.to_owned(),
            };
            let caption = match turn.get("blip_caption") {
                None | Some(Value::Null) => None,
                Some(caption) => Some(caption.as_str()?.to_owned()),
            };
            let (Some(speaker), Some(dia_id)) = (text("speaker"), text("dia_id")) else {
                // A session is read whole or not at all.
                turns.truncate(before);
                return None;
            };
            let key = locomo_key(&subject, &dia_id);
            turns.push((subject.clone(), session.clone(), key, speaker, said, caption, at));
        }
    }
    Some(())
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// `1:56 pm on 8 May, 2023`, in exactly that shape.
fn date(text: &str) -> Option<Timestamp> {
    let words: Vec<&str> = text.split(' ').collect();
    let [clock, half, "on", day, month, year] = words[..] else { return None };
    let (hour, minute) = clock.split_once(':')?;
    let number = |text: &str| -> Option<i64> { text.parse::<u16>().ok().map(i64::from) };
    let (hour, minute) = (number(hour)?, number(minute)?);
    let hour = match (hour, half) {
        (12, "am") => 0,
        (12, "pm") => 12,
        (1..=11, "am") => hour,
        (1..=11, "pm") => hour + 12,
        _ => return None,
    };
    let month = month.strip_suffix(',')?;
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let year = number(year).filter(|year| *year <= 9_999 && minute < 60)?;
    let minutes = days(year, month, number(day)?)? * 1_440 + hour * 60 + minute;
    Some(Timestamp(minutes * 60_000_000))
}
