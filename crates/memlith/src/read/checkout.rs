//! Questions: recall, which changes nothing, and checkout, which is observed.

use std::collections::BTreeMap;
use std::time::Duration;

use memlith_checkout::{
    Ask, Cited, Excluded, Knowledge, Pack, QuarterBytes, Request, View, Weighed, WeighedPack,
    merge_packs,
};
use memlith_event::{
    Body, CheckoutId, Envelope, Event, Hints, LeftOutReason, MemoryEvent, Origin, Purpose, Rank,
    Surfaced, ViewBeside,
};
use memlith_log::{Durability, RecordId, Seq, Timestamp};
use memlith_memory::{Authority, Memory};
use memlith_recall::ModelVector;
use memlith_redact::Rule;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{FOLD_VERSION, State};
use crate::ledger::Ledger;
use crate::read::beside::{at, of_each};
use crate::read::bodies::LogBodies;
use crate::write::append::Urgency;
use crate::write::command::clean;
use crate::write::vectors::{check_name, check_width};

/// A question to a ledger.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The question in its own words.
    pub query: String,
    /// The state that answers: the current one where absent.
    pub as_of: Option<AsOf>,
}

/// A past state of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// As it was when it ended with this record, or with the batch that holds it.
    Seq(Seq),
    /// As it was known at this instant.
    Time(Timestamp),
}

/// A checkout to be made.
#[derive(Clone, Debug)]
pub struct CheckoutRequest {
    /// The question, which the pack answers.
    pub question: Question,
    /// The purpose of the pack.
    pub purpose: Purpose,
    /// Hints about the work of the one who asks, each of at most 256 bytes: what has to do with it
    /// comes a little earlier.
    pub hints: Hints<'static>,
    /// The most tokens of the pack as [`for_prompt`](crate::for_prompt) gives it to a model.
    pub budget_tokens: u32,
    /// The number of items that are shown however little they answer, as far as the budget
    /// goes; 0 shows what answers alone.
    pub min_items: u32,
    /// A vector of what is asked, of a model of which items have some: see
    /// [`Ledger::recall_near`].
    pub vector: Option<ModelVector>,
    /// Whether what is shown is learned from. A checkout of the past never is.
    pub observe: bool,
    /// Whether to wait until the observation is durable.
    pub durable: bool,
}

/// A pack, and what became of its observation.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Checkout {
    /// The items that are shown, those that are left out, and the receipt.
    #[serde(flatten)]
    pub pack: Pack,
    /// The record that holds the observation, or why there is none.
    #[serde(flatten, serialize_with = "observation")]
    pub observed: Result<RecordId, String>,
    /// How many secrets were taken out of the query, by rule.
    pub redacted: BTreeMap<Rule, u64>,
}

/// A question as every ledger is asked it.
struct Asked {
    id: CheckoutId,
    query: String,
    hints: Hints<'static>,
    caller: Caller,
}

/// How long a checkout waits for its turn to write down what it showed.
const OBSERVE_WAIT: Duration = Duration::from_millis(50);

fn observation<S: Serializer>(
    observed: &Result<RecordId, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut out = serializer.serialize_struct("Observation", 3)?;
    out.serialize_field("observed", &observed.is_ok())?;
    out.serialize_field("observation", &observed.as_ref().ok())?;
    out.serialize_field("unobserved", &observed.as_ref().err())?;
    out.end()
}

impl CheckoutRequest {
    /// An observed checkout of the current state for nothing in particular, 2,000 tokens.
    #[must_use]
    pub fn new(query: impl Into<String>) -> CheckoutRequest {
        CheckoutRequest {
            question: Question { query: query.into(), as_of: None },
            purpose: Purpose::General,
            hints: Hints::default(),
            budget_tokens: 2_000,
            min_items: 0,
            vector: None,
            observe: true,
            durable: false,
        }
    }

    /// Answers from a past state, and observes nothing.
    #[must_use]
    pub fn as_of(mut self, as_of: impl Into<AsOf>) -> CheckoutRequest {
        self.question.as_of = Some(as_of.into());
        self
    }

    /// Says what the pack is for.
    #[must_use]
    pub fn purpose(mut self, purpose: Purpose) -> CheckoutRequest {
        self.purpose = purpose;
        self
    }

