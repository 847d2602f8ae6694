//! Checks after every event, beside the folds.

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{
    Body, Event, LinkKind, MemoryEvent, Origin, Outcome, OutcomeEvent, OwnStatus, Rank,
    ReconcileEvent, TaskResult,
};
use memlith_log::{RecordId, Seq, Timestamp};
use memlith_memory::{Item, ItemFlags, Memory};
use memlith_salience::Log2;

use super::bench::Bench;
use super::judge::Judge;
use super::law::Law;

/// State of every item after the events before, in plain maps.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) standings: BTreeMap<Seq, Standing>,
    levels: BTreeMap<Seq, Log2>,
    /// The levels just after the last evidence from outside.
    heard: BTreeMap<Seq, Log2>,
    /// Evidence that counts once: the item, a confirmation or not, and who.
    counted: BTreeSet<(Seq, bool, String)>,
    tiers: BTreeMap<Seq, u8>,
    /// Items that take the place of another, and from when.
    closings: BTreeMap<Seq, Vec<(Seq, Timestamp)>>,
    pinned: BTreeSet<Seq>,
}

/// Decisions about an item.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) own: OwnStatus,
    before: OwnStatus,
    /// The highest rank that took it out.
    barred_by: u8,
    cell: Room,
    /// Text that the item asserts, where it is a memory.
    text: Option<String>,
}

/// The agent, and the session that alone sees it.
type Room = (Option<String>, Option<String>);

/// Statement of an event about items that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Shown,
    Confirmed { verified: bool },
    Restated,
    Promoted,
    Invalidated,
    Reconfirmed,
    Doubted,
}

impl Watch {
    /// Checks what an event did, and takes note of what it says.
    pub(super) fn see(
        &mut self,
        bench: &Bench,
        id: RecordId,
        body: &Body<'static>,
        judge: &mut Judge,
    ) {
        let said = act_of(body);
        self.levels_moved(bench, id, &said, judge);
        self.ceilings_hold(bench, id, body, &said, judge);
        self.tiers_hold(bench, id, body, judge);
        self.note(bench, id, body, &said, judge);
        fixed_point(&bench.memory, judge);
        let items = bench.memory.items();
        self.levels = items.map(|item| (item.id.seq, level(bench, &item))).collect();
    }

    /// Whether something has taken the item's place at an instant.
    pub(super) fn is_over(&self, seq: Seq, now: Timestamp) -> bool {
        self.closings.get(&seq).into_iter().flatten().any(|(_, at)| *at <= now)
    }

    /// How many items were ever pinned.
    pub(super) fn pins(&self) -> usize {
        self.pinned.len()
    }

    /// P1, P2: what moved is what the event is evidence of.
    fn levels_moved(
        &self,
        bench: &Bench,
        id: RecordId,
        said: &Option<(Act, Vec<Seq>)>,
        judge: &mut Judge,
    ) {
        if !judge.asks_any(&[Law::P1, Law::P2]) {
            return;
        }
        let is_shown = matches!(said, Some((Act::Shown, _)));
        let law = if is_shown { Law::P2 } else { Law::P1 };
        for item in bench.memory.items() {
            let Some(before) = self.levels.get(&item.id.seq) else { continue };
            let named = said.as_ref().is_some_and(|(_, named)| named.contains(&item.id.seq));
            let fixed = is_shown && (item.is_derived() || item.flags.has(ItemFlags::ACCEPTED));
            if named && !fixed {
                continue;
            }
            let after = level(bench, &item);
            judge.case(law, after == *before, || {
                format!("{} went from {before:?} to {after:?} by {id}", item.id)
            });
        }
    }

    /// P3, P3b: nothing rises by more than a doubling without evidence from outside.
    fn ceilings_hold(
        &mut self,
        bench: &Bench,
        id: RecordId,
        body: &Body<'static>,
        said: &Option<(Act, Vec<Seq>)>,
        judge: &mut Judge,
    ) {
        if !judge.asks(Law::P3) {
            return;
        }
        if let Some((act, targets)) = said {
            for target in targets {
                if self.is_heard(*act, *target, body)
                    && let Some(item) = bench.memory.item(*target)
                {
                    self.heard.insert(*target, level(bench, &item));
                }
            }
        }
        for item in bench.memory.items() {
            let born = Log2::at(bench.born(item.id));
            let heard = self.heard.entry(item.id.seq).or_insert(born);
            let (ceiling, found) = (heard.plus(Log2::ONE), level(bench, &item));
            judge.case(Law::P3, found <= ceiling, || {
                format!("{} is at {found:?} after {id}, above {ceiling:?}", item.id)
            });
        }
    }

