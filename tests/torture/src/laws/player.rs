use std::collections::BTreeMap;

use memlith_event::{
    Body, Envelope, Event, Link, LinkKind, MemoryEvent, Origin, Rank, Remembered, Scope, Slot,
    TaskResult, Validity,
};
use memlith_log::{RecordId, Timestamp};
use memlith_memory::{Change, Command, Remember, TaskReport};

use super::bench::{Bench, actor};
use super::step::{Step, Turn, sentence};

/// A history, played step by step.
///
/// What a step may name is known per scope, so that leaving out the steps of one changes
/// nothing in another.
pub(super) struct Player {
    pub(super) bench: Bench,
    known: BTreeMap<u8, Vec<RecordId>>,
    derived: BTreeMap<u8, Vec<RecordId>>,
    turns: u64,
}

/// Sees the state after an event, and which it was.
pub(super) type Eye<'a> = dyn FnMut(&Bench, RecordId, &Body<'static>) + 'a;

/// The scope that all share; those after it are of sessions.
const SHARED: u8 = 2;

const HOUR_US: i64 = Timestamp::DAY_US / 24;

impl Player {
    pub(super) fn new() -> Player {
        Player { bench: Bench::new(), known: BTreeMap::new(), derived: BTreeMap::new(), turns: 0 }
    }

    /// Lets the time before a turn pass, and stands in its scope.
    pub(super) fn wait(&mut self, turn: &Turn) {
        self.bench.now = self.bench.now.plus_us(HOUR_US * turn.hours + 60_000_000);
        self.bench.scope = scope(turn.cell);
        self.turns += 1;
    }

    /// Takes the step; gives the strength of its author, where it has one.
    pub(super) fn take(&mut self, turn: &Turn, eye: &mut Eye<'_>) -> Option<u8> {
        let cell = turn.cell;
        match &turn.step {
            Step::Say { origin, words } => self.say(cell, *origin, sentence(words), eye),
            Step::Derive { words, on } => self.derive(cell, &sentence(words), *on, eye),
            Step::Show { words } => {
                let pack = self.bench.checkout(&sentence(words), 60);
                let ids = pack.items.iter().map(|item| item.id).collect();
                let body = self.bench.shown(ids);
                self.append(body, eye);
                None
            }
            Step::Flood { item, times } => {
                let all: Vec<RecordId> = [&self.known, &self.derived]
                    .into_iter()
                    .flat_map(|known| own(known, cell))
                    .collect();
                let target = pick(&all, *item)?;
                for _ in 0..*times {
                    let body = self.bench.shown(vec![target]);
                    self.append(body, eye);
                }
                None
            }
            Step::Remember { by, .. }
            | Step::Place { by, .. }
            | Step::Rest { by, .. }
            | Step::Correct { by, .. }
            | Step::Change { by, .. }
            | Step::Report { by, .. } => {
                let command = self.command(cell, &turn.step)?;
                self.run(cell, rank(*by), &command, eye)
            }
        }
    }

    /// The command of a step that is one; `None` where there is nothing for it to name.
    fn command(&self, cell: u8, step: &Step) -> Option<Command> {
        let known = own(&self.known, cell);
        let plain = |words: &[u8]| Remember { text: sentence(words), ..Remember::default() };
        Some(match step {
            Step::Remember { words, .. } => Command::Remember(plain(words)),
            Step::Place { whose, place, days, .. } => {
                Command::Remember(self.lives_in(*whose, *place, *days))
            }
            Step::Rest { words, on, .. } => {
                let rests_on = some(&known, *on);
                Command::Remember(Remember { rests_on, ..plain(words) })
            }
            Step::Correct { words, item, .. } => {
                Command::Correct { target: pick(&known, *item)?, with: plain(words) }
            }
            Step::Change { change, item, .. } => {
                let target = pick(&known, *item)?;
                Command::Change { change: change_of(*change), targets: vec![target] }
            }
            Step::Report { item, failed, verified, .. } => Command::Report(TaskReport {
                targets: vec![pick(&known, *item)?],
                result: if *failed { TaskResult::Failure } else { TaskResult::Success },
                verified: *verified,
                ..TaskReport::default()
            }),
            Step::Say { .. } | Step::Derive { .. } | Step::Show { .. } | Step::Flood { .. } => {
                return None;
            }
        })
    }

    fn lives_in(&self, whose: u8, place: u8, days: u8) -> Remember {
        let value = sentence(&[place]);
        let slot = Slot {
            entity: ["ana", "ana", "anb"].get(usize::from(whose)).copied().unwrap_or("ana").into(),
            predicate: "lives_in".into(),
            value: value.clone().into(),
            single: true,
        };
        let since = self.bench.now.plus_us(-i64::from(days) * Timestamp::DAY_US);
        let validity = Validity { from: (days > 0).then_some(since), until: None };
        let text = format!("{} lives in {value}", slot.entity);
        Remember { text, slot: Some(slot), validity, ..Remember::default() }
    }

