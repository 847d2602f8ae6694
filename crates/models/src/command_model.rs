use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use memlith::RecordId;
use memlith::write::{EmbedError, ModelId, ModelVector, TextOf, VectorsOf};
use serde::{Deserialize, Serialize};

use crate::program::{Program, ProgramFailure};

/// An embedding model that is a program: texts as lines of JSON, `{id, text}`, on its standard
/// input; lines `{id, vector}` on its standard output, in any order, none for a text of which
/// it knows nothing.
///
/// The program is started for each 64 texts. It gets no environment but what is given here, no
/// open file but its input and output, and is killed with all that it started when its time is
/// up or it says more than 16 MiB.
#[derive(Clone, Debug)]
pub struct CommandModel {
    /// The name of the model, under which its vectors are stored.
    pub model: ModelId,
    /// The program and its arguments; no shell stands between.
    pub words: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Time limit for 64 texts.
    pub patience: Duration,
}

/// Number of texts given to a program at once.
const TOGETHER: usize = 64;

/// Maximum length of an answer in bytes; 64 vectors of 4,096 numbers are not longer.
const ANSWER_MAX: usize = 16 << 20;

/// A text to be embedded, as the program is told of it.
#[derive(Serialize)]
struct Told<'a> {
    id: RecordId,
    text: &'a str,
}

/// The program's answer for one text; what else a line holds is passed over.
#[derive(Deserialize)]
struct Said {
    id: RecordId,
    vector: Option<Vec<f32>>,
}

impl CommandModel {
    /// The vector of each text, in their order; none where the program gave none.
    ///
    /// # Errors
    /// It failed, or what it said is no vector of a text that it was told.
    pub fn vectors(&self, texts: &[TextOf]) -> VectorsOf {
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(TOGETHER) {
            vectors.extend(self.of_few(texts)?);
        }
        Ok(vectors)
    }

    fn of_few(&self, texts: &[TextOf]) -> VectorsOf {
        let (words, environment) = (&self.words, &self.environment);
        let program = Program { words, environment, folder: None, answer_max: ANSWER_MAX };
        let mut told = Vec::new();
        for (id, text) in texts {
            let line = serde_json::to_vec(&Told { id: *id, text });
            told.extend(line.map_err(|error| failed(error.to_string()))?);
            told.push(b'\n');
        }
        let said = program.ask(told, self.patience).map_err(|failure| self.said(failure))?;
        let places = texts.iter().enumerate().map(|(at, (id, _))| (*id, at));
        let places: BTreeMap<RecordId, usize> = places.collect();
        let mut vectors: Vec<Option<ModelVector>> = vec![None; texts.len()];
        for line in said.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            let said: Said = serde_json::from_slice(line)
                .map_err(|error| failed(format!("a line is no {{id, vector}}: {error}")))?;
            let Some(numbers) = said.vector else { continue };
            let at = places.get(&said.id).copied();
            let place = at.and_then(|at| vectors.get_mut(at)).filter(|place| place.is_none());
            let (Some(at), Some(place)) = (at, place) else {
                return Err(failed(format!("{} was not asked for, or is said twice", said.id)));
            };
            let vector = ModelVector::of_floats(self.model.clone(), &numbers);
            *place = Some(vector.map_err(|source| EmbedError::Vector { text: at, source })?);
        }
        Ok(vectors)
    }

    fn said(&self, failure: ProgramFailure) -> EmbedError {
        let name = Program::name(&self.words);
        failed(match failure {
            ProgramFailure::Unavailable => format!("{name} can't be started"),
            ProgramFailure::TimedOut => format!("{name} took longer than {:?}", self.patience),
            ProgramFailure::Failed(Some(code)) => format!("{name} ended with {code}"),
            ProgramFailure::Failed(None) => format!("{name} was killed"),
            ProgramFailure::TooLong => format!("{name} said more than {ANSWER_MAX} bytes"),
        })
    }
}

fn failed(reason: String) -> EmbedError {
    EmbedError::Failed { reason }
}

#[cfg(test)]
mod tests {
    use memlith::Seq;
    use memlith::write::VectorError;

    use super::*;

    fn id(seq: u64) -> RecordId {
        RecordId { seq: Seq(seq), hash: [1; 6] }
    }

    fn texts() -> Vec<TextOf> {
        (1..=2).map(|seq| (id(seq), format!("text {seq}"))).collect()
    }

    fn ask(script: &str, millis: u64) -> VectorsOf {
        let model = CommandModel {
            model: ModelId::new("m").unwrap(),
            words: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            patience: Duration::from_millis(millis),
        };
        model.vectors(&texts())
    }

    #[test]
    fn vectors_come_in_any_order_and_some_are_missing() {
        let says = |seq, vector: &str| format!(r#"{{"id": "{}", "vector": {vector}}}"#, id(seq));
        let script = format!(
            "cat > /dev/null; echo '{}'; echo; echo '{}'",
            says(2, "[0, -2]"),
            says(1, "null")
        );
        let given = ask(&script, 4_000).unwrap();
        assert_eq!(given[0], None);
        assert_eq!(given[1].as_ref().unwrap().components(), [0, -127]);
        // What it is told is what it is asked for: here it says it back as it is.
        let told = r#"sed 's/"text":.*/"vector": [1]}/'"#;
        assert_eq!(ask(told, 4_000).unwrap().iter().flatten().count(), 2);
    }

    #[test]
    fn every_bad_answer_is_an_error() {
        let says = |vector: &str| format!(r#"echo '{{"id": "{}", "vector": {vector}}}'"#, id(1));
        let twice = format!("{0}; {0}", says("[1]"));
        for (script, expected) in [
            ("echo no json", "no {id, vector}"),
            (&says("[1, \"x\"]"), "no {id, vector}"),
            (&says("[NaN]"), "no {id, vector}"),
            (r#"echo '{"id": "mem_9_010101010101", "vector": [1]}'"#, "not asked for"),
            (&twice, "said twice"),
            ("exit 3", "ended with 3"),
            ("kill -9 $$", "was killed"),
            ("yes", "said more than"),
        ] {
            let found = ask(script, 8_000).unwrap_err().to_string();
            assert!(found.contains(expected), "{script}: {found}");
        }
        assert!(ask("sleep 5", 100).unwrap_err().to_string().contains("took longer"));
        let of = |source| Err(EmbedError::Vector { text: 0, source });
        assert_eq!(ask(&says("[0, 0]"), 4_000), of(VectorError::Zero));
        assert!(ask(&says("[1e999]"), 4_000).is_err());
        assert_eq!(ask(&says("[1e39]"), 4_000), of(VectorError::NotFinite { at: 0 }));
        let none = VectorError::Dimensions { expected: 4_096, found: 0 };
        assert_eq!(ask(&says("[]"), 4_000), of(none));
    }
}
