//! A data set in LoCoMo's format, or in BEAM's shape: dialogues, and questions with the turns that
//! answer them.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::recall::beam;

/// The public ten dialogues (Maharana et al., ACL 2024), as they were published.
const PUBLIC_SHA256: &str = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4";

/// A data set, and which one it is.
#[derive(Debug)]
pub(crate) struct Dataset {
    pub(crate) dialogues: Vec<Dialogue>,
    pub(crate) sha256: String,
}

/// A dialogue as it is imported, and what is asked of it.
#[derive(Debug)]
pub(crate) struct Dialogue {
    /// The data set's name of it, where it has one.
    pub(crate) name: Option<String>,
    value: Value,
    /// The data set's own name of each turn.
    pub(crate) turns: BTreeMap<Turn, String>,
    pub(crate) questions: Vec<Question>,
}

/// A question.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) text: String,
    /// 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial; of BEAM the place of
    /// its kind in `beam::KINDS`, from 1.
    pub(crate) category: u64,
    /// The turns that answer it, each once.
    pub(crate) evidence: Vec<Turn>,
    /// Names in its evidence that name no turn.
    pub(crate) unresolved: usize,
}

/// A turn by the numbers in its name: session, and place in the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn(u32, u32);

#[derive(Deserialize)]
struct Asked {
    question: String,
    #[serde(default)]
    evidence: Vec<String>,
    #[serde(default)]
    category: u64,
}

impl Dataset {
    /// Reads a data set.
    ///
    /// # Errors
    /// It isn't a JSON list of dialogues with questions.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Dataset> {
        let dialogues: Vec<Value> =
            serde_json::from_slice(bytes).context("a data set is a JSON list of dialogues")?;
        let parsed = dialogues.into_iter().enumerate().map(|(number, dialogue)| {
            let parsed = match beam::is_one(&dialogue) {
                true => beam::dialogue(dialogue).and_then(Dialogue::parse),
                false => Dialogue::parse(dialogue),
            };
            parsed.with_context(|| format!("dialogue {number} of the data set"))
        });
        let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Dataset { dialogues: parsed.collect::<Result<_>>()?, sha256 })
    }

    /// Whether the file is the one that published figures are of.
    pub(crate) fn is_public(&self) -> bool {
        self.sha256 == PUBLIC_SHA256
    }
}

impl Dialogue {
    fn parse(value: Value) -> Result<Dialogue> {
        let turns = all_turns(&value).filter_map(|turn| Some((Turn::of(turn)?, name(turn)?)));
        let turns: BTreeMap<Turn, String> =
            turns.map(|(turn, name)| (turn, name.to_owned())).collect();
        let asked = value.get("qa").cloned().unwrap_or(Value::Array(Vec::new()));
        let asked: Vec<Asked> = serde_json::from_value(asked).context("its questions")?;
        let questions = asked.into_iter().map(|asked| question(asked, &turns)).collect();
        let name = value.get("sample_id").and_then(Value::as_str).map(str::to_owned);
        Ok(Dialogue { name, value, turns, questions })
    }

    /// Returns a document with this dialogue alone.
    pub(crate) fn document(&self) -> String {
        format!("[{}]", self.value)
    }

    /// Returns the words of each turn, and of what it shows.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (Turn, String)> {
        all_turns(&self.value).filter_map(|turn| {
            let part = |key: &str| turn.get(key).and_then(Value::as_str).unwrap_or_default();
            Some((Turn::of(turn)?, format!("{} {}", part("text"), part("blip_caption"))))
        })
    }

    /// Returns these turns under another name, the numbers of their sessions higher by `offset`;
    /// without the questions.
    ///
    /// # Errors
    /// None: the dialogue was read before.
    pub(crate) fn renumbered(&self, offset: u32, name: &str) -> Result<Dialogue> {
        let conversation = self.value.get("conversation").and_then(Value::as_object);
        let mut sessions = serde_json::Map::new();
        for (key, value) in conversation.into_iter().flatten() {
            let mut value = value.clone();
            for turn in value.as_array_mut().into_iter().flatten() {
                if let Some(Turn(session, place)) = Turn::of(turn) {
                    let moved = format!("D{}:{place}", session.saturating_add(offset));
                    turn.as_object_mut().map(|turn| turn.insert("dia_id".to_owned(), moved.into()));
                }
            }
            sessions.insert(session_moved(key, offset), value);
        }
        Dialogue::parse(serde_json::json!({ "sample_id": name, "conversation": sessions }))
    }
}

/// `session_3_date_time` with a higher number; other keys as they are.
fn session_moved(key: &str, offset: u32) -> String {
    let moved = || {
        let rest = key.strip_prefix("session_")?;
        let (number, end) = rest.split_once('_').map_or((rest, ""), |(number, _)| {
            (number, rest.get(number.len()..).unwrap_or_default())
        });
        let number = number.parse::<u32>().ok()?.saturating_add(offset);
        Some(format!("session_{number}{end}"))
    };
    moved().unwrap_or_else(|| key.to_owned())
}

