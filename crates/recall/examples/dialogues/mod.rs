//! Dialogues with questions, folded straight into the index: one ledger a dialogue,
//! one item a turn.
//!
//! The format is LoCoMo's (Maharana et al., ACL 2024). Its data is not part of the
//! project.

use std::collections::BTreeMap;

use memlith_event::{
    Actor, Body, Content, Embedded, Envelope, Event, Facts, ItemFacts, MemoryEvent, Projection,
    Rank, Said, Scope, Stored, TurnEvent,
};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_recall::{Embedder as _, Hit, ModelVector, Recall, Search, StaticTable};
use serde_json::Value;

/// A dialogue that was folded in, and what is asked of it.
pub(crate) struct Dialogue {
    /// Its turns.
    pub(crate) recall: Recall,
    /// The time of its last turn.
    pub(crate) now: Timestamp,
    /// The questions with at least one piece of evidence that exists.
    pub(crate) questions: Vec<Question>,
    /// The pieces of evidence that name no turn.
    pub(crate) unresolved: usize,
    /// The words of its turns.
    texts: Vec<(Seq, String)>,
    /// Whether turns and questions have vectors.
    with_vectors: bool,
}

/// A question and the turns that answer it.
pub(crate) struct Question {
    /// Its words.
    pub(crate) text: String,
    /// 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial.
    pub(crate) category: u64,
    /// The turns, each once.
    pub(crate) evidence: Vec<Seq>,
}

impl Dialogue {
    /// The dialogues of a data set in LoCoMo's format.
    pub(crate) fn read_all(json: &str) -> Vec<Dialogue> {
        let data: Value = serde_json::from_str(json).expect("a data set is JSON");
        data.as_array().expect("a data set is a list").iter().map(Dialogue::read).collect()
    }

    /// Gives every turn its vector by the built-in table, and every question that is asked.
    pub(crate) fn embed(&mut self) {
        let mut turns = std::mem::take(&mut self.texts);
        for (seq, text) in &turns {
            let Some(vector) = vector(text) else { continue };
            let target = RecordId { seq: *seq, hash: [0; 6] };
            let embedded = Embedded { target, vector: vector.embedding() };
            let actor = Actor::new("bench", Rank::User);
            let stored = Stored {
                id: RecordId { seq: Seq(seq.0 + turns.len() as u64), hash: [0; 6] },
                recorded_at: self.now,
                content: Content::Event(Box::new(Body {
                    envelope: Envelope::new(Scope::tenant("bench"), actor, self.now),
                    event: Event::Memory(MemoryEvent::Embedded(embedded)),
                })),
            };
            self.recall.apply(&stored, &NoFacts);
        }
        self.texts = std::mem::take(&mut turns);
        self.with_vectors = true;
    }

    /// The answers to `question`.
    pub(crate) fn ask(&self, question: &Question, limit: usize) -> Vec<Hit> {
        let scope = Scope::tenant("bench");
        let mut search = Search::of(&self.recall, &question.text, &scope, self.now);
        let vector = vector(&question.text).filter(|_| self.with_vectors);
        if let Some(vector) = &vector {
            search = search.with_vector(vector);
        }
        search.hits(limit, &|_| true, &|_| {})
    }

    fn read(value: &Value) -> Dialogue {
        let mut dialogue = Dialogue {
            recall: Recall::default(),
            now: Timestamp::default(),
            questions: Vec::new(),
            unresolved: 0,
            texts: Vec::new(),
            with_vectors: false,
        };
        let conversation = &value["conversation"];
        let mut turns = BTreeMap::new();
        for session in 1.. {
            let name = format!("session_{session}");
            let Some(date) = conversation[format!("{name}_date_time")].as_str() else { break };
            dialogue.now = instant(date);
            for turn in conversation[&name].as_array().into_iter().flatten() {
                let seq = Seq(turns.len() as u64);
                turns.insert(normal_id(turn["dia_id"].as_str().unwrap_or_default()), seq);
                dialogue.fold(seq, &name, turn);
            }
        }
        dialogue.recall.freeze();
        for asked in value["qa"].as_array().into_iter().flatten() {
            dialogue.read_question(asked, &turns);
        }
        dialogue
    }

    fn fold(&mut self, seq: Seq, session: &str, turn: &Value) {
        let text = |key: &str| turn[key].as_str().unwrap_or_default();
        let scope = Scope { session: Some(session.into()), ..Scope::tenant("bench") };
        let actor = Actor::new(text("speaker"), Rank::User);
        let caption = turn["blip_caption"].as_str().map(Into::into);
        let said = Said { text: text("text").into(), caption, context: false };
        let stored = Stored {
            id: RecordId { seq, hash: [0; 6] },
            recorded_at: self.now,
            content: Content::Event(Box::new(Body {
                envelope: Envelope::new(scope, actor, self.now),
                event: Event::Turn(TurnEvent::Said(said)),
            })),
        };
        self.recall.apply(&stored, &NoFacts);
        self.texts.push((seq, format!("{} {}", text("text"), text("blip_caption"))));
    }

    fn read_question(&mut self, asked: &Value, turns: &BTreeMap<String, Seq>) {
        let mut evidence = Vec::new();
        for id in asked["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            for id in id.split([';', ',', ' ']).filter(|id| !id.is_empty()) {
                match turns.get(&normal_id(id)) {
                    Some(seq) => evidence.push(*seq),
                    None => self.unresolved += 1,
                }
            }
        }
        evidence.sort_unstable();
        evidence.dedup();
        if !evidence.is_empty() {
            self.questions.push(Question {
                text: asked["question"].as_str().unwrap_or_default().to_owned(),
                category: asked["category"].as_u64().unwrap_or_default(),
                evidence,
            });
        }
    }
}

fn vector(text: &str) -> Option<ModelVector> {
    let table = StaticTable::built_in();
    ModelVector::of_vector(table.model(), &table.vector(text)?)
}

struct NoFacts;

impl Facts for NoFacts {
    fn item(&self, _seq: Seq) -> Option<ItemFacts> {
        None
    }
}

/// An id without stray signs and leading zeros: `(D1:03)` is `1:3`.
fn normal_id(id: &str) -> String {
    let numbers: Vec<&str> = id
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty())
        .map(|number| number.trim_start_matches('0'))
        .collect();
    numbers.join(":")
}

/// Reads "1:56 pm on 8 May, 2023".
fn instant(text: &str) -> Timestamp {
    let words: Vec<&str> =
        text.split([' ', ',', ':']).filter(|word| !word.is_empty() && *word != "on").collect();
    let [hour, minute, half, day, month, year] = words.as_slice() else {
        panic!("`{text}` is no date of a session")
    };
    let months =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|name| month.starts_with(name)).expect("a month") + 1;
    let hour = hour.parse::<u32>().expect("an hour") % 12 + if *half == "pm" { 12 } else { 0 };
    format!("{year}-{month:02}-{day:0>2}T{hour:02}:{minute}:00Z").parse().expect("a date")
}
