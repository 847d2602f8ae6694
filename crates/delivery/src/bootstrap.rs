//! Restores from a graph what it can give back to a ledger that was lost.

use memlith::write::NoteKind;
use memlith::{Caller, Ledger, Seq, Timestamp};
use redis::{RedisError, Value};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::falkordb::FalkorDb;

/// Items in a graph that a ledger can be given, or was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Bootstrapped {
    /// Memories, in the words that were delivered.
    pub memories: usize,
    /// Notes: resolved predictions, models and basins, of each key the newest version.
    pub notes: usize,
    /// Summaries of sessions.
    pub sessions: usize,
    /// Nodes that lack what they are read for.
    pub passed_over: usize,
}

/// A ledger was not restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BootstrapError {
    /// The graph didn't answer as it should.
    #[error("the graph can't be read: {0}; see that the server is there and holds that graph")]
    Graph(String),
    /// The ledger holds something already.
    #[error(
        "the ledger is not empty: a graph is read into a new one alone (`memlith init`), as it \
         holds less than a ledger does"
    )]
    NotEmpty,
    /// The ledger refused; what came before it stands.
    #[error("the ledger refused what the graph holds")]
    Ledger(#[from] memlith::Error),
}

/// A node as a ledger takes it.
enum Found {
    Memory { text: String, at: Option<Timestamp> },
    Session { summary: String },
    Note { kind: NoteKind, key: String, json: String },
}

type Row = Vec<Value>;
/// Reads the rows of one node as a ledger takes them.
type Reading = fn(&[Row]) -> Option<Found>;

/// Maximum number of rows of a query: the size of an answer that is held at once.
const ROWS_MAX: usize = 1_000_000;

// The first value of each row says whose it is: rows of one node stand together.
const MEMORIES: &str = "MATCH (m:Memory) WHERE m.text IS NOT NULL \
                        RETURN m.id, m.text, m.occurred_at ORDER BY m.occurred_at, m.id";
const SESSIONS: &str = "MATCH (e:Episode) RETURN e.key, e.summary ORDER BY e.key";
const PREDICTIONS: &str = "MATCH (p:Prediction)-[r:RESULTED_IN]->(o:Observation) \
                           RETURN p.key, o.text, r.accuracy, p.model_id, p.text, p.domain \
                           ORDER BY p.key";
const MODELS: &str = "MATCH (m:Model) OPTIONAL MATCH (m)-[r]->(b:Basin) \
                      RETURN m.key, type(r), b.key, r.trigger, m.domain, m.weights \
                      ORDER BY m.key, type(r), b.key";
const BASINS: &str = "MATCH (b:Basin) WHERE b.id IS NOT NULL OPTIONAL MATCH (b)-[:ATTRACTS]->(m) \
                      RETURN b.key, b.strength, b.summary, m.id ORDER BY b.key, m.id";

/// Reads what a graph holds of what was delivered to it, and, unless it is a dry run, writes it
/// into an empty ledger.
///
/// A graph has no record: scope, authority, links and history aren't in it, so nothing can be
/// proved by the hashes of its nodes. What comes back is `caller`'s, who should be a tool: a
/// person's word is worth more from then on. Links of a basin name records of the lost ledger.
///
/// # Errors
/// [`BootstrapError`].
pub fn bootstrap(
    graph: &FalkorDb,
    ledger: &Ledger,
    caller: &Caller,
    is_dry: bool,
) -> Result<Bootstrapped, BootstrapError> {
    // The first record is the ledger's own.
    if ledger.refresh()?.seq > Seq(0) {
        return Err(BootstrapError::NotEmpty);
    }
    let mut done = Bootstrapped::default();
    let sources: [(&str, Reading); 5] = [
        (MEMORIES, memory),
        (SESSIONS, session),
        (PREDICTIONS, prediction),
        (MODELS, model),
        (BASINS, basin),
    ];
    for (query, read) in sources {
        let rows = graph.rows(query).map_err(|error| told(&error))?;
        for node in rows.chunk_by(|one, next| one.first() == next.first()) {
            let Some(found) = read(node) else {
                done.passed_over += 1;
                continue;
            };
            done.count(&found);
            if !is_dry {
                write(ledger, caller, &found)?;
            }
        }
    }
    Ok(done)
}

fn told(error: &RedisError) -> BootstrapError {
    BootstrapError::Graph(error.detail().unwrap_or_else(|| error.category()).to_owned())
}