fn all_turns(dialogue: &Value) -> impl Iterator<Item = &Value> {
    let sessions = dialogue.get("conversation").and_then(Value::as_object);
    sessions.into_iter().flat_map(|all| all.values()).filter_map(Value::as_array).flatten()
}

fn name(turn: &Value) -> Option<&str> {
    turn.get("dia_id").and_then(Value::as_str)
}

fn question(asked: Asked, turns: &BTreeMap<Turn, String>) -> Question {
    let named: Vec<Option<Turn>> =
        asked.evidence.iter().flat_map(|name| Turn::all_in(name)).collect();
    let known = |turn: &Option<Turn>| turn.filter(|turn| turns.contains_key(turn));
    let mut evidence: Vec<Turn> = named.iter().filter_map(known).collect();
    let unresolved = named.len() - evidence.len();
    evidence.sort_unstable();
    evidence.dedup();
    Question { text: asked.question, category: asked.category, evidence, unresolved }
}

impl Turn {
    /// Reads the name of a turn.
    fn of(turn: &Value) -> Option<Turn> {
        match Turn::all_in(name(turn)?).as_slice() {
            [Some(turn)] => Some(*turn),
            [] | [None] | [_, _, ..] => None,
        }
    }

    /// The turns that a piece of evidence names; `None` for each name that is none.
    ///
    /// Evidence was written by hand: several names in one string, stray signs
    /// (`D:11:26`), leading zeros (`D30:05`), half a name (`D`).
    fn all_in(evidence: &str) -> Vec<Option<Turn>> {
        let names = evidence.split(|c: char| c.is_whitespace() || matches!(c, ';' | ','));
        names.filter(|name| !name.is_empty()).map(Turn::parse).collect()
    }

    fn parse(name: &str) -> Option<Turn> {
        let numbers = name.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        let numbers: Option<Vec<u32>> = numbers.map(|number| number.parse().ok()).collect();
        match numbers?.as_slice() {
            [session, turn] => Some(Turn(*session, *turn)),
            [] | [_] | [_, _, _, ..] => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dirty_evidence_is_normalised_and_what_names_no_turn_is_counted() {
        let some = |session, turn| Some(Turn(session, turn));
        let cases: [(&str, &[Option<Turn>]); 8] = [
            ("D1:3", &[some(1, 3)]),
            ("D8:6; D9:17", &[some(8, 6), some(9, 17)]),
            ("D9:1 D4:4 D4:6", &[some(9, 1), some(4, 4), some(4, 6)]),
            ("D1:1,D1:2", &[some(1, 1), some(1, 2)]),
            ("D:11:26", &[some(11, 26)]),
            ("D30:05", &[some(30, 5)]),
            ("D", &[None]),
            ("", &[]),
        ];
        for (evidence, expected) in cases {
            assert_eq!(Turn::all_in(evidence), expected, "{evidence}");
        }
    }

    #[test]
    fn renumbered_turns_are_the_same_in_other_sessions() {
        let dataset = br#"[{"conversation":{"speaker_a":"Ana",
            "session_1_date_time":"1:56 pm on 8 May, 2023",
            "session_1":[{"speaker":"Ana","dia_id":"D1:02","text":"a"}]},"qa":[]}]"#;
        let dataset = Dataset::parse(dataset).unwrap();
        let moved = dataset.dialogues[0].renumbered(3_000, "all").unwrap();
        assert_eq!(moved.turns, BTreeMap::from([(Turn(3_001, 2), "D3001:2".to_owned())]));
        let session = &moved.value["conversation"]["session_3001"];
        assert_eq!((moved.name.as_deref(), &session[0]["text"]), (Some("all"), &"a".into()));
        assert!(moved.value["conversation"]["session_3001_date_time"].is_string());
    }

    #[test]
    fn evidence_has_to_be_a_turn_of_its_dialogue() {
        let dataset = br#"[{"sample_id":"one","conversation":{
            "session_1_date_time":"1:56 pm on 8 May, 2023",
            "session_1":[{"speaker":"Ana","dia_id":"D1:1","text":"a"},
                         {"speaker":"Bo","dia_id":"D1:02","text":"b"}]},
            "qa":[{"question":"q","category":4,"evidence":["D1:2; D1:9","D1:2"]}]}]"#;
        let dataset = Dataset::parse(dataset).unwrap();
        let [dialogue] = dataset.dialogues.as_slice() else { panic!("one dialogue") };
        let [question] = dialogue.questions.as_slice() else { panic!("one question") };
        assert_eq!((question.evidence.as_slice(), question.unresolved), (&[Turn(1, 2)][..], 1));
        assert_eq!(dialogue.turns[&Turn(1, 2)], "D1:02");
        assert!(!dataset.is_public());
    }
}