    /// Whether this is evidence from outside, and not heard before.
    fn is_heard(&mut self, act: Act, target: Seq, body: &Body<'static>) -> bool {
        let Some(standing) = self.standings.get(&target) else { return false };
        let person = body.envelope.actor.rank >= Rank::User;
        let once = |is_confirmed| {
            let name = body.envelope.actor.name.to_string();
            (target, is_confirmed, name)
        };
        match act {
            Act::Confirmed { verified } => {
                standing.own == OwnStatus::Active
                    && (person || verified)
                    && self.counted.insert(once(true))
            }
            Act::Restated => {
                standing.own == OwnStatus::Active && person && self.counted.insert(once(false))
            }
            Act::Promoted => standing.own == OwnStatus::Active && person,
            Act::Reconfirmed => standing.own == OwnStatus::Invalidated && person,
            Act::Shown | Act::Invalidated | Act::Doubted => false,
        }
    }

    /// P15: a tier is at most what its origin and its sources allow, and stays as it was.
    fn tiers_hold(&mut self, bench: &Bench, id: RecordId, body: &Body<'static>, judge: &mut Judge) {
        if !judge.asks(Law::P15) {
            return;
        }
        for item in bench.memory.items() {
            let found = item.tier.0;
            if let Some(before) = self.tiers.get(&item.id.seq) {
                judge.case(Law::P15, found == *before, || {
                    format!("the tier of {} went from {before} to {found} by {id}", item.id)
                });
                continue;
            }
            let allowed = self.highest_tier(body);
            judge.case(Law::P15, (1..=allowed).contains(&found), || {
                format!("{} has tier {found}, where {allowed} is allowed", item.id)
            });
            self.tiers.insert(item.id.seq, found);
        }
    }

    fn highest_tier(&self, body: &Body<'static>) -> u8 {
        let envelope = &body.envelope;
        let sources = envelope.links.iter().filter(|link| link.kind == LinkKind::RestsOn);
        match (envelope.origin, envelope.actor.rank) {
            (Origin::Derived, _) => {
                let tiers = sources.map(|link| self.tiers.get(&link.target.seq).copied());
                tiers.map(Option::unwrap_or_default).min().unwrap_or_default().max(1)
            }
            (_, Rank::Reviewer | Rank::Owner) => 4,
            (Origin::User, _) => 4,
            (Origin::Assistant, _) => 3,
            (Origin::Tool | Origin::File, _) => 2,
            (Origin::Web, _) => 1,
        }
    }

    /// Takes note of what was decided; P4 of words: what was taken out is not said again
    /// from below.
    fn note(
        &mut self,
        bench: &Bench,
        id: RecordId,
        body: &Body<'static>,
        said: &Option<(Act, Vec<Seq>)>,
        judge: &mut Judge,
    ) {
        let rank = body.envelope.actor.rank.level();
        if let Some((act, targets)) = said {
            for target in targets {
                self.standings.entry(*target).and_modify(|standing| standing.hear(*act, rank));
            }
        }
        if let Event::Memory(MemoryEvent::Pinned(target)) = &body.event {
            self.pinned.insert(target.seq);
        }
        if let Event::Reconcile(ReconcileEvent::Decided(decided)) = &body.event {
            for closing in &decided.closings {
                self.closings.entry(closing.row).or_default().push((closing.by, closing.at));
            }
            for settled in &decided.settled {
                self.standings.entry(settled.seq).and_modify(|standing| {
                    if standing.own == OwnStatus::Pending {
                        standing.own = OwnStatus::Retracted;
                    }
                });
            }
        }
        if bench.memory.item(id.seq).is_none() {
            return;
        }
        let standing = Standing::of(body);
        if standing.own == OwnStatus::Active && standing.text.is_some() {
            let bars = |other: &&Standing| {
                other.own == OwnStatus::Invalidated
                    && other.before == OwnStatus::Active
                    && other.barred_by > rank
                    && (&other.cell, &other.text) == (&standing.cell, &standing.text)
            };
            let barred = self.standings.values().any(|other| bars(&other));
            judge.case(Law::P4, !barred, || format!("{id} says again what was taken out"));
        }
        self.standings.insert(id.seq, standing);
    }
}

impl Standing {
    fn of(body: &Body<'static>) -> Standing {
        let (mut own, mut text) = (OwnStatus::Active, None);
        if let Event::Memory(MemoryEvent::Remembered(remembered)) = &body.event {
            text = Some(remembered.text.trim_end_matches('.').to_lowercase());
            if remembered.pending.is_some() {
                own = OwnStatus::Pending;
            }
        }
        let scope = &body.envelope.scope;
        let session = scope.session.as_ref().filter(|_| scope.session_only);
        let cell = (scope.agent.as_deref().map(str::to_owned), session.map(ToString::to_string));
        Standing { own, before: own, barred_by: 0, cell, text }
    }