    /// Says what the one who asks is at: `name` is one of [`HINT_NAMES`](crate::read::HINT_NAMES);
    /// another one is passed over.
    #[must_use]
    pub fn hint(mut self, name: &str, value: impl Into<String>) -> CheckoutRequest {
        if let Some(hint) = self.hints.named_mut(name) {
            *hint = Some(value.into().into());
        }
        self
    }

    /// Bounds the pack as a model is given it.
    #[must_use]
    pub fn budget_tokens(mut self, tokens: u32) -> CheckoutRequest {
        self.budget_tokens = tokens;
        self
    }

    /// Shows at least so many of what was found, however little they answer.
    #[must_use]
    pub fn min_items(mut self, items: u32) -> CheckoutRequest {
        self.min_items = items;
        self
    }

    /// Gives a vector of what is asked.
    #[must_use]
    pub fn vector(mut self, vector: ModelVector) -> CheckoutRequest {
        self.vector = Some(vector);
        self
    }

    /// Leaves no trace: nothing is learned from what is shown.
    #[must_use]
    pub fn unobserved(mut self) -> CheckoutRequest {
        self.observe = false;
        self
    }

    /// Waits until the observation is durable.
    #[must_use]
    pub fn durable(mut self) -> CheckoutRequest {
        self.durable = true;
        self
    }
}

impl Checkout {
    /// The items for a model: cited, and marked as data.
    #[must_use]
    pub fn prompt(&self) -> String {
        memlith_checkout::for_prompt(&self.pack.items)
    }
}

impl Question {
    /// A question to the current state.
    #[must_use]
    pub fn new(query: impl Into<String>) -> Question {
        Question { query: query.into(), as_of: None }
    }

    /// Answers from a past state.
    #[must_use]
    pub fn as_of(mut self, as_of: impl Into<AsOf>) -> Question {
        self.as_of = Some(as_of.into());
        self
    }
}

impl From<&str> for Question {
    fn from(query: &str) -> Question {
        Question::new(query)
    }
}

impl From<String> for Question {
    fn from(query: String) -> Question {
        Question::new(query)
    }
}

impl From<&Question> for Question {
    fn from(question: &Question) -> Question {
        question.clone()
    }
}

impl From<&str> for CheckoutRequest {
    fn from(query: &str) -> CheckoutRequest {
        CheckoutRequest::new(query)
    }
}

impl From<String> for CheckoutRequest {
    fn from(query: String) -> CheckoutRequest {
        CheckoutRequest::new(query)
    }
}

impl From<Question> for CheckoutRequest {
    fn from(question: Question) -> CheckoutRequest {
        CheckoutRequest { question, ..CheckoutRequest::new("") }
    }
}

impl From<&CheckoutRequest> for CheckoutRequest {
    fn from(request: &CheckoutRequest) -> CheckoutRequest {
        request.clone()
    }
}

impl From<Seq> for AsOf {
    fn from(seq: Seq) -> AsOf {
        AsOf::Seq(seq)
    }
}

impl From<Timestamp> for AsOf {
    fn from(time: Timestamp) -> AsOf {
        AsOf::Time(time)
    }
}

impl Ledger {
    /// Returns the `limit` best answers, each with why. Nothing is learned from it.
    ///
    /// # Errors
    /// [`Error::Request`] for an empty query, [`Error::AfterHead`] and [`Error::BeforeGenesis`]
    /// for an as-of that isn't there, and the log's.
    pub fn recall(
        &self,
        caller: &Caller,
        question: impl Into<Question>,
        limit: usize,
    ) -> Result<Vec<Cited>, Error> {
        self.recall_near(caller, question, None, limit)
    }

    /// As [`Ledger::recall`], with a vector of what is asked: it re-scores what the words
    /// find, and in a scope of at most 4,096 vectors of its model finds what shares no word
    /// with them. Vectors of other models count for nothing.
    ///
    /// # Errors
    /// Those of [`Ledger::recall`], and [`Error::VectorWidth`] where the tenant's vectors of
    /// its model have another width.
    pub fn recall_near(
        &self,
        caller: &Caller,
        question: impl Into<Question>,
        vector: Option<&ModelVector>,
        limit: usize,
    ) -> Result<Vec<Cited>, Error> {
        let question = question.into();
        let caller = &at(self.instant(caller), caller);
        let own = self.recalled(caller, &question, vector, limit)?;
        if matches!(question.as_of, Some(AsOf::Seq(_))) {
            return Ok(own.into_iter().map(|one| one.cited).collect());
        }
        let ask = |ledger: &Ledger| ledger.recalled(caller, &question, vector, limit);
        Ok(self.with_beside(own, ask, (limit, self.instant(caller))))
    }

