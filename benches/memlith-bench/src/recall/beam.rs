//! A data set in BEAM's shape, as dialogues in LoCoMo's.

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A conversation of a person and an assistant (BEAM, Tavakoli et al., 2025), with questions.
#[derive(Deserialize)]
struct Conversation {
    n: u64,
    msgs: Vec<Message>,
    qs: Vec<Asked>,
}

#[derive(Deserialize)]
struct Message {
    /// The batch: a session.
    b: u32,
    /// `u` or `a`.
    r: String,
    id: u64,
    /// The day, as `March-15-2024`; that of the message before where there is none.
    t: Option<String>,
    /// The words.
    c: String,
}

#[derive(Deserialize)]
struct Asked {
    cat: String,
    q: String,
    gold: Vec<u64>,
}

/// The kinds of questions; a question's category is its place, from 1.
const KINDS: &str = "abstention contradiction_resolution event_ordering information_extraction \
    instruction_following knowledge_update multi_session_reasoning preference_following \
    summarization temporal_reasoning";

/// The day of what comes before any.
const FIRST_DAY: &str = "January-01-2024";

/// Whether a data set's first entry is a conversation of this shape.
pub(crate) fn is_one(entry: &Value) -> bool {
    entry.get("msgs").is_some() && entry.get("qs").is_some()
}

/// A conversation as a dialogue.
///
/// # Errors
/// It has another shape.
pub(crate) fn dialogue(entry: Value) -> Result<Value> {
    let Conversation { n, msgs, qs } =
        serde_json::from_value(entry).context("a conversation of BEAM")?;
    let mut sessions = Map::new();
    sessions.insert("speaker_a".to_owned(), "User".into());
    sessions.insert("speaker_b".to_owned(), "Assistant".into());
    let mut names = std::collections::BTreeMap::new();
    let mut day = FIRST_DAY.to_owned();
    for batch in msgs.chunk_by(|a, b| a.b == b.b) {
        let Some(first) = batch.first() else { continue };
        day = batch.iter().find_map(|one| one.t.clone()).unwrap_or(day);
        let turns = batch.iter().zip(1..).map(|(one, place)| {
            let name = format!("D{}:{place}", first.b);
            names.insert(one.id, name.clone());
            let speaker = if one.r == "u" { "User" } else { "Assistant" };
            json!({"speaker": speaker, "dia_id": name, "text": one.c})
        });
        let turns: Vec<Value> = turns.collect();
        sessions.insert(format!("session_{}", first.b), turns.into());
        sessions.insert(format!("session_{}_date_time", first.b), date_of(&day)?.into());
    }
    let asked = |one: &Asked| {
        let place = KINDS.split(' ').position(|kind| kind == one.cat).map_or(0, |at| at + 1);
        let evidence: Vec<&String> = one.gold.iter().filter_map(|id| names.get(id)).collect();
        json!({"question": one.q, "category": place, "evidence": evidence})
    };
    let asked: Vec<Value> = qs.iter().map(asked).collect();
    Ok(json!({"sample_id": format!("beam-{n}"), "conversation": sessions, "qa": asked}))
}

/// `March-15-2024` as LoCoMo writes it.
fn date_of(day: &str) -> Result<String> {
    let mut parts = day.split('-');
    let date = (parts.next(), parts.next(), parts.next());
    let (Some(month), Some(day), Some(year)) = date else {
        anyhow::bail!("`{day}` is no day such as March-15-2024")
    };
    Ok(format!("10:00 am on {} {month}, {year}", day.trim_start_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_a_dialogue_of_its_batches() {
        let entry = json!({"n": 3, "msgs": [
            {"b": 1, "r": "u", "id": 0, "t": "March-05-2024", "q": null, "c": "Hi."},
            {"b": 1, "r": "a", "id": 1, "t": null, "q": null, "c": "Hello."},
            {"b": 2, "r": "u", "id": 2, "t": null, "q": null, "c": "Bye."}],
            "qs": [{"cat": "event_ordering", "q": "Which?", "gold": [2, 9], "a": "x"}]});
        assert!(is_one(&entry) && !is_one(&json!({"qa": []})));
        let dialogue = dialogue(entry).unwrap();
        let conversation = &dialogue["conversation"];
        assert_eq!(conversation["session_1"][1]["speaker"], "Assistant");
        assert_eq!(conversation["session_2_date_time"], "10:00 am on 5 March, 2024");
        assert_eq!(dialogue["qa"][0]["evidence"], json!(["D2:1"]));
        assert_eq!(dialogue["qa"][0]["category"], 3);
        assert!(date_of("yesterday").is_err());
    }
}
