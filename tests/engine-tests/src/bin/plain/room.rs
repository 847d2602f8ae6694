use std::cell::RefCell;
use std::sync::Arc;

use memlith::{
    Caller, Checkout, CheckoutRequest, Cited, Ledger, Options, Rank, RecordId, Remember, Scope,
    Timestamp, Written,
    storage::{Clock, Env, FixedClock, MemoryDisk, SeededRng},
};

use crate::Outcome;
use crate::baseline::Order;
use crate::sets::Voice;

/// Monday 4 May 2026, nine in the morning, UTC.
pub(crate) const START: Timestamp = Timestamp(1_777_885_200_000_000);

/// A ledger in memory, opened as `memlith remember` and `memlith checkout` open theirs.
pub(crate) struct Room {
    ledger: Ledger,
    clock: Arc<FixedClock>,
    said: RefCell<Vec<(RecordId, String)>>,
}

impl Room {
    pub(crate) fn new() -> Outcome<Room> {
        let clock = Arc::new(FixedClock::new(START));
        let env = Env {
            storage: Arc::new(MemoryDisk::new().process()),
            clock: clock.clone(),
            rng: Arc::new(SeededRng::new(1)),
        };
        // As the command has it without flags: the grammar, and by words alone.
        let options = Options { reconciler: None, ..Options::default() };
        Ok(Room { ledger: Ledger::create_in(env, options)?, clock, said: RefCell::default() })
    }

    /// Moves the clock to `us` microseconds after the start.
    pub(crate) fn set(&self, us: i64) {
        self.clock.set(START.plus_us(us));
    }

    /// Lets a day pass.
    pub(crate) fn pass_a_day(&self) {
        self.clock.set(self.clock.now().plus_us(Timestamp::DAY_US));
    }

    /// Lets an hour pass.
    pub(crate) fn pass_an_hour(&self) {
        self.clock.set(self.clock.now().plus_us(60 * 60 * 1_000_000));
    }

    /// Remembers a text, as `memlith remember TEXT` does.
    pub(crate) fn say(&self, caller: &Caller, text: &str) -> Outcome<Written> {
        let remember = Remember { text: text.to_owned(), ..Remember::default() };
        let written = self.ledger.remember(caller, remember);
        let written = written.map_err(|error| format!("{text:?}: {error}"))?;
        self.said.borrow_mut().push((written.id, text.to_owned()));
        Ok(written)
    }

    /// Asks as `memlith checkout QUESTION --no-observe` does: no question changes the next answer.
    pub(crate) fn ask(&self, caller: &Caller, question: &str) -> Outcome<Checkout> {
        let request = CheckoutRequest { observe: false, ..CheckoutRequest::new(question) };
        Ok(self.ledger.checkout(caller, &request)?)
    }

    /// The items that answer, in `order`: of a pack, or of all that was said.
    pub(crate) fn ranked(&self, order: Order, pack: &[Cited], question: &str) -> Vec<RecordId> {
        match order {
            Order::Engine => pack.iter().map(|item| item.id).collect(),
            Order::Bm25 | Order::Newest => order.of_said(&self.said.borrow(), question),
        }
    }

    /// Whether the item may be shown now to one who asks for what holds.
    pub(crate) fn stands(&self, caller: &Caller, id: RecordId) -> Outcome<bool> {
        Ok(self.ledger.show(caller, id)?.authority.is_shown())
    }
}

/// The caller that the command makes of `--as` and `--scope`; without `--as` a person whom
/// the operating system doesn't name.
pub(crate) fn caller(voice: Voice<'_>) -> Outcome<Caller> {
    let (rank, name) = match voice.speaker {
        None => (Rank::User, "user"),
        Some(speaker) => match speaker.split_once(':') {
            Some(("user", name)) => (Rank::User, name),
            Some(("assistant", name)) => (Rank::Assistant, name),
            _ => return Err(format!("{speaker:?} is no speaker, such as user:ana").into()),
        },
    };
    let mut scope = Scope::tenant("default");
    match voice.scope.map(|scope| scope.split_once('=')) {
        None => {}
        Some(Some(("subject", name))) => scope.subject = Some(name.to_owned().into()),
        Some(Some(("session", name))) => scope.session = Some(name.to_owned().into()),
        Some(_) => return Err("a scope is subject=NAME or session=NAME".into()),
    }
    Ok(Caller { scope, ..Caller::new("default", name, rank) })
}