    /// The best answers of this ledger alone.
    fn recalled(
        &self,
        caller: &Caller,
        question: &Question,
        vector: Option<&ModelVector>,
        limit: usize,
    ) -> Result<Vec<Weighed>, Error> {
        let query = clean(question.query.clone(), &mut BTreeMap::new());
        let (asker, now) = (&*caller.name, self.instant(caller));
        let ask = Ask { query: &query, asker, scope: &caller.scope, now, vector };
        self.answered(
            || self.state_as_of(question.as_of),
            |state| {
                check_query(state, caller, vector)?;
                let bodies = LogBodies::of(self);
                let view = self.view(state, &bodies);
                let results = memlith_checkout::recall(&view, &ask, limit, &QuarterBytes)?;
                let weighed = view.weigh(results, now);
                bodies.finish()?;
                Ok(weighed)
            },
        )
    }

    /// Checks whether anything is known about a question, by the index alone; no words are read.
    /// Nothing is learned from it.
    ///
    /// # Errors
    /// Those of [`Ledger::recall`].
    pub fn knows(
        &self,
        caller: &Caller,
        question: impl Into<Question>,
    ) -> Result<Knowledge, Error> {
        let question = question.into();
        let query = clean(question.query, &mut BTreeMap::new());
        let now = self.instant(caller);
        let asker = &*caller.name;
        let ask = Ask { query: &query, asker, scope: &caller.scope, now, vector: None };
        self.answered(
            || self.state_as_of(question.as_of),
            |state| {
                let bodies = LogBodies::of(self);
                Ok(memlith_checkout::knows(&self.view(state, &bodies), &ask)?)
            },
        )
    }

    /// Answers a question, or a [`CheckoutRequest`], with a bounded pack of cited items, and
    /// writes down that they were shown.
    ///
    /// The observation is appended before the pack is returned, buffered unless
    /// `durable` asks for more. If the lock isn't free within 50 ms the pack comes
    /// unobserved and says so ([`Checkout::observed`]); a pack of the past, or of all scopes,
    /// always does.
    ///
    /// # Errors
    /// Those of [`Ledger::recall`], [`Error::Request`] for a budget of 0 too, and
    /// [`Error::VectorWidth`].
    pub fn checkout(
        &self,
        caller: &Caller,
        request: impl Into<CheckoutRequest>,
    ) -> Result<Checkout, Error> {
        let request = request.into();
        if !caller.scope.everywhere {
            Caller::check_scope(&caller.scope)?;
        }
        let request = &request;
        let mut redacted = BTreeMap::new();
        let query = clean(request.question.query.clone(), &mut redacted);
        let mut hints = request.hints.clone();
        for hint in hints.each_mut() {
            *hint = clean(hint.to_string(), &mut redacted).into();
        }
        let mut id = [0; 16];
        self.log.env().rng.fill(&mut id).map_err(|source| Error::Io {
            what: "get randomness from the system".to_owned(),
            source,
        })?;
        let asked =
            Asked { id: CheckoutId(id), query, hints, caller: at(self.instant(caller), caller) };
        // The snapshot is gone when it is observed: one that is alive makes the fold of the
        // observation copy what it changes.
        let own = self.packed(&asked, request)?;
        let is_of_one = matches!(request.question.as_of, Some(AsOf::Seq(_)));
        let beside = if is_of_one { Vec::new() } else { self.beside() };
        if beside.is_empty() {
            let observed = self.observe(caller, request, &own.pack, Vec::new());
            return Ok(Checkout { pack: own.pack, observed, redacted });
        }
        let others = of_each(&beside, |ledger| ledger.packed(&asked, request));
        let views = others.iter().map(|one| ViewBeside::of(&one.pack.receipt)).collect();
        let alone = own.pack.clone();
        let mut packs: Vec<WeighedPack> = std::iter::once(own).chain(others).collect();
        for one in &mut packs {
            let stable = one.items.iter().take(one.pack.stable_items).map(|one| one.cited.id);
            let stable: Vec<RecordId> = stable.collect();
            let out = self.take_out(&beside, &mut one.items, self.instant(&asked.caller));
            one.pack.stable_items -= stable.iter().filter(|id| out.contains(id)).count();
            let reason = LeftOutReason::Authority;
            one.pack.left_out.extend(out.into_iter().map(|id| Excluded { id, reason }));
        }
        let merged = merge_packs(packs, request.budget_tokens);
        let pack = merged.unwrap_or(alone);
        let observed = self.observe(caller, request, &pack, views);
        Ok(Checkout { pack, observed, redacted })
    }

