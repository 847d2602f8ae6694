use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use memlith::forget::ErasureFilter;
use memlith::copy::{Format, ImportOptions};
use memlith::read::Listing;
use memlith::write::{IdempotencyKey, ModelId, ModelVector, Reconciler};
use memlith::{
    AsOf, Authority, Caller, CheckoutRequest, Judgement, Ledger, Options, Question, Rank, RecordId,
    Remember, Scope, Seq, Timestamp,
};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::answers;
use crate::arbiter::Callable;
use crate::error::{Closed, of, wrong};

/// A ledger together with the one who speaks.
#[pyclass(frozen, module = "memlith._native")]
pub(crate) struct Memory {
    open: Arc<Open>,
    caller: Caller,
    user: Option<String>,
    project: Option<String>,
}

/// The ledger, until it is closed; of all memories that share it.
struct Open {
    process: u32,
    ledger: RwLock<Option<Ledger>>,
}

/// An instant from Python: microseconds since 1970.
type Instant = Option<i64>;

/// A vector from Python: its model, and its numbers as 32-bit floats in the machine's order.
type Numbers = (String, Vec<u8>);

impl Memory {
    /// Makes a call without the interpreter's lock. A memory that was closed meanwhile, or belongs
    /// to the process that this one was forked from, makes none.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&memlith::Memory) -> Result<T, memlith::Error> + Send,
    ) -> PyResult<T> {
        if self.open.process != std::process::id() {
            return Err(Closed::new_err(
                "this process was forked after the ledger was opened: open it here",
            ));
        }
        let answer = py.detach(|| {
            let ledger = self.open.ledger.read().unwrap_or_else(PoisonError::into_inner);
            let ledger = ledger.as_ref()?.clone();
            Some(call(&memlith::Memory::of(ledger, self.caller.clone())))
        });
        match answer {
            None => Err(Closed::new_err("the ledger was closed: open it again")),
            Some(answer) => answer.map_err(of),
        }
    }

    /// [`Memory::run`], with the answer as text.
    fn call(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&memlith::Memory) -> Result<Value, memlith::Error> + Send,
    ) -> PyResult<String> {
        // The text is made without the interpreter's lock, too.
        self.run(py, |memory| Ok(call(memory)?.to_string()))
    }

    fn with(&self, change: impl FnOnce(&mut Memory)) -> Memory {
        let Memory { open, caller, user, project } = self;
        let mut memory = Memory {
            open: Arc::clone(open),
            caller: caller.clone(),
            user: user.clone(),
            project: project.clone(),
        };
        change(&mut memory);
        memory
    }

    /// Sets what memories are about: the project, else the user.
    fn about(&mut self) {
        let subject = self.project.as_ref().or(self.user.as_ref());
        self.caller.scope.subject = subject.map(|name| name.clone().into());
    }
}

