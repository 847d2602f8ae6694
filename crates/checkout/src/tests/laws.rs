//! Laws that hold for every history and every question.

use std::collections::BTreeMap;

use memlith_event::{
    Actor, Body, Envelope, Event, Link, LinkKind, MemoryEvent, Origin, Purpose, Rank, Remembered,
    Scope, TaskResult,
};
use memlith_log::RecordId;
use memlith_memory::{Change, Command, Memory, Remember, TaskReport};
use proptest::prelude::*;

use super::ledger::{DAY, Ledger, ids, lives_in, resting};
use crate::candidate::is_web;
use crate::find::End;
use crate::told::folded;
use crate::*;

#[derive(Clone, Debug)]
enum Step {
    Say(u8, Vec<u8>),
    Remember(u8, Vec<u8>),
    Place(u8, u8),
    Rest(u8, Vec<u8>, u8),
    Derive(Vec<u8>, u8),
    Change(u8, u8, u8),
    Report(u8, u8, bool),
    Surface(Vec<u8>),
}

/// A step, the scope it is taken in, and the hours that pass before it.
type Play = Vec<(Step, u8, u8)>;

const WORDS: [&str; 8] =
    ["tea", "coffee", "kettle", "office", "Monday", "Ana", "the long corridor", "green door"];

fn phrase() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0_u8..8, 1..5)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_u8..6, phrase()).prop_map(|(origin, words)| Step::Say(origin, words)),
        4 => (0_u8..5, phrase()).prop_map(|(rank, words)| Step::Remember(rank, words)),
        2 => (0_u8..5, 0_u8..4).prop_map(|(rank, place)| Step::Place(rank, place)),
        2 => (0_u8..5, phrase(), any::<u8>()).prop_map(|(rank, words, on)| Step::Rest(rank, words, on)),
        2 => (phrase(), any::<u8>()).prop_map(|(words, on)| Step::Derive(words, on)),
        4 => (0_u8..5, 0_u8..6, any::<u8>()).prop_map(|(rank, what, at)| Step::Change(rank, what, at)),
        2 => (0_u8..5, any::<u8>(), any::<bool>()).prop_map(|(rank, at, good)| Step::Report(rank, at, good)),
        1 => phrase().prop_map(Step::Surface),
    ]
}

fn play(hours: u8) -> impl Strategy<Value = Play> {
    prop::collection::vec((step(), 0_u8..3, 0..=hours), 1..30)
}

fn sentence(words: &[u8]) -> String {
    let words: Vec<&str> = words.iter().map(|word| WORDS[usize::from(*word)]).collect();
    words.join(" ")
}

fn rank(of: u8) -> Rank {
    [Rank::Web, Rank::Tool, Rank::Assistant, Rank::User, Rank::Owner][usize::from(of)]
}

fn scope(of: u8) -> Scope<'static> {
    let agent = ["a", "b"].get(usize::from(of)).map(|agent| (*agent).into());
    Scope { agent, ..Scope::tenant("t") }
}

/// A ledger played step by step; what is known is known per scope, so that leaving out
/// the steps of one changes nothing in another.
struct Player {
    ledger: Ledger,
    known: BTreeMap<u8, Vec<RecordId>>,
    steps: u64,
}

impl Player {
    fn new() -> Player {
        Player { ledger: Ledger::new(), known: BTreeMap::new(), steps: 0 }
    }

    fn wait(&mut self, hours: u8) {
        self.ledger.now = self.ledger.now.plus_us(DAY / 24 * i64::from(hours));
        self.steps += 1;
    }