    /// The pack of this ledger alone.
    fn packed(&self, asked: &Asked, request: &CheckoutRequest) -> Result<WeighedPack, Error> {
        let Asked { id, query, hints, caller } = asked;
        let now = self.instant(caller);
        self.answered(
            || self.state_as_of(request.question.as_of),
            |state| {
                let vector = request.vector.as_ref();
                check_query(state, caller, vector)?;
                let bodies = LogBodies::of(self);
                let (asker, scope) = (&*caller.name, &caller.scope);
                let request = Request {
                    checkout: *id,
                    ask: Ask { query, asker, scope, now, vector },
                    purpose: request.purpose,
                    hints: Some(hints),
                    budget_tokens: request.budget_tokens,
                    min_items: request.min_items,
                    as_of: request.question.as_of.and(state.next.previous()),
                    counter: &QuarterBytes,
                };
                let view = self.view(state, &bodies);
                let pack = memlith_checkout::checkout(&view, &request)?;
                let items = view.weigh(pack.items.clone(), now);
                bodies.finish()?;
                Ok(WeighedPack { pack, items })
            },
        )
    }

    fn observe(
        &self,
        caller: &Caller,
        request: &CheckoutRequest,
        pack: &Pack,
        beside: Vec<ViewBeside>,
    ) -> Result<RecordId, String> {
        let receipt = &pack.receipt;
        if !request.observe {
            return Err("not asked for".to_owned());
        }
        if caller.scope.everywhere {
            return Err("a view of all scopes is in none of them".to_owned());
        }
        if request.question.as_of.is_some() {
            return Err("the past is not changed by looking at it".to_owned());
        }
        if self.options.read_only {
            return Err("the ledger is open for reading only".to_owned());
        }
        let durability = if request.durable { Durability::Immediate } else { Durability::Buffered };
        let appended = self.locked_within(OBSERVE_WAIT, |writer, state, moment| {
            let mut engine = caller.clone();
            engine.rank = Rank::Engine;
            let door = engine.door_of_a_read(moment, None);
            let mut envelope = Envelope::new(door.scope, caller.actor(), door.occurred_at);
            envelope.actor.rank = Rank::Engine;
            envelope.origin = Origin::Derived;
            envelope.key = Some(memlith_event::IdempotencyKey(receipt.checkout.0));
            let surfaced = Surfaced {
                targets: still_active(&state.memory, pack),
                weight: None,
                receipt: Some(Box::new(receipt.clone())),
                beside: beside.clone(),
            };
            let body = Body { envelope, event: Event::Memory(MemoryEvent::Surfaced(surfaced)) };
            self.append(writer, state, moment.tick, &[body], Urgency::Ordinary(durability))
        });
        match appended {
            Ok(appended) => appended.first().map(|one| one.id).ok_or_else(String::new),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Notes that these items were shown by other means than a checkout, e.g. in a brief.
    ///
    /// Of those that the caller sees and that are active; nothing is written where none is.
    /// Buffered.
    ///
    /// # Errors
    /// The log's.
    pub fn note_shown(&self, caller: &Caller, ids: &[RecordId]) -> Result<(), Error> {
        Caller::check_scope(&caller.scope)?;
        self.locked(|writer, state, moment| {
            let is_shown = |id: &&RecordId| {
                let item = state.memory.item(id.seq).filter(|item| item.id == **id);
                let authority = state.memory.authority(id.seq, moment.tick.raw);
                item.is_some_and(|item| Memory::sees(&caller.scope, &item))
                    && authority.is_some_and(Authority::is_shown)
            };
            let mut targets: Vec<RecordId> = ids.iter().filter(is_shown).copied().collect();
            targets.sort_unstable();
            targets.dedup();
            if targets.is_empty() {
                return Ok(());
            }
            let door = caller.door_of_a_read(moment, None);
            let mut envelope = Envelope::new(door.scope, caller.actor(), door.occurred_at);
            envelope.actor.rank = Rank::Engine;
            envelope.origin = Origin::Derived;
            let surfaced = Surfaced { targets, weight: None, receipt: None, beside: Vec::new() };
            let body = Body { envelope, event: Event::Memory(MemoryEvent::Surfaced(surfaced)) };
            let urgency = Urgency::Ordinary(Durability::Buffered);
            self.append(writer, state, moment.tick, &[body], urgency).map(drop)
        })
    }

    pub(crate) fn view<'a>(&self, state: &'a State, bodies: &'a LogBodies<'a>) -> View<'a> {
        View {
            head: memlith_checkout::Head {
                ledger: self.id(),
                seq: state.next.previous().unwrap_or_default(),
                chain: state.chain,
                fold: FOLD_VERSION,
            },
            memory: &state.memory,
            salience: &state.salience,
            recall: &state.recall,
            bodies,
        }
    }