#[pymethods]
impl Memory {
    /// Opens the ledger in a folder, and makes one where there is none.
    #[staticmethod]
    #[pyo3(signature = (path, read_only, lock_timeout_s, arbiter))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        read_only: bool,
        lock_timeout_s: f64,
        arbiter: Option<Callable>,
    ) -> PyResult<Memory> {
        let lock_timeout = std::time::Duration::try_from_secs_f64(lock_timeout_s)
            .map_err(|error| wrong(format!("lock_timeout: {error}")))?;
        let reconciler = arbiter.map(|arbiter| {
            Arc::new(Reconciler { arbiter: Some(Arc::new(arbiter)), ..Reconciler::built_in() })
        });
        let options = Options { read_only, lock_timeout, reconciler, ..Options::default() };
        let opened = py.detach(|| match read_only {
            true => Ledger::open(path, options),
            false => Ledger::open_or_create(path, options),
        });
        let ledger = RwLock::new(Some(opened.map_err(of)?));
        let open = Arc::new(Open { process: std::process::id(), ledger });
        Ok(Memory { open, caller: Caller::user("default", "user"), user: None, project: None })
    }

    fn user(&self, name: &str) -> Memory {
        self.with(|memory| {
            memory.user = Some(name.to_owned());
            (memory.caller.name, memory.caller.rank) = (name.to_owned(), Rank::User);
            memory.about();
        })
    }

    fn project(&self, name: &str) -> Memory {
        self.with(|memory| {
            memory.project = Some(name.to_owned());
            memory.about();
        })
    }

    fn agent(&self, name: &str) -> Memory {
        self.with(|memory| memory.caller = memory.caller.clone().agent(name))
    }

    fn session(&self, name: &str) -> Memory {
        self.with(|memory| memory.caller = memory.caller.clone().session(name))
    }

    fn speaker(&self, name: &str, rank: &str) -> PyResult<Memory> {
        let rank = match rank {
            "web" => Rank::Web,
            "tool" => Rank::Tool,
            "assistant" => Rank::Assistant,
            "user" => Rank::User,
            "reviewer" => Rank::Reviewer,
            "owner" => Rank::Owner,
            _ => {
                return Err(wrong(format!(
                    "there is no rank {rank:?}: web, tool, assistant, user, reviewer or owner"
                )));
            }
        };
        Ok(self.with(|memory| {
            (memory.caller.name, memory.caller.rank) = (name.to_owned(), rank);
        }))
    }

    fn at(&self, now: i64) -> Memory {
        self.with(|memory| memory.caller = memory.caller.at(Timestamp(now)))
    }

    fn keyed(&self, key: &str) -> Memory {
        self.with(|memory| memory.caller.key = Some(IdempotencyKey::of(&["caller", key])))
    }

    /// One that reads what every user, project and agent wrote; it writes nothing.
    fn everywhere(&self) -> Memory {
        self.with(|memory| memory.caller.scope = Scope::of_everything())
    }

    /// One with the scope of a record: it sees what whoever wrote that one saw.
    fn of_record(&self, py: Python<'_>, id: &str) -> PyResult<Memory> {
        let id = read(id)?;
        let scope = self.run(py, |memory| {
            let is_there = id.seq <= memory.head()?.seq;
            let record = is_there.then(|| memory.ledger().record(id.seq)).transpose()?;
            let record = record.filter(|record| record.id() == id);
            let body = record.as_ref().map(memlith::log::decode).transpose()?.flatten();
            let scope = body.map(|body| body.envelope.scope.into_owned());
            scope.ok_or(memlith::Error::NoRecord { id })
        })?;
        Ok(self.with(|memory| memory.caller.scope = scope))
    }

    #[pyo3(signature = (text, slot, valid_from, valid_until, metadata, vector))]
    fn remember(
        &self,
        py: Python<'_>,
        text: String,
        slot: Option<(String, String, String)>,
        valid_from: Instant,
        valid_until: Instant,
        metadata: BTreeMap<String, String>,
        vector: Option<Numbers>,
    ) -> PyResult<String> {
        let what = said(text, slot, (valid_from, valid_until), metadata);
        let vector = vector.map(read_vector).transpose()?;
        self.call(py, |memory| {
            let written = match &vector {
                Some(vector) => {
                    memory.ledger().vectors().remember(memory.caller(), what, vector)?
                }
                None => memory.remember(what)?,
            };
            Ok(answers::written(&written))
        })
    }

    /// Gives memories vectors of one model; returns how many are new.
    fn embed(&self, py: Python<'_>, model: &str, vectors: Vec<(String, Vec<u8>)>) -> PyResult<u64> {
        let given = vectors.into_iter().map(|(id, numbers)| {
            Ok((read(&id)?, read_vector((model.to_owned(), numbers))?))
        });
        let given = given.collect::<PyResult<Vec<_>>>()?;
        self.run(py, |memory| {
            let embedded = memory.ledger().vectors().embed(memory.caller(), &given)?;
            Ok(embedded.written.len() as u64)
        })
    }

    /// The memories that have no vector of a model.
    fn without_vector(&self, py: Python<'_>, model: &str) -> PyResult<Vec<String>> {
        let model = read_model(model)?;
        self.run(py, |memory| {
            let missing = memory.ledger().vectors().missing(memory.caller(), &model)?;
            Ok(missing.iter().map(ToString::to_string).collect())
        })
    }

    /// Takes in messages of conversations: lines of JSON.
    fn import_messages(&self, py: Python<'_>, lines: &str) -> PyResult<String> {
        self.call(py, |memory| {
            let Caller { scope, tier_cap, now, .. } = memory.caller().clone();
            let options = ImportOptions { scope, tier_cap, now, ..ImportOptions::default() };
            let report = memory.ledger().import(Format::Messages, lines.as_bytes(), options)?;
            Ok(answers::imported(&report))
        })
    }

    #[pyo3(signature = (id, text, slot, metadata))]
    fn update(
        &self,
        py: Python<'_>,
        id: &str,
        text: String,
        slot: Option<(String, String, String)>,
        metadata: BTreeMap<String, String>,
    ) -> PyResult<String> {
        let what = said(text, slot, (None, None), metadata);
        self.call(py, |memory| Ok(answers::written(&memory.update(named(memory, id)?, what)?)))
    }

    fn confirm(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<String> {
        self.call(py, |memory| {
            Ok(answers::written(&memory.confirm(all_named(memory, &ids)?)?))
        })
    }

    fn forget(&self, py: Python<'_>, ids: Vec<String>, reason: &str) -> PyResult<String> {
        self.call(py, |memory| {
            Ok(answers::written(&memory.forget(all_named(memory, &ids)?, reason)?))
        })
    }

    fn erase(
        &self,
        py: Python<'_>,
        entity: Option<String>,
        mentions: Option<String>,
        before: Instant,
    ) -> PyResult<String> {
        let before = before.map(Timestamp);
        let filter = ErasureFilter { entity, mentions, before, ..ErasureFilter::default() };
        self.call(py, |memory| {
            let erased = memory.erase(&filter)?;
            let records = erased.map(|erased| erased.records).unwrap_or_default();
            Ok(json!(records.iter().map(ToString::to_string).collect::<Vec<_>>()))
        })
    }

    fn erase_ids(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<String> {
        self.call(py, |memory| {
            let ids = all_named(memory, &ids)?;
            let erased = memory.ledger().erasure().erase(memory.caller(), &ids)?;
            Ok(json!(erased.records.iter().map(ToString::to_string).collect::<Vec<_>>()))
        })
    }

    fn search(
        &self,
        py: Python<'_>,
        query: String,
        limit: usize,
        as_of: Instant,
        vector: Option<Numbers>,
    ) -> PyResult<String> {
        let as_of = as_of.map(|at| AsOf::Time(Timestamp(at)));
        let question = Question { query, as_of };
        let vector = vector.map(read_vector).transpose()?;
        self.call(py, |memory| {
            let (ledger, caller) = (memory.ledger(), memory.caller());
            let found = ledger.recall_near(caller, question, vector.as_ref(), limit)?;
            Ok(found.iter().map(answers::hit).collect())
        })
    }

    fn checkout(
        &self,
        py: Python<'_>,
        query: String,
        budget_tokens: u32,
        as_of: Instant,
        observe: bool,
        vector: Option<Numbers>,
    ) -> PyResult<String> {
        let as_of = as_of.map(|at| AsOf::Time(Timestamp(at)));
        let mut request = CheckoutRequest::new(query);
        request.vector = vector.map(read_vector).transpose()?;
        (request.question.as_of, request.budget_tokens, request.observe) =
            (as_of, budget_tokens, observe);
        self.call(py, |memory| Ok(answers::pack(&memory.checkout(request)?)))
    }

    fn report(&self, py: Python<'_>, ids: Vec<String>, helped: bool) -> PyResult<String> {
        use memlith::write::{TaskReport, TaskResult};
        let result = if helped { TaskResult::Success } else { TaskResult::Failure };
        self.call(py, |memory| {
            let targets = all_named(memory, &ids)?;
            let report = TaskReport { targets, result, ..TaskReport::default() };
            Ok(answers::written(&memory.ledger().report(memory.caller(), report)?))
        })
    }

    fn get(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        self.call(py, |memory| Ok(answers::entry(&memory.get(named(memory, id)?)?)))
    }

    #[pyo3(signature = (entity, session, standing, since, until, metadata, limit, cursor))]
    fn list(
        &self,
        py: Python<'_>,
        entity: Option<String>,
        session: Option<String>,
        standing: Option<&str>,
        since: Instant,
        until: Instant,
        metadata: BTreeMap<String, String>,
        limit: usize,
        cursor: Option<&str>,
    ) -> PyResult<String> {
        let status = standing.map(authority).transpose()?;
        let cursor = cursor.map(|text| text.parse().map_err(|error| wrong(format!("{error}"))));
        let listing = Listing {
            entity,
            session,
            status,
            since: since.map(Timestamp),
            until: until.map(Timestamp),
            metadata,
            limit,
            cursor: cursor.transpose()?,
            ..Listing::default()
        };
        self.call(py, |memory| {
            let page = memory.ledger().list(memory.caller(), &listing)?;
            let entries = page.items.iter().map(|one| memory.get(one.item.id));
            let entries = entries.collect::<Result<Vec<_>, _>>()?;
            Ok(json!({
                "items": entries.iter().map(answers::entry).collect::<Vec<_>>(),
                "next": page.next.map(|cursor| cursor.to_string()),
            }))
        })
    }

    fn facts(&self, py: Python<'_>, entity: &str) -> PyResult<String> {
        self.call(py, |memory| Ok(memory.facts(entity)?.iter().map(answers::entry).collect()))
    }

    fn history(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        self.call(py, |memory| {
            let steps = memory.history(named(memory, id)?)?;
            Ok(steps.iter().map(answers::step).collect())
        })
    }

    fn explain(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        self.call(py, |memory| {
            Ok(answers::explained(&memory.explain(named(memory, id)?)?))
        })
    }

    fn waiting(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |memory| {
            let waiting = memory.ledger().review().waiting(memory.caller())?;
            let entries = waiting.iter().map(|one| memory.get(one.item.id));
            let entries = entries.collect::<Result<Vec<_>, _>>()?;
            Ok(entries.iter().map(answers::entry).collect())
        })
    }

    fn judge(
        &self,
        py: Python<'_>,
        id: &str,
        accept: bool,
        reason: Option<String>,
    ) -> PyResult<String> {
        let judgement = if accept { Judgement::Accept } else { Judgement::Reject };
        self.call(py, |memory| {
            let id = named(memory, id)?;
            let judged = memory.ledger().review().judge(memory.caller(), judgement, id, reason)?;
            Ok(answers::written(&judged))
        })
    }

    fn head(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |memory| Ok(json!(memory.head()?.to_string())))
    }

    fn verify(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |memory| Ok(answers::report(&memory.verify()?)))
    }

    /// The state of the ledger.
    fn stat(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |memory| Ok(answers::stat(&memory.ledger().audit().stat(instant(memory))?)))
    }

    /// The number of records.
    fn records(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |memory| {
            let Seq(last) = memory.head()?.seq;
            Ok(json!(last.saturating_add(1)))
        })
    }

    /// Ends the use of the ledger here; a second time does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.open.process != std::process::id() {
            return Ok(());
        }
        py.detach(|| {
            let mut ledger = self.open.ledger.write().unwrap_or_else(PoisonError::into_inner);
            ledger.take().map_or(Ok(()), Ledger::close)
        })
        .map_err(of)
    }
}