    /// Takes the step; gives the strength of its author, where there is one.
    fn take(&mut self, step: &Step, of: u8) -> Option<u8> {
        self.ledger.scope = scope(of);
        let known = self.known.entry(of).or_default().clone();
        let pick = |at: u8| known.get(usize::from(at) % known.len().max(1)).copied();
        match step {
            Step::Say(origin, words) => {
                let origin = [
                    Origin::User,
                    Origin::Assistant,
                    Origin::Tool,
                    Origin::File,
                    Origin::Web,
                    Origin::Web,
                ][usize::from(*origin)];
                let id = self.ledger.say(origin, &sentence(words));
                self.known.entry(of).or_default().push(id);
                Some(origin.cap().0)
            }
            Step::Remember(by, words) => {
                let remember = Remember { text: sentence(words), ..Remember::default() };
                self.command(of, *by, &Command::Remember(remember))
            }
            Step::Place(by, place) => {
                self.command(of, *by, &Command::Remember(lives_in(WORDS[usize::from(*place)])))
            }
            Step::Rest(by, words, on) => {
                let on = pick(*on)?;
                self.command(of, *by, &Command::Remember(resting(&sentence(words), &[on])))
            }
            Step::Derive(words, on) => self.derive(&sentence(words), pick(*on)?),
            Step::Change(by, what, at) => {
                let change = [
                    Change::Confirm { weight: None, verified: false },
                    Change::Promote { weight: None },
                    Change::Invalidate { weight: None, reason: None },
                    Change::Reconfirm { reason: None },
                    Change::Pin,
                    Change::Unpin,
                ][usize::from(*what)]
                .clone();
                self.command(of, *by, &Command::Change { change, targets: vec![pick(*at)?] })
            }
            Step::Report(by, at, good) => {
                let report = TaskReport {
                    targets: vec![pick(*at)?],
                    result: if *good { TaskResult::Success } else { TaskResult::Failure },
                    verified: true,
                    purpose: Some(Purpose::Coding),
                    ..TaskReport::default()
                };
                self.command(of, *by, &Command::Report(report))
            }
            Step::Surface(words) => {
                let pack = self.ledger.checkout(&sentence(words), 60);
                self.ledger.surface(&pack);
                None
            }
        }
    }

    fn command(&mut self, of: u8, by: u8, command: &Command) -> Option<u8> {
        let events = self.ledger.run(rank(by), command).ok()?;
        let items = events.iter().filter(|id| self.ledger.memory.item(id.seq).is_some());
        self.known.entry(of).or_default().extend(items);
        Some(rank(by).level())
    }

    /// Writes a memory that rests on `on`, as the engine does: never picked as a target.
    fn derive(&mut self, text: &str, on: RecordId) -> Option<u8> {
        let tier = self.ledger.memory.item(on.seq)?.tier;
        let actor = Actor::new("engine", Rank::Engine);
        let mut envelope = Envelope::new(self.ledger.scope.clone(), actor, self.ledger.now);
        envelope.links.push(Link { kind: LinkKind::RestsOn, target: on });
        let text = format!("in short {} {text}", self.steps);
        let event = Event::Memory(MemoryEvent::Remembered(Remembered::text(text)));
        self.ledger.append(Body { envelope, event });
        Some(tier.0)
    }

    fn all(&mut self, of: u8, query: &str) -> Pack {
        self.all_for(of, query, Purpose::General)
    }

    fn all_for(&mut self, of: u8, query: &str, purpose: Purpose) -> Pack {
        self.ledger.scope = scope(of);
        self.ledger.all_for(query, purpose)
    }

    /// Makes the pack of all items, also of those that answer little.
    fn everything_for(&mut self, of: u8, query: &str, purpose: Purpose) -> Pack {
        self.ledger.scope = scope(of);
        let wanted = self.ledger.request(query, u32::MAX);
        let request = Request { purpose, min_items: u32::MAX, ..wanted };
        checkout(&self.ledger.view(), &request).unwrap()
    }
}

fn played(play: &Play, keep: impl Fn(&Step, u8) -> bool) -> Player {
    let mut player = Player::new();
    for (step, of, hours) in play {
        player.wait(*hours);
        if keep(step, *of) {
            player.take(step, *of);
        }
    }
    player
}

/// The part of an item that doesn't depend on how records are numbered.
fn essence(items: &[Cited]) -> Vec<(String, i64, Why)> {
    let essence = |item: &Cited| {
        let why = Why { newer: Vec::new(), later: None, former: Vec::new(), ..item.why.clone() };
        (item.excerpt.text.clone(), item.score, why)
    };
    items.iter().map(essence).collect()
}