    pub(crate) fn instant(&self, caller: &Caller) -> Timestamp {
        caller.now.unwrap_or_else(|| self.now())
    }

    /// Returns the state that `as_of` names, at a batch end.
    pub(crate) fn state_as_of(&self, as_of: Option<AsOf>) -> Result<State, Error> {
        match as_of {
            None => self.snapshot(),
            Some(AsOf::Seq(seq)) => self.state_at(self.batch_end(seq)?),
            Some(AsOf::Time(time)) => self.state_at(self.known_at(time)?),
        }
    }

    /// Returns the end of the batch that holds `seq`.
    pub(crate) fn batch_end(&self, seq: Seq) -> Result<Seq, Error> {
        let head = self.refresh()?.seq;
        if seq > head {
            return Err(Error::AfterHead { asked: seq, head });
        }
        let record = self.log.read(seq)?;
        let rest = record.batch_len.saturating_sub(record.batch_pos).saturating_sub(1);
        Ok(Seq(seq.0.saturating_add(u64::from(rest))))
    }

    /// Finds the last batch end that was recorded at or before `time`.
    ///
    /// Cost: a search for the place where times pass `time`, and a pass over the records
    /// behind it: where a rebased clock stepped back, earlier times come again.
    fn known_at(&self, time: Timestamp) -> Result<Seq, Error> {
        let head = self.refresh()?.seq;
        let first = self.log.read(Seq::GENESIS)?.recorded_at;
        let mut last = if time < first { None } else { self.last_before_passing(time, head)? };
        for record in self.log.scan(last.map_or(Seq::GENESIS, Seq::next), head) {
            let record = record?;
            if record.recorded_at <= time && record.ends_batch() {
                last = Some(record.seq);
            }
        }
        last.ok_or(Error::BeforeGenesis { asked: time, first })
    }

    /// Finds a batch end recorded at or before `time` by halves: the last one where times never
    /// decrease.
    fn last_before_passing(&self, time: Timestamp, head: Seq) -> Result<Option<Seq>, Error> {
        let (mut low, mut high) = (0, head.0);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.log.read(Seq(middle))?.recorded_at <= time {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let record = self.log.read(Seq(low))?;
        if record.ends_batch() {
            return Ok(Some(record.seq));
        }
        // A restored batch may hold several times; half of one was never the state.
        let start = low.saturating_sub(u64::from(record.batch_pos));
        Ok(Seq(start).previous())
    }
}

/// Checks that a query's vector is as wide as those it is compared with, and that its model's
/// name may stand in a receipt.
fn check_query(state: &State, caller: &Caller, vector: Option<&ModelVector>) -> Result<(), Error> {
    let Some(vector) = vector else { return Ok(()) };
    check_name(vector.model())?;
    check_width(&state.recall, &caller.scope.tenant, vector)
}

/// Returns the items of a pack that answered and are still shown, ascending. One that a pin alone
/// brought in is not among them: that is no sign of its use.
fn still_active(memory: &Memory, pack: &Pack) -> Vec<RecordId> {
    let now = pack.receipt.now;
    let shown = |id: &RecordId| memory.authority(id.seq, now).is_some_and(Authority::is_shown);
    let own = pack.items.iter().filter(|item| item.citation.ledger == pack.receipt.ledger);
    let answers = own.filter(|item| item.why.relevance > 0);
    let mut targets: Vec<RecordId> = answers.map(|item| item.id).filter(shown).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}