fn said(
    text: String,
    slot: Option<(String, String, String)>,
    (from, until): (Instant, Instant),
    metadata: BTreeMap<String, String>,
) -> Remember {
    let mut what = Remember::new(text);
    if let Some((entity, predicate, value)) = slot {
        what = what.single(entity, predicate, value);
    }
    (what.validity.from, what.validity.until) = (from.map(Timestamp), until.map(Timestamp));
    what.metadata = metadata;
    what
}

/// The record that an id, a citation or the beginning of an id names.
fn named(memory: &memlith::Memory, id: &str) -> Result<RecordId, memlith::Error> {
    memory.ledger().resolve(memory.caller(), id)
}

fn all_named(memory: &memlith::Memory, ids: &[String]) -> Result<Vec<RecordId>, memlith::Error> {
    ids.iter().map(|id| named(memory, id)).collect()
}

fn read(id: &str) -> PyResult<RecordId> {
    id.parse().map_err(|error| wrong(format!("{id:?} is no id: {error}")))
}

fn read_model(name: &str) -> PyResult<ModelId> {
    let named = ModelId::new(name);
    named.ok_or_else(|| wrong(format!("{name:?} names no model: 1 to 96 printable ASCII letters")))
}

fn read_vector((model, numbers): Numbers) -> PyResult<ModelVector> {
    let numbers: Vec<f32> =
        numbers.as_chunks::<4>().0.iter().map(|four| f32::from_ne_bytes(*four)).collect();
    let vector = ModelVector::of_floats(read_model(&model)?, &numbers);
    vector.map_err(|error| wrong(format!("the vector of {model}: {error}")))
}

/// The instant that a memory reads at.
fn instant(memory: &memlith::Memory) -> Timestamp {
    memory.caller().now.unwrap_or_else(|| memory.ledger().now())
}

fn authority(name: &str) -> PyResult<Authority> {
    let found = Authority::ALL.into_iter().find(|one| one.label() == name);
    found.ok_or_else(|| {
        let all: Vec<&str> = Authority::ALL.into_iter().map(Authority::label).collect();
        wrong(format!("there is no standing {name:?}: {}", all.join(", ")))
    })
}