fn write(ledger: &Ledger, caller: &Caller, found: &Found) -> Result<(), memlith::Error> {
    match found {
        Found::Memory { text, at } => {
            let now = at.map(|at| at.min(ledger.now())).or(caller.now);
            // One that waits for review is there as well.
            let _ = ledger.remember(&Caller { now, ..caller.clone() }, text.as_str())?;
        }
        Found::Session { summary } => {
            let _ = ledger.remember(caller, summary.as_str())?;
        }
        Found::Note { kind, key, json } => {
            ledger.note(caller, *kind, key, json)?;
        }
    }
    Ok(())
}

impl Bootstrapped {
    fn count(&mut self, found: &Found) {
        match found {
            Found::Memory { .. } => self.memories += 1,
            Found::Session { .. } => self.sessions += 1,
            Found::Note { .. } => self.notes += 1,
        }
    }
}

impl FalkorDb {
    /// The rows of a query that only reads.
    fn rows(&self, query: &str) -> Result<Vec<Row>, RedisError> {
        let mut connection = self.connect()?;
        let mut asked = redis::cmd("GRAPH.RO_QUERY");
        let answer: Value = asked.arg(self.graph()).arg(query).query(&mut connection)?;
        let Value::Array(parts) = answer else { return Ok(Vec::new()) };
        let Some(Value::Array(rows)) = parts.into_iter().nth(1) else { return Ok(Vec::new()) };
        let row = |row| if let Value::Array(values) = row { values } else { Vec::new() };
        Ok(rows.into_iter().take(ROWS_MAX).map(row).collect())
    }
}

fn text(row: &Row, at: usize) -> Option<String> {
    let text: String = redis::from_redis_value_ref(row.get(at)?).ok()?;
    (!text.trim().is_empty()).then_some(text)
}

fn number(row: &Row, at: usize) -> Option<f64> {
    redis::from_redis_value_ref(row.get(at)?).ok()
}

fn memory(node: &[Row]) -> Option<Found> {
    let row = node.first()?;
    let at = text(row, 2).and_then(|at| at.parse().ok());
    Some(Found::Memory { text: text(row, 1)?, at })
}

fn session(node: &[Row]) -> Option<Found> {
    Some(Found::Session { summary: text(node.first()?, 1)? })
}

fn prediction(node: &[Row]) -> Option<Found> {
    let row = node.first()?;
    let mut json = json!({
        "observation": text(row, 1)?, "accuracy": number(row, 2)?, "model_id": text(row, 3)?,
    });
    add(&mut json, "prediction", text(row, 4).map(Json::from));
    add(&mut json, "domain", text(row, 5).map(Json::from));
    Some(note(NoteKind::PredictionResolved, text(row, 0)?, &json))
}

fn model(node: &[Row]) -> Option<Found> {
    let ends = |kind: &str| -> Vec<String> {
        let rows = node.iter().filter(|row| text(row, 1).as_deref() == Some(kind));
        rows.filter_map(|row| text(row, 2)).collect()
    };
    let trigger = node.iter().find_map(|row| text(row, 3)).unwrap_or_default();
    let mut json = json!({
        "old_basins": ends("HAD"), "new_basins": ends("REVISED_TO"), "trigger": trigger,
    });
    add(&mut json, "domain", node.first().and_then(|row| text(row, 4)).map(Json::from));
    let weights = node.first().and_then(|row| text(row, 5));
    // The graph keeps an object as its JSON.
    add(&mut json, "weights", weights.and_then(|text| serde_json::from_str(&text).ok()));
    Some(note(NoteKind::ModelRevised, text(node.first()?, 0)?, &json))
}

fn basin(node: &[Row]) -> Option<Found> {
    let row = node.first()?;
    let links: Vec<String> = node.iter().filter_map(|row| text(row, 3)).collect();
    let json = json!({ "strength": number(row, 1)?, "summary": text(row, 2)?, "links": links });
    Some(note(NoteKind::BasinStrengthened, text(row, 0)?, &json))
}

/// Adds a field that a note need not have.
fn add(json: &mut Json, field: &str, value: Option<Json>) {
    if let (Some(value), Some(fields)) = (value, json.as_object_mut()) {
        fields.insert(field.to_owned(), value);
    }
}

fn note(kind: NoteKind, key: String, json: &Json) -> Found {
    Found::Note { kind, key, json: json.to_string() }
}
