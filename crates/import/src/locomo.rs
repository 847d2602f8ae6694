//! The LoCoMo dialogues: one document, several people, dated sessions.
//!
//! Each dialogue becomes a subject of its own, named by its `sample_id`, so that a query
//! about one sees no other. Both speakers are persons.

mod date;

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use memlith_event::{
    Actor, Body, Envelope, Event, IdempotencyKey, Origin, Rank, Said, Scope, TurnEvent, Via,
};
use memlith_log::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::session::Output;
use crate::{Format, ImportError, Imported, Options, Place, SkipReason};

pub(crate) struct Locomo<R> {
    input: Option<R>,
    options: Options,
    dialogues: std::vec::IntoIter<Dialogue>,
    index: usize,
}

/// A dialogue; its questions and summaries are not read.
#[derive(Deserialize)]
struct Dialogue {
    sample_id: Option<String>,
    conversation: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Turn {
    speaker: String,
    dia_id: String,
    #[serde(default)]
    text: String,
    blip_caption: Option<String>,
}

/// The document begins here; more is not known of a value inside it.
const DOCUMENT: Place = Place { line: 1, offset: 0 };

impl<R: BufRead> Locomo<R> {
    pub(crate) fn new(input: R, options: Options) -> Locomo<R> {
        Locomo { input: Some(input), options, dialogues: Vec::new().into_iter(), index: 0 }
    }

    /// Yields the next dialogue; `false` where there is none.
    pub(crate) fn advance(&mut self, output: &mut Output) -> Result<bool, ImportError> {
        if let Some(input) = self.input.take() {
            self.dialogues = read(input, self.options.document_max_bytes)?.into_iter();
        }
        let Some(dialogue) = self.dialogues.next() else { return Ok(false) };
        let subject =
            dialogue.sample_id.clone().unwrap_or_else(|| format!("dialogue-{}", self.index));
        self.index += 1;
        self.take(&subject, dialogue, output)?;
        Ok(true)
    }

    fn take(
        &self,
        subject: &str,
        mut dialogue: Dialogue,
        output: &mut Output,
    ) -> Result<(), ImportError> {
        let broken = |session: &str, reason: String| ImportError::Document {
            place: DOCUMENT,
            reason: format!("dialogue `{subject}`, {session}: {reason}"),
        };
        for number in session_numbers(&dialogue.conversation) {
            let session = format!("session_{number}");
            let date = dialogue.conversation.remove(&format!("{session}_date_time"));
            let turns = dialogue.conversation.remove(&session);
            let Some(turns) = turns else {
                // A date without turns: the data set has some.
                let reason = SkipReason::of_type("session-without-turns");
                output.push_back(Imported::Skipped { line: DOCUMENT.line, reason });
                continue;
            };
            let date = date.as_ref().and_then(Value::as_str);
            let date = date.ok_or_else(|| broken(&session, "it has no date".to_owned()))?;
            let at = date::parse(date)
                .ok_or_else(|| broken(&session, format!("`{date}` is not a date")))?;
            let turns: Vec<Turn> = serde_json::from_value(turns)
                .map_err(|error| broken(&session, error.to_string()))?;
            turns.into_iter().for_each(|turn| {
                output.push_back(self.said(subject, &session, at, turn));
            });
        }
        Ok(())
    }

    fn said(&self, subject: &str, session: &str, at: Timestamp, turn: Turn) -> Imported {
        let scope = Scope {
            subject: Some(subject.to_owned().into()),
            session: Some(session.to_owned().into()),
            ..self.options.scope.clone()
        };
        let key = locomo_key(subject, &turn.dia_id);
        let envelope = Envelope {
            scope,
            actor: Actor::new(turn.speaker, Rank::User),
            origin: Origin::User,
            via: Via::Import,
            tier_cap: self.options.tier_cap,
            occurred_at: at,
            links: Vec::new(),
            key: Some(key),
            copied_from: None,
        };
        let said = Said {
            text: turn.text.into(),
            caption: turn.blip_caption.map(Into::into),
            context: false,
        };
        Imported::Event(Box::new(Body { envelope, event: Event::Turn(TurnEvent::Said(said)) }))
    }
}

/// The key of a LoCoMo turn: of the dialogue that its subject names, and its `dia_id`
/// there. So the evidence of a question can be looked up in a ledger.
#[must_use]
pub fn locomo_key(subject: &str, dia_id: &str) -> IdempotencyKey {
    IdempotencyKey::of(&[Format::Locomo.name(), subject, dia_id])
}

/// The dialogues of a document of at most `max` bytes.
fn read(input: impl BufRead, max: usize) -> Result<Vec<Dialogue>, ImportError> {
    let mut document = Vec::new();
    let mut input = input.take(max as u64 + 1);
    input
        .read_to_end(&mut document)
        .map_err(|source| ImportError::Io { place: DOCUMENT, source })?;
    if document.len() > max {
        return Err(ImportError::DocumentTooLong { max });
    }
    let begins = document.trim_ascii_start().first();
    if begins != Some(&b'[') {
        return Err(ImportError::NotThisFormat {
            place: DOCUMENT,
            format: Format::Locomo,
            expected: "it is one JSON list of dialogues, each with a `conversation`",
        });
    }
    serde_json::from_slice(&document).map_err(|error| {
        let lines = document.split_inclusive(|&byte| byte == b'\n');
        let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
        let offset = (before + error.column().saturating_sub(1)) as u64;
        let place = Place { line: error.line() as u64, offset };
        ImportError::Document { place, reason: error.to_string() }
    })
}

/// The numbers of the sessions of a conversation, ascending.
fn session_numbers(conversation: &BTreeMap<String, Value>) -> Vec<u32> {
    let number = |key: &String| {
        let number = key.strip_prefix("session_")?;
        number.strip_suffix("_date_time").unwrap_or(number).parse().ok()
    };
    let mut numbers: Vec<u32> = conversation.keys().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