    fn run(&mut self, cell: u8, rank: Rank, command: &Command, eye: &mut Eye<'_>) -> Option<u8> {
        let bodies = self.bench.decide(rank, command).ok()?;
        for body in bodies {
            let id = self.append(body, eye);
            if self.bench.memory.item(id.seq).is_some() {
                self.known.entry(cell).or_default().push(id);
            }
        }
        Some(rank.level())
    }

    fn say(&mut self, cell: u8, origin: u8, text: String, eye: &mut Eye<'_>) -> Option<u8> {
        let origins =
            [Origin::User, Origin::Assistant, Origin::Tool, Origin::File, Origin::Web, Origin::Web];
        let origin = origins.get(usize::from(origin) % origins.len()).copied()?;
        let body = self.bench.said(origin, text);
        let id = self.append(body, eye);
        self.known.entry(cell).or_default().push(id);
        Some(origin.cap().0)
    }

    /// Derives an item from others as the engine does; no later step names it but to show it.
    fn derive(&mut self, cell: u8, text: &str, on: [u8; 2], eye: &mut Eye<'_>) -> Option<u8> {
        let on = some(&own(&self.known, cell), on);
        let tiers = on.iter().filter_map(|id| self.bench.memory.item(id.seq));
        let strength = tiers.map(|item| item.tier.0).min()?;
        let mut envelope =
            Envelope::new(self.bench.scope.clone(), actor(Rank::Engine), self.bench.now);
        envelope.origin = Origin::Derived;
        let rests_on = |target| Link { kind: LinkKind::RestsOn, target };
        envelope.links = on.into_iter().map(rests_on).collect();
        let text = format!("in short {} {text}", self.turns);
        let event = Event::Memory(MemoryEvent::Remembered(Remembered::text(text)));
        let id = self.append(Body { envelope, event }, eye);
        self.derived.entry(cell).or_default().push(id);
        Some(strength)
    }

    pub(super) fn append(&mut self, body: Body<'static>, eye: &mut Eye<'_>) -> RecordId {
        let id = self.bench.append(body.clone());
        eye(&self.bench, id, &body);
        id
    }
}

/// The history, as far as `keep` keeps it.
pub(super) fn played(history: &[Turn], keep: impl Fn(&Turn) -> bool) -> Player {
    let mut player = Player::new();
    for turn in history {
        player.wait(turn);
        if keep(turn) {
            player.take(turn, &mut |_, _, _| ());
        }
    }
    player
}

/// The scope of an agent, what all share, or what an agent keeps to its session.
pub(super) fn scope(cell: u8) -> Scope<'static> {
    let agents = [Some("a"), Some("b"), None, Some("a"), Some("b")];
    let agent = agents.get(usize::from(cell)).copied().flatten();
    let session = (cell > SHARED).then(|| "s".into());
    let session_only = session.is_some();
    Scope { agent: agent.map(Into::into), session, session_only, ..Scope::tenant("t") }
}

/// Whether a scope is to see what was written in another: its agent's or everybody's, and what
/// is kept to a session there alone.
pub(super) fn sees(asker: &Scope<'_>, of: &Scope<'_>) -> bool {
    let is_its_agent_s = of.agent.is_none() || of.agent == asker.agent;
    let is_there = (&of.agent, &of.session) == (&asker.agent, &asker.session);
    is_its_agent_s && (!of.session_only || is_there)
}

fn own(known: &BTreeMap<u8, Vec<RecordId>>, cell: u8) -> Vec<RecordId> {
    known.get(&cell).cloned().unwrap_or_default()
}

fn pick(known: &[RecordId], at: u8) -> Option<RecordId> {
    known.get(usize::from(at).checked_rem(known.len())?).copied()
}

/// One or two items, ascending.
fn some(known: &[RecordId], at: [u8; 2]) -> Vec<RecordId> {
    let mut some: Vec<RecordId> = at.into_iter().filter_map(|at| pick(known, at)).collect();
    some.sort_unstable();
    some.dedup();
    some
}

fn rank(of: u8) -> Rank {
    let ranks = [Rank::Web, Rank::Tool, Rank::Assistant, Rank::User, Rank::Owner];
    ranks.get(usize::from(of) % ranks.len()).copied().unwrap_or(Rank::User)
}

fn change_of(number: u8) -> Change {
    match number % 9 {
        0 => Change::Confirm { weight: None, verified: false },
        1 => Change::Confirm { weight: None, verified: true },
        2 => Change::Promote { weight: None },
        3..=5 => Change::Invalidate { weight: None, reason: None },
        6 => Change::Reconfirm { reason: None },
        7 => Change::Pin,
        _ => Change::Unpin,
    }
}