    fn hear(&mut self, act: Act, rank: u8) {
        match (act, self.own) {
            (Act::Invalidated, OwnStatus::Active | OwnStatus::Pending) => {
                (self.before, self.own, self.barred_by) = (self.own, OwnStatus::Invalidated, rank);
            }
            (Act::Invalidated, OwnStatus::Invalidated) => {
                self.barred_by = self.barred_by.max(rank);
            }
            // One from below changes nothing, whatever the folds make of it.
            (Act::Reconfirmed, OwnStatus::Invalidated) if rank >= self.barred_by => {
                (self.own, self.barred_by) = (self.before, 0);
            }
            _ => {}
        }
    }
}

fn level(bench: &Bench, item: &Item) -> Log2 {
    bench.salience.level(item.id.seq, bench.born(item.id), bench.now)
}

/// Returns the statement of an event, and the items that it is about.
fn act_of(body: &Body<'static>) -> Option<(Act, Vec<Seq>)> {
    if let Event::Outcome(OutcomeEvent::Reported(reported)) = &body.event {
        let act = match reported.result {
            TaskResult::Success => Act::Confirmed { verified: reported.verified },
            TaskResult::Failure => Act::Doubted,
            TaskResult::Partial => return None,
        };
        return Some((act, seqs(&reported.targets)));
    }
    if let Event::Reconcile(ReconcileEvent::Decided(decided)) = &body.event
        && let Outcome::Restated(id) | Outcome::Revived(id) = &decided.outcome
    {
        return Some((Act::Restated, vec![id.seq]));
    }
    let Event::Memory(event) = &body.event else { return None };
    act_on_memory(event)
}

/// Whatever else happens to memories says nothing of how strongly they compete.
fn act_on_memory(event: &MemoryEvent<'_>) -> Option<(Act, Vec<Seq>)> {
    if let MemoryEvent::Surfaced(said) = event {
        return Some((Act::Shown, seqs(&said.targets)));
    }
    if let MemoryEvent::Confirmed(said) = event {
        return Some((Act::Confirmed { verified: said.verified }, seqs(&said.targets)));
    }
    if let MemoryEvent::Promoted(said) = event {
        return Some((Act::Promoted, seqs(&said.targets)));
    }
    if let MemoryEvent::Invalidated(said) = event {
        return Some((Act::Invalidated, seqs(&said.targets)));
    }
    let MemoryEvent::Reconfirmed(said) = event else { return None };
    Some((Act::Reconfirmed, seqs(&said.targets)))
}

fn seqs(ids: &[RecordId]) -> Vec<Seq> {
    ids.iter().map(|id| id.seq).collect()
}

/// P5: of every item, what broke it is what the definition says.
fn fixed_point(memory: &Memory, judge: &mut Judge) {
    if !judge.asks(Law::P5) {
        return;
    }
    let mut known = BTreeMap::new();
    for item in memory.items() {
        let expected = broken_by(memory, item.id.seq, &mut known);
        judge.case(Law::P5, item.broken_by == expected, || {
            format!("{} is broken by {}, not {expected}", item.id, item.broken_by)
        });
    }
}

/// The rank that broke a memory from its definition, by recursion over everything: the least
/// over its justifications of the greatest among their sources that is not below its guard.
pub(super) fn broken_by(memory: &Memory, seq: Seq, known: &mut BTreeMap<Seq, u8>) -> u8 {
    if let Some(verdict) = known.get(&seq) {
        return *verdict;
    }
    let Some(citer) = memory.item(seq) else { return Item::FINAL };
    let mut verdict: Option<u8> = None;
    for (_, members) in memory.justifications(seq) {
        let mut strongest = 0;
        for member in members {
            let Some(item) = memory.item(member) else { continue };
            let rank = match (item.own, item.before) {
                (OwnStatus::Active, _) => broken_by(memory, member, known),
                (OwnStatus::Invalidated, OwnStatus::Active) => {
                    item.invalidator.max(broken_by(memory, member, known))
                }
                _ => Item::FINAL,
            };
            if rank > 0 && (rank >= citer.guard || citer.is_derived()) {
                strongest = strongest.max(rank);
            }
        }
        verdict = Some(verdict.map_or(strongest, |least| least.min(strongest)));
    }
    let verdict = verdict.unwrap_or(0);
    known.insert(seq, verdict);
    verdict
}