/// Whether `id` is in `after`, or what says the same is, guarded at least as much: the
/// same words, its source, or what was derived from it.
fn stands(ledger: &Ledger, before: &Pack, after: &Pack, id: RecordId) -> bool {
    let memory = &ledger.memory;
    let guard = |id: RecordId| memory.item(id.seq).unwrap().guard;
    let said =
        before.items.iter().find(|item| item.id == id).map(|item| folded(&item.excerpt.text));
    let rests = |a: RecordId, b: RecordId| memory.resting_on(b.seq).any(|citer| citer == a.seq);
    after.items.iter().any(|item| {
        let same = Some(folded(&item.excerpt.text)) == said;
        item.id == id
            || (guard(item.id) >= guard(id) && (same || rests(item.id, id) || rests(id, item.id)))
    })
}

fn tokens(items: &[Cited]) -> u64 {
    items.iter().map(|item| u64::from(item.excerpt.tokens)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_larger_budget_shows_the_same_and_then_more(
        play in play(200), words in phrase(), small in 1_u32..60, more in 0_u32..60,
    ) {
        let ledger = played(&play, |_, _| true).ledger;
        let query = sentence(&words);
        let [small, large, all] =
            [small, small + more, u32::MAX].map(|budget| ledger.checkout(&query, budget));
        prop_assert!(large.items.starts_with(&small.items));
        prop_assert!(all.items.starts_with(&large.items));
        // What more is shown is no less evidence.
        prop_assert!(small.evidence.items <= large.evidence.items);
        prop_assert!(large.evidence.items <= all.evidence.items);
        let known = knows(&ledger.view(), &ledger.ask(&query)).unwrap();
        prop_assert!(known.evidence >= all.evidence.items);
        prop_assert_eq!(&known.nowhere, &all.nowhere);
        for pack in [&small, &large, &all] {
            prop_assert!(pack.tokens <= pack.receipt.budget_tokens);
            prop_assert_eq!(pack.tokens as usize, for_prompt(&pack.items).len().div_ceil(4));
            // Whatever was found is either shown or left out.
            let mut found = ids(&pack.items);
            found.extend(pack.left_out.iter().map(|excluded| excluded.id));
            found.sort_unstable();
            let len = found.len();
            found.dedup();
            prop_assert_eq!(len, found.len());
            prop_assert_eq!(len, all.items.len() + all.left_out.len());
        }
    }

    #[test]
    fn no_excerpt_depends_on_the_budget(
        texts in prop::collection::vec(prop::collection::vec(phrase(), 8..16), 8..14),
        words in phrase(), budget in 100_u32..500,
    ) {
        let mut ledger = Ledger::new();
        for (number, text) in texts.iter().enumerate() {
            let sentences = text.iter().map(|words| format!("{} {number}. ", sentence(words)));
            ledger.say(Origin::User, &sentences.collect::<String>());
        }
        let query = sentence(&words);
        let (pack, all) = (ledger.checkout(&query, budget), ledger.all(&query));
        prop_assert!(all.items.starts_with(&pack.items));
        prop_assert!(all.items.iter().skip(6).all(|cited| cited.excerpt.tokens <= 22));
    }

    #[test]
    fn only_what_stands_and_is_visible_is_shown_and_the_web_keeps_its_share(
        play in play(200), words in phrase(), of in 0_u8..3,
    ) {
        let mut player = played(&play, |_, _| true);
        let query = sentence(&words);
        let pack = player.all(of, &query);
        let ledger = &player.ledger;
        let item = |id: RecordId| ledger.memory.item(id.seq).unwrap();
        for excluded in &pack.left_out {
            prop_assert!(Memory::sees(&ledger.scope, &item(excluded.id)));
        }
        let mut web = 0;
        for (at, cited) in pack.items.iter().enumerate() {
            let item = item(cited.id);
            prop_assert_eq!(item.id, cited.id);
            prop_assert!(Memory::sees(&ledger.scope, &item));
            let authority = ledger.memory.authority(cited.id.seq, ledger.now).unwrap();
            prop_assert!(authority.is_shown());
            prop_assert_eq!(cited.why.authority, authority);
            web += u64::from(is_web(&item)) * u64::from(cited.excerpt.tokens);
            prop_assert!(web * 10 <= tokens(&pack.items[..=at]) * 3);
        }
        let ranked = ledger.recall(&query);
        let order = |item: &Cited| (std::cmp::Reverse(item.score), item.id.seq);
        prop_assert!(ranked.windows(2).all(|pair| order(&pair[0]) < order(&pair[1])));
        prop_assert!(ranked.iter().all(|item| item.score > 0));
        prop_assert_eq!(&ledger.all(&query), &pack);
    }

    // P6: learning and ranking see primaries only.
    #[test]
    fn what_is_derived_moves_no_primary(play in play(200), words in phrase(), of in 0_u8..3) {
        // What a pack showed is learned from, so only unobserved histories are compared.
        let unobserved = |step: &Step| !matches!(step, Step::Surface(_));
        let with = played(&play, |step, _| unobserved(step));
        let without = played(&play, |step, _| unobserved(step) && !matches!(step, Step::Derive(..)));
        let primaries = |mut player: Player| {
            player.ledger.scope = scope(of);
            let ledger = &player.ledger;
            let query = sentence(&words);
            let mut ranked = ledger.recall(&query);
            ranked.retain(|item| item.why.origin != Origin::Derived);
            let end = End { purpose: Purpose::Coding, ..End::default() };
            let found = ledger.view().find(&ledger.ask(&query), end, 200).candidates;
            let primary = found.iter().filter(|found| !found.item.is_derived());
            let coding: Vec<_> = primary.map(|found| (found.score(), found.learned)).collect();
            (essence(&ranked), coding)
        };
        prop_assert_eq!(primaries(with), primaries(without));
    }

    // P11: another agent's events change no byte of an answer, up to renumbering.
    #[test]
    fn another_scope_changes_nothing(play in play(200), words in phrase()) {
        // A showing of shared items belongs to their scope, whoever asked.
        let shows = |step: &Step, of| of == 1 && matches!(step, Step::Surface(_));
        let query = sentence(&words);
        let mut all = played(&play, |step, of| !shows(step, of));
        let mut own = played(&play, |_, of| of != 1);
        let (all, own) = (all.all(0, &query), own.all(0, &query));
        prop_assert_eq!(essence(&all.items), essence(&own.items));
        prop_assert_eq!(all.receipt.left_out, own.receipt.left_out);
    }

    // P16: nobody takes out what is guarded more than they are, whatever the checkout is for.
    #[test]
    fn no_weaker_event_takes_an_item_out(
        play in play(2), words in phrase(), of in 0_u8..3, purpose in 0_usize..24,
    ) {
        let query = sentence(&words);
        // Half of the cases are general.
        let purpose = Purpose::ALL.get(purpose).copied().unwrap_or_default();
        let mut player = Player::new();
        for (step, by, hours) in &play {
            player.wait(*hours);
            // The floor goes by relevance, whose statistics count everybody's words.
            let before = player.everything_for(of, &query, purpose);
            // What a pin alone brings in goes with the pin.
            let guards: Vec<(RecordId, u8)> = before.items.iter().filter(|item| item.why.relevance > 0)
                .map(|item| (item.id, player.ledger.memory.item(item.id.seq).unwrap().guard))
                .collect();
            let Some(strength) = player.take(step, *by) else { continue };
            let after = player.everything_for(of, &query, purpose);
            for (id, guard) in guards {
                prop_assert!(
                    strength >= guard || stands(&player.ledger, &before, &after, id),
                    "{} of guard {} fell to {:?} of strength {}", id, guard, step, strength
                );
            }
        }
    }

    // P4: what was invalidated stays out, however often it or anything is shown.
    #[test]
    fn surfacing_brings_nothing_back(play in play(200), words in phrase(), of in 0_u8..3) {
        let query = sentence(&words);
        let mut player = played(&play, |_, _| true);
        let first = player.all(of, &query);
        for _ in 0..5 {
            let pack = player.all(of, &query);
            player.ledger.surface(&pack);
        }
        let mut then = ids(&first.items);
        let mut now = ids(&player.all(of, &query).items);
        // What was left out for want of authority is left out for it still.
        let refused = |pack: &Pack| -> Vec<RecordId> {
            let out = pack.left_out.iter().filter(|out| out.reason == memlith_event::LeftOutReason::Authority);
            out.map(|out| out.id).collect()
        };
        prop_assert_eq!(refused(&first), refused(&player.all(of, &query)));
        then.sort_unstable();
        now.sort_unstable();
        for id in refused(&first) {
            prop_assert!(!now.contains(&id) && !then.contains(&id));
        }
    }
}
