//! Notes of other programs on predictions, models and basins: records, and no assertions.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use memlith_event::{Body, Event, Foreign};
use memlith_log::RecordId;
use memlith_queues::NOTE_FORMAT;
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::copy::import::redact_body;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::write::append::Urgency;

/// The subject of a note, and the fields that it must have.
///
/// Source: the item types of Feature 007 of Dionysus, `docs/delivery.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// A prediction: anything.
    PredictionMade,
    /// The outcome of a prediction: `observation`, `accuracy` from 0 to 1, `model_id`.
    PredictionResolved,
    /// A mental model that changed: `old_basins`, `new_basins`, `trigger`.
    ModelRevised,
    /// A basin that is stronger: `strength`, `summary`, `links`.
    BasinStrengthened,
}

/// A note says too little, or nothing that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoteError {
    /// There is no such kind.
    #[error(
        "{0:?} is no kind of note: prediction.made, prediction.resolved, model.revised or \
         basin.strengthened"
    )]
    Kind(String),
    /// The key is empty, or too long.
    #[error("a note's key has 1 to {KEY_BYTES} bytes; this has {0}")]
    Key(usize),
    /// It is no JSON object.
    #[error("a note is one JSON object: {0}")]
    Json(String),
    /// A field is missing or of another type.
    #[error("a note of {kind} needs `{field}`: {wanted}")]
    Field {
        /// The kind.
        kind: NoteKind,
        /// The field.
        field: &'static str,
        /// Description of the value that the field takes.
        wanted: &'static str,
    },
}

/// The longest key.
const KEY_BYTES: usize = 1_024;

/// The longest JSON of a note.
const JSON_BYTES: usize = 1 << 20;

impl NoteKind {
    const ALL: [NoteKind; 4] = [
        NoteKind::PredictionMade,
        NoteKind::PredictionResolved,
        NoteKind::ModelRevised,
        NoteKind::BasinStrengthened,
    ];

    /// The name in records, on the command line and on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::PredictionMade => "prediction.made",
            NoteKind::PredictionResolved => "prediction.resolved",
            NoteKind::ModelRevised => "model.revised",
            NoteKind::BasinStrengthened => "basin.strengthened",
        }
    }

    /// Confirms that `data` has what a note of this kind is read for.
    fn check(self, data: &Map<String, Value>) -> Result<(), NoteError> {
        let require = |field: &'static str, wanted, is: fn(&Value) -> bool| {
            let found = data.get(field).is_some_and(is);
            found.then_some(()).ok_or(NoteError::Field { kind: self, field, wanted })
        };
        let is_share = |value: &Value| value.as_f64().is_some_and(|it| (0.0..=1.0).contains(&it));
        match self {
            NoteKind::PredictionMade => Ok(()),
            NoteKind::PredictionResolved => {
                require("observation", "a text", Value::is_string)?;
                require("accuracy", "a number from 0 to 1", is_share)?;
                require("model_id", "a text", Value::is_string)
            }
            NoteKind::ModelRevised => {
                require("old_basins", "a list of texts", is_texts)?;
                require("new_basins", "a list of texts", is_texts)?;
                require("trigger", "a text", Value::is_string)
            }
            NoteKind::BasinStrengthened => {
                require("strength", "a number", Value::is_number)?;
                require("summary", "a text", Value::is_string)?;
                require("links", "a list of texts", is_texts)
            }
        }
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for NoteKind {
    type Err = NoteError;

    fn from_str(name: &str) -> Result<NoteKind, NoteError> {
        let found = NoteKind::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| NoteError::Kind(name.chars().take(80).collect()))
    }
}

impl Ledger {
    /// Writes down what another program notes: a record, to be found, cited, erased and
    /// delivered, which asserts nothing. `key` says what it is about: the same again is a newer
    /// version of the same.
    ///
    /// ```
    /// use memlith::{Caller, Ledger, Options, write::NoteKind};
    ///
    /// # let dir = tempfile::tempdir().unwrap();
    /// let ledger = Ledger::create(dir.path().join("ledger"), Options::default())?;
    /// let planner = Caller::new("default", "planner", memlith::Rank::Tool);
    /// let data = r#"{"observation": "it rained", "accuracy": 0.8, "model_id": "weather"}"#;
    /// ledger.note(&planner, NoteKind::PredictionResolved, "rain on Friday", data)?;
    /// # Ok::<(), memlith::Error>(())
    /// ```
    ///
    /// Secrets are taken out of it. Durable as the ledger's options say.
    ///
    /// # Errors
    /// [`Error::Note`], and the log's.
    pub fn note(
        &self,
        caller: &Caller,
        kind: NoteKind,
        key: &str,
        json: &str,
    ) -> Result<RecordId, Error> {
        Caller::check_scope(&caller.scope)?;
        let foreign = Foreign {
            format: NOTE_FORMAT.into(),
            kind: kind.name().into(),
            json: written(kind, key, json)?.into(),
        };
        self.locked(|writer, state, moment| {
            let envelope = caller.door(moment, None)?.envelope(Vec::new());
            let mut body = Body { envelope, event: Event::Foreign(foreign.clone()) };
            redact_body(&mut body, &mut BTreeMap::new());
            let urgency = Urgency::Ordinary(self.options.durability);
            let appended = self.append(writer, state, moment.tick, &[body], urgency)?;
            Ok(appended.first().map(|one| one.id).unwrap_or_default())
        })
    }
}

/// The JSON of a note's record.
fn written(kind: NoteKind, key: &str, json: &str) -> Result<String, NoteError> {
    if key.is_empty() || key.len() > KEY_BYTES {
        return Err(NoteError::Key(key.len()));
    }
    if json.len() > JSON_BYTES {
        return Err(NoteError::Json(format!("{} bytes are more than {JSON_BYTES}", json.len())));
    }
    let data: Map<String, Value> =
        serde_json::from_str(json).map_err(|error| NoteError::Json(error.to_string()))?;
    kind.check(&data)?;
    Ok(serde_json::json!({"key": key, "data": data}).to_string())
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string))
}
