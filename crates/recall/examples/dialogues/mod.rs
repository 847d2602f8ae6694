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
    /// The people that take part in it.
    speakers: Vec<String>,
}

/// A question and the turns that answer it.
pub(crate) struct Question {
    /// Its words.
    pub(crate) text: String,
    /// 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial.
    pub(crate) category: u64,
    /// The turns, each once.
    pub(crate) evidence: Vec<Seq>,
    /// Its vector, where it was given one.
    vector: Option<ModelVector>,
}

impl Dialogue {
    /// The dialogues of a data set in LoCoMo's format.
    pub(crate) fn read_all(json: &str) -> Vec<Dialogue> {
        let data: Value = serde_json::from_str(json).expect("a data set is JSON");
        data.as_array().expect("a data set is a list").iter().map(Dialogue::read).collect()
    }

    /// The turns, and the questions without the names of those who take part: a model would
    /// find who is called by that name, and what they said is another signal.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        let nameless = |question: &Question| {
            let names = self.speakers.iter();
            names.fold(question.text.clone(), |text, name| {
                text.replace(&format!("{name}'s"), "").replace(name, "")
            })
        };
        let turns = self.texts.iter().map(|(_, text)| text.clone());
        turns.chain(self.questions.iter().map(nameless))
    }

    /// Gives turns and questions their vectors by the built-in table.
    pub(crate) fn embed(&mut self) {
        let vectors: Vec<_> = self.texts().map(|text| vector(&text)).collect();
        self.embed_by(vectors);
    }

    /// Gives the texts of [`Dialogue::texts`] these vectors, in that order.
    pub(crate) fn embed_by(&mut self, vectors: impl IntoIterator<Item = Option<ModelVector>>) {
        let mut vectors = vectors.into_iter();
        let count = self.texts.len() as u64;
        for (seq, _) in &self.texts {
            let Some(vector) = vectors.next().flatten() else { continue };
            let target = RecordId { seq: *seq, hash: [0; 6] };
            let embedded = Embedded { target, vector: vector.embedding() };
            let actor = Actor::new("bench", Rank::User);
            let stored = Stored {
                id: RecordId { seq: Seq(seq.0 + count), hash: [0; 6] },
                recorded_at: self.now,
                content: Content::Event(Box::new(Body {
                    envelope: Envelope::new(Scope::tenant("bench"), actor, self.now),
                    event: Event::Memory(MemoryEvent::Embedded(embedded)),
                })),
            };
            self.recall.apply(&stored, &NoFacts);
        }
        for question in &mut self.questions {
            question.vector = vectors.next().flatten();
        }
    }

    /// The answers to `question`.
    pub(crate) fn ask(&self, question: &Question, limit: usize) -> Vec<Hit> {
        let scope = Scope::tenant("bench");
        let mut search = Search::of(&self.recall, &question.text, &scope, self.now);
        if let Some(vector) = &question.vector {
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
            speakers: Vec::new(),
        };
        let conversation = &value["conversation"];
        let speakers = ["speaker_a", "speaker_b"].map(|speaker| conversation[speaker].as_str());
        dialogue.speakers.extend(speakers.into_iter().flatten().map(str::to_owned));
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
        let words = format!("{} {}", text("text"), text("blip_caption"));
        self.texts.push((seq, words.trim().to_owned()));
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
                vector: None,
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
